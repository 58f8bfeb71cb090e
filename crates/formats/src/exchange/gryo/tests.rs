use super::super::room::unbounded;
use super::super::{Bytes, Element, GraphFileReader};
use super::Reader;

/// A vertex with the id 1 and the label `ab`, up to its edges.
const BEGINS: &[u8] = b"gio\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x80\0\0\x02\x02\x01a\xe2";

fn read(bytes: &[u8]) -> Result<Vec<Element>, String> {
    let mut reader = Reader::new(Bytes::new(Box::new(std::io::Cursor::new(bytes.to_vec()))), unbounded());
    std::iter::from_fn(|| reader.next().transpose())
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())
}

#[test]
fn a_vertex_alone_is_read() {
    let elements = read(&[BEGINS, b"\0\0\0", &super::TERMINATOR].concat()).unwrap();
    let [Element::Vertex(vertex)] = &elements[..] else { panic!("{elements:?}") };
    assert_eq!((vertex.label.as_str(), &vertex.id), ("ab", &1.into()));
}

#[test]
fn dates_of_one_vertex_have_one_offset() {
    let date = |day: u8| {
        let parts = [1970, 1, i32::from(day), 0, 0, 0, 0].map(i32::to_be_bytes).concat();
        [b"\0\x65\x01\x01".to_vec(), parts].concat()
    };
    // Of the objects 0 to 7 (star, label, key, a date with its parts, another with its first part) the offset of the first date.
    let dates = [&b"\0\0\x01\x02\x01a\xe2\x04"[..], &date(1), b"\x01\x82Z", &date(3), b"\x07"].concat();
    let elements = read(&[BEGINS, &dates, &super::TERMINATOR].concat()).unwrap();
    let [Element::Vertex(vertex)] = &elements[..] else { panic!("{elements:?}") };
    let of_days = [0, 2].map(|days| values::DateTime::from_epoch_millis(days * 86_400_000).into());
    assert!(vertex.properties.iter().map(|property| &property.value).eq(&of_days), "{vertex:?}");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let end = &super::TERMINATOR[..];
    let nested: Vec<u8> = [
        b"\x01\x02\x01a\xe2\x02".to_vec(),
        b"\0\x0c\x01\x01".repeat(0),
        b"\0".to_vec(),
        b"\x0c\x01\x01".repeat(200),
    ]
    .concat();
    for (rest, problem) in [
        (&b"\0\0\x02"[..], "true (1) or false (0) expected"),
        (b"\0\0", "ends in the middle"),
        (b"\x01\x01", "negative"),
        (b"\x01\xff\xff\xff\xff\xff\xff", "more than five bytes"),
        // A list of four billion members, of which none is there.
        (b"\0\0\x01\x02\x01a\xe2\x02\0\x0c\x01\xff\xff\xff\xff\x0f", "ends in the middle"),
        // A text of a billion characters.
        (b"\0\0\x01\x02\x01\xff\xff\xff\xff\x7f", "longer than 256 MiB"),
        (b"\0\0\x01\x02\x09", "not there yet"),
        (b"\0\0\x01\x02\x01a\xe2\x02\0\x01\x00", "does not register"),
        (b"\0\0\x01\x02\x01a\xe2\x02\0\x2a\x01", "class number 40"),
        (b"\0\0\x01\x02\x01a\xe2\x02\0\x24\x01\xff\xff\xff\x7f", "more than 65536 bytes"),
        // A list that is in itself: of the objects 0 to 3 (star, label, key, list) the last.
        (b"\0\0\x01\x02\x01a\xe2\x02\0\x0c\x01\x01\x0c\x05", "one that it is in"),
        (b"\0\0\0 and more bytes", "the end of a vertex expected"),
        (&[b"\0\0".to_vec(), nested].concat(), "inside one another"),
        (&[b"\0\0\0", end, b"gix0000000000000"].concat(), "begins with `gio`"),
    ] {
        let error = read(&[BEGINS, rest].concat()).unwrap_err();
        assert!(error.contains(problem) && error.starts_with("byte "), "{rest:?}: {error}");
    }
}

#[test]
fn nothing_is_reserved_for_what_a_count_promises() {
    let told = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let most = told.clone();
    let room = super::super::room::Holdings::new(Box::new(move |bytes| {
        most.fetch_max(bytes, std::sync::atomic::Ordering::Relaxed);
        true
    }));
    let bytes = [BEGINS, b"\0\0\x01\x02\x01a\xe2\x02\0\x1b\x01\xff\xff\xff\x7f"].concat();
    let mut reader = Reader::new(Bytes::new(Box::new(std::io::Cursor::new(bytes))), room);
    assert!(reader.next().is_err());
    assert!(told.load(std::sync::atomic::Ordering::Relaxed) < 1 << 20);
}
