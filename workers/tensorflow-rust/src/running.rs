//! Sessions: with how many threads, and one call of them.

use crossbind_worker::Result;
use tensorflow::{DataType, Graph, Operation, Output, Session, SessionOptions, SessionRunArgs, Tensor};

use crate::errors::failure;
use crate::values::Value;

/// All threads compute one operation, and one operation at a time. The manifest lets each session have its own.
pub fn options(threads: usize) -> Result<SessionOptions> {
    let mut options = SessionOptions::new();
    options.set_config(&config(threads)).map_err(failure)?;
    Ok(options)
}

pub fn open(graph: &Graph, threads: usize) -> Result<Session> {
    Session::new(&options(threads)?, graph).map_err(failure)
}

/// A `ConfigProto` as it goes over the wire: the crate has no type for it.
fn config(threads: usize) -> Vec<u8> {
    const INTRA_OP_PARALLELISM_THREADS: u8 = 2 << 3;
    const INTER_OP_PARALLELISM_THREADS: u8 = 5 << 3;
    let mut config = vec![INTER_OP_PARALLELISM_THREADS, 1, INTRA_OP_PARALLELISM_THREADS];
    let mut rest = threads.min(i32::MAX.unsigned_abs() as usize);
    while rest >= 0x80 {
        config.push((rest & 0x7f | 0x80).to_le_bytes()[0]);
        rest >>= 7;
    }
    config.push(rest.to_le_bytes()[0]);
    config
}

/// What the outputs are, in their order, once all targets have been done too.
pub fn run<'a>(
    session: &Session,
    feeds: impl IntoIterator<Item = (&'a Output, &'a Value)>,
    fetches: impl IntoIterator<Item = &'a Output>,
    targets: impl IntoIterator<Item = &'a Operation>,
) -> Result<Vec<Value>> {
    let mut call = SessionRunArgs::new();
    for (place, value) in feeds {
        match value {
            Value::Floats(tensor) => call.add_feed(&place.operation, place.index, tensor),
            Value::Integers(tensor) => call.add_feed(&place.operation, place.index, tensor),
        }
    }
    targets.into_iter().for_each(|target| call.add_target(target));
    let request = |output: &Output| {
        let index = usize::try_from(output.index).unwrap_or_default();
        (call.request_fetch(&output.operation, output.index), output.operation.output_type(index))
    };
    let tokens: Vec<_> = fetches.into_iter().map(request).collect();
    session.run(&mut call).map_err(failure)?;
    let mut take = |(token, kind)| {
        Ok(match kind {
            DataType::Int64 => Value::Integers(call.fetch::<i64>(token)?),
            _ => Value::Floats(call.fetch::<f32>(token)?),
        })
    };
    tokens.into_iter().map(|token| take(token).map_err(failure)).collect()
}

/// The same for a call that is fed with a text, as those are that read files.
pub fn run_with_text(session: &Session, place: &Output, text: &str, target: &Operation) -> Result<()> {
    let text = Tensor::from(text.to_owned());
    let mut call = SessionRunArgs::new();
    call.add_feed(&place.operation, place.index, &text);
    call.add_target(target);
    session.run(&mut call).map_err(failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_is_what_protobuf_would_write() {
        assert_eq!(config(1), [40, 1, 16, 1]);
        assert_eq!(config(300), [40, 1, 16, 0xac, 2]);
    }
}
