//! What a collector of OpenTelemetry is told of a running server's requests.
#![cfg(feature = "otlp")]

mod program;

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    process::Stdio,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::any_value::Value,
    trace::v1::{Span, status::StatusCode},
};
use program::{Serving, curl, curl_for, text};
use prost::Message;

/// A collector, and what it is sent.
struct Collector {
    endpoint: String,
    spans: Receiver<Span>,
    headers: Receiver<String>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let ((send, spans), (note, headers)) = (mpsc::channel(), mpsc::channel());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, send, note) = (stream.unwrap(), send.clone(), note.clone());
                std::thread::spawn(move || {
                    let mut reader = BufReader::new(stream.try_clone().unwrap());
                    loop {
                        let (mut head, mut length) = (String::new(), 0);
                        while head.is_empty() || !head.ends_with("\r\n\r\n") {
                            let begin = head.len();
                            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                                return;
                            }
                            let line = head[begin..].to_lowercase();
                            if let Some(value) = line.strip_prefix("content-length:") {
                                length = value.trim().parse().unwrap();
                            }
                        }
                        let mut body = vec![0; length];
                        reader.read_exact(&mut body).unwrap();
                        let _ = note.send(head);
                        let request = ExportTraceServiceRequest::decode(&*body).unwrap();
                        let resources = request.resource_spans.into_iter();
                        let spans = resources.flat_map(|of| of.scope_spans).flat_map(|of| of.spans);
                        spans.for_each(|span| drop(send.send(span)));
                        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
                    }
                });
            }
        });
        Self { endpoint, spans, headers }
    }

    /// The spans until the request of one that `is_last` is told; by their traces.
    fn until(&self, is_last: impl Fn(&Span) -> bool) -> Vec<Span> {
        let (mut spans, begun) = (Vec::new(), Instant::now());
        loop {
            match self.spans.recv_timeout(Duration::from_millis(100)) {
                Ok(span) => spans.push(span),
                Err(RecvTimeoutError::Timeout) if spans.iter().any(&is_last) => return spans,
                Err(_) => assert!(begun.elapsed() < Duration::from_secs(30), "in vain; seen: {spans:?}"),
            }
        }
    }
}

fn attribute(span: &Span, key: &str) -> Option<String> {
    let found = span.attributes.iter().find(|attribute| attribute.key == key)?;
    match found.value.clone()?.value? {
        Value::StringValue(text) => Some(text),
        Value::IntValue(number) => Some(number.to_string()),
        other => Some(format!("{other:?}")),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn serve(collector: &Collector, set: &[&str]) -> Serving {
    serve_from(":memory:", collector, set)
}

fn serve_from(data: &str, collector: &Collector, set: &[&str]) -> Serving {
    let endpoint = format!("traces.endpoint={}", collector.endpoint);
    let mut args = vec!["--data", data, "--set", &endpoint];
    for setting in set {
        args.extend(["--set", setting]);
    }
    args.extend(["serve", "--port", "0"]);
    Serving::start(&args)
}

const PARENT: &str = "0af7651916cd43dd8448eb211c80319c";

#[test]
fn a_collector_is_told_of_requests_their_scopes_and_their_commits() {
    let collector = Collector::start();
    let serving = serve(&collector, &["traces.texts=true"]);
    curl(
        &serving,
        "",
        "g.addV('person').property('name', 'a').as('a').addE('knows').from('a').to('a').iterate()",
    );
    let script = "g.V().hasLabel('person').where(__.out('knows').out('knows')).repeat(__.out('knows')).times(2).values('name')";
    let body = serde_json::json!({ "gremlin": script }).to_string();
    let header = format!("traceparent: 00-{PARENT}-b7ad6b7169203331-01");
    let asked = curl_for(&serving, "", &["/gremlin", "-H", &header, "-d", &body]).output().unwrap();
    assert!(text(&asked.stdout).ends_with(" 200"), "{}", text(&asked.stdout));
    let is_root = |span: &Span| hex(&span.trace_id) == PARENT && span.name.starts_with("gremlin ");
    let spans = collector.until(is_root);
    let by_name = |of: &str| {
        let of = spans.iter().filter(|span| hex(&span.trace_id) == of);
        of.map(|span| (span.name.clone(), span)).collect::<BTreeMap<_, _>>()
    };

    let reading = by_name(PARENT);
    let root = reading["gremlin g"];
    assert_eq!(hex(&root.parent_span_id), "b7ad6b7169203331");
    assert_eq!(attribute(root, "db.system.name").as_deref(), Some("mangrove"));
    assert_eq!(attribute(root, "db.query.text").as_deref(), Some(script));
    assert_eq!(attribute(root, "db.response.returned_rows").as_deref(), Some("1"));
    assert_eq!(attribute(root, "db.response.status_code").as_deref(), Some("200"));
    for part in ["read", "plan", "run", "send"] {
        let span = reading.get(part).unwrap_or_else(|| panic!("no {part} in {reading:?}"));
        assert_eq!(span.parent_span_id, root.span_id, "{part}");
        assert!(root.start_time_unix_nano <= span.start_time_unix_nano, "{part} begins before the request");
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano, "{part} ends before it begins");
    }
    assert!(!reading.contains_key("commit"));
    let run = reading["run"];
    assert!(attribute(run, "mangrove.plan").unwrap().contains("repeat"));
    let scopes: Vec<_> = reading.values().filter(|span| span.name.starts_with("scope ")).collect();
    assert!(scopes.iter().any(|scope| scope.name.contains("repeat")), "{reading:?}");
    for scope in &scopes {
        assert_eq!(scope.parent_span_id, run.span_id);
        assert!(attribute(scope, "mangrove.scope.opened").unwrap().parse::<u32>().unwrap() > 0, "{scope:?}");
        assert!(run.start_time_unix_nano <= scope.start_time_unix_nano);
        assert!(scope.end_time_unix_nano <= run.end_time_unix_nano);
    }

    let writing = spans.iter().find(|span| span.name == "commit").expect("a commit");
    let of_write = by_name(&hex(&writing.trace_id));
    assert_eq!(writing.parent_span_id, of_write["gremlin g"].span_id);
    assert!(writing.start_time_unix_nano >= of_write["run"].end_time_unix_nano);
    assert!(of_write["gremlin g"].parent_span_id.is_empty());
    serving.stop("-TERM");
}

#[test]
fn what_a_query_loads_from_the_store_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("g").display().to_string();
    let before = Serving::start(&["--data", &data, "serve", "--port", "0"]);
    curl(
        &before,
        "",
        "g.addV('person').property('name', 'a').as('a').addE('knows').from('a').to('a').iterate()",
    );
    before.stop("-TERM");
    let collector = Collector::start();
    let serving = serve_from(&data, &collector, &[]);
    for _ in 0..2 {
        curl(&serving, "", "g.V().hasLabel('person').out('knows').values('name')");
    }
    let is_root = |span: &Span| span.name == "gremlin g";
    let mut spans = collector.until(is_root);
    while spans.iter().filter(|span| is_root(span)).count() < 2 {
        spans.extend(collector.until(is_root));
    }
    let runs: Vec<_> = spans.iter().filter(|span| span.name == "run").collect();
    let loads: Vec<_> = spans.iter().filter(|span| span.name == "loads").collect();
    assert_eq!(runs.len(), 2);
    assert_eq!(loads.len(), 1, "the second time all is in memory: {loads:?}");
    let first = runs.iter().find(|run| run.span_id == loads[0].parent_span_id).expect("below what ran");
    assert!(first.start_time_unix_nano <= loads[0].start_time_unix_nano);
    assert!(loads[0].end_time_unix_nano <= first.end_time_unix_nano);
    assert!(attribute(loads[0], "mangrove.loads").unwrap().parse::<u32>().unwrap() > 0);
    serving.stop("-TERM");
}

