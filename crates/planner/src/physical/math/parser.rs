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

use values::Str;

use super::{Function, Instruction};

/// Nesting that a parser follows.
const MAX_DEPTH: usize = 128;

/// Longest expression, in bytes.
const MAX_LENGTH: usize = 16 << 10;

/// The variables of an expression, in the order of their first appearance, and its instructions.
///
/// # Errors
/// What is wrong, and at which character.
pub(super) fn parse(text: &str) -> Result<(Vec<Str>, Vec<Instruction>), String> {
    if text.len() > MAX_LENGTH {
        return Err(format!("the expression is longer than {MAX_LENGTH} bytes"));
    }
    let mut parser = Parser { text, at: 0, depth: 0, variables: Vec::new(), code: Vec::new() };
    parser.sum()?;
    match parser.peek() {
        None => Ok((parser.variables, parser.code)),
        Some(c) => Err(parser.wrong(&format!("'{c}' is not an operator"))),
    }
}

/// `φ`, with as many digits as exp4j has.
const GOLDEN_RATIO: f64 = 1.618_033_988_74;

/// Whether a bracket opens; exp4j does not ask whether the one that closes is of its kind.
fn is_opening(bracket: char) -> bool {
    matches!(bracket, '(' | '[' | '{')
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    variables: Vec<Str>,
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

    fn wrong(&self, problem: &str) -> String {
        format!("in the expression, character {}: {problem}", self.text[..self.at].chars().count() + 1)
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
            Some(opening) if is_opening(opening) => {
                self.at += 1;
                self.nested(Self::sum)?;
                self.close()
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            Some(c) => Err(self.wrong(&format!("'{c}' where a number, a variable or '(' was expected"))),
            None => Err(self.wrong("it ends where a number, a variable or '(' was expected")),
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
        let number = &rest[..end];
        let number: f64 = number.parse().map_err(|_| self.wrong(&format!("'{number}' is not a number")))?;
        self.at += end;
        self.code.push(Instruction::Push(number));
        Ok(())
    }

    fn name(&mut self) -> Result<(), String> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = &rest[..end];
        if name == "pow" || Function::named(name).is_some() {
            return self.call(name, end);
        }
        let instruction = match name {
            "π" => Instruction::Push(std::f64::consts::PI),
            "φ" => Instruction::Push(GOLDEN_RATIO),
            name => Instruction::Variable(self.variable(name)),
        };
        self.at += end;
        if self.peek().is_some_and(is_opening) {
            return Err(self.wrong(&format!("there is no function '{name}'")));
        }
        self.code.push(instruction);
        Ok(())
    }

    /// The number of a variable.
    fn variable(&mut self, name: &str) -> usize {
        let known = self.variables.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.variables.push(name.into());
            self.variables.len() - 1
        })
    }

    fn call(&mut self, name: &str, length: usize) -> Result<(), String> {
        self.at += length;
        let Some(function) = Function::named(name) else {
            // TinkerPop takes it for a variable in front of any other bracket, and has none of that name.
            return match self.peek() {
                Some('(') => self.arguments(2, Instruction::Power),
                _ => Err(self.wrong("'(' is missing")),
            };
        };
        if self.peek().is_some_and(is_opening) {
            return self.arguments(1, Instruction::Call(function));
        }
        if matches!(self.peek(), Some('+' | '-')) {
            return Err(self.wrong(&format!("what '{name}' is of must be in parentheses")));
        }
        self.nested(Self::sum)?;
        self.code.push(Instruction::Call(function));
        Ok(())
    }

    fn arguments(&mut self, count: usize, call: Instruction) -> Result<(), String> {
        self.at += 1;
        for i in 0..count {
            if i > 0 && !self.accept(',') {
                return Err(self.wrong("',' is missing"));
            }
            self.nested(Self::sum)?;
        }
        self.close()?;
        self.code.push(call);
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        let is_closed = [')', ']', '}'].into_iter().any(|end| self.accept(end));
        if is_closed { Ok(()) } else { Err(self.wrong("')' is missing")) }
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

    use crate::physical::Expression;

    fn value(text: &str) -> Result<f64, String> {
        let expression = Expression::parse(&text.into())?;
        let values: Vec<f64> =
            expression.variables().iter().map(|name| if name == "_" { 10.0 } else { 3.0 }).collect();
        expression.evaluate(&values, &mut Vec::new())
    }

    fn variables(text: &str) -> Result<Vec<Str>, String> {
        parse(text).map(|(variables, _)| variables)
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
            ("sqrt{[1 + 2] * 3] + 1", 4.0),
            ("cos[0] + 1", 2.0),
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
    fn variables_are_found_once_each_in_order() {
        assert_eq!(variables("a / (b + _) * a - sin(c) ^ 2").unwrap(), ["a", "b", "_", "c"]);
        assert_eq!(variables("2 * π * 1.5e-3").unwrap(), Vec::<&str>::new());
        assert_eq!(variables("ceil a / 2 + sin b").unwrap(), ["a", "b"]);
        assert_eq!(variables("pi + e").unwrap(), ["pi", "e"]);
        assert_eq!(variables("-x").unwrap(), ["x"]);
    }

    #[test]
    fn what_is_no_expression_is_refused_with_its_place() {
        assert_eq!(
            variables("a +").unwrap_err(),
            "in the expression, character 4: it ends where a number, a variable or '(' was expected"
        );
        assert_eq!(variables("a b").unwrap_err(), "in the expression, character 3: 'b' is not an operator");
        assert!(variables("nope(1)").unwrap_err().contains("no function 'nope'"));
        assert!(variables("ceil -a").unwrap_err().contains("what 'ceil' is of must be in parentheses"));
        assert!(variables("ceil").is_err());
        assert!(variables("(1").unwrap_err().contains("')' is missing"));
        assert!(variables("pow(1)").unwrap_err().contains("',' is missing"));
        assert!(variables("(1, 2)").unwrap_err().contains("')' is missing"));
        assert!(variables("1.2.3").unwrap_err().contains("'1.2.3' is not a number"));
        assert_eq!(value("1 / 0"), Err("Division by zero!".into()));
        assert!(value(&"(".repeat(1000)).unwrap_err().contains("nested deeper"));
        assert!(value(&"-".repeat(1000)).unwrap_err().contains("nested deeper"));
        assert!(variables(&"(".repeat(100_000)).is_err());
    }
}
