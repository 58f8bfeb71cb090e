//! In which stripes the ends of a list are.

use values::VertexRef;

use crate::model::{STRIPE_VERTICES, stripe_of};

/// In which stripes some vertices are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stripes {
    /// There are no vertices.
    None,
    One(u16),
    Several,
}

impl Stripes {
    /// Of some vertices.
    #[inline]
    pub(crate) fn of(vertices: &[VertexRef]) -> Self {
        let Some(first) = vertices.first() else { return Self::None };
        let differ = vertices.iter().fold(0, |differ, v| differ | (v.0 ^ first.0));
        if differ < STRIPE_VERTICES { Self::One(stripe_of(*first) as u16) } else { Self::Several }
    }

    /// Of these vertices and others.
    pub(crate) fn and(self, others: Self) -> Self {
        match (self, others) {
            (Self::None, one) | (one, Self::None) => one,
            (one, other) if one == other => one,
            _ => Self::Several,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_of_all_vertices() {
        let of = |vertices: &[u32]| Stripes::of(&vertices.iter().map(|v| VertexRef(*v)).collect::<Vec<_>>());
        assert_eq!(of(&[]), Stripes::None);
        assert_eq!(of(&[3 << 16, 4 << 16 | 1, (3 << 16) + 1]), Stripes::Several);
        assert_eq!(of(&[3 << 16, (4 << 16) - 1]), Stripes::One(3));
        assert_eq!(of(&[u32::MAX, u32::MAX - 0xffff]), Stripes::One(0xffff));
        for one in [Stripes::None, Stripes::One(1), Stripes::One(2), Stripes::Several] {
            assert_eq!((one.and(Stripes::None), Stripes::None.and(one)), (one, one));
            assert_eq!((one.and(one), one.and(Stripes::Several)), (one, Stripes::Several));
        }
        assert_eq!(Stripes::One(1).and(Stripes::One(2)), Stripes::Several);
    }
}
