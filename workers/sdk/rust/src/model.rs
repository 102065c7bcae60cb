//! The seam between the procedures, which all workers share, and a binding. Timers run around `batches`, `forward`,
//! `backward` and `predict`: they do what a user of the binding would do there, and nothing else.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::{Data, Error, Graph, HostTensor, Pass, Result, Samples, Settings, Tensors, TrainingRun};

/// A feature that most bindings lack.
pub(crate) const TRAINING_SERIALIZED: &str = "training of a serialized model";

/// What a worker is prepared with: read and checked.
#[derive(Debug)]
pub struct Job {
    pub graph: Graph,
    /// Canonical; empty when the model comes serialized.
    pub weights: Tensors,
    pub data: Data,
    /// The sample ids of each epoch.
    pub order: Option<Vec<Vec<i64>>>,
    pub settings: Settings,
    pub scratch: PathBuf,
}

/// What is kept of a training step until the epoch's timer has stopped: detached, on the device.
pub struct Step<Tensor> {
    pub outputs: Tensor,
    /// The mean over the batch.
    pub loss: Tensor,
}

/// Where a probed step starts.
#[derive(Debug)]
pub struct State {
    pub parameters: Tensors,
    /// `<parameter>.state.m` and `.v`; those not there are zero.
    pub moments: Tensors,
    /// The number of the step, from 1.
    pub step: i64,
}

#[derive(Debug, Default)]
pub struct Probed {
    /// float32, by their names in the protocol; more than the wanted ones may be there.
    pub tensors: Tensors,
    pub loss: Option<f64>,
    /// Outputs that the binding computes together with a later layer.
    pub fused: Vec<String>,
}

/// A model of a binding, prepared.
pub trait Inference {
    /// A batch on the device, as the binding has it.
    type Batch;
    /// A tensor of the binding.
    type Tensor;
    type Batches: Iterator<Item = Result<Self::Batch>>;

    /// How many numbers were built, running statistics included.
    fn parameters(&self) -> usize;

    /// Every setting that is not as requested; conventions of the manifest are known without it.
    fn effective(&self) -> Map<String, Value>;

    /// The loader: the batches of the pass, each on the device when it is given. Asking it for a batch is *load*.
    fn batches(&self, pass: Pass) -> Result<Self::Batches>;

    /// The final output in evaluation mode, detached, on the device.
    fn predict(&mut self, batch: &Self::Batch) -> Result<Self::Tensor>;

    /// Waits until the device has done all that was asked of it.
    fn synchronize(&self);

    /// As float32.
    fn to_host(&self, tensor: &Self::Tensor) -> Result<HostTensor>;

    /// The batch as it is on the device, back on the host, in canonical layout.
    fn reached(&self, batch: &Self::Batch) -> Result<Samples>;

    /// Forward with dropout off, in evaluation mode. A serialized model keeps its own parameters.
    fn probe_evaluation(&mut self, state: &State, batch: &Samples) -> Result<Probed>;
}

/// A model that was built from the graph, or a serialized one that brings its own training step.
pub trait Training: Inference {
    /// Parameters, statistics, optimizer state and random generators become as prepared.
    fn reset(&mut self) -> Result<()>;

    /// In training mode, with the loss.
    fn forward(&mut self, batch: &Self::Batch) -> Result<Step<Self::Tensor>>;

    /// Of the last forward: zeroes the gradients, goes backward, updates.
    fn backward(&mut self) -> Result<()>;

    /// All parameters and running statistics, canonical.
    fn export(&self) -> Result<Tensors>;

    /// One step from that state with dropout off, taken apart. A serialized model is never asked.
    fn probe_training(&mut self, _state: &State, _batch: &Samples) -> Result<Probed> {
        Err(Error::unsupported(TRAINING_SERIALIZED))
    }
}

/// Everything that differs between bindings.
pub trait Binding {
    type Built: Training;
    type Serialized: Inference;

    fn build(&self, job: &Job) -> Result<Self::Built>;

    /// From the framework's own file of the whole model.
    fn load(&self, job: &Job, serialized: &Path) -> Result<Self::Serialized>;

    /// In the variant `savedmodel`: runs the training on a model that can do it.
    fn train_serialized(&self, _model: &mut Self::Serialized, _training: TrainingRun) -> Result<Value> {
        Err(Error::unsupported(TRAINING_SERIALIZED))
    }

    /// What a panic with that message says: bindings may panic where they do not return errors.
    fn panicked(&self, message: String) -> Error {
        Error::internal(message)
    }
}
