//! What TensorFlow says went wrong, as the protocol's failures.

use crossbind_worker::{Code, Error};
use tensorflow::Status;

#[allow(clippy::needless_pass_by_value)] // for map_err
pub fn failure(status: Status) -> Error {
    let no_memory = status.code() == tensorflow::Code::ResourceExhausted;
    Error::failed(if no_memory { Code::OutOfMemory } else { Code::Internal }, status.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_of_memory_has_its_own_code() {
        let code = |code| match failure(Status::new_set_lossy(code, "reason")) {
            Error::Failed { code, message } if message.contains("reason") => code,
            other => panic!("{other:?}"),
        };
        assert_eq!(code(tensorflow::Code::ResourceExhausted), Code::OutOfMemory);
        assert_eq!(code(tensorflow::Code::InvalidArgument), Code::Internal);
    }
}
