//! Every layer type of the graph, with what a user of tch would take for it. Initial values are zeros: the parameters
//! are loaded before anyone looks at them.

use crossbind_worker::{Error, Node, Result};
use serde::Deserialize;
use tch::nn::{self, Init, Module, ModuleT};
use tch::{Kind, Tensor};

use crate::{sequences, windows};

pub const ZEROS: Init = Init::Const(0.0);

/// How a network runs. In probed training steps dropout is off, unless it is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Mode {
    pub train: bool,
    pub dropout: bool,
}

impl Mode {
    pub const EVALUATION: Self = Self { train: false, dropout: false };
    pub const TRAINING: Self = Self { train: true, dropout: true };
}

/// From the layer's inputs to its output.
pub type Layer = Box<dyn Fn(&[&Tensor], Mode) -> Tensor>;

/// A layer with one input, the same in training and evaluation.
pub fn simple(forward: impl Fn(&Tensor) -> Tensor + 'static) -> Layer {
    Box::new(move |inputs, _| forward(inputs[0]))
}

/// The layer's variables are made at the path.
pub fn build(node: &Node, path: &nn::Path) -> Result<Layer> {
    Ok(match node.kind.as_str() {
        "add" => Box::new(|inputs, _| inputs[0] + inputs[1]),
        "avg_pool2d" => windows::avg_pool2d(&node.read()?),
        "batchnorm" => batchnorm(node, path)?,
        "conv2d" => windows::conv2d(&node.read()?, path),
        "dropout" => dropout(&node.read()?),
        "embedding" => sequences::embedding(&node.read()?, path),
        "flatten" => simple(|x| x.flatten(1, -1)),
        "gelu" => simple(|x| x.gelu("none")),
        "global_avg_pool" => simple(|x| x.mean_dim([2, 3].as_slice(), false, None::<Kind>)),
        "gru" => sequences::gru(&node.read()?, path),
        "layernorm" => layernorm(&node.read()?, path),
        "linear" => linear(&node.read()?, path),
        "lstm" => sequences::lstm(&node.read()?, path),
        "max_pool2d" => windows::max_pool2d(&node.read()?),
        "pad" => windows::pad(&node.read()?),
        "relu" => simple(Tensor::relu),
        "select_last" => simple(|x| x.select(1, -1)),
        "self_attention" => sequences::self_attention(&node.read()?, path),
        "sigmoid" => simple(Tensor::sigmoid),
        "softmax" => simple(|x| x.softmax(-1, None::<Kind>)),
        "tanh" => simple(Tensor::tanh),
        other => return Err(Error::unsupported(format!("layer {other}"))),
    })
}

#[derive(Deserialize)]
struct Dropout {
    rate: f64,
}

fn dropout(fields: &Dropout) -> Layer {
    let rate = fields.rate;
    Box::new(move |inputs, mode| inputs[0].dropout(rate, mode.dropout))
}

#[derive(Deserialize)]
struct Linear {
    in_features: i64,
    out_features: i64,
    bias: bool,
}

fn linear(fields: &Linear, path: &nn::Path) -> Layer {
    let config = nn::LinearConfig { ws_init: ZEROS, bs_init: Some(ZEROS), bias: fields.bias };
    let linear = nn::linear(path, fields.in_features, fields.out_features, config);
    simple(move |x| linear.forward(x))
}

#[derive(Deserialize)]
struct BatchNorm {
    features: i64,
    epsilon: f64,
    momentum: f64,
}

fn batchnorm(node: &Node, path: &nn::Path) -> Result<Layer> {
    let fields: BatchNorm = node.read()?;
    let config = nn::BatchNormConfig {
        cudnn_enabled: true,
        eps: fields.epsilon,
        momentum: fields.momentum,
        affine: true,
        ws_init: ZEROS,
        bs_init: ZEROS,
    };
    let make = if node.output.len() == 3 { nn::batch_norm2d } else { nn::batch_norm1d };
    let norm = make(path, fields.features, config);
    Ok(Box::new(move |inputs, mode| norm.forward_t(inputs[0], mode.train)))
}

#[derive(Deserialize)]
struct LayerNorm {
    features: i64,
    epsilon: f64,
}

fn layernorm(fields: &LayerNorm, path: &nn::Path) -> Layer {
    let config = nn::LayerNormConfig {
        cudnn_enabled: true,
        eps: fields.epsilon,
        elementwise_affine: true,
        ws_init: ZEROS,
        bs_init: ZEROS,
    };
    let norm = nn::layer_norm(path, vec![fields.features], config);
    simple(move |x| norm.forward(x))
}
