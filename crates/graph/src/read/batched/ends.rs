//! The vertices that a list leads to, and what is known of all of them.

use values::VertexRef;

use crate::sections::Stripes;

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
