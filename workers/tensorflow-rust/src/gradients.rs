//! Gradients that the native library adds to the graph.

use crossbind_worker::{Error, Result};
use tensorflow::{Code, Output, Scope, Status, ops};

use crate::errors::failure;
use crate::layers::Made;

/// Of a number by each of these inputs.
pub fn by_inputs(scope: &mut Scope, number: Output, inputs: &[Output]) -> Result<Vec<Output>> {
    let found = scope.graph_mut().add_gradients(None, &[number], inputs, None).map_err(refusal)?;
    found.into_iter().zip(inputs).map(|(gradient, input)| or_zeros(scope, gradient, input).map_err(failure)).collect()
}

/// The library finds no gradient where nothing depends on it.
pub fn or_zeros(scope: &mut Scope, gradient: Option<Output>, of: &Output) -> Made {
    match gradient {
        Some(gradient) => Ok(gradient),
        None => Ok(ops::zeros_like(of.clone(), scope)?.into()),
    }
}

/// It does not know the gradients of all its operations.
fn refusal(status: Status) -> Error {
    if status.code() == Code::NotFound { Error::unsupported("gradients of inputs") } else { failure(status) }
}
