//! The WebSocket subprotocol, against a fake database.

mod support;

use std::{sync::atomic::Ordering::SeqCst, time::Duration};

use futures_util::{SinkExt, StreamExt};
use gremlin::{Argument, Cardinality};
use serde_json::json;
use server::{Input, Materialize, ServerOptions};
use support::{Serving, eventually};
use tokio::{io::AsyncWriteExt, time::timeout};
use tokio_tungstenite::tungstenite::{Message, protocol::frame::coding::CloseCode};
use values::Value;

fn options() -> ServerOptions {
    ServerOptions { batch_size: 4, max_waiting_results: 50, ..ServerOptions::default() }
}

#[tokio::test]
async fn results_stream_as_206_and_end_with_200_and_the_request_id() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    let id = client.eval("g.count(10)").await;
    let responses = client.responses().await;
    assert_eq!(responses.iter().map(|r| r.code()).collect::<Vec<_>>(), [206, 206, 200]);
    assert!(responses.iter().all(|r| r.id() == id));
    let data: Vec<_> = responses.iter().flat_map(|r| r.data()).collect();
    assert_eq!(data, (0..10).map(|i| json!(i)).collect::<Vec<_>>());
    assert!(responses[2].attributes()["host"].as_str().unwrap().starts_with("/127.0.0.1:"));
}

#[tokio::test]
async fn no_results_are_204() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    client.eval("g.count(0)").await;
    assert_eq!(client.response().await.code(), 204);
}

#[tokio::test]
async fn scripts_see_copies_made_as_they_are_sent_and_bytecode_sees_bulks() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    client.eval("g.bulk(6)").await;
    let responses = client.responses().await;
    assert_eq!(responses.iter().map(|r| r.data().len()).collect::<Vec<_>>(), [4, 2]);
    let bytecode = json!({ "@type": "g:Bytecode", "@value": { "step": [["V"]] } });
    let args = json!({ "gremlin": bytecode, "aliases": { "g": "g" } });
    let response = client.ask("bytecode", "traversal", args).await;
    assert_eq!(response.data(), [json!({ "bulk": 2, "value": "bytecode" })]);
}

#[tokio::test]
async fn sending_ends_with_the_evaluation_timeout() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    let began = std::time::Instant::now();
    let args = json!({ "gremlin": "g.bulk(1000000000000)", "evaluationTimeout": 200 });
    let mut response = client.ask("eval", "", args).await;
    while response.code() == 206 {
        response = client.response().await;
    }
    assert_eq!(response.code(), 598);
    assert!(began.elapsed() < Duration::from_millis(700), "{:?}", began.elapsed());
    client.eval("g.count(1)").await;
    assert_eq!(client.response().await.code(), 200, "the connection goes on");
}

#[tokio::test]
async fn messages_are_bounded_in_bytes() {
    let serving = Serving::start(ServerOptions { batch_size: 64, ..options() }).await;
    let mut client = serving.connect().await;
    client.eval("g.large(10)").await;
    let sizes: Vec<_> = client.responses().await.iter().map(|r| r.data().len()).collect();
    assert_eq!(sizes, [4, 4, 2]);
    // A petabyte, written out.
    client.eval("g.doubled(50)").await;
    let refused = client.response().await;
    assert_eq!(refused.code(), 597);
    assert!(refused.message().contains("one message"), "{}", refused.message());
}

#[tokio::test]
async fn who_is_refused_as_busy_is_told_that_it_is_temporary() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    client.eval("g.error(busy)").await;
    assert_eq!(client.response().await.code(), 596);
}

#[tokio::test]
async fn a_bulk_of_billions_costs_nothing_until_it_is_sent() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    client.eval("g.bulk(1000000000000)").await;
    for _ in 0..20 {
        assert_eq!(client.response().await.code(), 206);
    }
}

#[tokio::test]
async fn failures_have_gremlin_servers_codes() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    for (kind, code) in
        [("timeout", 598), ("conflict", 596), ("fail", 595), ("syntax", 597), ("internal", 500)]
    {
        client.eval(&format!("g.error({kind})")).await;
        let response = client.response().await;
        assert_eq!((response.code(), response.message()), (code, format!("{kind}!").as_str()));
        assert!(response.attributes()["exceptions"][0].as_str().unwrap().starts_with("mangrove."));
        assert!(response.attributes()["stackTrace"].is_string());
    }
}

