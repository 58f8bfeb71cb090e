//! From text to instructions, by precedence climbing.
//!
//! ```text
//! loosest   + -          from the left
//!           * / %        from the left
//!           unary + -    so that -2^2 is -4
//! tightest  ^            from the right, 2^-1 is allowed
//! ```
//!
//! A function without parentheses takes all that follows up to the next `)`: `ceil _ / 2` is `ceil(_ / 2)`.

use super::expression::{Expression, Function, Instruction};

/// Nesting that a parser follows.
const MAX_DEPTH: usize = 128;

/// Longest expression, in bytes.
const MAX_LENGTH: usize = 16 << 10;

/// The compiled form of `text`, whose variables are those of `names` in their order.
///
/// # Errors
/// Says what was expected, and at which character.
pub(super) fn parse(text: &str, names: &[&str]) -> Result<Expression, String> {
    if text.len() > MAX_LENGTH {
        return Err(format!("the expression is longer than {MAX_LENGTH} bytes"));
    }
    let mut parser = Parser { text, at: 0, names, depth: 0, code: Vec::new() };
    parser.sum()?;
    match parser.peek() {
        None => Ok(Expression(parser.code)),
        Some(_) => Err(parser.error("an operator or the end")),
    }
}

/// `φ`
const GOLDEN_RATIO: f64 = 1.618_033_988_749_895;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    names: &'a [&'a str],
    depth: usize,
    code: Vec<Instruction>,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn accept(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn error(&self, expected: &str) -> String {
        let at = self.text[..self.at].chars().count() + 1;
        format!("malformed expression `{}`: {expected} expected at character {at}", self.text)
    }

    fn sum(&mut self) -> Result<(), String> {
        self.product()?;
        loop {
            let instruction = match self.peek() {
                Some('+') => Instruction::Add,
                Some('-') => Instruction::Subtract,
                _ => return Ok(()),
            };
            self.at += 1;
            self.product()?;
            self.code.push(instruction);
        }
    }

    fn product(&mut self) -> Result<(), String> {
        self.signed()?;
        loop {
            let instruction = match self.peek() {
                Some('*') => Instruction::Multiply,
                Some('/') => Instruction::Divide,
                Some('%') => Instruction::Remainder,
                _ => return Ok(()),
            };
            self.at += 1;
            self.signed()?;
            self.code.push(instruction);
        }
    }

    fn signed(&mut self) -> Result<(), String> {
        self.nested(|parser| {
            if parser.accept('-') {
                parser.signed()?;
                parser.code.push(Instruction::Negate);
                Ok(())
            } else if parser.accept('+') {
                parser.signed()
            } else {
                parser.power()
            }
        })
    }

    fn power(&mut self) -> Result<(), String> {
        self.atom()?;
        if self.accept('^') {
            self.signed()?;
            self.code.push(Instruction::Power);
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<(), String> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.nested(Self::sum)?;
                if self.accept(')') { Ok(()) } else { Err(self.error("`)`")) }
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            _ => Err(self.error("a number, a variable, a function or `(`")),
        }
    }

    fn number(&mut self) -> Result<(), String> {
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        let mut end = bytes.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        if bytes.get(end).is_some_and(|b| b.eq_ignore_ascii_case(&b'e')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let digits = bytes[end + 1 + sign..].iter().take_while(|b| b.is_ascii_digit()).count();
            end += if digits > 0 { 1 + sign + digits } else { 0 };
        }
        let number: f64 = rest[..end].parse().map_err(|_| self.error("a number"))?;
        self.at += end;
        self.code.push(Instruction::Push(number));
        Ok(())
    }

    fn name(&mut self) -> Result<(), String> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = &rest[..end];
        let variable = self.names.iter().position(|known| *known == name);
        let instruction = match (variable, name) {
            (Some(n), _) => Instruction::Variable(n),
            (None, "π") => Instruction::Push(std::f64::consts::PI),
            (None, "φ") => Instruction::Push(GOLDEN_RATIO),
            (None, _) => return self.call(name, end),
        };
        self.at += end;
        self.code.push(instruction);
        Ok(())
    }

    fn call(&mut self, name: &str, length: usize) -> Result<(), String> {
        if name == "pow" {
            self.at += length;
            return self.arguments(2, Instruction::Power);
        }
        let Some(function) = Function::named(name) else {
            return Err(self.error("a known variable or function"));
        };
        self.at += length;
        if self.peek() == Some('(') {
            return self.arguments(1, Instruction::Call(function));
        }
        if matches!(self.peek(), Some('+' | '-')) {
            return Err(self.error("`(`"));
        }
        self.nested(Self::sum)?;
        self.code.push(Instruction::Call(function));
        Ok(())
    }

    fn arguments(&mut self, count: usize, call: Instruction) -> Result<(), String> {
        if !self.accept('(') {
            return Err(self.error("`(`"));
        }
        for i in 0..count {
            if i > 0 && !self.accept(',') {
                return Err(self.error("`,`"));
            }
            self.nested(Self::sum)?;
        }
        if !self.accept(')') {
            return Err(self.error("`)`"));
        }
        self.code.push(call);
        Ok(())
    }

    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        if self.depth >= MAX_DEPTH {
            return Err(format!("the expression is nested deeper than {MAX_DEPTH} levels"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<f64, String> {
        parse(text, &["_", "a"])?.evaluate(&[10.0, 3.0], &mut Vec::new())
    }

    #[test]
    fn operators_bind_as_in_mathematics() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("2 ^ 3 ^ 2", 512.0),
            ("-2 ^ 2", -4.0),
            ("2 ^ -1", 0.5),
            ("10 - 4 - 3", 3.0),
            ("100 / 10 / 2", 5.0),
            ("7 % 4 * 2", 6.0),
            ("- - 3", 3.0),
            ("_ / a", 10.0 / 3.0),
            ("1.5e2 + .5", 150.5),
            ("sqrt(_ + 6) * signum(0)", 0.0),
            ("ceil(a / 2) + floor(2.7) + abs(-1)", 5.0),
            ("pow(2, a)", 8.0),
            ("log10(1000) + log2(8)", 6.0),
            ("ceil a / 2", 2.0),
            ("ceil (a) / 2", 1.5),
            ("2 * ceil a / 2 + 1", 6.0),
            ("(ceil a / 2) * 2", 4.0),
            ("- ceil a + 1", -4.0),
            ("abs abs a - _", 7.0),
            ("2 ^ abs a - 1", 4.0),
            ("π - φ", std::f64::consts::PI - GOLDEN_RATIO),
        ] {
            let found = value(text).unwrap();
            assert!((found - expected).abs() < 1e-12, "{text} = {found}, expected {expected}");
        }
    }

    #[test]
    fn errors_say_what_was_expected_and_where() {
        assert!(value("1 +").unwrap_err().contains("expected at character 4"));
        assert!(value("b * 2").unwrap_err().contains("a known variable or function expected at character 1"));
        assert!(value("(1").unwrap_err().contains("`)` expected"));
        assert!(value("2 a").unwrap_err().contains("an operator or the end"));
        assert!(value("ceil -a").unwrap_err().contains("`(` expected at character 6"));
        assert_eq!(value("1 / 0"), Err("Division by zero!".into()));
        assert!(value(&"(".repeat(1000)).unwrap_err().contains("nested deeper"));
        assert!(value(&"-".repeat(1000)).unwrap_err().contains("nested deeper"));
    }
}
