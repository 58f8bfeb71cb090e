//! A client of a server, over WebSocket, one request at a time. Values come and go as GraphBinary.

use std::{
    fmt,
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    os::unix::net::UnixStream,
    path::Path,
    sync::Arc,
};

use data_encoding::BASE64;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};
use uuid::Uuid;
use values::{Map, Str, Value};
use wire::{Args, RequestMessage, ResponseMessage, WireValue, graphbinary};

use super::Address;
use crate::failure::Failure;

/// What a binary message begins with: its mime type, and how long that is.
const MIME: &[u8] = b"\x20application/vnd.graphbinary-v1.0";

/// Tells name and password once the server asks, if there are any.
pub(super) type Credentials = Arc<dyn Fn() -> Result<Option<(String, String)>, Failure> + Send + Sync>;

/// A stream of bytes to a server.
trait Stream: Read + Write + Send {}

impl<T: Read + Write + Send> Stream for T {}

/// Ends a connection from another thread.
#[derive(Debug)]
pub struct Hangup(Socket);

#[derive(Debug)]
enum Socket {
    Net(TcpStream),
    Here(UnixStream),
}

impl Hangup {
    /// Ends it: the server gives up what runs on it.
    pub fn now(&self) {
        // What is gone already need not be ended.
        let _ = match &self.0 {
            Socket::Net(stream) => stream.shutdown(Shutdown::Both),
            Socket::Here(stream) => stream.shutdown(Shutdown::Both),
        };
    }
}

/// See the module.
pub struct Client {
    socket: WebSocket<Box<dyn Stream>>,
    hangup: Arc<Hangup>,
    credentials: Credentials,
    source: String,
    session: Option<Uuid>,
    called: String,
    /// The id of the next request.
    next: Uuid,
    /// Whether an answer was not read to its end, or the connection is gone.
    broken: bool,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("called", &self.called)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Connects. Whether the server asks for credentials is seen with the first request.
    ///
    /// # Errors
    /// If it cannot be reached.
    pub fn connect(
        address: &Address,
        ca: Option<&Path>,
        credentials: Credentials,
        source: String,
    ) -> Result<Self, Failure> {
        let (stream, hangup, url, called) = open(address, ca)?;
        let failed = |error: String| Failure::Far { server: called.clone(), reason: error };
        let (socket, _) = client(url, stream).map_err(|error| failed(error.to_string()))?;
        Ok(Self {
            socket,
            hangup: Arc::new(hangup),
            credentials,
            source,
            session: None,
            called,
            next: Uuid::new_v4(),
            broken: false,
        })
    }

    /// Has variables stay from one request to the next.
    pub fn begin_session(&mut self) {
        self.session = Some(Uuid::new_v4());
    }

    /// The id that the next request will have.
    pub fn next_id(&self) -> String {
        self.next.to_string()
    }

    /// Whether nothing can be asked any more.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Stops the request of this id, which is on another connection; whether there was one.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn stop(&mut self, id: &str) -> Result<bool, Failure> {
        let given = [(Str::from("which"), Value::from(id))];
        Ok(!self.ask("g.call('mangrove.queries.stop', ['id': which])", &given)?.is_empty())
    }

    /// What it is called, for people.
    pub fn called(&self) -> &str {
        &self.called
    }

    /// What ends the connection from another thread.
    pub fn hangup(&self) -> Arc<Hangup> {
        self.hangup.clone()
    }

    /// Runs a script, and hands its results on one by one. `manages`: in a session, as a transaction of its own.
    ///
    /// # Errors
    /// What the server says is wrong, or what happened to the connection; and what `each` says.
    pub fn run(
        &mut self,
        script: &str,
        bindings: &[(Str, Value)],
        manages: bool,
        each: &mut dyn FnMut(Value) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        // Unless the answer is read to its end, the next one would begin with what is left of it.
        self.broken = true;
        let ran = self.answer(script, bindings, manages, each);
        self.broken = !matches!(ran, Ok(()) | Err(Failure::Refused(_)));
        ran
    }

    fn answer(
        &mut self,
        script: &str,
        bindings: &[(Str, Value)],
        manages: bool,
        each: &mut dyn FnMut(Value) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.send(script, bindings, manages)?;
        loop {
            let ResponseMessage { status, data, .. } = self.receive()?;
            match status.code {
                407 => self.log_in()?,
                200 | 204 | 206 => {
                    results(data, each)?;
                    if status.code != 206 {
                        return Ok(());
                    }
                }
                _ => return Err(Failure::Refused(status.message.to_string())),
            }
        }
    }

    /// All results of a script.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn ask(&mut self, script: &str, bindings: &[(Str, Value)]) -> Result<Vec<Value>, Failure> {
        let mut all = Vec::new();
        self.run(script, bindings, true, &mut |value| {
            all.push(value);
            Ok(())
        })?;
        Ok(all)
    }

    fn send(&mut self, script: &str, bindings: &[(Str, Value)], manages: bool) -> Result<(), Failure> {
        let given: Map =
            bindings.iter().map(|(name, value)| (Value::String(name.clone()), value.clone())).collect();
        let mut aliases = Map::new();
        aliases.insert("g", self.source.as_str());
        let argument = |name: &str, value: Value| (Str::from(name), WireValue::from(value));
        let mut args = vec![
            argument("gremlin", script.into()),
            argument("language", "gremlin-lang".into()),
            argument("bindings", given.into()),
            argument("aliases", aliases.into()),
        ];
        if let Some(session) = self.session {
            args.extend([
                argument("session", Value::Uuid(session)),
                argument("manageTransaction", manages.into()),
            ]);
        }
        let processor = if self.session.is_some() { "session" } else { "" };
        self.request("eval", processor, args)
    }

    fn log_in(&mut self) -> Result<(), Failure> {
        let Some((user, password)) = (self.credentials)()? else {
            return Err(Failure::Usage(format!(
                "{} wants to know who asks: add --user NAME, or --token-file FILE",
                self.called
            )));
        };
        let sasl = BASE64.encode(format!("\0{user}\0{password}").as_bytes());
        let args = vec![
            (Str::from("sasl"), WireValue::from(Value::from(sasl))),
            (Str::from("saslMechanism"), WireValue::from(Value::from("PLAIN"))),
        ];
        self.request("authentication", "", args)
    }

    fn request(&mut self, op: &str, processor: &str, args: Vec<(Str, WireValue)>) -> Result<(), Failure> {
        let request = RequestMessage {
            id: Uuid::new_v4(),
            op: op.into(),
            processor: processor.into(),
            args: Args(args),
        };
        let mut frame = MIME.to_vec();
        graphbinary::encode_request(&request, &mut frame).map_err(|error| self.failed(&error))?;
        self.socket.send(Message::Binary(frame.into())).map_err(|error| self.failed(&error))
    }

    fn receive(&mut self) -> Result<ResponseMessage, Failure> {
        loop {
            match self.socket.read().map_err(|error| self.failed(&error))? {
                Message::Binary(frame) => {
                    return graphbinary::decode_response(&frame).map_err(|error| self.failed(&error));
                }
                Message::Close(frame) => {
                    let reason = frame.map_or_else(String::new, |frame| frame.reason.to_string());
                    return Err(self.failed(&format!("it closed the connection: {reason}")));
                }
                // The library answers pings.
                _ => {}
            }
        }
    }

    fn failed(&self, error: &dyn fmt::Display) -> Failure {
        Failure::Far { server: self.called.clone(), reason: error.to_string() }
    }
}

