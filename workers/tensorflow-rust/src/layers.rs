//! Every layer type of the graph, with the operations of TensorFlow that make it. Images are [samples, H, W, C] here.

use std::collections::HashMap;

use crossbind_worker::{Error, Node, Result};
use serde::Deserialize;
use tensorflow::{DataType, Operation, Output, Scope, ops};

use crate::errors::failure;
use crate::values::to_i64;
use crate::{sequences, windows};

/// How a network runs. In probed training steps dropout is off, unless it is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Mode {
    pub train: bool,
    pub dropout: bool,
}

impl Mode {
    pub const EVALUATION: Self = Self { train: false, dropout: false };
    pub const TRAINING: Self = Self { train: true, dropout: true };
    pub const PROBED_TRAINING: Self = Self { train: true, dropout: false };
}

/// Where a layer is built.
pub struct Site<'a> {
    pub scope: &'a mut Scope,
    pub mode: Mode,
    pub node: &'a Node,
    /// The layer's own, by their names in it.
    pub parameters: HashMap<&'a str, Output>,
    pub draws: Draws<'a>,
    /// What a training step does beside the update of the optimizer: running statistics.
    pub updates: Vec<Operation>,
}

/// What dropout draws from: two numbers that no other layer has, and this one in no other step.
pub struct Draws<'a> {
    pub seed: i64,
    pub step: &'a Output,
}

pub type Made = tensorflow::Result<Output>;

impl Site<'_> {
    /// One that the graph gives to such a layer.
    pub fn parameter(&self, name: &str) -> Output {
        self.parameters[name].clone()
    }

    pub fn number(&mut self, number: f32) -> Made {
        Ok(ops::constant(number, self.scope)?.into())
    }

    pub fn integers(&mut self, integers: &[i32]) -> Made {
        Ok(ops::constant(integers, self.scope)?.into())
    }

    pub fn reshaped(&mut self, x: Output, shape: &[i64]) -> Made {
        let shape = ops::constant(shape, self.scope)?;
        Ok(ops::reshape(x, shape, self.scope)?.into())
    }

    pub fn transposed(&mut self, x: Output, axes: &[i32]) -> Made {
        let axes = self.integers(axes)?;
        Ok(ops::transpose(x, axes, self.scope)?.into())
    }
}

pub fn build(site: &mut Site, inputs: &[Output]) -> Result<Output> {
    let (node, x) = (site.node, inputs[0].clone());
    let made = match node.kind.as_str() {
        "add" => ops::add_v2(x, inputs[1].clone(), site.scope).map(Output::from),
        "avg_pool2d" => windows::avg_pool2d(site, &node.read()?, x),
        "batchnorm" => batchnorm(site, &node.read()?, x),
        "conv2d" => windows::conv2d(site, &node.read()?, x),
        "dropout" => dropout(site, &node.read()?, x),
        "embedding" => sequences::embedding(site, &node.read()?, x),
        "flatten" => flatten(site, x),
        "gelu" => gelu(site, x),
        "global_avg_pool" => global_avg_pool(site, x),
        "gru" => return sequences::gru(site, &node.read()?, x),
        "linear" => linear(site, &node.read()?, x),
        "lstm" => return sequences::lstm(site, &node.read()?, x),
        "max_pool2d" => windows::max_pool2d(site, &node.read()?, x),
        "pad" => windows::pad(site, &node.read()?, x),
        "relu" => ops::relu(x, site.scope).map(Output::from),
        "select_last" => sequences::select_last(site, x),
        "sigmoid" => ops::sigmoid(x, site.scope).map(Output::from),
        "softmax" => over_last_axis(site, x, |site, rows| Ok(ops::softmax(rows, site.scope)?.into())),
        "tanh" => ops::tanh(x, site.scope).map(Output::from),
        other => return Err(Error::unsupported(format!("layer {other}"))),
    };
    made.map_err(failure)
}

/// Works on rows, which are along the graph's last dimension. They may change their length.
fn over_last_axis(site: &mut Site, x: Output, on_rows: impl Fn(&mut Site, Output) -> Made) -> Made {
    let sizes: Vec<i64> = site.node.output.iter().map(|&size| to_i64(size)).collect();
    match sizes[..] {
        [_] => on_rows(site, x),
        [channels, height, width] => {
            let x = site.transposed(x, &[0, 3, 1, 2])?;
            let y = on_flat_rows(site, x, &[-1, channels, height, width], on_rows)?;
            site.transposed(y, &[0, 2, 3, 1])
        }
        _ => on_flat_rows(site, x, &[&[-1], &sizes[..]].concat(), on_rows),
    }
}

fn on_flat_rows(site: &mut Site, x: Output, shape: &[i64], on_rows: impl Fn(&mut Site, Output) -> Made) -> Made {
    let length = last_size(site, &x)?;
    let rows = site.reshaped(x, &[-1, length])?;
    let rows = on_rows(site, rows)?;
    site.reshaped(rows, shape)
}

