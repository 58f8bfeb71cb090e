//! What has been seen before, per scope tag.

use std::hash::Hash;

use graph::Ends;
use values::{Seeded, Value, VertexRef};

use crate::growing::{Hashed, Table, hash_of};

use super::vertex_set::VertexSet;

/// Objects (or combinations of objects) seen per scope tag: the memory of `dedup`.
///
/// Vertices seen under the only tag of an instance are bits; under many tags they are (tag, vertex) pairs in a hash
/// set, since a bit set per tag would take a page per tag and 65,536 vertices however few it has.
#[derive(Debug, Default)]
pub(super) struct Seen {
    vertices: VertexSet,
    tagged: Table<TaggedVertex>,
    objects: Table<Tagged<Value>>,
    combinations: Table<Tagged<Box<[Value]>>>,
    seeded: Seeded,
    /// Bytes behind the objects' pointers, roughly.
    extra_bytes: usize,
}

/// What has been seen under a tag.
#[derive(Debug)]
struct Tagged<T> {
    hash: u32,
    tag: u32,
    seen: T,
}

impl<T: Hash> Tagged<T> {
    #[inline]
    fn new(tag: u32, seen: T, seeded: &Seeded) -> Self {
        Self { hash: hash_of(&(tag, &seen), seeded), tag, seen }
    }
}

impl<T: PartialEq> PartialEq for Tagged<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.tag == other.tag && self.seen == other.seen
    }
}

impl<T> Hashed for Tagged<T> {
    #[inline]
    fn hash(&self) -> u32 {
        self.hash
    }
}

/// A tag, then a vertex.
#[derive(Debug, PartialEq)]
struct TaggedVertex(u64);

impl Hashed for TaggedVertex {
    #[inline]
    fn hash(&self) -> u32 {
        // No client chooses references: the mixing of all bits into the upper ones does.
        (self.0.wrapping_mul(0xf135_7aea_2e62_a9c5) >> 32) as u32
    }
}

impl Seen {
    /// Whether a vertex is new under the tag.
    #[inline]
    pub(super) fn insert_vertex(&mut self, single_tag: bool, tag: u32, v: VertexRef) -> bool {
        if single_tag {
            self.vertices.insert(v)
        } else {
            self.tagged.insert(TaggedVertex(u64::from(tag) << 32 | u64::from(v.0)))
        }
    }

    /// Adds vertices under the tag until `room` of them are new, and appends those to `new`. How many it has looked at.
    #[inline]
    pub(super) fn insert_vertices(
        &mut self,
        single_tag: bool,
        tag: u32,
        vertices: Ends<'_>,
        room: usize,
        new: &mut Vec<VertexRef>,
    ) -> usize {
        if single_tag {
            return self.vertices.insert_all(vertices, room, new);
        }
        let full = new.len() + room;
        for (i, v) in vertices.list.iter().enumerate() {
            if new.len() == full {
                return i;
            }
            if self.insert_vertex(single_tag, tag, *v) {
                new.push(*v);
            }
        }
        vertices.list.len()
    }

    /// Whether an object is new under the tag.
    pub(super) fn insert(&mut self, single_tag: bool, tag: u32, object: Value) -> bool {
        if let Value::VertexRef(v) = object {
            return self.insert_vertex(single_tag, tag, v);
        }
        let bytes = extent(&object);
        let new = self.objects.insert(Tagged::new(tag, object, &self.seeded));
        self.extra_bytes += if new { bytes } else { 0 };
        new
    }

    /// Whether a combination of objects is new under the tag.
    pub(super) fn insert_combination(&mut self, tag: u32, objects: Vec<Value>) -> bool {
        let bytes = objects.iter().map(|o| size_of::<Value>() + extent(o)).sum::<usize>();
        let new = self.combinations.insert(Tagged::new(tag, objects.into_boxed_slice(), &self.seeded));
        self.extra_bytes += if new { bytes } else { 0 };
        new
    }

    /// Bytes it occupies, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.vertices.bytes()
            + self.tagged.bytes()
            + self.objects.bytes()
            + self.combinations.bytes()
            + self.extra_bytes
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.vertices.clear();
        self.tagged.clear();
        self.objects.clear();
        self.combinations.clear();
        self.extra_bytes = 0;
    }
}

/// Bytes behind a value's pointer, roughly; 0 for what is inline. What other values share with it counts in full.
pub(super) fn extent(value: &Value) -> usize {
    let extent = value.extent();
    let behind = if extent.has_large { extent.expanded } else { extent.own };
    usize::try_from(behind).unwrap_or(usize::MAX)
}