/// Hands on the results in an answer.
fn results(data: WireValue, each: &mut dyn FnMut(Value) -> Result<(), Failure>) -> Result<(), Failure> {
    let other = || Failure::Refused("the server sent what is no list of results".into());
    match data.into_value().map_err(|_| other())? {
        Value::Null => Ok(()),
        Value::List(list) => list.iter().try_for_each(|value| each(value.clone())),
        _ => Err(other()),
    }
}

type Opened = (Box<dyn Stream>, Hangup, String, String);

/// Opens a stream of bytes: it, what ends it, the URL to ask for, and what the server is called.
fn open(address: &Address, ca: Option<&Path>) -> Result<Opened, Failure> {
    match address {
        Address::Socket(path) => {
            let called = format!("the server of {}", path.parent().unwrap_or(path).display());
            let failed =
                |error: std::io::Error| Failure::Far { server: called.clone(), reason: error.to_string() };
            let stream = UnixStream::connect(path).map_err(failed)?;
            let hangup = Hangup(Socket::Here(stream.try_clone().map_err(failed)?));
            Ok((Box::new(stream), hangup, "ws://localhost/gremlin".into(), called))
        }
        Address::Net { secure, host, port, path } => {
            let scheme = if *secure { "wss" } else { "ws" };
            let url = format!("{scheme}://{}:{port}{path}", Address::bracketed(host));
            let failed = |reason: String| Failure::Far { server: url.clone(), reason };
            let io = |error: std::io::Error| failed(error.to_string());
            let stream = TcpStream::connect((host.as_str(), *port)).map_err(io)?;
            stream.set_nodelay(true).map_err(io)?;
            let hangup = Hangup(Socket::Net(stream.try_clone().map_err(io)?));
            let stream: Box<dyn Stream> = match secure {
                false => Box::new(stream),
                true => Box::new(secured(stream, host, ca).map_err(failed)?),
            };
            Ok((stream, hangup, url.clone(), url))
        }
    }
}

fn secured(
    stream: TcpStream,
    host: &str,
    ca: Option<&Path>,
) -> Result<StreamOwned<ClientConnection, TcpStream>, String> {
    let mut roots = RootCertStore::empty();
    match ca {
        Some(path) => {
            let wrong = |error: &dyn fmt::Display| format!("{}: {error}", path.display());
            let all = CertificateDer::pem_file_iter(path).map_err(|error| wrong(&error))?;
            for certificate in all {
                let certificate = certificate.map_err(|error| wrong(&error))?;
                roots.add(certificate).map_err(|error| wrong(&error))?;
            }
        }
        // Some of the system's may be none for rustls; the others count.
        None => _ = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs),
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(|error| error.to_string())?;
    let connection = ClientConnection::new(Arc::new(config), name).map_err(|error| error.to_string())?;
    Ok(StreamOwned::new(connection, stream))
}