#[tokio::test]
async fn a_result_that_cannot_be_encoded_is_599() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    client.eval("g.unencodable()").await;
    assert_eq!(client.response().await.code(), 599);
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused_and_the_connection_lives_on() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    let bytecode = json!({ "@type": "g:Bytecode", "@value": { "step": [["V"]] } });
    let cases = [
        ("nonsense", "", json!({}), 498, "not recognized"),
        ("eval", "nonsense", json!({}), 499, "Invalid OpProcessor"),
        ("eval", "", json!({}), 499, "requires a [gremlin] argument"),
        ("eval", "", json!({ "gremlin": "g.V()", "bindings": { "id": 1 } }), 499, "reserved names"),
        (
            "eval",
            "",
            json!({ "gremlin": "g.V()", "aliases": { "g": "x" } }),
            499,
            "Could not alias [g] to [x]",
        ),
        ("eval", "", json!({ "gremlin": "x.V()" }), 597, "No traversal source named [x]"),
        ("eval", "", json!({ "gremlin": "g.V()", "language": "cypher" }), 597, "cypher"),
        ("eval", "", json!({ "gremlin": "g.V()", "batchSize": 0 }), 499, "batchSize"),
        ("eval", "", json!({ "gremlin": "g.V()", "evaluationTimeout": -1 }), 499, "evaluationTimeout"),
        ("eval", "session", json!({ "gremlin": "g.count(1)" }), 499, "requires a [session] argument"),
        ("eval", "session", json!({ "gremlin": "g.count(1)", "session": 1 }), 499, "must be a string"),
        ("eval", "session", json!({ "gremlin": "g.count(1)", "session": "s".repeat(257) }), 499, "256 bytes"),
        (
            "eval",
            "session",
            json!({ "gremlin": "g.count(1)", "session": "s", "manageTransaction": "yes" }),
            499,
            "must be of type boolean",
        ),
        ("bytecode", "traversal", json!({ "gremlin": bytecode }), 499, "[aliases]"),
        ("bytecode", "traversal", json!({ "gremlin": bytecode, "aliases": { "g": "x" } }), 499, "[x]"),
        ("bytecode", "traversal", json!({ "gremlin": "g.V()", "aliases": { "g": "g" } }), 499, "Bytecode"),
    ];
    for (op, processor, args, code, fragment) in cases {
        let response = client.ask(op, processor, args.clone()).await;
        assert_eq!(response.code(), code, "{op} {processor} {args}: {}", response.message());
        assert!(response.message().contains(fragment), "{args}: {}", response.message());
    }
    client.eval("g.count(1)").await;
    assert_eq!(client.response().await.code(), 200);
}

#[tokio::test]
async fn closing_a_session_is_acknowledged() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    assert_eq!(client.ask("close", "session", json!({ "session": "s" })).await.code(), 204);
}

#[tokio::test]
async fn what_cannot_be_read_is_498_with_the_id_if_that_much_can_be_read() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    let id = "00000000-0000-0000-0000-000000000009";
    let broken =
        format!(r#"{{"requestId":"{id}","op":"eval","args":{{"gremlin":{{"@type":"g:Nonsense"}}}}}}"#);
    client.socket.send(Message::text(broken)).await.unwrap();
    let response = client.response().await;
    assert_eq!((response.code(), response.id()), (498, id));
    client.socket.send(Message::text("{")).await.unwrap();
    let response = client.response().await;
    assert_eq!((response.code(), response.id()), (498, ""));
}

#[tokio::test]
async fn aliases_and_the_scripts_first_word_choose_the_graph() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    client.ask("eval", "", json!({ "gremlin": "g.count(1)", "aliases": { "g": "other" } })).await;
    assert!(serving.fake.last.lock().is_none());
    let query = serving.other.last.lock().take().expect("the other graph ran it");
    assert!(matches!(query.input, Input::Text { source, .. } if source == "g"));
    assert_eq!(client.ask("eval", "", json!({ "gremlin": "other.count(1)" })).await.code(), 200);
    let query = serving.other.last.lock().take().unwrap();
    assert!(matches!(query.input, Input::Text { source, .. } if source == "other"));
}

