"""A web server of somebody else's, which is also the proxy that leads a browser astray."""

import http.client
import http.server
import json
import pathlib
import queue
import select
import socket
import threading
import urllib.parse

PAGE = pathlib.Path(__file__).with_name("page.html").read_bytes()


class Pages(http.server.ThreadingHTTPServer):
    """Serves the page that tries everything, on a free port, and puts what it tells into `told`.

    As a proxy it does what an attacker's name server does between two requests (DNS rebinding): the page of a foreign
    name comes from here, everything else that is asked of that name goes to `victim`.
    """

    daemon_threads = True
    # A browser opens several connections at once.
    request_queue_size = 64

    def __init__(self, victim):
        super().__init__(("127.0.0.1", 0), Handler)
        self.victim = victim
        self.told = queue.Queue()
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if urllib.parse.urlsplit(self.path).path == "/page":
            self.reply(200, "text/html", PAGE)
        else:
            self.pass_on()

    def do_POST(self):
        if urllib.parse.urlsplit(self.path).path == "/done":
            self.server.told.put(json.loads(self.body()))
            self.reply(200, "text/plain", b"")
        else:
            self.pass_on()

    def do_OPTIONS(self):
        self.pass_on()

    def do_CONNECT(self):
        """A WebSocket's tunnel."""
        self.close_connection = True
        with socket.create_connection(self.server.victim) as victim:
            self.connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            ends = {self.connection: victim, victim: self.connection}
            while True:
                for end in select.select(list(ends), [], [], 10)[0]:
                    data = end.recv(65536)
                    if not data:
                        return
                    ends[end].sendall(data)

    def pass_on(self):
        """To the server that the name leads to now, with the headers as the browser sent them."""
        target = urllib.parse.urlsplit(self.path)
        if not target.netloc:
            return self.reply(404, "text/plain", b"")
        path = target.path + ("?" + target.query if target.query else "")
        connection = http.client.HTTPConnection(*self.server.victim, timeout=10)
        headers = {name: value for name, value in self.headers.items() if not name.lower().startswith("proxy-")}
        connection.request(self.command, path, self.body() or None, headers)
        answer = connection.getresponse()
        self.reply(answer.status, answer.getheader("content-type", ""), answer.read())

    def body(self):
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def reply(self, status, kind, body):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass
