//! String literals: `'it\'s'` and `"…"`, with Java's escapes.

use values::Str;

/// What a quote begins.
pub(crate) enum Quoted {
    /// A string, and the bytes of the literal with its quotes.
    Closed(Str, usize),
    /// A string that the end of the text cuts off.
    Unclosed,
    /// An escape that means nothing: its offset from the opening quote, and what is wrong with it.
    BadEscape(usize, &'static str),
}

/// Reads the string literal at the start of `text`, which begins with its quote.
#[inline]
pub(crate) fn string(text: &str) -> Quoted {
    let bytes = text.as_bytes();
    let quote = bytes[0];
    match bytes[1..].iter().position(|&b| b == quote || b == b'\\') {
        None => Quoted::Unclosed,
        Some(length) if bytes[1 + length] == quote => Quoted::Closed(text[1..=length].into(), length + 2),
        Some(plain) => unescape(text, quote as char, 1 + plain),
    }
}

/// Goes on where [`string`] met its first escape, at offset `at`.
fn unescape(text: &str, quote: char, mut at: usize) -> Quoted {
    let mut string = Str::from(&text[1..at]);
    loop {
        let rest = &text[at..];
        match rest.chars().next() {
            None => return Quoted::Unclosed,
            Some('\\') => match escape(rest) {
                Ok((character, length)) => {
                    string.extend(character);
                    at += length;
                }
                Err(Problem::CutOff) => return Quoted::Unclosed,
                Err(Problem::Bad(problem)) => return Quoted::BadEscape(at, problem),
            },
            Some(c) if c == quote => return Quoted::Closed(string, at + 1),
            Some(_) => {
                let plain = rest.find([quote, '\\']).unwrap_or(rest.len());
                string.push_str(&rest[..plain]);
                at += plain;
            }
        }
    }
}

enum Problem {
    CutOff,
    Bad(&'static str),
}

/// The character that the escape at the start of `text` stands for (none for a joined line), and its bytes.
fn escape(text: &str) -> Result<(Option<char>, usize), Problem> {
    let bytes = text.as_bytes();
    let simple = |c| Ok((Some(c), 2));
    match bytes.get(1).ok_or(Problem::CutOff)? {
        b'b' => simple('\u{8}'),
        b't' => simple('\t'),
        b'n' => simple('\n'),
        b'f' => simple('\u{c}'),
        b'r' => simple('\r'),
        &c @ (b'"' | b'\'' | b'\\') => simple(c as char),
        b'\n' => Ok((None, 2)),
        b'\r' if bytes.get(2) == Some(&b'\n') => Ok((None, 3)),
        b'0'..=b'7' => Ok(octal(bytes)),
        b'u' => unicode(text),
        _ => Err(Problem::Bad(r#"is no escape; there are \b \t \n \f \r \" \' \\, octal ones, and \uXXXX"#)),
    }
}

/// `\7`, `\77` or `\377`: up to three digits, up to 255.
fn octal(bytes: &[u8]) -> (Option<char>, usize) {
    let most = if bytes[1] <= b'3' { 3 } else { 2 };
    let digits = bytes[1..].iter().take(most).take_while(|b| matches!(b, b'0'..=b'7'));
    let (length, code) =
        digits.fold((1, 0_u32), |(length, code), b| (length + 1, code * 8 + u32::from(b - b'0')));
    (char::from_u32(code), length)
}

/// `\u0041`, with any number of `u`s; two surrogates, each its own escape, make one character.
fn unicode(text: &str) -> Result<(Option<char>, usize), Problem> {
    const SURROGATE: Problem = Problem::Bad("is half of a surrogate pair");
    let (first, length) = code_unit(text)?;
    if !(0xd800..0xe000).contains(&first) {
        return Ok((char::from_u32(first), length));
    }
    let rest = &text[length..];
    if first >= 0xdc00 || !rest.starts_with("\\u") {
        return Err(SURROGATE);
    }
    let (second, more) = code_unit(rest)?;
    if !(0xdc00..0xe000).contains(&second) {
        return Err(SURROGATE);
    }
    Ok((char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)), length + more))
}

/// One `\uXXXX`: its code unit and its bytes.
fn code_unit(text: &str) -> Result<(u32, usize), Problem> {
    let us = text[1..].bytes().take_while(|b| *b == b'u').count();
    let digits = text.get(1 + us..1 + us + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
    let digits = digits.ok_or(Problem::Bad("needs four hexadecimal digits"))?;
    let unit = u32::from_str_radix(digits, 16).map_err(|_| Problem::Bad("needs four hexadecimal digits"))?;
    Ok((unit, 1 + us + 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        match string(text) {
            Quoted::Closed(s, length) => {
                assert_eq!(length, text.len(), "{text}");
                Ok(s.into())
            }
            Quoted::Unclosed => Err("unclosed".to_owned()),
            Quoted::BadEscape(at, problem) => Err(format!("{at} {problem}")),
        }
    }

    #[test]
    fn either_quote_may_stand_inside_the_other() {
        assert_eq!(read(r#""it's""#).as_deref(), Ok("it's"));
        assert_eq!(read(r#"'say "hi"'"#).as_deref(), Ok("say \"hi\""));
        assert_eq!(read("''").as_deref(), Ok(""));
    }

    #[test]
    fn escapes_stand_for_their_characters() {
        assert_eq!(read(r"'a\n\t\\\'\0\101\377z'").as_deref(), Ok("a\n\t\\'\0A\u{ff}z"));
        assert_eq!(read(r"'\u0041\uu00e9\uD83D\uDE00'").as_deref(), Ok("Aé😀"));
        assert_eq!(read("'one \\\nline'").as_deref(), Ok("one line"));
        assert_eq!(read(r"'\477'").as_deref(), Ok("'7"));
    }

    #[test]
    fn what_is_cut_off_or_means_nothing_is_said() {
        assert_eq!(read("'abc").unwrap_err(), "unclosed");
        assert_eq!(read(r"'abc\").unwrap_err(), "unclosed");
        assert_eq!(read(r"'abc\'").unwrap_err(), "unclosed");
        assert!(read(r"'ab\x'").unwrap_err().starts_with("3 is no escape"));
        assert!(read(r"'\u12'").unwrap_err().contains("four hexadecimal"));
        assert!(read(r"'\u12é4'").unwrap_err().contains("four hexadecimal"));
        assert!(read(r"'\uD800'").unwrap_err().contains("surrogate"));
        assert!(read(r"'\uD800\u0041'").unwrap_err().contains("surrogate"));
    }
}