#[tokio::test]
async fn arguments_reach_the_database() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    let args = json!({
        "gremlin": "g.count(5)",
        "bindings": { "x": { "@type": "g:Int32", "@value": 7 }, "y": { "@type": "g:Cardinality", "@value": "set" } },
        "evaluationTimeout": { "@type": "g:Int64", "@value": 250 },
        "materializeProperties": "tokens",
        "batchSize": { "@type": "g:Int32", "@value": 2 },
        "requestKey": { "@type": "g:UUID", "@value": "41d2e28a-20a4-4ab0-b379-d810dede3786" },
    });
    client.send("eval", "", args).await;
    assert_eq!(client.responses().await.len(), 3);
    let query = serving.fake.last.lock().take().unwrap();
    assert_eq!(query.timeout, Some(Duration::from_millis(250)));
    assert_eq!(query.materialize, Materialize::Tokens);
    assert_eq!(query.key.as_deref(), Some("41d2e28a-20a4-4ab0-b379-d810dede3786"));
    let Input::Text { bindings, .. } = query.input else { panic!("a script") };
    let set = Argument::Cardinality(Cardinality::Set);
    assert_eq!(bindings, [("x".into(), Value::Int(7).into()), ("y".into(), set)]);
    let traversal = json!({ "@type": "g:Bytecode", "@value": { "step": [["V"], ["drop"]] } });
    let refused =
        client.ask("eval", "", json!({ "gremlin": "g.count(5)", "bindings": { "x": traversal } })).await;
    assert!(refused.message().contains("there is a traversal"), "{refused:?}");
}

#[tokio::test]
async fn without_arguments_the_servers_own_settings_hold_and_zero_means_for_ever() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    client.ask("eval", "", json!({ "gremlin": "g.count(1)" })).await;
    assert_eq!(serving.fake.last.lock().take().unwrap().timeout, Some(Duration::from_secs(30)));
    client.ask("eval", "", json!({ "gremlin": "g.count(1)", "evaluationTimeout": 0 })).await;
    assert_eq!(serving.fake.last.lock().take().unwrap().timeout, None);
}

#[tokio::test]
async fn the_most_that_a_query_may_take_goes_with_it_whatever_it_asks_for() {
    let max_evaluation_timeout = Some(Duration::from_secs(60));
    let serving = Serving::start(ServerOptions { max_evaluation_timeout, ..options() }).await;
    let mut client = serving.connect().await;
    for asked in [0, 1, i64::MAX] {
        client.ask("eval", "", json!({ "gremlin": "g.count(1)", "evaluationTimeout": asked })).await;
        assert_eq!(serving.fake.last.lock().take().unwrap().max_timeout, max_evaluation_timeout);
    }
}

#[tokio::test]
async fn a_slow_request_does_not_hold_up_another_on_the_same_connection() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    let slow = client.eval("g.hang()").await;
    let quick = client.eval("g.count(1)").await;
    let response = client.response().await;
    assert_eq!(response.id(), quick);
    assert_ne!(response.id(), slow);
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_its_queries_and_nobody_elses() {
    let serving = Serving::start(options()).await;
    let (mut leaving, mut staying) = (serving.connect().await, serving.connect().await);
    leaving.eval("g.hang()").await;
    leaving.eval("g.hang()").await;
    staying.eval("g.hang()").await;
    eventually("three run", || serving.fake.running.load(SeqCst) == 3).await;
    drop(leaving);
    eventually("two are cancelled", || serving.fake.cancelled.load(SeqCst) == 2).await;
    assert_eq!(serving.fake.running.load(SeqCst), 1);
}

#[tokio::test]
async fn a_close_frame_cancels_too() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    client.eval("g.hang()").await;
    eventually("it runs", || serving.fake.running.load(SeqCst) == 1).await;
    client.socket.close(None).await.unwrap();
    eventually("it is cancelled", || serving.fake.cancelled.load(SeqCst) == 1).await;
}

