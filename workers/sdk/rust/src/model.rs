//! The seam between the procedures, which all workers share, and a binding. Timers run around `batches`, `forward`,
//! `backward` and `predict`: they do what a user of the binding would do there, and nothing else.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::{
    Data, Error, Graph, HostTensor, ModelFile, Pass, Result, Samples, Settings, Tensors, TrainingRun, WantedFile,
};

/// Features that most bindings lack.
pub(crate) const TRAINING_SERIALIZED: &str = "training of a serialized model";
pub(crate) const GRADIENTS_SERIALIZED: &str = "gradients of a serialized model";

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

/// What comes out of a batch, and what its inputs contribute to the loss: detached, on the device.
pub struct Differentiated<Tensor> {
    pub outputs: Tensor,
    /// Gradients by every input that is not of integers, in the order of the graph and the shape of the input.
    pub inputs: Vec<Tensor>,
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

    /// These samples as a batch, on the device. They may have no targets.
    fn on_device(&self, samples: &Samples) -> Result<Self::Batch>;

    /// The final output in evaluation mode, detached, on the device.
    fn predict(&mut self, batch: &Self::Batch) -> Result<Self::Tensor>;

    /// The same, with the gradients of the *sum* of the samples' losses. It draws nothing and leaves nothing behind.
    /// Bindings whose manifest has `queries = "gradients"` have it, for serialized models if they can.
    fn differentiate(&mut self, _batch: &Self::Batch) -> Result<Differentiated<Self::Tensor>> {
        Err(Error::unsupported(GRADIENTS_SERIALIZED))
    }

    /// Waits until the device has done all that was asked of it.
    fn synchronize(&self);

    /// As float32, canonical.
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

    /// One step from that state, taken apart; dropout is off or draws on from the probe before, at first from what was
    /// prepared. A binding that cannot draw answers `dropout in a probe`. A serialized model is never asked.
    fn probe_training(&mut self, _state: &State, _batch: &Samples, _dropout: bool) -> Result<Probed> {
        Err(Error::unsupported(TRAINING_SERIALIZED))
    }

    /// Writes the file, of a format that the manifest lists under `writes`.
    fn serialize(&self, file: &WantedFile) -> Result<()> {
        Err(Error::unsupported(format!("format {}", file.format)))
    }
}

/// Everything that differs between bindings.
pub trait Binding {
    type Built: Training;
    type Serialized: Inference;

    fn build(&self, job: &Job) -> Result<Self::Built>;

    /// From a file of the whole model, of a format that the manifest lists under `reads`.
    fn load(&self, job: &Job, serialized: &ModelFile) -> Result<Self::Serialized>;

    /// In the variant `savedmodel`: runs the training on a model that can do it.
    fn train_serialized(&self, _model: &mut Self::Serialized, _training: TrainingRun) -> Result<Value> {
        Err(Error::unsupported(TRAINING_SERIALIZED))
    }

    /// What a panic with that message says: bindings may panic where they do not return errors.
    fn panicked(&self, message: String) -> Error {
        Error::internal(message)
    }
}
