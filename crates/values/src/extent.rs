//! How large a value is: in memory, and written out.
//!
//! Values share their parts, so a value of a few kilobytes can stand for one of exabytes: each path that `path()` makes
//! of paths is twice as long as the one before, written out. Whoever walks through a value (hash, comparison, encoding)
//! walks through what is written out, so that is what bounds are about. What a value holds in memory is another number,
//! and a third is needed to add up several values: of what two of them share, only one is to be counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{BulkSet, Map, Path, Property, Set, Value, Vertex, VertexProperty};

/// Bytes of a value written out from which on its parts are counted once however many share them.
pub const LARGE: u64 = 1 << 10;

/// How large a value is, in bytes, roughly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Written out: each part as often as it occurs. Stays at [`Extent::MOST`] when there is more.
    pub expanded: u64,
    /// Behind the value's pointer, without its parts of [`LARGE`] bytes and more.
    pub own: u64,
    /// Collections inside one another; 0 for a scalar. Stays at [`Extent::DEEPEST`].
    pub depth: u16,
    /// Whether there are parts of [`LARGE`] bytes and more.
    pub has_large: bool,
    /// Whether something in it must be detached from the graph before it leaves: handles, properties, entries of maps.
    pub is_attached: bool,
}

/// Bytes that every value takes, wherever it stands.
const SLOT: u64 = size_of::<Value>() as u64;

/// Bytes of an allocation beside its contents: counts, lengths, and what the allocator rounds up to.
const ALLOCATION: u64 = 48;

impl Extent {
    /// 128 TiB: no two values of that size can be told apart by it.
    pub const MOST: u64 = (1 << 47) - 1;
    /// More nesting than this is not told apart.
    pub const DEEPEST: u16 = (1 << 15) - 1;

    /// What stands alone, with so many bytes behind its pointer.
    fn scalar(bytes: u64, is_attached: bool) -> Self {
        Self { expanded: SLOT + bytes, own: bytes, depth: 0, has_large: false, is_attached }
    }
}

/// The extent of a collection in the making, part by part.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    extent: Extent,
    parts: u64,
}

impl Default for Measure {
    fn default() -> Self {
        Self { extent: Extent { depth: 1, ..Extent::scalar(ALLOCATION, false) }, parts: 0 }
    }
}

impl Measure {
    /// Adds a part: at once, if there is nothing behind its pointer.
    #[inline]
    fn add_value(&mut self, part: &Value) {
        match part {
            Value::Int(_) | Value::Long(_) | Value::Double(_) | Value::T(_) => self.parts += 1,
            Value::VertexRef(_) | Value::EdgeRef(_) => {
                self.extent.is_attached = true;
                self.parts += 1;
            }
            Value::String(text) if text.len() <= INLINE => self.parts += 1,
            other => self.add(other.extent()),
        }
    }

    /// Adds a part that is so large.
    #[inline]
    pub fn add(&mut self, part: Extent) {
        let extent = &mut self.extent;
        self.parts += 1;
        // Its slot is added with those of all parts.
        extent.expanded = extent.expanded.saturating_add(part.expanded - SLOT);
        if part.expanded < LARGE {
            extent.own += part.own;
        } else {
            extent.has_large = true;
        }
        extent.depth = extent.depth.max(part.depth.saturating_add(1).min(Extent::DEEPEST));
        extent.is_attached |= part.is_attached;
    }

    /// The extent, if each part takes so many bytes beside itself.
    fn finish(self, beside: u64) -> Extent {
        let slots = self.parts * (SLOT + beside);
        Extent {
            own: self.extent.own + slots,
            expanded: self.extent.expanded.saturating_add(slots).min(Extent::MOST),
            ..self.extent
        }
    }
}

