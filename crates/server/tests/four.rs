//! TinkerPop 4 over HTTP, against a fake database.

mod support;

use std::{io::Read, sync::atomic::Ordering::SeqCst, time::Duration};

use serde_json::{Value as Json, json};
use server::{Input, Materialize, ServerOptions};
use support::{
    Serving, eventually,
    http::{exchange, post, post_with},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use values::{Str, Value};
use wire::four::{Format, Request, Response, Status};

const BINARY: &str = "application/vnd.graphbinary-v4.0";
const UNTYPED: &str = "application/vnd.gremlin-v4.0+json;types=false";

/// What a client got.
struct Got {
    code: u16,
    head: String,
    body: Vec<u8>,
    trailers: String,
}

impl Got {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn json(&self) -> Json {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&self.body)))
    }

    fn response(&self) -> Response {
        Format::GraphBinary.decode_response(&self.body).unwrap()
    }

    /// The id that it tells of a transaction, which head and body agree on.
    fn transaction(&self) -> String {
        let id = self.header("x-transaction-id").expect("an id in the head").to_owned();
        assert_eq!(self.json()["result"]["data"], json!([{ "transactionId": id }]));
        id
    }
}

/// Puts the chunks of a body together; the trailers are behind the last one.
fn unchunked(mut body: &[u8]) -> (Vec<u8>, String) {
    let mut whole = Vec::new();
    loop {
        let at = body.windows(2).position(|pair| pair == b"\r\n").expect("the size of a chunk");
        let size = usize::from_str_radix(std::str::from_utf8(&body[..at]).unwrap(), 16).unwrap();
        body = &body[at + 2..];
        if size == 0 {
            return (whole, String::from_utf8(body.to_vec()).unwrap());
        }
        whole.extend_from_slice(&body[..size]);
        body = &body[size + 2..];
    }
}

async fn ask_with(serving: &Serving, body: &str, headers: &str) -> Got {
    let (code, head, body) = exchange(serving, post_with(body, headers)).await;
    let (body, trailers) =
        if head.contains("transfer-encoding: chunked") { unchunked(&body) } else { (body, String::new()) };
    Got { code, head, body, trailers }
}

/// Asks in JSON, as the drivers do, for an answer in JSON without types.
async fn ask(serving: &Serving, body: Json) -> Got {
    let headers = format!("content-type: application/json\r\naccept: {UNTYPED}\r\n");
    ask_with(serving, &body.to_string(), &headers).await
}

async fn begin(serving: &Serving) -> String {
    ask(serving, json!({ "gremlin": "g.tx().begin()" })).await.transaction()
}

async fn within(serving: &Serving, id: &str, gremlin: &str) -> Got {
    ask(serving, json!({ "gremlin": gremlin, "transactionId": id })).await
}

