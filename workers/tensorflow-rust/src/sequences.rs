//! Layers of sequences: embeddings and recurrent layers. The native library has no gradient of a loop, so that
//! recurrent layers are unrolled: one set of operations a step.

use crossbind_worker::{Error, Result};
use serde::Deserialize;
use tensorflow::{Output, ops};

use crate::errors::failure;
use crate::layers::{Made, Site, sizes};
use crate::values::to_i64;

/// The limit is somewhere: an unrolled graph grows with its steps, its gradients too, and so does the time until it runs.
const LONGEST_TRAINED: i64 = 32;

#[derive(Deserialize)]
pub struct Embedding {
    kind: String,
    padding_index: Option<i64>,
}

pub fn embedding(site: &mut Site, fields: &Embedding, tokens: Output) -> Made {
    let rows = if fields.kind == "position" { positions(site, &tokens)? } else { tokens };
    let axis = ops::constant(0_i32, site.scope)?;
    let found = ops::gather_v2(site.parameter("weight"), rows.clone(), axis, site.scope)?;
    let Some(padding) = fields.padding_index else { return Ok(found.into()) };
    let padding = ops::constant(padding, site.scope)?;
    let is_padding = ops::equal(rows, padding, site.scope)?;
    let last = ops::constant(-1_i32, site.scope)?;
    let is_padding = ops::expand_dims(is_padding, last, site.scope)?;
    let untrained = ops::stop_gradient(found.clone(), site.scope)?;
    Ok(ops::select_v2(is_padding, untrained, found, site.scope)?.into())
}

/// Where each token stands.
fn positions(site: &mut Site, tokens: &Output) -> Made {
    let steps = sizes(site, tokens)?[1];
    let numbers: Vec<i64> = (0..steps).collect();
    let numbers = ops::constant(&numbers[..], site.scope)?;
    let shape = ops::shape(tokens.clone(), site.scope)?;
    Ok(ops::broadcast_to(numbers, shape, site.scope)?.into())
}

pub fn select_last(site: &mut Site, x: Output) -> Made {
    let (begin, end, step) = (site.integers(&[0, -1])?, site.integers(&[0, 0])?, site.integers(&[1, 1])?);
    let slice = ops::StridedSlice::new().begin_mask(0b01).end_mask(0b01).shrink_axis_mask(0b10);
    Ok(slice.build(x, begin, end, step, site.scope)?.into())
}

#[derive(Deserialize)]
pub struct Lstm {
    hidden: i64,
    biases: u8,
    recurrent_activation: String,
}

#[derive(Deserialize)]
pub struct Gru {
    hidden: i64,
    biases: u8,
    recurrent_activation: String,
    reset_after: bool,
}

pub fn lstm(site: &mut Site, fields: &Lstm, x: Output) -> Result<Output> {
    check_length(site)?;
    unrolled_lstm(site, fields, x).map_err(failure)
}

pub fn gru(site: &mut Site, fields: &Gru, x: Output) -> Result<Output> {
    check_length(site)?;
    unrolled_gru(site, fields, x).map_err(failure)
}

fn steps(site: &Site) -> i64 {
    to_i64(site.node.output[0])
}

fn check_length(site: &Site) -> Result<()> {
    if site.mode.train && steps(site) > LONGEST_TRAINED {
        return Err(Error::unsupported("while gradient"));
    }
    Ok(())
}

#[allow(clippy::many_single_char_names)] // that is what everybody calls the gates
fn unrolled_lstm(site: &mut Site, fields: &Lstm, x: Output) -> Made {
    let steps = input_gates(site, x, 4 * fields.hidden)?;
    let mut h = zeros(site, &steps[0], 4)?;
    let mut c = h.clone();
    let mut outputs = Vec::with_capacity(steps.len());
    for from_input in steps {
        let from_state = hidden_gates(site, &h, fields.biases)?;
        let sum = ops::add_v2(from_input, from_state, site.scope)?;
        let [i, f, g, o] = split(site, sum.into())?;
        let [i, f, o] = gates(site, [i, f, o], &fields.recurrent_activation)?;
        let g = ops::tanh(g, site.scope)?;
        let kept = ops::mul(f, c, site.scope)?;
        let new = ops::mul(i, g, site.scope)?;
        c = ops::add_v2(kept, new, site.scope)?.into();
        let shown = ops::tanh(c.clone(), site.scope)?;
        h = ops::mul(o, shown, site.scope)?.into();
        outputs.push(h.clone());
    }
    stacked(site, outputs)
}

fn unrolled_gru(site: &mut Site, fields: &Gru, x: Output) -> Made {
    let steps = input_gates(site, x, 3 * fields.hidden)?;
    let mut h = zeros(site, &steps[0], 3)?;
    let one = site.number(1.0)?;
    let mut outputs = Vec::with_capacity(steps.len());
    let cell = if fields.reset_after { reset_after } else { reset_before };
    for from_input in steps {
        let (z, n) = cell(site, fields, from_input, &h)?;
        let rest = ops::sub(one.clone(), z.clone(), site.scope)?;
        let new = ops::mul(rest, n, site.scope)?;
        let kept = ops::mul(z, h, site.scope)?;
        h = ops::add_v2(new, kept, site.scope)?.into();
        outputs.push(h.clone());
    }
    stacked(site, outputs)
}