impl Value {
    /// How large it is. Known from before for collections, unless they were changed since.
    #[inline]
    pub fn extent(&self) -> Extent {
        match self {
            Self::Null | Self::Bool(_) | Self::Byte(_) | Self::Short(_) | Self::Int(_) | Self::Long(_) => {
                Extent::scalar(0, false)
            }
            Self::String(text) => Extent::scalar(text_bytes(text), false),
            Self::VertexRef(_) | Self::EdgeRef(_) => Extent::scalar(0, true),
            other => match other.known() {
                Some(known) => known.get().unwrap_or_else(|| other.rare_extent()),
                None => other.rare_extent(),
            },
        }
    }

    /// What is known of a collection. (An entry, which looks otherwise from outside, is none here.)
    #[inline]
    fn known(&self) -> Option<&Known> {
        Some(match self {
            Self::List(members) => &members.known,
            Self::Set(members) => &members.known,
            Self::BulkSet(members) => &members.known,
            Self::Map(map) => &map.known,
            Self::Path(path) => &path.known,
            _ => return None,
        })
    }

    /// Where a collection lies, other than an entry: two with the same place are one. As [`Value::address`], in fewer steps.
    #[inline]
    pub fn shared_place(&self) -> Option<usize> {
        self.known().map(|known| std::ptr::from_ref(known) as usize)
    }

    /// Bytes of it written out, with its slot.
    #[inline]
    fn written_out(&self) -> u64 {
        match self {
            Self::Bool(_) | Self::Int(_) | Self::Long(_) | Self::Double(_) => SLOT,
            Self::String(text) => SLOT + text_bytes(text),
            other => other.extent().expanded,
        }
    }

    fn rare_extent(&self) -> Extent {
        match self {
            Self::List(members) => members.extent(),
            Self::Set(members) => members.extent(),
            Self::BulkSet(members) => members.extent(),
            Self::Map(map) => map.extent(),
            // It leaves as a map.
            Self::Entry(entry) => Extent { is_attached: true, ..entry.extent() },
            Self::Path(path) => path.extent(),
            Self::Binary(bytes) => Extent::scalar(bytes.len() as u64 + ALLOCATION, false),
            Self::BigInteger(number) => Extent::scalar(number.bits() / 8 + ALLOCATION, false),
            Self::BigDecimal(number) => Extent::scalar(number.digits() / 2 + ALLOCATION, false),
            Self::Property(property) => with_value(&property.value, property_bytes(property)),
            Self::VertexProperty(property) => with_value(&property.value, vertex_property_bytes(property)),
            Self::Vertex(vertex) => Extent::scalar(vertex_bytes(vertex), false),
            Self::Edge(edge) => {
                let ends = vertex_bytes(&edge.out_v) + vertex_bytes(&edge.in_v);
                let bytes = text_bytes(&edge.label) + edge.properties.iter().map(property_bytes).sum::<u64>();
                Extent::scalar(2 * ALLOCATION + ends + bytes, false)
            }
            _ => Extent::scalar(0, false),
        }
    }

    /// Where the contents lie, for those that may be shared: two values with the same address share them.
    pub fn address(&self) -> Option<usize> {
        match self {
            Self::String(text) => Some(text.as_ptr() as usize),
            Self::Binary(bytes) => Some(bytes.as_ptr() as usize),
            Self::List(members) => Some(Arc::as_ptr(members) as usize),
            Self::Set(members) => Some(Arc::as_ptr(members) as usize),
            Self::BulkSet(members) => Some(Arc::as_ptr(members) as usize),
            Self::Map(map) => Some(Arc::as_ptr(map) as usize),
            Self::Entry(entry) => Some(Arc::as_ptr(entry) as usize),
            Self::Path(path) => Some(Arc::as_ptr(path) as usize),
            Self::Vertex(vertex) => Some(Arc::as_ptr(vertex) as usize),
            Self::Edge(edge) => Some(Arc::as_ptr(edge) as usize),
            Self::VertexProperty(property) => Some(Arc::as_ptr(property) as usize),
            Self::Property(property) => Some(Arc::as_ptr(property) as usize),
            Self::BigInteger(number) => Some(Arc::as_ptr(number) as usize),
            Self::BigDecimal(number) => Some(Arc::as_ptr(number) as usize),
            _ => None,
        }
    }

