//! What the two versions of GraphBinary have in common, and where they differ.
//!
//! | | 1.0 | 4.0 |
//! |---|---|---|
//! | date-time | `88`, one of twelve types of dates | `04`, the only one |
//! | label | a string | a list of strings |
//! | list with bulks | a type of its own, `2a` | a list with the flag `02` |
//! | map | flag `00` | flag `02` says that its order counts |
//! | bytecode, predicates, traversers, profiles, most tokens | there | gone |

use super::codes;

/// A version of GraphBinary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// 1.0, of TinkerPop 3.
    One,
    /// 4.0, of TinkerPop 4.
    Four,
}

impl Version {
    /// The name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "GraphBinary 1",
            Self::Four => "GraphBinary 4",
        }
    }

    /// The code by which version 1 knows a type; `None` if this version has no such type.
    pub fn known(self, code: u8) -> Option<u8> {
        match (self, code) {
            (Self::One, code) => Some(code),
            (Self::Four, codes::DATE) => Some(codes::OFFSET_DATE_TIME),
            (
                Self::Four,
                codes::INT..=codes::STRING
                | codes::DOUBLE..=codes::VERTEX_PROPERTY
                | codes::DIRECTION
                | codes::T
                | codes::BIG_DECIMAL..=codes::BOOLEAN
                | codes::TREE
                | codes::MERGE
                | codes::CHAR
                | codes::DURATION,
            ) => Some(code),
            (Self::Four, _) => None,
        }
    }

    /// The code of a date-time with an offset.
    pub fn date_time(self) -> u8 {
        match self {
            Self::One => codes::OFFSET_DATE_TIME,
            Self::Four => codes::DATE,
        }
    }

    /// Code and flag of a list of items with their bulks.
    pub fn bulk_set(self) -> [u8; 2] {
        match self {
            Self::One => [codes::BULK_SET, codes::PRESENT],
            Self::Four => [codes::LIST, codes::VARIANT],
        }
    }

    /// Code and flag of a map. Its entries have an order here, always.
    pub fn map(self) -> [u8; 2] {
        match self {
            Self::One => [codes::MAP, codes::PRESENT],
            Self::Four => [codes::MAP, codes::VARIANT],
        }
    }
}