#[tokio::test]
async fn a_client_that_does_not_read_suspends_its_query_and_one_that_reads_on_gets_everything() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    client.eval("g.flood()").await;
    eventually("the sink is full", || serving.fake.full.load(SeqCst) > 0).await;
    // What the operating system takes for a client that does not read is sent first, which may take its time.
    let mut before = 0;
    for waits in 0.. {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let taken = serving.fake.taken.load(SeqCst);
        if std::mem::replace(&mut before, taken) == taken {
            break;
        }
        assert!(waits < 20, "nothing is taken while nobody reads, but {taken} were");
    }
    for _ in 0..before {
        client.response().await;
    }
    assert!(serving.fake.taken.load(SeqCst) > before);
}

#[tokio::test]
async fn a_client_that_accepts_nothing_for_too_long_is_disconnected() {
    let options = ServerOptions { write_timeout: Duration::from_millis(200), ..options() };
    let serving = Serving::start(options).await;
    let mut client = serving.connect().await;
    client.eval("g.flood()").await;
    eventually("the query is cancelled", || serving.fake.cancelled.load(SeqCst) == 1).await;
}

#[tokio::test]
async fn more_requests_than_one_connection_may_have_are_refused_with_429() {
    let options = ServerOptions { max_requests_per_connection: 2, ..options() };
    let serving = Serving::start(options).await;
    let mut client = serving.connect().await;
    client.eval("g.hang()").await;
    client.eval("g.hang()").await;
    let third = client.eval("g.count(1)").await;
    let response = client.response().await;
    assert_eq!((response.code(), response.id()), (429, third.as_str()));
    assert!(response.message().contains("max_requests_per_connection"));
}

#[tokio::test]
async fn more_requests_than_the_server_may_have_are_refused_and_places_are_given_back() {
    let options = ServerOptions { max_requests: 1, ..options() };
    let serving = Serving::start(options).await;
    let (mut first, mut second) = (serving.connect().await, serving.connect().await);
    first.eval("g.hang()").await;
    eventually("it runs", || serving.fake.running.load(SeqCst) == 1).await;
    second.eval("g.count(1)").await;
    assert_eq!(second.response().await.code(), 429);
    drop(first);
    eventually("it is cancelled", || serving.fake.cancelled.load(SeqCst) == 1).await;
    second.eval("g.count(1)").await;
    assert_eq!(second.response().await.code(), 200);
}

#[tokio::test]
async fn a_message_that_is_too_large_ends_the_connection_with_1009() {
    let options = ServerOptions { max_request_bytes: 1_000, ..options() };
    let serving = Serving::start(options).await;
    let mut client = serving.connect().await;
    client.socket.send(Message::binary(vec![0; 2_000])).await.unwrap();
    loop {
        match timeout(Duration::from_secs(5), client.socket.next()).await.unwrap() {
            Some(Ok(Message::Close(Some(frame)))) => break assert_eq!(frame.code, CloseCode::Size),
            Some(Ok(_)) => {}
            other => panic!("no close frame: {other:?}"),
        }
    }
}

#[tokio::test]
async fn an_idle_connection_is_closed_and_a_waiting_one_is_not() {
    let options = ServerOptions { idle_timeout: Some(Duration::from_millis(300)), ..options() };
    let serving = Serving::start(options).await;
    let (mut idle, mut waiting) = (serving.connect().await, serving.connect().await);
    waiting.eval("g.hang()").await;
    let end = timeout(Duration::from_secs(5), idle.socket.next()).await.unwrap();
    assert!(matches!(end, Some(Ok(Message::Close(Some(frame)))) if frame.code == CloseCode::Normal));
    assert!(timeout(Duration::from_millis(300), waiting.socket.next()).await.is_err());
    assert_eq!(serving.fake.running.load(SeqCst), 1);
}

#[tokio::test]
async fn pings_are_answered() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    client.socket.send(Message::Ping("hello".into())).await.unwrap();
    let pong = timeout(Duration::from_secs(5), client.socket.next()).await.unwrap();
    assert!(matches!(pong, Some(Ok(Message::Pong(payload))) if payload == "hello"));
}

#[tokio::test]
async fn a_shutdown_lets_short_requests_finish_and_says_goodbye() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    client.eval("g.count(1)").await;
    assert_eq!(client.response().await.code(), 200);
    let stopping = serving.stop();
    let farewell = async { client.socket.next().await };
    let (end, ()) = tokio::join!(farewell, stopping);
    assert!(matches!(end, Some(Ok(Message::Close(Some(frame)))) if frame.code == CloseCode::Away));
}