    /// Calls `each` with the values that it consists of, not with theirs.
    pub fn for_each_part(&self, each: &mut dyn FnMut(&Value)) {
        match self {
            Self::List(members) => members.for_each(each),
            Self::Set(members) => members.for_each(each),
            Self::BulkSet(members) => members.for_each(each),
            Self::Map(map) => map.for_each(each),
            Self::Entry(entry) => entry.for_each(each),
            Self::Path(path) => path.for_each(each),
            Self::Property(property) => each(&property.value),
            Self::VertexProperty(property) => each(&property.value),
            _ => {}
        }
    }
}

/// Bytes of a text that needs nothing behind its pointer.
const INLINE: usize = 15;

/// Bytes behind a text's pointer; a short one is inline.
#[inline]
fn text_bytes(text: &str) -> u64 {
    if text.len() <= INLINE { 0 } else { text.len() as u64 + ALLOCATION }
}

fn with_value(value: &Value, bytes: u64) -> Extent {
    let mut measure = Measure { extent: Extent::scalar(bytes, true), parts: 0 };
    measure.add(value.extent());
    measure.finish(0)
}

fn property_bytes(property: &Property) -> u64 {
    ALLOCATION + 2 * SLOT + text_bytes(&property.key) + property.value.written_out()
}

#[inline]
fn vertex_property_bytes(property: &VertexProperty) -> u64 {
    let metas = match &property.properties[..] {
        [] => 0,
        metas => metas.iter().map(property_bytes).sum::<u64>(),
    };
    let texts = text_bytes(&property.key) + property.id.extent().own;
    ALLOCATION + 4 * SLOT + texts + property.value.written_out() + metas
}

fn vertex_bytes(vertex: &Vertex) -> u64 {
    let properties: u64 = vertex.properties.iter().map(vertex_property_bytes).sum();
    ALLOCATION + 2 * SLOT + text_bytes(&vertex.label) + vertex.id.extent().own + properties
}

/// What consists of values.
pub trait Parts {
    /// Bytes per part beside the part itself.
    const BESIDE: u64;
    /// Calls `each` with every part.
    fn for_each(&self, each: impl FnMut(&Value));
    /// Bytes beside all parts.
    fn beside_all(&self) -> u64 {
        0
    }
}

impl Parts for Vec<Value> {
    const BESIDE: u64 = 0;
    fn for_each(&self, each: impl FnMut(&Value)) {
        self.iter().for_each(each);
    }
}

impl Parts for (Value, Value) {
    const BESIDE: u64 = 0;
    fn for_each(&self, mut each: impl FnMut(&Value)) {
        each(&self.0);
        each(&self.1);
    }
}

impl Parts for Set {
    /// The hash and its place in the table.
    const BESIDE: u64 = 24;
    fn for_each(&self, each: impl FnMut(&Value)) {
        self.iter().for_each(each);
    }
}

impl Parts for BulkSet {
    /// The count, the hash and its place in the table. A member counts once, as it is written out once.
    const BESIDE: u64 = 32;
    fn for_each(&self, each: impl FnMut(&Value)) {
        self.distinct_from(0).for_each(each);
    }
}

impl Parts for Map {
    /// Half of the hash and of its place in the table, for an entry is two parts.
    const BESIDE: u64 = 12;
    fn for_each(&self, mut each: impl FnMut(&Value)) {
        self.iter().for_each(|(key, value)| {
            each(key);
            each(value);
        });
    }
}

impl Parts for Path {
    /// The lists of labels.
    const BESIDE: u64 = 24;
    fn for_each(&self, each: impl FnMut(&Value)) {
        self.objects.iter().for_each(each);
    }
    /// The labels.
    fn beside_all(&self) -> u64 {
        self.labels.iter().flatten().map(|label| SLOT + text_bytes(label)).sum()
    }
}

