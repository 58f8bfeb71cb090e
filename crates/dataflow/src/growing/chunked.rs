//! A vector in chunks.

/// Elements of a chunk, as a power of two.
const SHIFT: u32 = 10;

/// Elements of a chunk.
pub(super) const CHUNK: usize = 1 << SHIFT;

/// A vector that never moves more than a chunk:
///
/// ```text
/// chunks ─► [ ● , ● , ● ]
///             │   │   └► 2048 …            the last has room for 1,024; one that is alone grows as any vector
///             │   └────► 1024 … 2047
///             └────────► 0 … 1023
/// ```
#[derive(Debug)]
pub(crate) struct Chunked<T> {
    chunks: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), len: 0 }
    }
}

impl<T> Chunked<T> {
    /// Appends an element.
    #[inline]
    pub(crate) fn push(&mut self, element: T) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(element),
            _ => self.begin_chunk(element),
        }
        self.len += 1;
    }

    #[cold]
    fn begin_chunk(&mut self, element: T) {
        let mut chunk = if self.chunks.is_empty() { Vec::new() } else { Vec::with_capacity(CHUNK) };
        chunk.push(element);
        self.chunks.push(chunk);
    }

    /// Number of elements.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The `i`th element.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> Option<&T> {
        self.chunks.get(i >> SHIFT)?.get(i & (CHUNK - 1))
    }

    /// The `i`th element, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, i: usize) -> Option<&mut T> {
        self.chunks.get_mut(i >> SHIFT)?.get_mut(i & (CHUNK - 1))
    }

    /// All elements in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    /// Bytes of the chunks, without what the elements point to.
    pub(crate) fn bytes(&self) -> usize {
        let room = match &self.chunks[..] {
            [] => 0,
            [only] => only.capacity(),
            several => several.len() * CHUNK,
        };
        room * size_of::<T>()
    }

    /// Forgets all elements. Keeps the room of a chunk.
    pub(crate) fn clear(&mut self) {
        self.chunks.truncate(1);
        self.chunks.iter_mut().for_each(Vec::clear);
        self.len = 0;
    }
}

impl<T> std::ops::Index<usize> for Chunked<T> {
    type Output = T;

    #[inline]
    fn index(&self, i: usize) -> &T {
        &self.chunks[i >> SHIFT][i & (CHUNK - 1)]
    }
}

impl<T> std::ops::IndexMut<usize> for Chunked<T> {
    #[inline]
    fn index_mut(&mut self, i: usize) -> &mut T {
        &mut self.chunks[i >> SHIFT][i & (CHUNK - 1)]
    }
}

impl<T> FromIterator<T> for Chunked<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut chunked = Self::default();
        elements.into_iter().for_each(|element| chunked.push(element));
        chunked
    }
}

impl<T> IntoIterator for Chunked<T> {
    type Item = T;
    type IntoIter = Chunks<T>;

    fn into_iter(self) -> Chunks<T> {
        Chunks { left: self.len, chunks: self.chunks.into_iter(), chunk: Vec::new().into_iter() }
    }
}

/// The elements of a [`Chunked`] on their way out. A chunk is freed when the last of it has left.
#[derive(Debug)]
pub(crate) struct Chunks<T> {
    chunks: std::vec::IntoIter<Vec<T>>,
    chunk: std::vec::IntoIter<T>,
    left: usize,
}

impl<T> Iterator for Chunks<T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        loop {
            if let Some(element) = self.chunk.next() {
                self.left -= 1;
                return Some(element);
            }
            self.chunk = self.chunks.next()?.into_iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for Chunks<T> {}
