//! Losses: the mean over the batch, from outputs and targets in the order of the graph.

use crossbind_worker::{Error, Graph, Result};
use tensorflow::{DataType, Output, Scope, ops};

use crate::errors::failure;
use crate::layers::Made;

pub fn build(scope: &mut Scope, graph: &Graph, outputs: Output, targets: &[Output]) -> Result<Output> {
    let made = match graph.loss() {
        "binary_cross_entropy" => binary_cross_entropy(scope, outputs, &targets[0]),
        "cross_entropy" => cross_entropy(scope, outputs, &targets[0], graph.classes()),
        "span_cross_entropy" => span_cross_entropy(scope, outputs, targets, graph.classes()),
        other => return Err(Error::unsupported(format!("loss {other}"))),
    };
    made.map_err(failure)
}

/// The sum over the batch, whose gradient by a sample does not depend on the others.
pub fn build_total(scope: &mut Scope, graph: &Graph, outputs: Output, targets: &[Output]) -> Result<Output> {
    let mean = build(scope, graph, outputs, targets)?;
    times_samples(scope, mean, &targets[0]).map_err(failure)
}

fn times_samples(scope: &mut Scope, mean: Output, target: &Output) -> Made {
    let samples = ops::size(target.clone(), scope)?;
    let samples = ops::Cast::new().DstT(DataType::Float).build(samples, scope)?;
    Ok(ops::mul(mean, samples, scope)?.into())
}

/// From labels as probabilities: the native library has no gradient of the form that takes numbers of classes.
fn cross_entropy(scope: &mut Scope, outputs: Output, label: &Output, classes: i64) -> Made {
    let depth = ops::constant(i32::try_from(classes).unwrap_or(i32::MAX), scope)?;
    let (on, off) = (ops::constant(1.0_f32, scope)?, ops::constant(0.0_f32, scope)?);
    let expected = ops::one_hot(label.clone(), depth, on, off, scope)?;
    let losses = ops::softmax_cross_entropy_with_logits(outputs, expected, scope)?;
    mean(scope, losses.into())
}

/// log(1 + eˣ) − x · label
fn binary_cross_entropy(scope: &mut Scope, outputs: Output, label: &Output) -> Made {
    let shape = ops::constant(&[-1_i64][..], scope)?;
    let x = ops::reshape(outputs, shape, scope)?;
    let label = ops::Cast::new().DstT(DataType::Float).build(label.clone(), scope)?;
    let rise = ops::softplus(x.clone(), scope)?;
    let hit = ops::mul(x, label, scope)?;
    let losses = ops::sub(rise, hit, scope)?;
    mean(scope, losses.into())
}

/// Half for each end, as people train BERT.
fn span_cross_entropy(scope: &mut Scope, outputs: Output, targets: &[Output], classes: i64) -> Made {
    let ends = ops::Unpack::new().num(2).axis(2).build(outputs, scope)?;
    let start = cross_entropy(scope, ends.output(0), &targets[0], classes)?;
    let end = cross_entropy(scope, ends.output(1), &targets[1], classes)?;
    let sum = ops::add_v2(start, end, scope)?;
    let half = ops::constant(0.5_f32, scope)?;
    Ok(ops::mul(sum, half, scope)?.into())
}

fn mean(scope: &mut Scope, losses: Output) -> Made {
    let axes = ops::constant(&[0_i32][..], scope)?;
    Ok(ops::mean(losses, axes, scope)?.into())
}
