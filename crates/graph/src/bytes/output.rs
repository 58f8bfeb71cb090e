//! Appends little-endian numbers, strings and arrays to a buffer.

/// A growing byte string.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) bytes: Vec<u8>,
}

impl Output {
    pub(crate) fn u8(&mut self, v: u8) {
        self.bytes.push(v);
    }
    pub(crate) fn u16(&mut self, v: u16) {
        self.bytes.extend_from_slice(&v.to_le_bytes());
    }
    pub(crate) fn u32(&mut self, v: u32) {
        self.bytes.extend_from_slice(&v.to_le_bytes());
    }
    pub(crate) fn u64(&mut self, v: u64) {
        self.bytes.extend_from_slice(&v.to_le_bytes());
    }
    /// A number in as few bytes as it takes, seven bits in each, the lowest first.
    pub(crate) fn varint(&mut self, mut v: u64) {
        while v >= 0x80 {
            self.u8(v as u8 | 0x80);
            v >>= 7;
        }
        self.u8(v as u8);
    }
    /// A length or count: fewer than 2³² of anything.
    pub(crate) fn len(&mut self, v: usize) {
        debug_assert!(u32::try_from(v).is_ok());
        self.u32(v as u32);
    }
    /// Things behind their count, each as `item` writes it.
    pub(crate) fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        mut item: impl FnMut(&mut Self, T),
    ) {
        let items = items.into_iter();
        self.len(items.len());
        items.for_each(|each| item(self, each));
    }
    /// Bytes with their length.
    pub(crate) fn block(&mut self, bytes: &[u8]) {
        self.len(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }
    pub(crate) fn u32s(&mut self, values: impl ExactSizeIterator<Item = u32>) {
        self.len(values.len());
        self.bytes.reserve(values.len() * 4);
        values.for_each(|v| self.u32(v));
    }
    pub(crate) fn u64s(&mut self, values: impl ExactSizeIterator<Item = u64>) {
        self.len(values.len());
        self.bytes.reserve(values.len() * 8);
        values.for_each(|v| self.u64(v));
    }
}
