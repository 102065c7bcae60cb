//! A model that came as a TorchScript file. It infers, and can be differentiated, but not trained.

use std::collections::HashMap;
use std::path::Path;

use crossbind_worker::{
    Differentiated, Error, Graph, HostTensor, Inference, Job, Pass, Probed, Result, Samples, State, Tensors,
};
use serde_json::{Map, Value};
use tch::{CModule, Cuda, TchError, Tensor};

use crate::errors::{brief, failure};
use crate::loaders::{Batch, Batches};
use crate::network::stored_name;
use crate::place::Place;
use crate::tensors::{to_host, to_i64};

pub struct SerializedModel {
    place: Place,
    module: CModule,
    parameters: usize,
}

impl SerializedModel {
    pub fn new(job: &Job, path: &Path) -> Result<Self> {
        let place = Place::new(job)?;
        let bad = |reason: String| Error::bad_input(format!("{}: {reason}", path.display()));
        let torch = |error: TchError| bad(brief(&error.to_string()).into());
        let mut module = CModule::load_on_device(path, place.device).map_err(torch)?;
        module.f_set_eval().map_err(torch)?;
        let parameters = count_parameters(&module.named_parameters().map_err(torch)?, &job.graph).map_err(bad)?;
        Ok(Self { place, module, parameters })
    }

    fn forward(&self, inputs: &[Tensor]) -> Result<Tensor> {
        self.module.forward_ts(inputs).map_err(|error| failure(&error.to_string()))
    }

    fn outputs(&self, batch: &Batch) -> Result<Tensor> {
        let _no_grad = tch::no_grad_guard();
        self.forward(&batch.inputs)
    }
}

/// Until it is dropped. The module is in evaluation mode, where cuDNN does not go back through recurrent layers;
/// PyTorch's own kernels do.
struct WithoutCudnn {
    was_enabled: bool,
}

impl WithoutCudnn {
    fn begin() -> Self {
        let was_enabled = Cuda::user_enabled_cudnn();
        Cuda::set_user_enabled_cudnn(false);
        Self { was_enabled }
    }
}

impl Drop for WithoutCudnn {
    fn drop(&mut self) {
        Cuda::set_user_enabled_cudnn(self.was_enabled);
    }
}

/// Those of the graph, which all must be in the module in their shape. tch lists no running statistics: they are
/// counted as the graph has them.
fn count_parameters(found: &[(String, Tensor)], graph: &Graph) -> Result<usize, String> {
    let found: HashMap<String, &Tensor> = found.iter().map(|(name, tensor)| (plain(name), tensor)).collect();
    let mut count = 0;
    for node in &graph.nodes {
        for parameter in &node.parameters {
            let shape: Vec<i64> = parameter.shape.iter().map(|&size| to_i64(size)).collect();
            if parameter.trainable {
                let name = plain(&stored_name(node, parameter));
                let tensor = found.get(&name).ok_or_else(|| format!("the model has no parameter '{name}'"))?;
                if tensor.size() != shape {
                    return Err(format!("'{name}' is {:?}, not {shape:?}", tensor.size()));
                }
            }
            count += parameter.shape.iter().product::<usize>();
        }
    }
    Ok(count)
}

/// Python adds a `_` to names of layers that are taken there.
fn plain(name: &str) -> String {
    name.split('.').map(|part| part.trim_end_matches('_')).collect::<Vec<_>>().join(".")
}

impl Inference for SerializedModel {
    type Batch = Batch;
    type Tensor = Tensor;
    type Batches = Batches;

    fn parameters(&self) -> usize {
        self.parameters
    }

    fn effective(&self) -> Map<String, Value> {
        self.place.effective.clone()
    }

    fn batches(&self, pass: Pass) -> Result<Batches> {
        self.place.batches(pass)
    }

    fn on_device(&self, samples: &Samples) -> Result<Batch> {
        Ok(Batch::new(samples, self.place.device))
    }

    fn predict(&mut self, batch: &Batch) -> Result<Tensor> {
        self.outputs(batch)
    }

    fn differentiate(&mut self, batch: &Batch) -> Result<Differentiated<Tensor>> {
        let _own_kernels = self.place.is_recurrent_on_gpu().then(WithoutCudnn::begin);
        self.place.differentiate(batch, |inputs| self.forward(inputs))
    }

    fn synchronize(&self) {
        self.place.synchronize();
    }

    fn to_host(&self, tensor: &Tensor) -> Result<HostTensor> {
        Ok(to_host(tensor))
    }

    fn reached(&self, batch: &Batch) -> Result<Samples> {
        Ok(self.place.reached(batch))
    }

    /// Shows the last layer alone: the others are inside of the module.
    fn probe_evaluation(&mut self, _: &State, batch: &Samples) -> Result<Probed> {
        let batch = Batch::new(batch, self.place.device);
        let outputs = self.outputs(&batch)?;
        let last = self.place.graph.nodes.last().map(|node| format!("{}.out", node.name)).unwrap_or_default();
        let tensors = Tensors::from([(last, to_host(&outputs))]);
        Ok(Probed { tensors, loss: self.place.loss_number(&outputs, &batch)?, fused: Vec::new() })
    }
}
