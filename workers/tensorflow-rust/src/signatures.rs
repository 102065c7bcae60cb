//! What can be called in a SavedModel, found by its names and checked against the graph.

use crossbind_worker::Graph as Model;
use tensorflow::{DataType, Graph, MetaGraphDef, Operation, Output, Shape, TensorInfo};

use crate::values::to_i64;

/// A signature, with its inputs and outputs in the order that was asked for.
pub struct Function {
    pub inputs: Vec<Output>,
    pub outputs: Vec<Output>,
}

/// What reads the variables of the folder.
pub struct Restore {
    pub path: Output,
    pub operation: Operation,
}

/// Errors are texts that say what the folder lacks.
pub struct Signatures<'a> {
    pub graph: &'a Graph,
    pub meta: &'a MetaGraphDef,
}

impl Signatures<'_> {
    pub fn function(&self, name: &str, inputs: &[&str], outputs: &[&str]) -> Result<Function, String> {
        let lacking = |what: &str, part: &str| format!("the signature '{name}' has no {what} '{part}'");
        let signature = self.meta.signatures().get(name).ok_or_else(|| lacks(name))?;
        let input = |part: &&str| self.find(signature.inputs().get(*part).ok_or_else(|| lacking("input", part))?);
        let output = |part: &&str| self.find(signature.outputs().get(*part).ok_or_else(|| lacking("output", part))?);
        Ok(Function {
            inputs: inputs.iter().map(input).collect::<Result<_, _>>()?,
            outputs: outputs.iter().map(output).collect::<Result<_, _>>()?,
        })
    }

    pub fn optional_function(&self, name: &str, inputs: &[&str], outputs: &[&str]) -> Result<Option<Function>, String> {
        let is_there = self.meta.signatures().contains_key(name);
        is_there.then(|| self.function(name, inputs, outputs)).transpose()
    }

    /// Those of the model, which must all be there in their shape.
    pub fn parameters(&self, model: &Model) -> Result<Function, String> {
        let signature = self.meta.signatures().get("parameters").ok_or_else(|| lacks("parameters"))?;
        for parameter in model.parameters() {
            let info = signature.outputs().get(&parameter.name);
            let info = info.ok_or_else(|| format!("the model has no parameter '{}'", parameter.name))?;
            let shape = Shape::new(Some(parameter.shape.iter().map(|&size| Some(to_i64(size))).collect()));
            if *info.shape() != shape {
                return Err(format!("'{}' is {}, not {shape}", parameter.name, info.shape()));
            }
        }
        let names: Vec<&str> = model.parameters().map(|parameter| parameter.name.as_str()).collect();
        self.function("parameters", &[], &names)
    }

    /// The crate keeps to itself what the folder calls it: it is the call that takes the path and variables alone; the
    /// one that saves takes a text more.
    pub fn restore(&self) -> Result<Restore, String> {
        let restores = |operation: &Operation| {
            let takes_variables = (1..operation.num_inputs()).all(|i| operation.input_type(i) == DataType::Resource);
            let takes_path =
                operation.num_inputs() > 1 && operation.input(0).0.name().as_deref() == Ok("saver_filename");
            takes_path && takes_variables
        };
        let operation = self.graph.operation_iter().find(restores).ok_or("nothing restores the variables")?;
        let (path, _) = operation.input(0);
        Ok(Restore { path: path.into(), operation })
    }

    fn find(&self, info: &TensorInfo) -> Result<Output, String> {
        let operation = self.graph.operation_by_name_required(&info.name().name);
        let operation = operation.map_err(|_| format!("there is no operation '{}'", info.name().name))?;
        Ok(Output { operation, index: info.name().index })
    }
}

fn lacks(signature: &str) -> String {
    format!("the model has no signature '{signature}'")
}
