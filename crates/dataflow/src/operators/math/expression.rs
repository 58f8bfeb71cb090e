//! Compiled expressions: instructions for a stack machine.

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub(super) enum Function {
    Abs, Acos, Asin, Atan, Cbrt, Ceil, Cos, Cosh, Exp, Expm1, Floor, Log, Log10, Log1p, Log2, Signum, Sin, Sinh, Sqrt,
    Tan, Tanh,
}

impl Function {
    /// The function of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
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
            "expm1" => Self::Expm1,
            "floor" => Self::Floor,
            "log" => Self::Log,
            "log10" => Self::Log10,
            "log1p" => Self::Log1p,
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
            Self::Expm1 => x.exp_m1(),
            Self::Floor => x.floor(),
            Self::Log => x.ln(),
            Self::Log10 => x.log10(),
            Self::Log1p => x.ln_1p(),
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
pub(super) enum Instruction {
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

/// Instructions in the order of their execution (reverse Polish notation).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Expression(pub(super) Vec<Instruction>);

impl Expression {
    /// The value of the expression.
    ///
    /// # Errors
    /// On a division by zero.
    pub(super) fn evaluate(&self, variables: &[f64], stack: &mut Vec<f64>) -> Result<f64, String> {
        stack.clear();
        for instruction in &self.0 {
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
