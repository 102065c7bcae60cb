//! What a model is fed from, however it came here: from parameters or from a SavedModel.

use crossbind_worker::{Error, Graph, HostTensor, Input, Job, Pass, Result, Samples, Split, Target};

use crate::layouts::images_to_canonical;
use crate::loaders::{Batch, Batches, Loader};
use crate::values::Value;

pub struct Place {
    pub graph: Graph,
    pub threads: usize,
    train: Option<Loader>,
    test: Option<Loader>,
}

impl Place {
    pub fn new(job: &Job) -> Result<Self> {
        let threads = job.settings.threads.get();
        let loader = |split: &Option<Split>| {
            let samples = split.as_ref().map(|split| &split.samples);
            samples.map(|samples| Loader::new(job.settings.loader, samples, threads)).transpose()
        };
        let (train, test) = (loader(&job.data.train)?, loader(&job.data.test)?);
        Ok(Self { graph: job.graph.clone(), threads, train, test })
    }

    pub fn batches(&self, pass: Pass) -> Result<Batches> {
        let loader = if pass.split.name == "train" { &self.train } else { &self.test };
        let loader = loader.as_ref().ok_or_else(|| Error::internal("a split without a loader"))?;
        Ok(loader.batches(pass))
    }

    /// The batch as crossbind has it, under its names.
    pub fn reached(&self, batch: &Batch) -> Samples {
        let inputs = self.graph.inputs.iter().zip(&batch.inputs);
        let targets = self.graph.targets().iter().zip(&batch.targets);
        let numbers = |value: &Value| -> Vec<i64> { value.to_host().i64s().collect() };
        Samples {
            inputs: inputs.map(|(given, value)| Input { name: given.name.clone(), values: shown(value) }).collect(),
            targets: targets.map(|(&name, value)| Target { name: name.into(), values: numbers(value) }).collect(),
        }
    }
}

/// What a layer gave or was given, canonical.
pub fn shown(value: &Value) -> HostTensor {
    images_to_canonical(&value.to_host())
}
