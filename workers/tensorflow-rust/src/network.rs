//! The graph as operations of TensorFlow, in one of its modes. Those of several modes share placeholders and variables.

use std::collections::HashMap;

use crossbind_worker::{Graph, GraphInput, Node, Result};
use tensorflow::{DataType, Operation, Output, Scope, Shape, ops};

use crate::errors::failure;
use crate::layers::{self, Draws, Mode, Site};
use crate::values::to_i64;
use crate::variables::Held;

/// What a network is fed with.
pub struct Feeds {
    pub inputs: Vec<Output>,
    pub targets: Vec<Output>,
    /// The number of the training step.
    pub step: Output,
}

impl Feeds {
    pub fn new(scope: &mut Scope, graph: &Graph) -> Result<Self> {
        let inputs = graph.inputs.iter().map(|input| placeholder(scope, kind(input), sample_shape(input)));
        let inputs = inputs.collect::<tensorflow::Result<_>>().map_err(failure)?;
        let targets = graph.targets().iter().map(|_| placeholder(scope, DataType::Int64, vec![None]));
        let targets = targets.collect::<tensorflow::Result<_>>().map_err(failure)?;
        Ok(Self { inputs, targets, step: placeholder(scope, DataType::Int64, vec![Some(1)]).map_err(failure)? })
    }
}

fn kind(input: &GraphInput) -> DataType {
    if input.entries.is_some() { DataType::Int64 } else { DataType::Float }
}

/// With any number of samples, in TensorFlow's layout.
fn sample_shape(input: &GraphInput) -> Vec<Option<i64>> {
    let mut sizes: Vec<Option<i64>> = input.shape.iter().map(|&size| Some(to_i64(size))).collect();
    if let [channels, height, width] = sizes[..] {
        sizes = vec![height, width, channels];
    }
    sizes.insert(0, None);
    sizes
}

pub fn placeholder(scope: &mut Scope, kind: DataType, shape: Vec<Option<i64>>) -> tensorflow::Result<Output> {
    Ok(ops::Placeholder::new().dtype(kind).shape(Shape::new(Some(shape))).build(scope)?.into())
}

pub struct Network {
    /// Of each layer, in the order of the graph.
    pub outputs: Vec<Output>,
    /// Of the running statistics, in a training step.
    pub updates: Vec<Operation>,
}

impl Network {
    pub fn build(
        scope: &mut Scope,
        graph: &Graph,
        feeds: &Feeds,
        parameters: &[Held],
        mode: Mode,
        seed: u32,
    ) -> Result<Self> {
        let names = graph.inputs.iter().map(|input| input.name.as_str());
        let mut values: HashMap<&str, Output> = names.zip(feeds.inputs.iter().cloned()).collect();
        let (mut outputs, mut updates) = (Vec::new(), Vec::new());
        for (number, node) in (0..).zip(&graph.nodes) {
            let draws = Draws { seed: i64::from(seed) << 24 | number, step: &feeds.step };
            let mut site = Site { scope, mode, node, parameters: own(node, parameters), draws, updates: Vec::new() };
            let inputs: Vec<Output> = node.inputs.iter().map(|name| values[name.as_str()].clone()).collect();
            let output = layers::build(&mut site, &inputs)?;
            updates.append(&mut site.updates);
            values.insert(&node.name, output.clone());
            outputs.push(output);
        }
        Ok(Self { outputs, updates })
    }

    pub fn last(&self) -> &Output {
        self.outputs.last().expect("a graph has layers")
    }
}

/// The parameters of a layer, by their names in it.
fn own<'a>(node: &'a Node, parameters: &[Held]) -> HashMap<&'a str, Output> {
    let in_layer = |held: &Held| {
        let parameter = node.parameters.iter().find(|each| each.name == held.parameter.name)?;
        let name = parameter.name.strip_prefix(&node.name)?.strip_prefix('.')?;
        Some((name, held.variable.output().clone()))
    };
    parameters.iter().filter_map(in_layer).collect()
}
