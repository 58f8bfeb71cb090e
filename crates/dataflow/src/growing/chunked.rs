//! A vector in chunks.

/// Elements of a chunk, as a power of two.
const SHIFT: u32 = 11;

/// Elements of a chunk.
pub(super) const CHUNK: usize = 1 << SHIFT;

/// A vector that never moves more than a chunk:
///
/// ```text
/// first ─────────────► 0 … 2047         grows as any vector, and is as fast
/// more ─► [ ● , ● ]
///           │   └────► 4096 …           has room for 2,048 from the beginning
///           └────────► 2048 … 4095
/// ```
#[derive(Debug)]
pub(crate) struct Chunked<T> {
    first: Vec<T>,
    more: Vec<Vec<T>>,
    /// Elements in `more`.
    behind: usize,
}

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self { first: Vec::new(), more: Vec::new(), behind: 0 }
    }
}

impl<T> Chunked<T> {
    /// Appends an element.
    #[inline]
    pub(crate) fn push(&mut self, element: T) {
        if self.first.len() < CHUNK {
            return self.first.push(element);
        }
        self.behind += 1;
        match self.more.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(element),
            _ => self.begin_chunk(element),
        }
    }

    #[cold]
    fn begin_chunk(&mut self, element: T) {
        let mut chunk = Vec::with_capacity(CHUNK);
        chunk.push(element);
        self.more.push(chunk);
    }

    /// Number of elements.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.first.len() + self.behind
    }

    /// The `i`th element.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> Option<&T> {
        if i < CHUNK {
            return self.first.get(i);
        }
        self.more.get((i >> SHIFT) - 1)?.get(i & (CHUNK - 1))
    }

    /// The `i`th element, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, i: usize) -> Option<&mut T> {
        if i < CHUNK {
            return self.first.get_mut(i);
        }
        self.more.get_mut((i >> SHIFT) - 1)?.get_mut(i & (CHUNK - 1))
    }

    /// Bytes of the chunks, without what the elements point to.
    pub(crate) fn bytes(&self) -> usize {
        (self.first.capacity() + self.more.len() * CHUNK) * size_of::<T>()
    }

    /// Forgets all elements. Keeps the room of a chunk.
    pub(crate) fn clear(&mut self) {
        self.first.clear();
        self.more.clear();
        self.behind = 0;
    }
}

impl<T> std::ops::Index<usize> for Chunked<T> {
    type Output = T;

    #[inline]
    fn index(&self, i: usize) -> &T {
        if i < self.first.len() {
            return &self.first[i];
        }
        &self.more[(i >> SHIFT).wrapping_sub(1)][i & (CHUNK - 1)]
    }
}

impl<T> std::ops::IndexMut<usize> for Chunked<T> {
    #[inline]
    fn index_mut(&mut self, i: usize) -> &mut T {
        if i < self.first.len() {
            return &mut self.first[i];
        }
        &mut self.more[(i >> SHIFT).wrapping_sub(1)][i & (CHUNK - 1)]
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
        Chunks { left: self.len(), chunk: self.first.into_iter(), chunks: self.more.into_iter() }
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
