//! Layers of sequences: embeddings, recurrent layers, attention.

use serde::Deserialize;
use tch::nn::{self, Module, RNN};
use tch::{Kind, Tensor};

use crate::layers::{Layer, ZEROS, simple};

#[derive(Deserialize)]
pub struct Embedding {
    kind: String,
    entries: i64,
    width: i64,
    padding_index: Option<i64>,
}

pub fn embedding(fields: &Embedding, path: &nn::Path) -> Layer {
    let config = nn::EmbeddingConfig {
        sparse: false,
        scale_grad_by_freq: false,
        ws_init: ZEROS,
        padding_idx: fields.padding_index.unwrap_or(-1), // none
    };
    let table = nn::embedding(path, fields.entries, fields.width, config);
    if fields.kind == "position" {
        return simple(move |tokens| table.forward(&positions(tokens)));
    }
    simple(move |x| table.forward(x))
}

/// Where each token stands.
fn positions(tokens: &Tensor) -> Tensor {
    Tensor::arange(tokens.size()[1], (Kind::Int64, tokens.device())).expand_as(tokens)
}

#[derive(Deserialize)]
pub struct Recurrent {
    in_features: i64,
    hidden: i64,
    biases: u8,
}

const RECURRENT: nn::RNNConfig = nn::RNNConfig {
    has_biases: true,
    num_layers: 1,
    dropout: 0.0,
    train: true, // only dropout between layers would tell
    bidirectional: false,
    batch_first: true,
    w_ih_init: ZEROS,
    w_hh_init: ZEROS,
    b_ih_init: Some(ZEROS),
    b_hh_init: Some(ZEROS),
};

/// PyTorch has two biases or none.
fn freeze_second_bias(fields: &Recurrent, path: &nn::Path) {
    if fields.biases == 1 {
        let _ = path.get("bias_hh_l0").expect("it was just made").requires_grad_(false);
    }
}

pub fn lstm(fields: &Recurrent, path: &nn::Path) -> Layer {
    let lstm = nn::lstm(path, fields.in_features, fields.hidden, RECURRENT);
    freeze_second_bias(fields, path);
    simple(move |x| lstm.seq(x).0)
}

pub fn gru(fields: &Recurrent, path: &nn::Path) -> Layer {
    let gru = nn::gru(path, fields.in_features, fields.hidden, RECURRENT);
    freeze_second_bias(fields, path);
    simple(move |x| gru.seq(x).0)
}

#[derive(Deserialize)]
pub struct SelfAttention {
    width: i64,
    heads: i64,
}

/// Four projections around PyTorch's attention; a second input is the mask.
pub fn self_attention(fields: &SelfAttention, path: &nn::Path) -> Layer {
    let &SelfAttention { width, heads } = fields;
    let config = nn::LinearConfig { ws_init: ZEROS, bs_init: Some(ZEROS), bias: true };
    let projection = |name| nn::linear(path / name, width, width, config);
    let [query, key, value, output] = ["query", "key", "value", "output"].map(projection);
    Box::new(move |inputs, _| {
        let x = inputs[0];
        let keep = inputs.get(1).map(|mask| mask.unsqueeze(1).unsqueeze(1).not_equal(0));
        let [q, k, v] = [&query, &key, &value].map(|projection| split(&projection.forward(x), heads));
        let attended = Tensor::scaled_dot_product_attention(&q, &k, &v, keep, 0.0, false, None::<f64>, false);
        output.forward(&attended.transpose(1, 2).flatten(2, -1))
    })
}

/// [batch, steps, width] → [batch, heads, steps, depth]
fn split(x: &Tensor, heads: i64) -> Tensor {
    let size = x.size();
    x.reshape([size[0], size[1], heads, -1]).transpose(1, 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::Mode;
    use tch::Device;

    #[test]
    fn with_one_bias_the_second_is_frozen() {
        let vs = nn::VarStore::new(Device::Cpu);
        for (biases, trains) in [(1, false), (2, true)] {
            let path = vs.root() / biases;
            let _ = lstm(&Recurrent { in_features: 2, hidden: 3, biases }, &path);
            assert_eq!(path.get("bias_hh_l0").unwrap().requires_grad(), trains);
            assert!(path.get("bias_ih_l0").unwrap().requires_grad());
        }
    }

    #[test]
    fn a_masked_step_is_not_attended_to() {
        let vs = nn::VarStore::new(Device::Cpu);
        let layer = self_attention(&SelfAttention { width: 4, heads: 2 }, &vs.root());
        tch::no_grad(|| vs.variables().into_values().for_each(|mut tensor| drop(tensor.fill_(0.5))));
        let x = Tensor::ones([1, 2, 4], (Kind::Float, Device::Cpu));
        let _ = x.select(1, 1).fill_(100.0);
        let mask = Tensor::from_slice(&[1_i64, 0]).unsqueeze(0);
        let masked = layer(&[&x, &mask], Mode::EVALUATION);
        assert!(f64::try_from(masked.max()).unwrap() < 10.0);
        assert!(f64::try_from(layer(&[&x], Mode::EVALUATION).max()).unwrap() > 10.0);
    }
}
