//! Functions of one object and constants, by name.

use gremlin::StepName;

/// Makes the families, each an enum of the steps it lists, and what leads from a step to its function and back.
macro_rules! families {
    ($($(#[$about:meta])* $family:ident in $kind:ident { $($name:ident),* $(,)? })*) => {
        /// A function that the engine knows by name, by the family that it is of. A step that is one is listed here, and has its
        /// code in the engine's file of its family; nothing between the two knows it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Function {
            $($(#[$about])* $family($kind),)*
        }

        $(
            $(#[$about])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #[allow(missing_docs, reason = "they are Gremlin's steps")]
            pub enum $kind {
                $($name,)*
            }
        )*

        impl Function {
            /// The function that a step is, if it is one.
            pub fn of(step: StepName) -> Option<Self> {
                match step {
                    $($(StepName::$name => Some(Self::$family($kind::$name)),)*)*
                    _ => None,
                }
            }

            /// The step.
            pub fn step(self) -> StepName {
                match self {
                    $($(Self::$family($kind::$name) => StepName::$name,)*)*
                }
            }
        }
    };
}

families! {
    /// Of one text, which may be null.
    Text in TextFunction { Length, LTrim, Replace, RTrim, Split, Substring, ToLower, ToUpper, Trim }
    /// A text of whatever there is.
    ToText in ToText { AsString, Concat, Format }
    /// Numbers and truth values.
    Number in NumberFunction { AsBool, AsNumber }
    /// Dates.
    Date in DateFunction { AsDate, DateAdd, DateDiff }
    /// Properties.
    Property in PropertyFunction { Element }
    /// Lists, sets and maps, and what else has members.
    List in ListFunction {
        Combine, Conjoin, Difference, Disjunct, Index, Intersect, Merge, Product, Reverse,
    }
}

impl Function {
    /// The name of the step.
    pub fn as_str(self) -> &'static str {
        self.step().as_str()
    }
}
