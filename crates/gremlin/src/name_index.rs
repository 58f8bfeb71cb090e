//! Finding a name in a fixed list, in constant time.

/// A hash table from names to their places in a fixed list, built when the program is compiled.
///
/// Open addressing with linear probing; the number of slots is a power of two, at least twice the number of names,
/// so that a probe that finds nothing ends soon.
///
/// ```text
/// slots: │ 0 │ 7 │ 0 │ 3 │ 1 │ …    0 = free, n = the name at place n - 1
///              ▲ hash(name) mod slots, then onwards
/// ```
pub(crate) struct NameIndex<const SLOTS: usize> {
    slots: [u8; SLOTS],
}

impl<const SLOTS: usize> NameIndex<SLOTS> {
    /// Indexes `names`, which must be distinct and at most 255.
    pub(crate) const fn new(names: &[&str]) -> Self {
        assert!(SLOTS.is_power_of_two() && names.len() * 2 <= SLOTS && names.len() < 256);
        let mut slots = [0; SLOTS];
        let mut place = 0;
        while place < names.len() {
            let mut slot = hash(names[place]) as usize % SLOTS;
            while slots[slot] != 0 {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = place as u8 + 1;
            place += 1;
        }
        Self { slots }
    }

    /// The place of `name` among `names`, which must be the list that was indexed.
    #[inline]
    pub(crate) fn find(&self, names: &[&str], name: &str) -> Option<usize> {
        let mut slot = hash(name) as usize % SLOTS;
        loop {
            match self.slots[slot] {
                0 => return None,
                n if names[n as usize - 1] == name => return Some(n as usize - 1),
                _ => slot = (slot + 1) % SLOTS,
            }
        }
    }
}

/// FNV-1a, folded: names are a dozen bytes, so nothing cleverer would be faster.
const fn hash(name: &str) -> u32 {
    let bytes = name.as_bytes();
    let mut hash = 0x811c_9dc5_u32;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_at_its_place_and_no_other_name_is_found() {
        const NAMES: &[&str] = &["V", "E", "out", "in", "outE", "values"];
        static INDEX: NameIndex<16> = NameIndex::new(NAMES);
        for (place, name) in NAMES.iter().enumerate() {
            assert_eq!(INDEX.find(NAMES, name), Some(place));
        }
        for absent in ["", "v", "oute", "outEE", "inV"] {
            assert_eq!(INDEX.find(NAMES, absent), None, "{absent}");
        }
    }
}
