//! Root and meta nodes in the store. (Edge nodes are stored as adjacency sections.)
//!
//! ```text
//! root   settled │ order u8, key u16 │ next id u32 │ degree u32 │ 0, nodes…                   two levels
//!                                                               │ 1, count, ids of meta nodes…  three
//! meta   nodes…
//! nodes  count │ id u32, edges u32, first edge, least and most seq u32, late u8, windows…
//! first  0 │ 1, present u8, value, neighbour u32, seq u32
//! ```

use std::sync::Arc;
use std::sync::atomic::Ordering;

use values::VertexRef;

use super::node::{EdgeNode, FirstEdge};
use super::root::{Meta, TreeRoot};
use super::windows::{Span, Windows};
use crate::bytes::{Input, Malformed, Output, open_frame, seal_frame};
use crate::model::{KeyId, Tick};
use crate::sections::codec::StoredSection;
use crate::sections::order::{Order, OwnPlace};

/// A root as the store has it.
pub(crate) struct StoredRoot {
    settled: Tick,
    order: Order,
    next_id: u32,
    degree: u32,
    pub(crate) below: Below,
}

/// What a stored root leads to.
pub(crate) enum Below {
    Nodes(StoredMeta),
    Metas(Box<[u32]>),
}

/// A meta node as the store has it.
pub(crate) struct StoredMeta(Box<[Arc<EdgeNode>]>);

impl StoredMeta {
    pub(crate) fn into_meta(self, id: u32) -> Arc<Meta> {
        Meta::new(id, false, self.0)
    }
}

impl StoredRoot {
    /// The root in memory, over the meta nodes that it leads to.
    ///
    /// A flush that did not get as far as the root may have left meta nodes that lead to nodes with ids the root does not
    /// know of: those are taken as well.
    pub(crate) fn into_root(self, metas: Arc<[Arc<Meta>]>) -> TreeRoot {
        let nodes = metas.iter().flat_map(|meta| meta.nodes.iter()).map(|node| node.id());
        let ids = nodes.chain(metas.iter().map(|meta| meta.id.load(Ordering::Relaxed)));
        let next_id = ids.fold(self.next_id, |next, id| next.max(id.saturating_add(1)));
        TreeRoot::new(self.settled, self.order, next_id, self.degree, metas)
    }
}

/// The root as of `tick`; every node of it has its id.
pub(crate) fn encode_root(root: &TreeRoot, tick: Tick) -> Vec<u8> {
    seal_frame(|output| {
        output.u64(tick);
        output.order(root.order);
        output.u32(root.next_id.load(Ordering::Relaxed));
        output.u32(root.degree(tick));
        match &*root.metas {
            [only] => {
                output.u8(0);
                output.nodes(&only.nodes);
            }
            metas => {
                output.u8(1);
                output.u32s(metas.iter().map(|meta| meta.id.load(Ordering::Relaxed)));
            }
        }
    })
}

pub(crate) fn encode_meta(meta: &Meta) -> Vec<u8> {
    seal_frame(|output| output.nodes(&meta.nodes))
}

impl StoredSection for StoredRoot {
    fn encode(&self, _: u64) -> Vec<u8> {
        unreachable!("roots are encoded from memory, by `encode_root`")
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut input = Input::new(open_frame(bytes)?);
        let settled = input.u64()?;
        let order = input.order()?;
        let (next_id, degree) = (input.u32()?, input.u32()?);
        let below = match input.u8()? {
            0 => Below::Nodes(StoredMeta(input.nodes()?)),
            1 => Below::Metas(input.u32s()?),
            tag => return Err(Malformed::new(format!("no root has levels {tag}"))),
        };
        input.end()?;
        let nowhere = matches!(&below, Below::Metas(ids) if ids.is_empty());
        Malformed::unless(!nowhere, "it leads nowhere")?;
        Ok(Self { settled, order, next_id, degree, below })
    }
}

impl StoredSection for StoredMeta {
    fn encode(&self, _: u64) -> Vec<u8> {
        unreachable!("meta nodes are encoded from memory, by `encode_meta`")
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        Input::new(open_frame(bytes)?).whole(Input::nodes).map(Self)
    }
}

impl Output {
    pub(crate) fn order(&mut self, order: Order) {
        let (tag, key) = match order {
            Order::Arrival => (0, KeyId(0)),
            Order::Key(key) => (1, key),
        };
        self.u8(tag);
        self.u16(key.0);
    }

    fn nodes(&mut self, nodes: &[Arc<EdgeNode>]) {
        self.list(nodes, |output, node| {
            output.u32(node.id());
            output.u32(node.stored_len());
            output.first_edge(&node.first);
            let (least, most) = node.span.ends();
            output.u32(least);
            output.u32(most);
            let windows = node.windows.as_ref();
            output.u8(windows.is_some_and(|windows| windows.is_late()).into());
            let beyond: Vec<u32> = windows.into_iter().flat_map(|windows| windows.iter()).collect();
            output.u32s(beyond.into_iter());
        });
    }