#[tokio::test]
async fn a_shutdown_cancels_what_does_not_end_in_time() {
    let options = ServerOptions { shutdown_grace: Duration::from_millis(100), ..options() };
    let serving = Serving::start(options).await;
    let fake = serving.fake.clone();
    let mut client = serving.connect().await;
    client.eval("g.hang()").await;
    eventually("it runs", || fake.running.load(SeqCst) == 1).await;
    serving.stop().await;
    eventually("it is cancelled", || fake.cancelled.load(SeqCst) == 1).await;
}

#[tokio::test]
async fn warnings_reach_the_client() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    client.eval("g.warn()").await;
    assert_eq!(client.response().await.attributes()["warnings"], json!(["careful"]));
}

#[tokio::test]
async fn what_clients_have_sent_of_unfinished_requests_is_bounded_for_all_together() {
    let options = ServerOptions {
        max_request_bytes: 256 << 10,
        max_receiving_bytes: 1 << 20,
        ..ServerOptions::default()
    };
    let serving = Serving::start(options).await;
    let mut clients = Vec::new();
    for _ in 0..20 {
        let mut client = serving.connect().await;
        // A masked binary frame of 250,000 bytes, of which 10,000 never come.
        let mut beginning = vec![0x82, 0xff, 0, 0, 0, 0, 0, 3, 0xd0, 0x90, 0, 0, 0, 0];
        beginning.resize(beginning.len() + 240_000, b'x');
        // A server that has no room closes the connection before it has read all of it.
        let _ = client.socket.get_mut().write_all(&beginning).await;
        clients.push(client);
    }
    let mut closed = 0;
    for client in &mut clients {
        closed += usize::from(timeout(Duration::from_millis(100), client.socket.next()).await.is_ok());
    }
    assert!((10..20).contains(&closed), "{closed} of 20 had to go");
    let mut small = serving.connect().await;
    small.eval("g.count(1)").await;
    assert_eq!(small.response().await.code(), 200, "small requests come through");
    drop(clients);
    let mut large = serving.connect().await;
    large.eval(&format!("g.{}(1)", "x".repeat(200_000))).await;
    assert!(large.response().await.code() > 0, "and large ones, once the others are gone");
}

#[tokio::test]
async fn a_traversal_may_say_itself_that_elements_have_no_properties() {
    let serving = Serving::start(ServerOptions::default()).await;
    let mut client = serving.connect().await;
    client
        .socket
        .send(in_binary(vec![("gremlin".into(), values::Value::str("g.bare()").into())]))
        .await
        .unwrap();
    let Message::Binary(answer) = client.socket.next().await.unwrap().unwrap() else { panic!("a frame") };
    // They are null, as with the request's argument, and no list that is empty.
    assert!(answer.ends_with(b"person\xfe\x01"), "{answer:02x?}");
}

#[tokio::test]
async fn drivers_that_cannot_read_properties_of_elements_get_none() {
    let serving = Serving::start(options()).await;
    for (driver, shown) in [
        ("NotAvailable Gremlin-Python.3.5.8 3.11.7 Linux.6 x86_64", Materialize::Tokens),
        ("app Gremlin-Python.3.6.8 3.11.7 Linux.6 x86_64", Materialize::Tokens),
        ("NotAvailable Gremlin-Go.3.6.8 go1.21 linux amd64", Materialize::Tokens),
        ("NotAvailable Gremlin-Python.3.7.0 3.11.7 Linux.6 x86_64", Materialize::All),
        ("NotAvailable Gremlin-Java.3.6.8 17 Linux amd64", Materialize::All),
        ("", Materialize::All),
    ] {
        let mut client = serving.connect_as(driver).await;
        client.eval("g.count(1)").await;
        client.response().await;
        let shown_to = serving.fake.last.lock().take().unwrap().materialize;
        assert_eq!(shown_to, shown, "{driver}");
        client.send("eval", "", json!({ "gremlin": "g.count(1)", "materializeProperties": "all" })).await;
        client.response().await;
        let shown_to = serving.fake.last.lock().take().unwrap().materialize;
        assert_eq!(shown_to, Materialize::All, "what the request says counts");
    }
}

