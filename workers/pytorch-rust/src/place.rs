//! Where a model runs and what it is fed from, however it came here: from parameters or from a TorchScript file.

use crossbind_worker::{
    Differentiated, Error, Graph, HostTensor, Input, Job, Node, Pass, Result, Samples, Split, Target,
};
use serde_json::{Map, Value};
use tch::{Cuda, Device, Kind, Tensor};

use crate::errors::failure;
use crate::loaders::{Batch, Batches, Loader};
use crate::losses::criterion;
use crate::tensors::to_host;

pub struct Place {
    pub graph: Graph,
    pub device: Device,
    /// Every setting that is not as requested.
    pub effective: Map<String, Value>,
    train: Option<Loader>,
    test: Option<Loader>,
}

impl Place {
    pub fn new(job: &Job) -> Result<Self> {
        let device = device(&job.settings.device)?;
        let loader = |split: &Option<Split>| {
            let split = split.as_ref()?;
            Some(Loader::new(job.settings.loader, &split.samples, device))
        };
        Ok(Self {
            graph: job.graph.clone(),
            device,
            effective: set_threads(job.settings.threads.get()),
            train: loader(&job.data.train),
            test: loader(&job.data.test),
        })
    }

    pub fn batches(&self, pass: Pass) -> Result<Batches> {
        let loader = if pass.split.name == "train" { &self.train } else { &self.test };
        let loader = loader.as_ref().ok_or_else(|| Error::internal("a split without a loader"))?;
        Ok(loader.batches(pass))
    }

    pub fn loss(&self, outputs: &Tensor, batch: &Batch) -> Result<Tensor> {
        Ok(criterion(self.graph.loss())?(outputs, &batch.targets))
    }

    /// None where the batch has no targets.
    pub fn loss_number(&self, outputs: &Tensor, batch: &Batch) -> Result<Option<f64>> {
        if batch.targets.is_empty() {
            return Ok(None);
        }
        Ok(f64::try_from(self.loss(outputs, batch)?).ok())
    }

    /// From the inputs forward and back to those that are not of integers. No parameter gets a gradient.
    pub fn differentiate(
        &self,
        batch: &Batch,
        forward: impl FnOnce(&[Tensor]) -> Result<Tensor>,
    ) -> Result<Differentiated<Tensor>> {
        let leaf = |input: &Tensor| input.detach().set_requires_grad(input.kind() == Kind::Float);
        let leaves: Vec<Tensor> = batch.inputs.iter().map(leaf).collect();
        let outputs = forward(&leaves)?;
        let total = self.loss(&outputs, batch)? * outputs.size()[0];
        let wanted: Vec<&Tensor> = leaves.iter().filter(|leaf| leaf.requires_grad()).collect();
        let found = Tensor::f_run_backward(&[total], &wanted, false, false);
        let found = found.map_err(|error| failure(&error.to_string()))?.into_iter().zip(wanted);
        let or_zeros = |(gradient, leaf): (Tensor, &Tensor)| {
            if gradient.defined() { gradient } else { leaf.detach().zeros_like() }
        };
        Ok(Differentiated { outputs: outputs.detach(), inputs: found.map(or_zeros).collect() })
    }

    pub fn is_recurrent_on_gpu(&self) -> bool {
        let is_recurrent = |node: &Node| matches!(node.kind.as_str(), "lstm" | "gru");
        self.device.is_cuda() && self.graph.nodes.iter().any(is_recurrent)
    }

    pub fn synchronize(&self) {
        if let Device::Cuda(index) = self.device {
            Cuda::synchronize(i64::try_from(index).expect("devices are few"));
        }
    }

    /// The batch back on the host, under its names.
    pub fn reached(&self, batch: &Batch) -> Samples {
        let inputs = self.graph.inputs.iter().zip(&batch.inputs);
        let targets = self.graph.targets().iter().zip(&batch.targets);
        let numbers = |tensor: &Tensor| -> Vec<i64> { HostTensor::i64s(&to_host(tensor)).collect() };
        Samples {
            inputs: inputs.map(|(given, tensor)| Input { name: given.name.clone(), values: to_host(tensor) }).collect(),
            targets: targets.map(|(&name, tensor)| Target { name: name.into(), values: numbers(tensor) }).collect(),
        }
    }
}

fn device(name: &str) -> Result<Device> {
    match name {
        "cuda" if Cuda::is_available() => Ok(Device::Cuda(0)),
        "cuda" => Err(Error::unsupported("device cuda")),
        _ => Ok(Device::Cpu),
    }
}

/// What is in effect, where it is not what was asked for.
fn set_threads(threads: usize) -> Map<String, Value> {
    tch::set_num_threads(i32::try_from(threads).unwrap_or(i32::MAX));
    let effective = tch::get_num_threads();
    let differs = usize::try_from(effective) != Ok(threads);
    differs.then(|| ("threads".to_owned(), effective.into())).into_iter().collect()
}
