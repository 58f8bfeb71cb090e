//! mimalloc as the global allocator.
//!
//! The crate's own asks for every block by its alignment. mimalloc then takes the next free block of that size if there is one,
//! and else looks for room for the size *and* the alignment, in blocks of the next larger size: so of 48, 80, 96 or 112 bytes there
//! never is a free block, and each is larger by a quarter than it need be and takes three times as long. But what is asked for
//! without an alignment is aligned to 16 bytes anyway, which is enough for nearly everything.

use std::alloc::{GlobalAlloc, Layout};

use libmimalloc_sys::{
    mi_free, mi_malloc, mi_malloc_aligned, mi_realloc, mi_realloc_aligned, mi_zalloc, mi_zalloc_aligned,
};

/// See the module. To be named as `#[global_allocator]` by a program.
#[derive(Clone, Copy, Debug)]
pub struct Mimalloc;

/// How every block of as many bytes or more is aligned (`MI_MAX_ALIGN_SIZE`); smaller ones are to their size, rounded down to a
/// power of two.
const ALIGNED: usize = 16;

/// Whether a block of a size is aligned so without being asked to be.
#[inline]
fn is_aligned(size: usize, align: usize) -> bool {
    align <= ALIGNED && align <= size
}

// SAFETY: mimalloc's blocks are as large as they were asked to be, do not overlap, and live until they are freed; none of its
// functions unwinds. It aligns them to what it is asked for, and to `ALIGNED` or the largest power of two in the size otherwise,
// as C demands of `malloc`; `is_aligned` says where that is enough. It tells by itself how a block was taken that is freed or
// grown, and one that stays where it is while it grows is aligned as it was.
unsafe impl GlobalAlloc for Mimalloc {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: both take any size, and alignments that are powers of two, as a layout's is.
        unsafe {
            if is_aligned(size, align) { mi_malloc(size) } else { mi_malloc_aligned(size, align) }.cast()
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: as above.
        unsafe {
            if is_aligned(size, align) { mi_zalloc(size) } else { mi_zalloc_aligned(size, align) }.cast()
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the caller has it from here.
        unsafe { mi_free(block.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let (block, align) = (block.cast(), layout.align());
        // SAFETY: the caller has it from here, with this alignment.
        unsafe {
            if is_aligned(size, align) {
                mi_realloc(block, size)
            } else {
                mi_realloc_aligned(block, size, align)
            }
            .cast()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_as_asked_for_and_keep_what_is_in_them() {
        for size in (1..300).chain([1 << 10, 5_000, 1 << 16, 3 << 20]) {
            for align in [1, 2, 4, 8, 16, 32, 64, 4096] {
                let layout = Layout::from_size_align(size, align).unwrap();
                // SAFETY: the size is not 0, and each block is written to within its size and freed once.
                unsafe {
                    let blocks = [0; 3].map(|_| Mimalloc.alloc_zeroed(layout));
                    for block in blocks {
                        assert_eq!(block as usize % align, 0, "{size} bytes aligned to {align}");
                        assert_eq!(*block.add(size - 1), 0);
                        block.write(7);
                        let grown = Mimalloc.realloc(block, layout, size * 2 + 1);
                        assert_eq!(grown as usize % align, 0, "{size} bytes aligned to {align}, grown");
                        assert_eq!(*grown, 7);
                        Mimalloc.dealloc(grown, Layout::from_size_align(size * 2 + 1, align).unwrap());
                    }
                }
            }
        }
    }
}
