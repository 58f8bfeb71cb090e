//! Writing JSON text.

use std::io::Write;

/// Appends a string in quotes, with what JSON needs escaped.
pub(super) fn string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut plain = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if !matches!(byte, 0..0x20 | b'"' | b'\\') {
            continue;
        }
        out.extend_from_slice(&bytes[plain..at]);
        plain = at + 1;
        escape(*byte, out);
    }
    out.extend_from_slice(&bytes[plain..]);
    out.push(b'"');
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        other => display(format_args!("\\u{other:04x}"), out),
    }
}

/// Appends what is JSON already as it displays itself, such as an integer.
pub(super) fn display(value: impl std::fmt::Display, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _ = write!(out, "{value}");
}

/// Appends a float: as a number with a fraction or exponent, or as the string that TinkerPop uses where JSON has
/// no number for it.
pub(super) fn double(value: f64, out: &mut Vec<u8>) {
    float(value.is_finite(), value, value, out);
}

/// Appends a single.
pub(super) fn single(value: f32, out: &mut Vec<u8>) {
    float(value.is_finite(), value.into(), value, out);
}

fn float(finite: bool, sign: f64, value: impl std::fmt::Debug, out: &mut Vec<u8>) {
    if finite {
        display(format_args!("{value:?}"), out);
    } else if sign.is_nan() {
        out.extend_from_slice(b"\"NaN\"");
    } else {
        out.extend_from_slice(if sign > 0.0 { b"\"Infinity\"" } else { b"\"-Infinity\"" });
    }
}
