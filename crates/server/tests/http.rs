//! HTTP, against a fake database.

mod support;

use std::{
    sync::atomic::Ordering::SeqCst,
    time::{Duration, Instant},
};

use serde_json::Value as Json;
use server::{Input, ServerOptions};
use support::{
    Serving, eventually,
    http::{exchange, get, post, post_with},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use values::Value;

#[tokio::test]
async fn a_posted_script_is_answered_in_one_graphson_3_response() {
    let serving = Serving::start(ServerOptions::default()).await;
    let (status, body) = post(&serving, r#"{"gremlin":"g.count(100)","bindings":{"x":1}}"#).await;
    assert_eq!(status, 200);
    assert_eq!(body["result"]["data"]["@value"].as_array().unwrap().len(), 100);
    assert_eq!(body["status"]["code"], 200);
    let query = serving.fake.last.lock().take().unwrap();
    assert!(
        matches!(query.input, Input::Text { bindings, .. } if bindings == [("x".into(), Value::Int(1).into())])
    );
}

#[tokio::test]
async fn a_query_string_works_too() {
    let serving = Serving::start(ServerOptions::default()).await;
    let (status, body) = get(&serving, "/gremlin?gremlin=g.count(2)&aliases.g=other").await;
    assert_eq!(status, 200);
    assert_eq!(body["result"]["data"]["@value"].as_array().unwrap().len(), 2);
    assert!(serving.other.last.lock().is_some());
}

#[tokio::test]
async fn the_accept_header_chooses_the_format() {
    let serving = Serving::start(ServerOptions::default()).await;
    let ask = |accept: &str| post_with(r#"{"gremlin":"g.count(2)"}"#, &format!("accept: {accept}\r\n"));
    let (status, head, body) = exchange(&serving, ask("application/vnd.gremlin-v3.0+json;types=false")).await;
    assert_eq!(status, 200);
    assert!(head.contains("content-type: application/vnd.gremlin-v3.0+json;types=false"), "{head}");
    let body: Json = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["result"]["data"], serde_json::json!([0, 1]));
    let (status, _, body) = exchange(&serving, ask("application/vnd.graphbinary-v1.0")).await;
    assert_eq!((status, body[0]), (200, 0x81));
    let (status, _, _) = exchange(&serving, ask("text/html")).await;
    assert_eq!(status, 400);
}

#[tokio::test]
async fn a_result_that_the_format_cannot_express_is_said_to_be_one() {
    let serving = Serving::start(ServerOptions::default()).await;
    let (status, body) = post(&serving, r#"{"gremlin":"g.unencodable()"}"#).await;
    assert_eq!(status, 500);
    assert!(body.to_string().contains("mangrove.SerializationError"), "{body}");
}

#[tokio::test]
async fn failures_are_500_with_a_message_and_a_kind() {
    let serving = Serving::start(ServerOptions::default()).await;
    let (status, body) = post(&serving, r#"{"gremlin":"g.error(timeout)"}"#).await;
    assert_eq!(status, 500);
    assert_eq!(body["message"], "timeout!");
    assert_eq!(body["Exception-Class"], "mangrove.TimeoutError");
}

#[tokio::test]
async fn failures_have_fitting_codes() {
    let serving = Serving::start(ServerOptions::default()).await;
    for (what, code) in [("syntax", 400), ("conflict", 409), ("fail", 500), ("internal", 500)] {
        let (status, body) = post(&serving, &format!(r#"{{"gremlin":"g.error({what})"}}"#)).await;
        assert_eq!(status, code, "{body}");
    }
    assert_eq!(post(&serving, r#"{"gremlin":"nobody.count(1)"}"#).await.0, 400);
    assert_eq!(post(&serving, r#"{"gremlin":"g.count(1)","language":"cypher"}"#).await.0, 400);
}

#[tokio::test]
async fn people_may_have_lines_of_text_and_json_without_types() {
    let serving = Serving::start(ServerOptions::default()).await;
    let ask = |gremlin: &str, accept: &str| {
        post_with(&format!(r#"{{"gremlin":"{gremlin}"}}"#), &format!("accept: {accept}\r\n"))
    };
    let (status, head, body) = exchange(&serving, ask("g.count(3)", "text/plain")).await;
    assert_eq!((status, &*String::from_utf8(body).unwrap()), (200, "==>0\n==>1\n==>2"));
    assert!(head.contains("content-type: text/plain"), "{head}");
    let (_, _, body) = exchange(&serving, ask("g.bulk(2)", "text/*")).await;
    assert_eq!(body, b"==>same\n==>same");
    assert_eq!(exchange(&serving, ask("g.count(0)", "text/plain")).await.2, b"");
    let (status, _, body) = exchange(&serving, ask("g.count(2)", "application/json;types=false")).await;
    let body: Json = serde_json::from_slice(&body).unwrap();
    assert_eq!((status, &body["result"]["data"]), (200, &serde_json::json!([0, 1])));
}

#[tokio::test]
async fn who_is_refused_as_busy_is_told_to_come_back() {
    let serving = Serving::start(ServerOptions::default()).await;
    let (status, body) = post(&serving, r#"{"gremlin":"g.error(busy)"}"#).await;
    assert_eq!(status, 503);
    assert_eq!(body["Exception-Class"], "mangrove.BusyError");
}

#[tokio::test]
async fn a_request_may_carry_a_key() {
    let serving = Serving::start(ServerOptions::default()).await;
    assert_eq!(post(&serving, r#"{"gremlin":"g.count(1)","requestKey":"k"}"#).await.0, 200);
    assert_eq!(serving.fake.last.lock().take().unwrap().key.as_deref(), Some("k"));
    assert_eq!(get(&serving, "/gremlin?gremlin=g.count(1)&requestKey=a7").await.0, 200);
    assert_eq!(serving.fake.last.lock().take().unwrap().key.as_deref(), Some("a7"));
    assert_eq!(post(&serving, r#"{"gremlin":"g.count(1)","requestKey":[]}"#).await.0, 400);
    assert!(serving.fake.last.lock().is_none());
}

#[tokio::test]
async fn a_whole_response_is_bounded_in_bytes() {
    let serving = Serving::start(ServerOptions::default()).await;
    let (status, body) = post(&serving, r#"{"gremlin":"g.large(50000)"}"#).await;
    assert_eq!(status, 500);
    assert!(body["message"].as_str().unwrap().contains("one message"), "{body}");
}

#[tokio::test]
async fn malformed_requests_are_400_and_unknown_paths_404() {
    let serving = Serving::start(ServerOptions::default()).await;
    assert_eq!(post(&serving, "{").await.0, 400);
    assert_eq!(post(&serving, "{}").await.0, 400);
    assert_eq!(get(&serving, "/gremlin").await.0, 400);
    assert_eq!(get(&serving, "/nowhere").await.0, 404);
    let request = "DELETE /gremlin HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".to_owned();
    let (status, head, _) = exchange(&serving, request).await;
    assert_eq!(status, 405);
    assert!(head.contains("allow: get, post"), "{head}");
}

#[tokio::test]
async fn a_body_that_is_too_large_is_413() {
    let serving = Serving::start(ServerOptions { max_request_bytes: 100, ..Default::default() }).await;
    assert_eq!(post(&serving, &format!(r#"{{"gremlin":"{}"}}"#, "x".repeat(200))).await.0, 413);
}

#[tokio::test]
async fn what_would_take_more_memory_than_a_query_may_hold_is_refused_before_it_is_read() {
    let serving = Serving::start(ServerOptions::default()).await;
    let lists = vec!["[[]]"; 20_000].join(",");
    let of_three = format!(r#"{{"gremlin":"g.count(1)","bindings":{{"x":[{lists}]}}}}"#);
    let of_four = format!(r#"{{"gremlin":"g.count(1)","g":"g","parameters":{{"x":[{lists}]}}}}"#);
    let as_text = format!(r#"{{"gremlin":"g.count(1)","g":"g","parameters":"[x:[{lists}]]"}}"#);
    for body in [of_three, of_four, as_text] {
        let (status, _, told) = exchange(&serving, post_with(&body, "")).await;
        let told = String::from_utf8_lossy(&told);
        assert_eq!(status, 500, "{told}");
        assert!(told.contains("engine.memory_per_query"), "{told}");
    }
    assert!(serving.fake.last.lock().is_none());
    let (status, _) = post(&serving, r#"{"gremlin":"g.count(1)","bindings":{"x":[[1],[2]]}}"#).await;
    assert_eq!(status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_request_is_read_when_there_is_memory_for_it() {
    let options =
        ServerOptions { evaluation_timeout: Some(Duration::from_millis(300)), ..ServerOptions::default() };
    let serving = Serving::start(options).await;
    let numbers = vec!["1"; 30_000].join(",");
    let large = format!(r#"{{"gremlin":"g.count(1)","bindings":{{"x":[{numbers}]}}}}"#);
    assert_eq!(post(&serving, &large).await.0, 200);
    // All graphs have one memory; here it is the last one that is asked.
    let memory = &serving.other;
    memory.no_memory.store(true, SeqCst);
    serving.fake.last.lock().take();
    let (status, told) = post(&serving, &large).await;
    assert_eq!((status, serving.fake.last.lock().is_none()), (503, true), "{told}");
    assert!(told.to_string().contains("engine.memory_queries"), "{told}");
    assert_eq!(post(&serving, r#"{"gremlin":"g.count(1)"}"#).await.0, 200, "small ones are read");
    let waits = post(&serving, &large);
    let later = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        memory.no_memory.store(false, SeqCst);
    };
    let ((status, told), ()) = tokio::join!(waits, later);
    assert_eq!(status, 200, "{told}");
    assert_eq!(std::sync::Arc::strong_count(&memory.reserved), 1, "it was given back when the query began");
}

#[tokio::test]
async fn a_content_type_in_capitals_is_weighed_and_read_as_the_same_format() {
    let serving = Serving::start(ServerOptions::default()).await;
    let lists = vec!["[[]]"; 20_000].join(",");
    let body = format!(r#"{{"gremlin":"g.count(1)","bindings":{{"x":[{lists}]}}}}"#);
    for mime in ["Application/vnd.graphbinary-v1.0", "APPLICATION/VND.GRAPHBINARY-V4.0"] {
        let headers = format!("content-type: {mime}\r\n");
        let (status, _, told) = exchange(&serving, post_with(&body, &headers)).await;
        assert_eq!(status, 400, "it is no GraphBinary: {}", String::from_utf8_lossy(&told));
    }
    assert!(serving.fake.last.lock().is_none());
}

#[tokio::test]
async fn more_aliases_and_bindings_than_there_may_be_are_counted_and_not_looked_at() {
    let serving = Serving::start(ServerOptions { max_bindings: 10, ..Default::default() }).await;
    let entries = |count: usize| {
        let entries: Vec<_> = (0..count).map(|n| format!(r#""a{n}":"g""#)).collect();
        entries.join(",")
    };
    for (field, count, reason) in
        [("aliases", 300, "[aliases] has 300 entries"), ("bindings", 90, "contains 90")]
    {
        let body = format!(r#"{{"gremlin":"g.count(1)","{field}":{{{}}}}}"#, entries(count));
        let (status, told) = post(&serving, &body).await;
        assert!(status == 400 && told["message"].as_str().unwrap().contains(reason), "{status} {told}");
    }
    let body = format!(r#"{{"gremlin":"g.count(1)","aliases":{{{}}}}}"#, entries(100));
    assert_eq!(post(&serving, &body).await.0, 200);
}

#[tokio::test]
async fn an_error_quotes_little_of_what_is_long() {
    let serving = Serving::start(ServerOptions::default()).await;
    let long = "x".repeat(1 << 20);
    for body in [
        format!(r#"{{"gremlin":"g.count(1)","aliases":{{"g":"{long}"}}}}"#),
        format!(r#"{{"gremlin":"g.count(1)","g":"{long}"}}"#),
        format!(r#"{{"gremlin":"{long}.count(1)"}}"#),
    ] {
        let (status, _, told) = exchange(&serving, post_with(&body, "")).await;
        assert!((400..=500).contains(&status) && told.len() < 16 << 10, "{status}, {} bytes", told.len());
    }
    let mut client = serving.connect().await;
    for (op, processor) in [(&*long, ""), ("eval", &*long)] {
        client.send(op, processor, serde_json::json!({ "gremlin": "g.count(1)" })).await;
        let response = client.response().await;
        assert!(response.0.to_string().len() < 32 << 10 && response.code() >= 400);
    }
}

#[tokio::test]
async fn too_many_results_are_refused_and_their_query_is_cancelled() {
    let serving = Serving::start(ServerOptions { max_http_results: 5, ..Default::default() }).await;
    let (status, body) = post(&serving, r#"{"gremlin":"g.flood()"}"#).await;
    assert_eq!(status, 500);
    assert!(body["message"].as_str().unwrap().contains("max_http_results"));
    eventually("it is cancelled", || serving.fake.cancelled.load(SeqCst) == 1).await;
}

#[tokio::test]
async fn a_client_that_hangs_up_cancels_its_query() {
    let serving = Serving::start(ServerOptions::default()).await;
    let mut stream = TcpStream::connect(serving.address).await.unwrap();
    stream.write_all(post_with(r#"{"gremlin":"g.hang()"}"#, "").as_bytes()).await.unwrap();
    eventually("it runs", || serving.fake.running.load(SeqCst) == 1).await;
    drop(stream);
    eventually("it is cancelled", || serving.fake.cancelled.load(SeqCst) == 1).await;
}

#[tokio::test]
async fn a_client_that_hangs_up_after_a_byte_too_many_cancels_its_query() {
    let serving = Serving::start(ServerOptions::default()).await;
    let hang = post_with(r#"{"gremlin":"g.hang()"}"#, "");
    let next = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(1_000);
    for (n, behind) in ["\r\n", &next[..]].into_iter().enumerate() {
        let mut stream = TcpStream::connect(serving.address).await.unwrap();
        stream.write_all(format!("{hang}{behind}").as_bytes()).await.unwrap();
        eventually("it runs", || serving.fake.running.load(SeqCst) == 1).await;
        drop(stream);
        eventually("it is cancelled", || serving.fake.cancelled.load(SeqCst) == n + 1).await;
    }
}

#[tokio::test]
async fn what_comes_behind_a_request_is_answered_after_it() {
    let serving = Serving::start(ServerOptions::default()).await;
    let mut stream = TcpStream::connect(serving.address).await.unwrap();
    let count =
        "POST /gremlin HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ";
    let mut all = String::new();
    for n in 0..300 {
        let body = format!(r#"{{"gremlin":"g.count({n})","requestId":"00000000-0000-0000-0000-{n:012}"}}"#);
        all.push_str(&format!("{count}{}\r\n\r\n{body}", body.len()));
    }
    all.push_str("GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let (mut reader, mut writer) = stream.split();
    let mut answers = String::new();
    let (sent, read) = tokio::join!(writer.write_all(all.as_bytes()), reader.read_to_string(&mut answers));
    sent.unwrap();
    read.unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 301);
    let places: Vec<_> =
        (0..300).map(|n| answers.find(&format!("00000000-0000-0000-0000-{n:012}"))).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted());
}

#[tokio::test]
async fn more_requests_than_the_server_may_have_are_429() {
    let serving = Serving::start(ServerOptions { max_requests: 0, ..Default::default() }).await;
    assert_eq!(post(&serving, r#"{"gremlin":"g.count(1)"}"#).await.0, 429);
}

#[tokio::test]
async fn get_may_only_read_and_post_may_write() {
    let serving = Serving::start(ServerOptions::default()).await;
    let (status, head, body) = exchange(
        &serving,
        "GET /gremlin?gremlin=g.write() HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
    )
    .await;
    let body: Json = serde_json::from_slice(&body).unwrap();
    assert_eq!((status, &body["Exception-Class"]), (405, &"mangrove.ReadOnlyError".into()));
    assert!(
        body["message"].as_str().unwrap().contains("POST") && head.contains("allow: post"),
        "{head}{body}"
    );
    assert_eq!(post(&serving, r#"{"gremlin":"g.write()"}"#).await.0, 200);
    assert_eq!(get(&serving, "/gremlin?gremlin=g.count(1)").await.0, 200);
}

#[tokio::test]
async fn a_client_that_does_not_take_its_answer_is_disconnected() {
    let (write_timeout, max_http_results) = (Duration::from_millis(200), usize::MAX);
    let serving =
        Serving::start(ServerOptions { write_timeout, max_http_results, ..Default::default() }).await;
    let mut stream = TcpStream::connect(serving.address).await.unwrap();
    stream.write_all(post_with(r#"{"gremlin":"g.bulk(1000000)"}"#, "").as_bytes()).await.unwrap();
    eventually("it has run", || serving.fake.running.load(SeqCst) == 0).await;
    let began = Instant::now();
    // Those that are counted: one asks.
    while get(&serving, "/health").await.1["connections"] != 1 {
        assert!(began.elapsed() < Duration::from_secs(10), "it is still connected");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(stream);
}

#[tokio::test]
async fn an_answer_that_is_taken_by_drops_ends_with_the_time_of_its_query() {
    let (write_timeout, max_http_results) = (Duration::from_millis(400), usize::MAX);
    let serving =
        Serving::start(ServerOptions { write_timeout, max_http_results, ..Default::default() }).await;
    let mut stream = TcpStream::connect(serving.address).await.unwrap();
    let ask = r#"{"gremlin":"g.bulk(1000000)","evaluationTimeout":300}"#;
    stream.write_all(post_with(ask, "").as_bytes()).await.unwrap();
    eventually("it has run", || serving.fake.running.load(SeqCst) == 0).await;
    let began = Instant::now();
    // Enough to get on, and far less than there is.
    let (mut drop, mut taken) = ([0; 16 << 10], 0);
    while let Some(bytes) = stream.read(&mut drop).await.ok().filter(|bytes| *bytes > 0) {
        taken += bytes;
        assert!(began.elapsed() < Duration::from_secs(10), "it is still sent");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(taken < 1_000_000 * "same".len(), "it was sent to its end: {taken}");
}

#[tokio::test]
async fn health_tells_what_is_hosted() {
    let serving = Serving::start(ServerOptions::default()).await;
    let (status, body) = get(&serving, "/health").await;
    assert_eq!((status, &body["status"]), (200, &serde_json::json!("ok")));
    assert_eq!(body["sources"], serde_json::json!(["g", "other"]));
}

#[tokio::test]
async fn metrics_of_server_and_graphs_are_a_page_for_prometheus() {
    let serving = Serving::start(ServerOptions::default()).await;
    let mut stream = TcpStream::connect(serving.address).await.unwrap();
    let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).await.unwrap();
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.contains("content-type: application/openmetrics-text; version=1.0.0"), "{page}");
    assert!(page.contains("mangrove_connections{} 1.0\n"), "{page}");
    for source in ["g", "other"] {
        assert!(page.contains(&format!("mangrove_fake_queries{{graph=\"{source}\"}} 0.0\n")), "{page}");
    }
}

#[tokio::test]
async fn headers_that_never_end_are_given_up_on() {
    let serving =
        Serving::start(ServerOptions { read_timeout: Duration::from_millis(200), ..Default::default() })
            .await;
    let mut stream = TcpStream::connect(serving.address).await.unwrap();
    stream.write_all(b"GET /health HTTP/1.1\r\n").await.unwrap();
    let mut rest = Vec::new();
    timeout(Duration::from_secs(5), stream.read_to_end(&mut rest))
        .await
        .expect("the server hangs up")
        .unwrap();
}
