//! Telling the processor what will be read.

/// Has the processor fetch the cache line of an element, if there is one, while the program goes on. Does nothing where
/// there is no such instruction.
#[inline(always)]
pub fn prefetch<T>(elements: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = elements.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64, and a prefetch reads and writes nothing that a program can see, whatever the
        // address; this one is of an element that is there.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (elements, at);
}