#[test]
fn errors_are_told_and_texts_are_not_unless_that_is_wanted() {
    let collector = Collector::start();
    let serving = serve(&collector, &[]);
    curl(&serving, "", "g.inject('very secret').fail()");
    curl(&serving, "", "g.inject(1).math('secret +')");
    curl(&serving, "", "g.inject('a').replace('a', 'secret').local(__.concat('secret')).fold()");
    let is_root = |span: &Span| span.name == "gremlin g";
    let mut spans = collector.until(is_root);
    while spans.iter().filter(|span| is_root(span)).count() < 3 {
        spans.extend(collector.until(is_root));
    }
    let is_failed = |span: &Span| attribute(span, "error.type").as_deref() == Some("mangrove.FailStepError");
    assert!(spans.iter().any(is_failed));
    for span in &spans {
        assert!(!format!("{span:?}").contains("secret"), "{span:?}");
    }
    let failed = spans.iter().find(|span| span.name == "run" && span.status.is_some()).expect("a run");
    assert_eq!(failed.status.as_ref().unwrap().code(), StatusCode::Error);
    serving.stop("-TERM");
}

#[test]
fn a_part_of_them_is_told_and_none_of_one_whose_client_wants_none() {
    let collector = Collector::start();
    let serving = serve(&collector, &["traces.ratio=0"]);
    curl(&serving, "", "g.inject(1)");
    let ask = |flags: &str, value: &str| {
        let body = serde_json::json!({ "gremlin": format!("g.inject('{value}')") }).to_string();
        let header = format!("traceparent: 00-{PARENT}-b7ad6b7169203331-{flags}");
        curl_for(&serving, "", &["/gremlin", "-H", &header, "-d", &body]).output().unwrap();
    };
    ask("00", "no");
    ask("01", "yes");
    let spans = collector.until(|span| span.name == "gremlin g");
    assert_eq!(spans.iter().filter(|span| span.name == "gremlin g").count(), 1);
    assert!(spans.iter().all(|span| hex(&span.trace_id) == PARENT));
    serving.stop("-TERM");
}

#[test]
fn the_last_are_sent_when_the_server_stops_and_a_collector_that_is_not_there_holds_up_nobody() {
    let collector = Collector::start();
    let serving = serve(&collector, &[]);
    curl(&serving, "", "g.inject(1)");
    serving.stop("-TERM");
    assert!(collector.until(|span| span.name == "gremlin g").len() > 1);
    assert!(collector.headers.recv().unwrap().starts_with("POST /v1/traces "));

    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    // It takes connections and says nothing.
    let silent = Collector { endpoint: format!("http://{}", nobody.local_addr().unwrap()), ..collector };
    let serving = serve(&silent, &[]);
    let body = serde_json::json!({ "gremlin": "g.inject(1)" }).to_string();
    let begun = Instant::now();
    let mut clients = Vec::new();
    for _ in 0..20 {
        let args = ["/gremlin", "-d", &body];
        clients.push(curl_for(&serving, "", &args).stdout(Stdio::piped()).spawn().unwrap());
    }
    for client in clients {
        assert!(text(&client.wait_with_output().unwrap().stdout).ends_with(" 200"));
    }
    assert!(begun.elapsed() < Duration::from_secs(10));
    let stopped = Instant::now();
    serving.stop("-TERM");
    assert!(stopped.elapsed() < Duration::from_secs(10), "{:?}", stopped.elapsed());
}