    fn first_edge(&mut self, first: &FirstEdge) {
        match first {
            FirstEdge::Least => self.u8(0),
            FirstEdge::Place(OwnPlace { value, neighbour, seq }) => {
                self.u8(1);
                self.optional_value(value.as_ref());
                self.u32(neighbour.0);
                self.u32(*seq);
            }
        }
    }
}

impl Input<'_> {
    pub(crate) fn order(&mut self) -> Result<Order, Malformed> {
        let (tag, key) = (self.u8()?, KeyId(self.u16()?));
        match tag {
            0 => Ok(Order::Arrival),
            1 => Ok(Order::Key(key)),
            _ => Err(Malformed::new(format!("no list has order {tag}"))),
        }
    }

    fn nodes(&mut self) -> Result<Box<[Arc<EdgeNode>]>, Malformed> {
        let nodes: Box<[_]> = self.list(22, Self::node)?;
        Malformed::unless(!nodes.is_empty(), "it leads nowhere")?;
        Ok(nodes)
    }

    fn node(&mut self) -> Result<Arc<EdgeNode>, Malformed> {
        let (id, len, first) = (self.u32()?, self.u32()?, self.first_edge()?);
        let span = Span::stored(self.u32()?, self.u32()?);
        let (late, beyond) = (self.u8()? != 0, self.u32s()?);
        let windows = (!beyond.is_empty()).then(|| Windows::stored(&beyond, late));
        Ok(Arc::new(EdgeNode::stored(id, len, first, windows, span)))
    }

    fn first_edge(&mut self) -> Result<FirstEdge, Malformed> {
        Ok(match self.u8()? {
            0 => FirstEdge::Least,
            1 => {
                let (value, neighbour) = (self.optional_value()?, VertexRef(self.u32()?));
                FirstEdge::Place(OwnPlace { value, neighbour, seq: self.u32()? })
            }
            tag => return Err(Malformed::new(format!("no node begins like {tag}"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use values::Value;

    fn node(id: u32, first: FirstEdge, windows: Option<Windows>) -> Arc<EdgeNode> {
        Arc::new(EdgeNode::stored(id, 10 * id, first, windows, Span::of([id, id + 5])))
    }

    fn nodes() -> Box<[Arc<EdgeNode>]> {
        let at = |value| FirstEdge::Place(OwnPlace { value, neighbour: VertexRef(7), seq: 9 });
        [
            node(1, FirstEdge::Least, Some(Windows::stored(&[3, 4], true))),
            node(2, at(None), None),
            node(3, at(Some(Value::str("text"))), None),
        ]
        .into()
    }

    /// A root of two levels, one of three, and a meta node.
    fn stored() -> [Vec<u8>; 3] {
        let (small, key) = (Meta::new(0, false, nodes()), Order::Key(KeyId(5)));
        let metas = [Meta::new(8, false, nodes()), Meta::new(9, false, nodes())];
        let two = TreeRoot::new(40, key, 4, 60, [small].into());
        let three = TreeRoot::new(41, Order::Arrival, 10, 120, metas.clone().into());
        [encode_root(&two, 40), encode_root(&three, 41), encode_meta(&metas[0])]
    }

    fn look(nodes: &[Arc<EdgeNode>]) -> Vec<(u32, u32, (u32, u32), bool)> {
        let is_late = |node: &EdgeNode| node.windows.as_ref().is_some_and(Windows::is_late);
        nodes.iter().map(|node| (node.id(), node.stored_len(), node.span.ends(), is_late(node))).collect()
    }

    #[test]
    fn roots_and_meta_nodes_come_back_as_they_were() {
        let [two, three, meta] = stored();
        let root = StoredRoot::decode(&two).unwrap();
        assert_eq!((root.settled, root.order, root.next_id, root.degree), (40, Order::Key(KeyId(5)), 4, 60));
        assert!(matches!(&root.below, Below::Nodes(found) if look(&found.0) == look(&nodes())));
        let root = StoredRoot::decode(&three).unwrap();
        assert!(matches!(&root.below, Below::Metas(ids) if **ids == [8, 9]));
        assert_eq!(look(&StoredMeta::decode(&meta).unwrap().0), look(&nodes()));
    }

    #[test]
    fn damaged_roots_and_meta_nodes_are_errors_and_never_panics() {
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        for bytes in stored() {
            for place in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[place] ^= 1 << (place % 8);
                assert!(StoredRoot::decode(&damaged).is_err() && StoredMeta::decode(&damaged).is_err());
                assert!(
                    StoredRoot::decode(&bytes[..place]).is_err()
                        && StoredMeta::decode(&bytes[..place]).is_err()
                );
                // Behind a checksum that fits, whatever the byte became.
                for _ in 0..20 {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    damaged[place] = (random >> 56) as u8;
                    let body = open_frame(&bytes).unwrap().len();
                    let body = &damaged[bytes.len() - body..];
                    let resealed = seal_frame(|output| output.bytes.extend_from_slice(body));
                    let _ = (StoredRoot::decode(&resealed), StoredMeta::decode(&resealed));
                }
            }
        }
    }
}
