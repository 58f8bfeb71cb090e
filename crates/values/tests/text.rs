//! Values as text, and the readers of times and spans.

use std::sync::Arc;

use values::{
    DateTime, Direction, Duration, Edge, Map, Path, Property, Set, T, Value, Vertex, VertexProperty,
    time::TimeError,
};

fn vertex(id: i64) -> Vertex {
    Vertex::reference(id, "person")
}

fn edge() -> Value {
    Edge { id: 7.into(), label: "knows".into(), out_v: vertex(1), in_v: vertex(3), properties: vec![] }.into()
}

#[test]
fn elements_print_as_in_the_console() {
    assert_eq!(Value::from(vertex(1)).to_string(), "v[1]");
    assert_eq!(edge().to_string(), "e[7][1-knows->3]");
    let name = VertexProperty {
        id: 0.into(),
        key: "name".into(),
        value: "marko".into(),
        properties: vec![],
        vertex: None,
        owner: None,
    };
    assert_eq!(Value::VertexProperty(Arc::new(name)).to_string(), "vp[name->marko]");
    let long = Property { key: "k".into(), value: "a text of some length".into(), owner: None };
    assert_eq!(Value::from(long).to_string(), "p[k->a text of some le...]");
}

#[test]
fn collections_print_as_in_the_console() {
    let list = Value::list(vec![1.into(), "a".into(), Value::Null]);
    assert_eq!(list.to_string(), "[1, a, null]");
    assert_eq!(
        Value::from([1.into(), list.clone()].into_iter().collect::<Set>()).to_string(),
        "[1, [1, a, null]]"
    );
    let mut map = Map::new();
    map.insert("a", 1);
    map.insert(T::Id, Direction::Out);
    assert_eq!(Value::from(map).to_string(), "{a=1, id=OUT}");
    let path = Path { labels: vec![vec![], vec!["a".into()]], objects: vec![vertex(1).into(), edge()] };
    assert_eq!(Value::from(path).to_string(), "path[v[1], e[7][1-knows->3]]");
}

#[test]
fn floats_print_as_in_java() {
    for (value, text) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (123_456.789, "123456.789"),
        (9_999_999.0, "9999999.0"),
        (12_345_678.0, "1.2345678E7"),
        (1e21, "1.0E21"),
        (f64::NEG_INFINITY, "-Infinity"),
        (f64::NAN, "NaN"),
        (f64::MIN_POSITIVE, "2.2250738585072014E-308"),
    ] {
        assert_eq!(Value::Double(value).to_string(), text);
    }
    assert_eq!(Value::Float(0.1).to_string(), "0.1");
}

#[test]
fn date_times_read_every_form_that_gremlin_allows() {
    for (text, printed) in [
        ("2018-03", "2018-03-01T00:00Z"),
        ("2018-03-22", "2018-03-22T00:00Z"),
        ("2018-03-22T00:35:44", "2018-03-22T00:35:44Z"),
        ("2018-03-22T00:35:44Z", "2018-03-22T00:35:44Z"),
        ("2018-03-22T00:35:44.741", "2018-03-22T00:35:44.741Z"),
        ("2018-03-22T00:35:44.741Z", "2018-03-22T00:35:44.741Z"),
        ("2018-03-22T00:35:44.741+1600", "2018-03-22T00:35:44.741+16:00"),
        ("2018-03-22T00:35:44.741+16:00", "2018-03-22T00:35:44.741+16:00"),
        ("2018-03-22T00:35:44.741+160000", "2018-03-22T00:35:44.741+16:00"),
        ("2018-03-22T00:35:44.741-16:00:30", "2018-03-22T00:35:44.741-16:00:30"),
        ("2018-03-22t00:35:44.000000001z", "2018-03-22T00:35:44.000000001Z"),
        ("-0044-03-15T12:00Z", "-0044-03-15T12:00Z"),
    ] {
        assert_eq!(text.parse::<DateTime>().unwrap().to_string(), printed, "{text}");
    }
}

#[test]
fn bad_date_times_say_where_and_why() {
    let error = "2018-03-22 00:35".parse::<DateTime>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`2018-03-22 00:35` is not an ISO 8601 date-time: `T` and a time, or the end expected at character 11"
    );
    assert_eq!(
        "2023-02-32".parse::<DateTime>().unwrap_err(),
        TimeError::Range { field: "day of month", value: 32 }
    );
    for text in [
        "",
        "x",
        "2018",
        "2018-13-01",
        "2018-03-22T24:01",
        "2018-02-00",
        "2018-03-22T00:60",
        "2018-03-22T00:00+19:00",
        "2018-03-22T00:00Zx",
        "20é8-01-01",
    ] {
        assert!(text.parse::<DateTime>().is_err(), "{text}");
    }
}

#[test]
fn days_that_a_month_does_not_have_and_24_hours_are_read_as_java_reads_them() {
    for (text, as_if) in [
        ("2023-02-29", "2023-02-28"),
        ("2023-04-31T10:00Z", "2023-04-30T10:00Z"),
        ("2018-12-31T24:00+02:00", "2019-01-01T00:00+02:00"),
    ] {
        assert_eq!(text.parse::<DateTime>().unwrap(), as_if.parse().unwrap(), "{text}");
    }
}

#[test]
fn spans_print_and_read_as_in_java() {
    for (nanos, text) in [
        (0i128, "PT0S"),
        (29_172_345_000_000, "PT8H6M12.345S"),
        (-1_500_000_000, "PT-1.5S"),
        (-500_000_000, "PT-0.5S"),
        (86_400_000_000_000, "PT24H"),
        (-3_661_000_000_000, "PT-1H-1M-1S"),
    ] {
        let span = Duration::from_nanos(nanos).unwrap();
        assert_eq!(span.to_string(), text);
        assert_eq!(text.parse::<Duration>().unwrap(), span);
    }
    assert_eq!("P2DT3H4M".parse::<Duration>().unwrap().seconds, 183_840);
    assert_eq!("-pt-6h+3m".parse::<Duration>().unwrap().seconds, 21_420);
    for text in ["", "P", "PT", "P1DT", "P1Y", "P1H", "PT1.5H", "PT1M1H", "PT1S1S", "PT99999999999999999999S"]
    {
        assert!(text.parse::<Duration>().is_err(), "{text}");
    }
}

#[test]
fn spans_move_points_in_time() {
    let start: DateTime = "2024-02-28T23:59:59.5+02:00".parse().unwrap();
    let later = start.plus(Duration::of(1, "day").unwrap()).unwrap();
    assert_eq!(later.to_string(), "2024-02-29T23:59:59.500+02:00");
    assert_eq!(
        start.plus(Duration::from_millis(-1_600)).unwrap().to_string(),
        "2024-02-28T23:59:57.900+02:00"
    );
    assert_eq!(later.since(&start), Duration { seconds: 86_400, nanos: 0 });
    assert!(Duration::of(1, "week").is_err());
    assert_eq!(start.plus(Duration { seconds: i64::MAX, nanos: 0 }), Err(TimeError::Overflow));
    assert_eq!(DateTime::from_epoch_millis(-1).epoch_millis(), -1);
    assert_eq!(DateTime::from_epoch_millis(-1).to_string(), "1969-12-31T23:59:59.999Z");
}
