//! The graph as layers of tch, and the one place that knows the names of canonical parameters in its variable store.

use crossbind_worker::{Graph, Node, Parameter, Result, Tensors};
use tch::nn::{Path, VarStore};
use tch::{Device, Tensor};

use crate::layers::{self, Layer, Mode};
use crate::tensors::{to_host, to_torch};

pub struct Network {
    steps: Vec<Step>,
    /// Parameters and running statistics by their canonical names, without those that only PyTorch has, such as the
    /// second bias of an LSTM with one.
    pub parameters: Vec<(Parameter, Tensor)>,
}

/// Values are numbered: the inputs first, then the output of each step.
struct Step {
    name: String,
    layer: Layer,
    reads: Vec<usize>,
    /// What no later step reads.
    releases: Vec<usize>,
}

impl Network {
    pub fn build(graph: &Graph, device: Device) -> Result<Self> {
        let store = VarStore::new(device);
        let inputs = graph.inputs.iter().map(|input| input.name.as_str());
        let names: Vec<&str> = inputs.chain(graph.nodes.iter().map(|node| node.name.as_str())).collect();
        let number = |name: &String| names.iter().position(|each| each == name).expect("the graph is checked");
        let step = |node: &Node| {
            Ok(Step {
                name: node.name.clone(),
                layer: layers::build(node, &path_of(&store, &node.name))?,
                reads: node.inputs.iter().map(number).collect(),
                releases: Vec::new(),
            })
        };
        let mut steps = graph.nodes.iter().map(step).collect::<Result<Vec<_>>>()?;
        for value in 0..names.len() {
            if let Some(last) = steps.iter().rposition(|step| step.reads.contains(&value)) {
                steps[last].releases.push(value);
            }
        }
        Ok(Self { steps, parameters: canonical(&store, graph) })
    }

    /// From the inputs in the order of the graph to the output of the last layer; each layer's is shown on the way.
    pub fn forward(&self, inputs: &[Tensor], mode: Mode, mut show: impl FnMut(&str, &Tensor)) -> Tensor {
        let mut values: Vec<Option<Tensor>> = inputs.iter().map(|input| Some(input.shallow_clone())).collect();
        for step in &self.steps {
            let read = |&number: &usize| values[number].as_ref().expect("it is released after its last reader");
            let output = (step.layer)(&step.reads.iter().map(read).collect::<Vec<_>>(), mode);
            show(&step.name, &output);
            values.push(Some(output));
            for &number in &step.releases {
                values[number] = None;
            }
        }
        values.pop().flatten().expect("nobody reads the last output")
    }

    pub fn load(&self, values: &Tensors) {
        let _no_grad = tch::no_grad_guard();
        for (parameter, tensor) in &self.parameters {
            tensor.shallow_clone().copy_(&to_torch(&values[&parameter.name]));
        }
    }

    pub fn export(&self) -> Tensors {
        self.parameters.iter().map(|(parameter, tensor)| (parameter.name.clone(), to_host(tensor))).collect()
    }

    /// Those that have one: of the last backward pass.
    pub fn gradients(&self) -> impl Iterator<Item = (&str, Tensor)> {
        let gradients = self.parameters.iter().map(|(parameter, tensor)| (parameter.name.as_str(), tensor.grad()));
        gradients.filter(|(_, gradient)| gradient.defined())
    }
}

fn path_of<'a>(store: &'a VarStore, layer: &str) -> Path<'a> {
    layer.split('.').fold(store.root(), |path, part| path / part)
}

fn canonical(store: &VarStore, graph: &Graph) -> Vec<(Parameter, Tensor)> {
    let mut variables = store.variables();
    let parameters = graph.nodes.iter().flat_map(|node| node.parameters.iter().map(move |each| (node, each)));
    parameters
        .map(|(node, parameter)| {
            let tensor = variables.remove(&stored_name(node, parameter)).expect("the layer has made its parameters");
            (parameter.clone(), tensor)
        })
        .collect()
}

/// What PyTorch calls a canonical parameter.
pub fn stored_name(node: &Node, parameter: &Parameter) -> String {
    let is_recurrent = matches!(node.kind.as_str(), "lstm" | "gru");
    let suffix = if is_recurrent { "_l0" } else { "" }; // PyTorch counts the layers of a stack
    format!("{}{suffix}", parameter.name)
}
