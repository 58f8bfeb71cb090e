//! How much of a file may be in memory.

/// Told how many bytes a reader or writer holds, when that has changed by much; false if it may not.
pub type Room = Box<dyn FnMut(usize) -> bool + Send>;

/// Bytes by which what is held may differ from what was told.
const GRAIN: usize = 64 << 10;

/// What is held, and whoever is told of it.
pub(super) struct Holdings {
    room: Room,
    bytes: usize,
    told: usize,
}

impl Holdings {
    pub(super) fn new(room: Room) -> Self {
        Self { room, bytes: 0, told: 0 }
    }

    /// Those of somebody else who does a part of the same. Nobody is told of them: where rooms are bounded, nothing is made apart.
    pub(super) fn another(&self) -> Self {
        Self::new(Box::new(|_| true))
    }

    /// So many bytes more are held; false if there is no room for them.
    pub(super) fn add(&mut self, bytes: usize) -> bool {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= self.told.saturating_add(GRAIN) {
            return true;
        }
        self.told = self.bytes;
        (self.room)(self.bytes)
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// No more than so many bytes are held any more.
    pub(super) fn back_to(&mut self, bytes: usize) {
        self.bytes = self.bytes.min(bytes);
        if self.told > self.bytes.saturating_add(GRAIN) {
            self.told = self.bytes;
            (self.room)(self.bytes);
        }
    }

    /// Nothing is held any more.
    pub(super) fn clear(&mut self) {
        self.back_to(0);
    }
}

#[cfg(test)]
pub(super) fn unbounded() -> Holdings {
    Holdings::new(Box::new(|_| true))
}