/// A binary frame with a request for `script`, which begins with its mime type.
fn frame(mime: &str, script: &str) -> (uuid::Uuid, Message) {
    let id = uuid::Uuid::new_v4();
    let args = wire::Args(vec![("gremlin".into(), Value::from(script).into())]);
    let request = wire::RequestMessage { id, op: "eval".into(), processor: "".into(), args };
    let mut bytes = vec![mime.len() as u8];
    bytes.extend_from_slice(mime.as_bytes());
    wire::Format::GraphBinary.encode_request(&request, &mut bytes).unwrap();
    (id, Message::binary(bytes))
}

async fn binary_answer(client: &mut support::Client) -> wire::ResponseMessage {
    let Some(Ok(Message::Binary(bytes))) = client.socket.next().await else { panic!("no binary answer") };
    wire::Format::GraphBinary.decode_response(&bytes).unwrap()
}

#[tokio::test]
async fn the_console_gets_results_as_texts() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    let (id, message) = frame("application/vnd.graphbinary-v1.0-stringd", "g.count(3)");
    client.socket.send(message).await.unwrap();
    let response = binary_answer(&mut client).await;
    assert_eq!((response.id, response.status.code), (Some(id), 200));
    assert_eq!(response.data, Value::list(["0", "1", "2"].map(Value::str)).into());
}

#[tokio::test]
async fn a_refused_mime_type_is_told_of_its_request() {
    let serving = Serving::start(options()).await;
    let mut client = serving.connect().await;
    let (id, message) = frame("application/vnd.graphbinary-v1.0-squared", "g.count(3)");
    client.socket.send(message).await.unwrap();
    let response = binary_answer(&mut client).await;
    assert_eq!((response.id, response.status.code), (Some(id), 498));
    assert!(response.status.message.contains("-squared"), "{}", response.status.message);
}

/// A request in GraphBinary with so many empty lists among its bindings.
fn with_lists(count: usize) -> Message {
    let mut bindings = values::Map::new();
    bindings.insert("x", values::Value::list(vec![values::Value::list(Vec::new()); count]));
    in_binary(vec![
        ("gremlin".into(), values::Value::str("g.count(1)").into()),
        ("bindings".into(), values::Value::from(bindings).into()),
    ])
}

/// A script in GraphBinary.
fn in_binary(args: Vec<(values::Str, wire::WireValue)>) -> Message {
    let request = wire::RequestMessage {
        id: values::Uuid::from_u128(7),
        op: "eval".into(),
        processor: "".into(),
        args: wire::Args(args),
    };
    let mut frame = Vec::new();
    wire::Format::GraphBinary.encode_frame(&request, &mut frame).unwrap();
    Message::binary(frame)
}

#[tokio::test]
async fn what_would_take_more_memory_than_a_query_may_hold_is_refused_before_it_is_read() {
    let serving = Serving::start(ServerOptions::default()).await;
    let mut client = serving.connect().await;
    client.socket.send(with_lists(200)).await.unwrap();
    client.socket.next().await.unwrap().unwrap();
    let few = serving.fake.last.lock().take().unwrap().memory;
    client.socket.send(with_lists(10_000)).await.unwrap();
    client.socket.next().await.unwrap().unwrap();
    let many = serving.fake.last.lock().take().unwrap().memory;
    assert!(many > 40 * few && many > 1 << 20, "{few} {many}: it is told to the graph");
    client.socket.send(with_lists(100_000)).await.unwrap();
    let Message::Binary(answer) = client.socket.next().await.unwrap().unwrap() else { panic!("a frame") };
    let answer = wire::Format::GraphBinary.decode_response(&answer).unwrap();
    assert!(answer.status.message.contains("engine.memory_per_query"), "{answer:?}");
    assert_eq!(answer.id, Some(values::Uuid::from_u128(7)));
    let deep = json!({ "gremlin": "g.count(1)", "bindings": { "x": vec![json!([[]]); 20_000] } });
    let id = client.send("eval", "", deep).await;
    let response = client.response().await;
    assert_eq!((response.id(), response.code()), (&*id, 500));
    assert!(response.message().contains("engine.memory_per_query"), "{}", response.message());
    assert!(serving.fake.last.lock().is_none(), "none of them came to the graph");
}