fn last_size(site: &Site, x: &Output) -> tensorflow::Result<i64> {
    Ok(sizes(site, x)?.last().copied().unwrap_or(-1))
}

/// As far as they are known: the number of samples is −1.
pub fn sizes(site: &Site, x: &Output) -> tensorflow::Result<Vec<i64>> {
    let shape: Option<Vec<Option<i64>>> = site.scope.graph().tensor_shape(x.clone())?.into();
    Ok(shape.unwrap_or_default().into_iter().map(|size| size.unwrap_or(-1)).collect())
}

#[derive(Deserialize)]
struct Linear {
    bias: bool,
}

fn linear(site: &mut Site, fields: &Linear, x: Output) -> Made {
    over_last_axis(site, x, |site, rows| {
        let product = ops::mat_mul(rows, site.parameter("weight"), site.scope)?;
        if !fields.bias {
            return Ok(product.into());
        }
        Ok(ops::bias_add(product, site.parameter("bias"), site.scope)?.into())
    })
}

/// In the order of the graph, so that what comes after has its weights in that order too.
fn flatten(site: &mut Site, x: Output) -> Made {
    let x = match sizes(site, &x)?[..] {
        [_, height, width, channels] if channels > 1 && height * width > 1 => site.transposed(x, &[0, 3, 1, 2])?,
        _ => x,
    };
    let features = to_i64(site.node.output.iter().product());
    site.reshaped(x, &[-1, features])
}

fn global_avg_pool(site: &mut Site, x: Output) -> Made {
    let axes = site.integers(&[1, 2])?;
    Ok(ops::mean(x, axes, site.scope)?.into())
}

/// x/2 · (1 + erf(x/√2)): TensorFlow has no such operation.
fn gelu(site: &mut Site, x: Output) -> Made {
    let (root, one, half) = (site.number(std::f32::consts::FRAC_1_SQRT_2)?, site.number(1.0)?, site.number(0.5)?);
    let scaled = ops::mul(x.clone(), root, site.scope)?;
    let erf = ops::erf(scaled, site.scope)?;
    let share = ops::add_v2(erf, one, site.scope)?;
    let halved = ops::mul(x, half, site.scope)?;
    Ok(ops::mul(halved, share, site.scope)?.into())
}

#[derive(Deserialize)]
struct Dropout {
    rate: f32,
}

/// The crate has only the operations. This one draws from a seed that is given, so that a training can be repeated.
fn dropout(site: &mut Site, fields: &Dropout, x: Output) -> Made {
    if !site.mode.dropout || fields.rate == 0.0 {
        return Ok(ops::identity(x, site.scope)?.into());
    }
    let (rate, scale) = (site.number(fields.rate)?, site.number(1.0 / (1.0 - fields.rate))?);
    let shape = ops::shape(x.clone(), site.scope)?;
    let (seed, axis) = (ops::constant(&[site.draws.seed][..], site.scope)?, ops::constant(0_i32, site.scope)?);
    let seeds = vec![seed.into(), site.draws.step.clone()];
    let seeds = ops::ConcatV2::new().build_instance(seeds, axis.into(), site.scope)?.op;
    let drawn = ops::StatelessRandomUniform::new().dtype(DataType::Float).build(shape, seeds, site.scope)?;
    let is_kept = ops::greater_equal(drawn, rate, site.scope)?;
    let kept = ops::Cast::new().DstT(DataType::Float).build(is_kept, site.scope)?;
    let mask = ops::mul(kept, scale, site.scope)?;
    let mask = ops::stop_gradient(mask, site.scope)?; // there is none of what was drawn
    Ok(ops::mul(x, mask, site.scope)?.into())
}

#[derive(Deserialize)]
struct BatchNorm {
    epsilon: f32,
    momentum: f32,
}

fn batchnorm(site: &mut Site, fields: &BatchNorm, x: Output) -> Made {
    if let [features] = site.node.output[..] {
        let features = to_i64(features);
        let images = site.reshaped(x, &[-1, 1, 1, features])?;
        let y = batchnorm_of_images(site, fields, images)?;
        return site.reshaped(y, &[-1, features]);
    }
    batchnorm_of_images(site, fields, x)
}

fn batchnorm_of_images(site: &mut Site, fields: &BatchNorm, x: Output) -> Made {
    let [weight, bias, mean, variance] =
        ["weight", "bias", "running_mean", "running_var"].map(|name| site.parameter(name));
    let mut norm = ops::FusedBatchNormV3::new().epsilon(fields.epsilon).is_training(site.mode.train);
    if site.mode.train {
        norm = norm.exponential_avg_factor(fields.momentum);
    }
    let norm = norm.build(x, weight, bias, mean.clone(), variance.clone(), site.scope)?;
    if site.mode.train {
        for (index, statistic) in [(1, mean), (2, variance)] {
            let new = Output { operation: norm.clone(), index };
            site.updates.push(ops::assign(statistic, new, site.scope)?);
        }
    }
    Ok(norm.into())
}