/// What a collection knows of its extent:
///
/// ```text
/// whole   known │ depth, 15 bits │ expanded, 47 bits       own   large │ attached │ own, 62 bits
/// ```
#[derive(Debug, Default)]
struct Known {
    whole: AtomicU64,
    own: AtomicU64,
}

const KNOWN: u64 = 1 << 63;
const HAS_LARGE: u64 = 1 << 63;
const IS_ATTACHED: u64 = 1 << 62;

impl Known {
    /// The extent, if it is known.
    #[inline]
    fn get(&self) -> Option<Extent> {
        let whole = self.whole.load(Ordering::Acquire);
        let own = self.own.load(Ordering::Relaxed);
        (whole != 0).then_some(Extent {
            expanded: whole & Extent::MOST,
            depth: ((whole & !KNOWN) >> 47) as u16,
            own: own & !(HAS_LARGE | IS_ATTACHED),
            has_large: own & HAS_LARGE != 0,
            is_attached: own & IS_ATTACHED != 0,
        })
    }

    /// From now on it is known. Others who measure meanwhile come to the same.
    fn set(&self, extent: Extent) {
        let flags =
            if extent.has_large { HAS_LARGE } else { 0 } | if extent.is_attached { IS_ATTACHED } else { 0 };
        // Whoever sees the one word sees the other.
        self.own.store(extent.own | flags, Ordering::Relaxed);
        self.whole.store(KNOWN | u64::from(extent.depth) << 47 | extent.expanded, Ordering::Release);
    }
}

/// A collection that knows its extent. The extent is taken when it is first asked for, from those of the parts, and again
/// after a change. What is known lies in the same place whatever the collection is, so that asking for it needs not to
/// tell them apart.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Weighed<T> {
    known: Known,
    contents: T,
}

impl<T> Weighed<T> {
    /// The collection itself.
    pub fn into_inner(self) -> T {
        self.contents
    }
}

impl<T: Parts> Weighed<T> {
    /// A collection of parts that were measured when they were made: as many as it has.
    pub fn measured(contents: T, parts: Measure) -> Self {
        let weighed = Self::from(contents);
        weighed.know(parts);
        weighed
    }

    /// How large it is.
    #[inline]
    pub fn extent(&self) -> Extent {
        self.known.get().unwrap_or_else(|| self.measure())
    }

    #[inline(never)]
    fn measure(&self) -> Extent {
        let mut measure = Measure::default();
        self.contents.for_each(|part| measure.add_value(part));
        self.know(measure)
    }

    /// Its extent, from that of its parts.
    fn know(&self, parts: Measure) -> Extent {
        let mut extent = parts.finish(T::BESIDE);
        let beside = self.contents.beside_all();
        extent.own += beside;
        extent.expanded = extent.expanded.saturating_add(beside).min(Extent::MOST);
        self.known.set(extent);
        extent
    }
}

impl Weighed<(Value, Value)> {
    /// An entry of a map leaves as a map.
    fn for_each(&self, each: impl FnMut(&Value)) {
        Parts::for_each(&self.contents, each);
    }
}

impl<T> From<T> for Weighed<T> {
    fn from(contents: T) -> Self {
        Self { known: Known::default(), contents }
    }
}

impl<T: Clone> Clone for Weighed<T> {
    fn clone(&self) -> Self {
        // What is known of one is known of the other; not copied, for the two words are not read together.
        self.contents.clone().into()
    }
}

impl<T: PartialEq> PartialEq for Weighed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.contents == other.contents
    }
}

impl<T: Eq> Eq for Weighed<T> {}

impl<T: std::hash::Hash> std::hash::Hash for Weighed<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.contents.hash(state);
    }
}

impl<T> std::ops::Deref for Weighed<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.contents
    }
}

/// Forgets the extent, since the contents may change.
impl<T> std::ops::DerefMut for Weighed<T> {
    fn deref_mut(&mut self) -> &mut T {
        *self.known.whole.get_mut() = 0;
        &mut self.contents
    }
}
