//! `math`: finding the variables of an expression, and refusing what is none. (What binds closer than what is the
//! engine's business.)
//!
//! ```text
//! expression = operand { ("+" | "-" | "*" | "/" | "%" | "^") operand }
//! operand    = ["+" | "-"] ( number | variable | function "(" arguments ")" | function expression | "(" expression ")" )
//! ```
//!
//! Without parentheses a function takes all that follows: `ceil _ / 2` is `ceil(_ / 2)`.

use values::Str;

use super::call::Call;
use super::modulators::nth;
use super::{Binder, Shape};
use crate::PlanError;
use crate::logical::{Kind, Origin};

/// The functions of TinkerPop's `math`.
const FUNCTIONS: &[&str] = &[
    "abs", "acos", "asin", "atan", "cbrt", "ceil", "cos", "cosh", "exp", "floor", "log", "log10", "log2",
    "signum", "sin", "sinh", "sqrt", "tan", "tanh", "pow",
];

/// Names that are numbers. (`pi` and `e` are variables, as every name in letters of ASCII that is no function.)
const CONSTANTS: &[&str] = &["π", "φ"];

/// Most parentheses inside one another.
const MAX_NESTING: usize = 100;

impl Binder<'_> {
    pub(super) fn math(&mut self, call: &Call<'_>, shape: &Shape) -> Result<Kind, PlanError> {
        let expression = call.name_at(0, self)?;
        let names = variables(&expression).map_err(|problem| call.invalid(problem))?;
        let mut variables = Vec::with_capacity(names.len());
        let bys = self.plain_bys(call, shape)?;
        for (index, name) in names.into_iter().enumerate() {
            let origin = match name.as_str() {
                "_" => Origin::Current,
                _ => self.resolve(call, &name, shape)?.0,
            };
            variables.push((name, origin, nth(&bys, index)));
        }
        Ok(Kind::Math { expression, variables })
    }
}

/// The variables of an expression, in the order of their first appearance.
///
/// # Errors
/// What is wrong with the expression, and at which character.
pub(crate) fn variables(expression: &str) -> Result<Vec<Str>, String> {
    let mut parser = Parser { text: expression, at: 0, depth: 0, variables: Vec::new() };
    parser.expression()?;
    match parser.peek() {
        None => Ok(parser.variables),
        Some(c) => Err(parser.wrong(&format!("'{c}' is not an operator"))),
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    variables: Vec<Str>,
}

impl<'t> Parser<'t> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn eat(&mut self, any_of: &str) -> bool {
        match self.peek() {
            Some(c) if any_of.contains(c) => {
                self.at += c.len_utf8();
                true
            }
            _ => false,
        }
    }

    fn wrong(&self, problem: &str) -> String {
        format!("in the expression, character {}: {problem}", self.text[..self.at].chars().count() + 1)
    }

    fn expression(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(self.wrong("too many parentheses"));
        }
        self.unary()?;
        while self.eat("+-*/%^") {
            self.unary()?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn unary(&mut self) -> Result<(), String> {
        while self.eat("+-") {}
        self.atom()
    }

    fn atom(&mut self) -> Result<(), String> {
        match self.peek() {
            Some('(') => self.parenthesis(),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            Some(c) => Err(self.wrong(&format!("'{c}' where a number, a variable or '(' was expected"))),
            None => Err(self.wrong("it ends where a number, a variable or '(' was expected")),
        }
    }

    fn parenthesis(&mut self) -> Result<(), String> {
        self.eat("(");
        self.expression()?;
        // `pow(x, y)` is the only function of two arguments.
        if self.eat(",") {
            self.expression()?;
        }
        if self.eat(")") { Ok(()) } else { Err(self.wrong("')' is missing")) }
    }

    fn number(&mut self) -> Result<(), String> {
        let text = self.take_while(|c| c.is_ascii_alphanumeric() || c == '.');
        let exponent = text.ends_with(['e', 'E']) && self.eat("+-");
        let more = if exponent { self.take_while(|c| c.is_ascii_digit()) } else { "" };
        match text.trim_end_matches(['e', 'E']).parse::<f64>() {
            Ok(_) if !exponent || !more.is_empty() => Ok(()),
            _ => match text.parse::<f64>() {
                Ok(_) => Ok(()),
                Err(_) => Err(self.wrong(&format!("'{text}' is not a number"))),
            },
        }
    }

    fn name(&mut self) -> Result<(), String> {
        let name = self.take_while(|c| c.is_alphanumeric() || c == '_');
        let name = Str::from(name);
        match (self.peek(), FUNCTIONS.contains(&name.as_str())) {
            (Some('('), true) => return self.parenthesis(),
            (Some('('), false) => return Err(self.wrong(&format!("there is no function '{name}'"))),
            (Some('+' | '-'), true) => {
                return Err(self.wrong(&format!("what '{name}' is of must be in parentheses")));
            }
            (_, true) => return self.expression(),
            _ => {}
        }
        if !CONSTANTS.contains(&name.as_str()) && !self.variables.contains(&name) {
            self.variables.push(name);
        }
        Ok(())
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let text = self.text;
        let rest = &text[self.at..];
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }
}

#[cfg(test)]
mod tests {
    use super::variables;

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
        assert!(variables("ceil").is_err() && variables("(1").is_err());
        assert!(variables("1.2.3").is_err());
        assert!(variables(&"(".repeat(100_000)).is_err());
    }
}
