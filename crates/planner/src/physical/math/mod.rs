//! `math`: expressions of numbers, compiled when the plan is made: instructions for a stack machine.

mod parser;

use values::Str;

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
enum Function {
    Abs, Acos, Asin, Atan, Cbrt, Ceil, Cos, Cosh, Exp, Floor, Log, Log10, Log2, Signum, Sin, Sinh, Sqrt,
    Tan, Tanh,
}

impl Function {
    /// The function of that name.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "abs" => Self::Abs,
            "acos" => Self::Acos,
            "asin" => Self::Asin,
            "atan" => Self::Atan,
            "cbrt" => Self::Cbrt,
            "ceil" => Self::Ceil,
            "cos" => Self::Cos,
            "cosh" => Self::Cosh,
            "exp" => Self::Exp,
            "floor" => Self::Floor,
            "log" => Self::Log,
            "log10" => Self::Log10,
            "log2" => Self::Log2,
            "signum" => Self::Signum,
            "sin" => Self::Sin,
            "sinh" => Self::Sinh,
            "sqrt" => Self::Sqrt,
            "tan" => Self::Tan,
            "tanh" => Self::Tanh,
            _ => return None,
        })
    }

    fn of(self, x: f64) -> f64 {
        match self {
            Self::Abs => x.abs(),
            Self::Acos => x.acos(),
            Self::Asin => x.asin(),
            Self::Atan => x.atan(),
            Self::Cbrt => x.cbrt(),
            Self::Ceil => x.ceil(),
            Self::Cos => x.cos(),
            Self::Cosh => x.cosh(),
            Self::Exp => x.exp(),
            Self::Floor => x.floor(),
            Self::Log => x.ln(),
            Self::Log10 => x.log10(),
            Self::Log2 => x.log2(),
            Self::Signum if x == 0.0 || x.is_nan() => x,
            Self::Signum => x.signum(),
            Self::Sin => x.sin(),
            Self::Sinh => x.sinh(),
            Self::Sqrt => x.sqrt(),
            Self::Tan => x.tan(),
            Self::Tanh => x.tanh(),
        }
    }
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Instruction {
    Push(f64),
    /// Pushes the nth variable.
    Variable(usize),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
    Call(Function),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: Str,
    /// In the order of their first appearance.
    variables: Vec<Str>,
    /// In the order of their execution (reverse Polish notation).
    code: Vec<Instruction>,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// What is wrong with it, and at which character.
    pub fn parse(text: &Str) -> Result<Self, String> {
        let (variables, code) = parser::parse(text)?;
        Ok(Self { text: text.clone(), variables, code })
    }

    /// How many instructions it takes to compute it.
    pub fn instructions(&self) -> usize {
        self.code.len()
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its variables, in the order of their first appearance.
    pub fn variables(&self) -> &[Str] {
        &self.variables
    }

    /// The value of the expression, its variables having these. What is in `stack` does not matter.
    ///
    /// # Errors
    /// On a division by zero.
    ///
    /// # Panics
    /// If there are fewer values than variables.
    pub fn evaluate(&self, variables: &[f64], stack: &mut Vec<f64>) -> Result<f64, String> {
        stack.clear();
        for instruction in &self.code {
            let value = match *instruction {
                Instruction::Push(number) => number,
                Instruction::Variable(n) => variables[n],
                Instruction::Negate => -pop(stack),
                Instruction::Call(function) => function.of(pop(stack)),
                binary => {
                    let b = pop(stack);
                    apply(binary, pop(stack), b)?
                }
            };
            stack.push(value);
        }
        Ok(pop(stack))
    }
}

fn apply(instruction: Instruction, a: f64, b: f64) -> Result<f64, String> {
    Ok(match instruction {
        Instruction::Divide | Instruction::Remainder if b == 0.0 => {
            return Err("Division by zero!".to_owned());
        }
        Instruction::Add => a + b,
        Instruction::Subtract => a - b,
        Instruction::Multiply => a * b,
        Instruction::Divide => a / b,
        Instruction::Remainder => a % b,
        _ => a.powf(b),
    })
}

fn pop(stack: &mut Vec<f64>) -> f64 {
    stack.pop().expect("the parser balances operands and operators")
}