#[tokio::test]
async fn json_is_answered_in_the_format_that_is_accepted() {
    let serving = Serving::start(ServerOptions::default()).await;
    let got = ask(&serving, json!({ "gremlin": "g.count(3)" })).await;
    assert_eq!((got.code, got.header("content-type")), (200, Some(UNTYPED)));
    assert_eq!(got.json(), json!({ "result": { "data": [0, 1, 2] }, "status": { "code": 200 } }));
    assert!(got.header("gremlin-requestid").is_some() && got.header("x-transaction-id").is_none());
    let headers = format!("accept: {BINARY}\r\n");
    let got = ask_with(&serving, r#"{"gremlin":"g.count(3)","batchSize":2}"#, &headers).await;
    assert_eq!(got.header("content-type"), Some(BINARY));
    let results = [0, 1, 2].map(|i| (Value::Int(i).into(), 1)).to_vec();
    assert_eq!(got.response(), Response { results, bulked: false, status: Status::ok() });
}

#[tokio::test]
async fn a_serialized_message_is_read_by_its_content_type() {
    let serving = Serving::start(ServerOptions::default()).await;
    let fields = wire::Args(vec![("g".into(), Value::str("other").into())]);
    let request = Request { gremlin: "g.count(1)".into(), fields };
    let mut body = Vec::new();
    Format::GraphSon { typed: true }.encode_request(&request, &mut body).unwrap();
    let body = String::from_utf8(body).unwrap();
    let got = ask_with(&serving, &body, "content-type: application/vnd.gremlin-v4.0+json\r\n").await;
    assert_eq!(got.header("content-type"), Some(UNTYPED), "the default");
    assert_eq!(got.json()["result"]["data"], json!([0]));
    assert!(serving.other.last.lock().is_some());
    let got = ask_with(&serving, "\u{4}", &format!("content-type: {BINARY}\r\n")).await;
    assert_eq!(got.code, 400);
    assert!(got.json()["message"].as_str().unwrap().contains("version"), "{:?}", got.json());
}

#[tokio::test]
async fn which_protocol_it_is_follows_from_what_is_accepted_and_then_from_the_fields() {
    let serving = Serving::start(ServerOptions::default()).await;
    let is_four = async |body: Json, accept: &str| {
        let headers = format!("content-type: application/json\r\n{accept}");
        ask_with(&serving, &body.to_string(), &headers).await.header("gremlin-requestid").is_some()
    };
    let plain = || json!({ "gremlin": "g.count(1)" });
    assert!(!is_four(plain(), "").await);
    assert!(is_four(json!({ "gremlin": "g.count(1)", "g": "other" }), "").await);
    assert!(is_four(json!({ "gremlin": "g.count(1)", "timeoutMillis": 9 }), "accept: */*\r\n").await);
    assert!(!is_four(json!({ "gremlin": "g.count(1)", "g": "g", "bindings": {} }), "").await);
    assert!(
        !is_four(
            json!({ "gremlin": "g.count(1)", "g": "g" }),
            "accept: application/vnd.gremlin-v3.0+json\r\n"
        )
        .await
    );
    assert!(is_four(plain(), &format!("accept: {BINARY}\r\n")).await);
    assert!(is_four(plain(), "x-transaction-id: nobody\r\n").await);
}

#[tokio::test]
async fn fields_say_how_it_is_run() {
    let serving = Serving::start(ServerOptions::default()).await;
    let body = json!({
        "gremlin": "g.count(1)", "g": "other", "language": "gremlin-lang", "parameters": r#"["x":1L,"y":["a"],"z":Cardinality.list,"g":"gone"]"#,
        "timeoutMillis": 1234, "materializeProperties": "tokens",
    });
    assert_eq!(ask(&serving, body).await.code, 200);
    let query = serving.other.last.lock().take().unwrap();
    assert_eq!((query.timeout, query.materialize), (Some(Duration::from_millis(1234)), Materialize::Tokens));
    let Input::Text { bindings, source, .. } = query.input else { panic!("a script") };
    let list_of_all = gremlin::Argument::Cardinality(gremlin::Cardinality::List);
    let list = Value::list([Value::str("a")]);
    assert_eq!(
        (bindings, source.as_str()),
        (
            vec![("x".into(), Value::Long(1).into()), ("y".into(), list.into()), ("z".into(), list_of_all)],
            "g"
        )
    );
    let got = ask(&serving, json!({ "gremlin": "g.count(1)", "parameters": { "x": 1 } })).await;
    assert_eq!(got.code, 200, "a map does as well");
    let query = serving.fake.last.lock().take().unwrap();
    assert!(
        matches!(query.input, Input::Text { bindings, .. } if bindings == [("x".into(), Value::Int(1).into())])
    );
}

#[tokio::test]
async fn bulks_are_for_who_wants_them_and_for_formats_that_have_them() {
    let serving = Serving::start(ServerOptions::default()).await;
    let binary = format!("accept: {BINARY}\r\n");
    let body = r#"{"gremlin":"g.bulk(3)","bulkResults":true}"#;
    let got = ask_with(&serving, body, &binary).await.response();
    assert_eq!((got.bulked, got.results), (true, vec![(Value::str("same").into(), 3)]));
    let got = ask(&serving, json!({ "gremlin": "g.bulk(3)", "bulkResults": true })).await;
    assert_eq!(got.json()["result"]["data"], json!(["same", "same", "same"]));
    let body = r#"{"gremlin":"g.bulk(2)"}"#;
    assert_eq!(ask_with(&serving, body, &binary).await.response().results.len(), 2);
    let got = ask_with(&serving, body, &format!("{binary}bulkResults: true\r\n")).await.response();
    assert!(got.bulked, "the header does as well");
}

#[tokio::test]
async fn results_arrive_before_all_are_there_and_a_client_that_leaves_ends_the_query() {
    let serving = Serving::start(ServerOptions::default()).await;
    let mut stream = TcpStream::connect(serving.address).await.unwrap();
    let request = post_with(r#"{"gremlin":"g.flood()"}"#, &format!("accept: {UNTYPED}\r\n"));
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut first = vec![0; 20_000];
    timeout(Duration::from_secs(10), stream.read_exact(&mut first)).await.expect("results").unwrap();
    assert!(String::from_utf8_lossy(&first).starts_with("HTTP/1.1 200 OK"));
    assert_eq!(serving.fake.running.load(SeqCst), 1);
    eventually("what nobody reads suspends the query", || serving.fake.full.load(SeqCst) > 0).await;
    drop(stream);
    eventually("the query is cancelled", || serving.fake.running.load(SeqCst) == 0).await;
    assert_eq!(serving.fake.cancelled.load(SeqCst), 1);
}

#[tokio::test]
async fn many_results_come_in_pages_and_a_connection_goes_on_after_them() {
    let serving = Serving::start(ServerOptions { max_http_results: 10, ..Default::default() }).await;
    let got = ask(&serving, json!({ "gremlin": "g.count(5000)", "batchSize": 100 })).await;
    assert_eq!(got.json()["result"]["data"].as_array().unwrap().len(), 5000);
    let mut stream = TcpStream::connect(serving.address).await.unwrap();
    for _ in 0..3 {
        let request = post_with(r#"{"gremlin":"g.count(1)"}"#, &format!("accept: {UNTYPED}\r\n"))
            .replace("connection: close\r\n", "");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"0\r\n\r\n") {
            let read = timeout(Duration::from_secs(10), stream.read_buf(&mut answer)).await.expect("more");
            assert!(read.unwrap() > 0, "{}", String::from_utf8_lossy(&answer));
        }
    }
}

#[tokio::test]
async fn what_fails_at_once_has_a_fitting_code_in_head_body_and_trailers() {
    let serving = Serving::start(ServerOptions::default()).await;
    let headers = format!("accept: {UNTYPED}\r\nte: trailers\r\n");
    for (what, code, exception) in [
        ("syntax", 400, "MalformedQueryException"),
        ("timeout", 500, "ServerTimeoutExceededException"),
        ("conflict", 409, "TransactionException"),
        ("fail", 500, "ServerFailStepException"),
        ("busy", 503, "TooManyRequestsException"),
    ] {
        let body = json!({ "gremlin": format!("g.error({what})") }).to_string();
        let got = ask_with(&serving, &body, &headers).await;
        let status = json!({ "code": code, "message": format!("{what}!"), "exception": exception });
        assert_eq!(got.json(), json!({ "result": { "data": [] }, "status": status }));
        assert_eq!(got.code, code);
        let trailers = format!("code: {code}\r\nexception: {exception}\r\n\r\n");
        assert_eq!(got.trailers.to_lowercase(), trailers.to_lowercase());
    }
    let got = ask_with(&serving, r#"{"gremlin":"g.count(1)"}"#, &headers).await;
    assert_eq!(
        (got.header("trailer"), got.trailers.as_str()),
        (Some("code, exception"), "code: 200\r\n\r\n")
    );
}

#[tokio::test]
async fn what_fails_later_says_so_behind_the_results() {
    let options = ServerOptions { max_waiting_results: 4, ..Default::default() };
    let serving = Serving::start(options).await;
    let headers = format!("accept: {BINARY}\r\nte: trailers\r\n");
    let body = r#"{"gremlin":"g.flood()","timeoutMillis":300,"batchSize":10}"#;
    let got = ask_with(&serving, body, &headers).await;
    assert_eq!(got.code, 200);
    let response = got.response();
    assert!(!response.results.is_empty());
    assert_eq!((response.status.code, &*response.status.exception), (500, "ServerTimeoutExceededException"));
    assert!(got.trailers.contains("code: 500"), "{}", got.trailers);
    let got = ask_with(&serving, r#"{"gremlin":"g.unencodable()"}"#, &headers).await;
    assert_eq!((got.code, &*got.response().status.exception), (500, "ServerSerializationException"));
}

#[tokio::test]
async fn no_name_of_a_parameter_is_reserved() {
    let serving = Serving::start(ServerOptions::default()).await;
    for name in ["ID", "KEY", "LABEL", "VALUE"] {
        let parameters = format!(r#"["{name}":1]"#);
        let got = ask(&serving, json!({ "gremlin": "g.count(1)", "g": "g", "parameters": parameters })).await;
        assert_eq!(got.code, 200, "{name}: {}", got.json());
    }
}

#[tokio::test]
async fn requests_that_make_no_sense_are_400_and_say_why() {
    let serving = Serving::start(ServerOptions::default()).await;
    let count = |field: &str, value: Json| json!({ "gremlin": "g.count(1)", field: value });
    for (body, told) in [
        (count("g", json!("nobody")), "nobody"),
        (count("parameters", json!("[1]")), "a map of literals"),
        (count("parameters", json!("[\"x\":__.out()]")), "a map of literals"),
        (count("batchSize", json!(0)), "batchSize"),
        (count("timeoutMillis", json!(-1)), "must not be negative"),
        (count("language", json!("cypher")), "cypher"),
        (count("bulkResults", json!(7)), "bulkResults"),
    ] {
        let got = ask(&serving, body).await;
        assert_eq!((got.code, &got.json()["status"]["code"]), (400, &json!(400)));
        assert_eq!(got.json()["status"]["exception"], "InvalidRequestException");
        let message = got.json()["status"]["message"].to_string();
        assert!(message.contains(told), "{message}");
    }
    let got = ask(&serving, json!({})).await;
    assert_eq!((got.code, &got.json()["message"].as_str().unwrap()[..17]), (400, "expected a script"));
    let got = ask_with(&serving, r#"{"gremlin":"g.count(1)","g":"g"}"#, "accept: text/html\r\n").await;
    assert_eq!(got.code, 400);
}

#[tokio::test]
async fn a_large_answer_is_compressed_for_who_asks_for_it() {
    let serving = Serving::start(ServerOptions::default()).await;
    let headers = format!("accept: {UNTYPED}\r\naccept-encoding: gzip, deflate\r\n");
    let body = r#"{"gremlin":"g.count(5000)","batchSize":100}"#;
    let got = ask_with(&serving, body, &headers).await;
    assert_eq!(got.header("content-encoding"), Some("deflate"));
    let mut whole = Vec::new();
    flate2::read::ZlibDecoder::new(&got.body[..]).read_to_end(&mut whole).unwrap();
    assert!(whole.len() > got.body.len());
    let json: Json = serde_json::from_slice(&whole).unwrap();
    assert_eq!(json["result"]["data"].as_array().unwrap().len(), 5000);
    let got = ask_with(&serving, r#"{"gremlin":"g.count(5)"}"#, &headers).await;
    assert_eq!(got.header("content-encoding"), None, "it is not worth while");
    assert_eq!(
        ask_with(&serving, body, &format!("accept: {UNTYPED}\r\n")).await.header("content-encoding"),
        None
    );
}

#[tokio::test]
async fn a_transaction_has_an_id_until_it_ends() {
    let serving = Serving::start(ServerOptions::default()).await;
    for end in ["g.tx().commit()", "g.tx().rollback()"] {
        let id = begin(&serving).await;
        let got = within(&serving, &id, "g.count(2)").await;
        assert_eq!(got.json()["result"]["data"], json!([0, 1]));
        assert_eq!(got.header("x-transaction-id"), Some(id.as_str()));
        // A request that fails leaves it open.
        assert_eq!(within(&serving, &id, "g.error(syntax)").await.code, 400);
        assert_eq!(within(&serving, &id, end).await.transaction(), id);
        for gremlin in ["g.count(2)", end] {
            let got = within(&serving, &id, gremlin).await;
            assert_eq!(got.code, 404);
            assert_eq!(got.json()["status"]["exception"], "TransactionException");
        }
        eventually("its session is over", || serving.fake.sessions.load(SeqCst) == 0).await;
    }
    for id in ["", "nonsense", "00000000-0000-0000-0000-000000000000"] {
        assert_eq!(within(&serving, id, "g.count(2)").await.code, 404);
    }
}

#[tokio::test]
async fn a_commit_with_a_key_is_asked_for_when_its_transaction_is_forgotten() {
    let serving = Serving::start(ServerOptions::default()).await;
    let id = begin(&serving).await;
    let end = |gremlin: &str| json!({ "gremlin": gremlin, "transactionId": id, "requestKey": "k" });
    for _ in 0..2 {
        assert_eq!(ask(&serving, end("g.tx().commit()")).await.transaction(), id);
        let query = serving.fake.last.lock().take().expect("the graph was asked");
        assert_eq!(query.key.as_deref(), Some("k"));
    }
    assert_eq!(ask(&serving, end("g.tx().rollback()")).await.code, 404);
    assert_eq!(within(&serving, &id, "g.tx().commit()").await.code, 404);
    assert!(serving.fake.last.lock().is_none());
    eventually("nothing is left", || serving.fake.sessions.load(SeqCst) == 0).await;
}

#[tokio::test]
async fn a_transaction_has_the_source_that_it_began_with() {
    let serving = Serving::start(ServerOptions::default()).await;
    let got = ask(&serving, json!({ "gremlin": "g.tx().begin()", "g": "other" })).await;
    let id = got.transaction();
    assert_eq!(serving.other.sessions.load(SeqCst), 1);
    for body in [
        json!({ "gremlin": "g.count(1)", "g": "g", "transactionId": id }),
        json!({ "gremlin": "g.tx().commit()", "g": "g", "transactionId": id }),
        json!({ "gremlin": "nobody.count(1)", "transactionId": id }),
    ] {
        assert_eq!(ask(&serving, body).await.code, 400);
    }
    assert_eq!(within(&serving, &id, "g.count(1)").await.code, 200, "its own is the default");
    assert!(serving.fake.last.lock().is_none());
    let got = ask(&serving, json!({ "gremlin": "g.tx().begin()", "g": "nobody" })).await;
    assert_eq!(got.code, 400);
}

#[tokio::test]
async fn requests_of_one_transaction_run_one_after_the_other() {
    let serving = Serving::start(ServerOptions::default()).await;
    let id = begin(&serving).await;
    let slow = || within(&serving, &id, "g.slow(50)");
    let (a, b, c) = tokio::join!(slow(), slow(), slow());
    assert_eq!([a.code, b.code, c.code], [200; 3]);
    assert_eq!(serving.fake.overlaps.load(SeqCst), 0);
    // One that waits for longer than it has time is told so, and has done nothing.
    let impatient = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let body = json!({ "gremlin": "g.count(1)", "transactionId": id, "timeoutMillis": 20 });
        ask(&serving, body).await
    };
    let (_, late) = tokio::join!(within(&serving, &id, "g.slow(300)"), impatient);
    assert_eq!(
        (late.code, &late.json()["status"]["exception"]),
        (500, &json!("ServerTimeoutExceededException"))
    );
    assert_eq!(within(&serving, &id, "g.count(1)").await.code, 200);
}

#[tokio::test]
async fn a_transaction_that_has_ended_by_itself_is_forgotten() {
    let serving = Serving::start(ServerOptions::default()).await;
    let id = begin(&serving).await;
    serving.fake.expired.store(true, SeqCst);
    eventually("its session is over, although nobody asked", || serving.fake.sessions.load(SeqCst) == 0)
        .await;
    assert_eq!(within(&serving, &id, "g.count(1)").await.code, 404);
}

#[tokio::test]
async fn there_are_only_so_many_transactions_and_shutting_down_ends_them() {
    let options = ServerOptions { max_sessions_per_address: 2, ..Default::default() };
    let serving = Serving::start(options).await;
    let first = begin(&serving).await;
    begin(&serving).await;
    let got = ask(&serving, json!({ "gremlin": "g.tx().begin()" })).await;
    assert_eq!((got.code, got.header("retry-after")), (503, Some("1")));
    assert_eq!(got.json()["status"]["exception"], "TransactionException");
    within(&serving, &first, "g.tx().commit()").await;
    begin(&serving).await;
    let fake = serving.fake.clone();
    serving.stop().await;
    eventually("all sessions are over", || fake.sessions.load(SeqCst) == 0).await;
}

#[tokio::test]
async fn a_request_of_tinkerpop_3_is_answered_as_ever() {
    let serving = Serving::start(ServerOptions::default()).await;
    let (status, body) = post(&serving, r#"{"gremlin":"g.count(1)"}"#).await;
    assert_eq!((status, &body["status"]["code"]), (200, &json!(200)));
    assert!(body["requestId"].is_string());
    let _: Str = body["requestId"].as_str().unwrap().into();
}
