//! The vertices that a list leads to, and what is known of all of them.

use values::VertexRef;

use crate::place::{STRIPE_VERTICES, stripe_of};

/// Some vertices, mostly those that a list leads to.
///
/// What looks up very many vertices has an array per stripe. That all vertices of a list are in one stripe is known of most
/// lists from their sections; then it need not be asked of each.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'r> {
    /// The vertices.
    pub list: &'r [VertexRef],
    /// The stripe that all of them are in, if that is known.
    stripe: Option<u16>,
}

impl<'r> From<&'r [VertexRef]> for Ends<'r> {
    /// Nothing is known of them.
    fn from(list: &'r [VertexRef]) -> Self {
        Self { list, stripe: None }
    }
}

impl<'r> Ends<'r> {
    pub(super) fn new(list: &'r [VertexRef], stripe: Option<u16>) -> Self {
        Self { list, stripe }
    }

    /// The same knowledge of some of them.
    #[inline]
    pub fn part(self, list: &'r [VertexRef]) -> Self {
        Self { list, ..self }
    }

    /// The stripe that all of them are in, the leading 16 bits of their references; `None` if they are in several, or there
    /// are none.
    #[inline]
    pub fn stripe(&self) -> Option<u16> {
        self.stripe.or_else(|| match Stripes::of(self.list) {
            Stripes::One(stripe) => Some(stripe),
            Stripes::None | Stripes::Several => None,
        })
    }
}

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
