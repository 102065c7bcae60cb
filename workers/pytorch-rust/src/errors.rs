//! What libtorch throws, as the protocol's failures.

use crossbind_worker::{Code, Error};

/// From the text of a panic or an error of tch.
pub fn failure(text: &str) -> Error {
    let no_memory = ["out of memory", "can't allocate memory"].iter().any(|words| text.contains(words));
    Error::failed(if no_memory { Code::OutOfMemory } else { Code::Internal }, brief(text))
}

/// Without the stack that libtorch appends. Panics have it quoted, with the ends of lines escaped.
pub fn brief(text: &str) -> &str {
    let ends = ["Exception raised from", "frame #0"].iter().filter_map(|words| text.find(words));
    text[..ends.min().unwrap_or(text.len())].trim_end().trim_end_matches("\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stack_is_left_out() {
        assert_eq!(brief("bad size\nException raised from f at g:1\nframe #0: x\n"), "bad size");
        assert_eq!(brief(r#"Torch("bad size\nframe #0: x\n")"#), r#"Torch("bad size"#);
        assert_eq!(brief("plain"), "plain");
    }

    #[test]
    fn a_lack_of_memory_has_its_own_code() {
        let code = |text| match failure(text) {
            Error::Failed { code, .. } => code,
            other @ Error::Unsupported(_) => panic!("{other:?}"),
        };
        assert_eq!(code("DefaultCPUAllocator: can't allocate memory: you tried"), Code::OutOfMemory);
        assert_eq!(code("CUDA out of memory. Tried to allocate"), Code::OutOfMemory);
        assert_eq!(code("sizes do not match"), Code::Internal);
    }
}