/// The update gate and the candidate, where the reset gate works on the product.
fn reset_after(site: &mut Site, fields: &Gru, from_input: Output, h: &Output) -> tensorflow::Result<(Output, Output)> {
    let from_state = hidden_gates(site, h, fields.biases)?;
    let [input_r, input_z, input_n] = split(site, from_input)?;
    let [state_r, state_z, state_n] = split(site, from_state)?;
    let r = ops::add_v2(input_r, state_r, site.scope)?.into();
    let z = ops::add_v2(input_z, state_z, site.scope)?.into();
    let [r, z] = gates(site, [r, z], &fields.recurrent_activation)?;
    let reset = ops::mul(r, state_n, site.scope)?;
    let sum = ops::add_v2(input_n, reset, site.scope)?;
    Ok((z, ops::tanh(sum, site.scope)?.into()))
}

/// The same, where it works on the state before the product.
fn reset_before(site: &mut Site, fields: &Gru, from_input: Output, h: &Output) -> tensorflow::Result<(Output, Output)> {
    let [input_r, input_z, input_n] = split(site, from_input)?;
    let [weight_r, weight_z, weight_n] = split(site, site.parameter("weight_hh"))?;
    let biases = if fields.biases == 2 { Some(split_bias(site)?) } else { None };
    let gate = |site: &mut Site, state: &Output, weight: Output, input: Output, number: usize| -> Made {
        let mut product = ops::mat_mul(state.clone(), weight, site.scope)?;
        if let Some(biases) = &biases {
            product = ops::bias_add(product, biases[number].clone(), site.scope)?;
        }
        Ok(ops::add_v2(input, product, site.scope)?.into())
    };
    let (r, z) = (gate(site, h, weight_r, input_r, 0)?, gate(site, h, weight_z, input_z, 1)?);
    let [r, z] = gates(site, [r, z], &fields.recurrent_activation)?;
    let reset = ops::mul(r, h.clone(), site.scope)?.into();
    let sum = gate(site, &reset, weight_n, input_n, 2)?;
    Ok((z, ops::tanh(sum, site.scope)?.into()))
}

/// What the input gives to all gates, one tensor a step.
fn input_gates(site: &mut Site, x: Output, gates: i64) -> tensorflow::Result<Vec<Output>> {
    let (steps, features) = (steps(site), sizes(site, &x)?[2]);
    let rows = site.reshaped(x, &[-1, features])?;
    let product = ops::mat_mul(rows, site.parameter("weight_ih"), site.scope)?;
    let biased = ops::bias_add(product, site.parameter("bias_ih"), site.scope)?;
    let all = site.reshaped(biased.into(), &[-1, steps, gates])?;
    let unpacked = ops::Unpack::new().num(steps).axis(1).build(all, site.scope)?;
    Ok((0..unpacked.num_outputs()).map(|step| unpacked.output(step)).collect())
}

/// What the state gives to all gates.
fn hidden_gates(site: &mut Site, h: &Output, biases: u8) -> Made {
    let product = ops::mat_mul(h.clone(), site.parameter("weight_hh"), site.scope)?;
    if biases == 1 {
        return Ok(product.into());
    }
    Ok(ops::bias_add(product, site.parameter("bias_hh"), site.scope)?.into())
}

/// A state of the first step.
fn zeros(site: &mut Site, gates: &Output, count: i64) -> Made {
    let axis = ops::constant(1_i32, site.scope)?;
    let first = ops::Split::new().num_split(count).build(axis, gates.clone(), site.scope)?;
    Ok(ops::zeros_like(first, site.scope)?.into())
}

fn split<const COUNT: usize>(site: &mut Site, gates: Output) -> tensorflow::Result<[Output; COUNT]> {
    split_along(site, gates, 1)
}

fn split_bias(site: &mut Site) -> tensorflow::Result<[Output; 3]> {
    split_along(site, site.parameter("bias_hh"), 0)
}

fn split_along<const COUNT: usize>(site: &mut Site, x: Output, axis: i32) -> tensorflow::Result<[Output; COUNT]> {
    let axis = ops::constant(axis, site.scope)?;
    let parts = ops::Split::new().num_split(to_i64(COUNT)).build(axis, x, site.scope)?;
    Ok(std::array::from_fn(|part| parts.output(part)))
}

fn gates<const COUNT: usize>(
    site: &mut Site,
    sums: [Output; COUNT],
    form: &str,
) -> tensorflow::Result<[Output; COUNT]> {
    let mut opened = Vec::with_capacity(COUNT);
    for sum in sums {
        opened.push(if form == "hard_sigmoid" {
            hard_sigmoid(site, sum)?
        } else {
            ops::sigmoid(sum, site.scope)?.into()
        });
    }
    Ok(opened.try_into().expect("there is one for each"))
}

/// clip(0.2 x + 0.5)
fn hard_sigmoid(site: &mut Site, x: Output) -> Made {
    let (slope, half) = (site.number(0.2)?, site.number(0.5)?);
    let (zero, one) = (site.number(0.0)?, site.number(1.0)?);
    let scaled = ops::mul(x, slope, site.scope)?;
    let line = ops::add_v2(scaled, half, site.scope)?;
    let above = ops::maximum(line, zero, site.scope)?;
    Ok(ops::minimum(above, one, site.scope)?.into())
}

fn stacked(site: &mut Site, steps: Vec<Output>) -> Made {
    Ok(ops::Pack::new().axis(1).build_instance(steps, site.scope)?.op.into())
}
