//! The canonical graph of a model (docs/model-files.md), typed. Fields of layers and of the optimizer stay JSON: only
//! the worker that builds them knows which it needs.

use std::collections::HashSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Error, Result};

#[derive(Debug, Clone, Deserialize)]
pub struct GraphInput {
    pub name: String,
    pub shape: Vec<usize>,
    /// Of an input of integers: they are below it.
    pub entries: Option<i64>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Parameter {
    pub name: String,
    pub shape: Vec<usize>,
    pub role: String,
    pub trainable: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Node {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub inputs: Vec<String>,
    pub output: Vec<usize>,
    pub fields: Map<String, Value>,
    pub parameters: Vec<Parameter>,
}

impl Node {
    /// The fields as the worker that builds the layer wants them.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T> {
        T::deserialize(&self.fields).map_err(|error| Error::bad_request(format!("layer '{}': {error}", self.name)))
    }
}

#[derive(Debug, Clone, Deserialize)]
struct Loss {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Graph {
    version: u32,
    pub inputs: Vec<GraphInput>,
    pub nodes: Vec<Node>,
    loss: Loss,
    pub optimizer: Map<String, Value>,
}

impl Graph {
    pub fn loss(&self) -> &str {
        &self.loss.kind
    }

    pub fn optimizer_type(&self) -> &str {
        self.optimizer.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    /// The optimizer's fields as the worker wants them.
    pub fn read_optimizer<T: DeserializeOwned>(&self) -> Result<T> {
        T::deserialize(&self.optimizer).map_err(|error| Error::bad_request(format!("the optimizer: {error}")))
    }

    pub fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.nodes.iter().flat_map(|node| &node.parameters)
    }

    /// Those that are not of integers.
    pub fn differentiable_inputs(&self) -> impl Iterator<Item = &GraphInput> {
        self.inputs.iter().filter(|input| input.entries.is_none())
    }

    /// What the data hold beside the inputs.
    pub fn targets(&self) -> &'static [&'static str] {
        if self.loss() == "span_cross_entropy" { &["start", "end"] } else { &["label"] }
    }

    /// Targets are below it.
    pub fn classes(&self) -> i64 {
        let outputs = self.nodes.last().and_then(|node| node.output.first()).copied().unwrap_or_default();
        if self.loss() == "binary_cross_entropy" { 2 } else { i64::try_from(outputs).unwrap_or(i64::MAX) }
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.version != 1 {
            let message = format!("the graph has version {}, this worker knows version 1", self.version);
            return Err(Error::bad_request(message));
        }
        if self.nodes.is_empty() || self.optimizer_type().is_empty() {
            return Err(Error::bad_request("the graph has no layers or no optimizer"));
        }
        let mut known: HashSet<&str> = self.inputs.iter().map(|input| input.name.as_str()).collect();
        for node in &self.nodes {
            let reads_known = !node.inputs.is_empty() && node.inputs.iter().all(|name| known.contains(name.as_str()));
            if !reads_known || !known.insert(&node.name) {
                let message = format!("layer '{}' is there twice or reads what is not before it", node.name);
                return Err(Error::bad_request(message));
            }
        }
        self.check_shapes()
    }

    fn check_shapes(&self) -> Result<()> {
        let inputs = self.inputs.iter().map(|input| &input.shape);
        let nodes = self.nodes.iter().map(|node| &node.output);
        let mut shapes = inputs.chain(nodes).chain(self.parameters().map(|parameter| &parameter.shape));
        if shapes.any(|shape| shape.contains(&0)) {
            return Err(Error::bad_request("a shape of the graph has a 0"));
        }
        Ok(())
    }
}
