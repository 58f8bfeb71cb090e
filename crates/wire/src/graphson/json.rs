//! Writing JSON text.

use std::io::Write;

use values::watch;

/// Bytes of a long text after which it is noted how much was done.
const STRETCH: usize = 4 << 10;

/// Bytes that are worth a tick.
const BYTES_PER_TICK: usize = 64;

/// Appends a string in quotes, with what JSON needs escaped.
pub(super) fn string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for stretch in text.as_bytes().chunks(STRETCH) {
        if stretch.len() >= BYTES_PER_TICK {
            watch::ticks(stretch.len() / BYTES_PER_TICK);
        }
        escaped(stretch, out);
    }
    out.push(b'"');
}

/// Only single bytes are escaped, so a text may be cut anywhere.
fn escaped(bytes: &[u8], out: &mut Vec<u8>) {
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
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        control => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            let digit = |half: u8| DIGITS[usize::from(half & 0xf)];
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(control >> 4), digit(control)]);
        }
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
