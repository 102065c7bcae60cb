//! A model that was built from the graph, as the procedures of the SDK want it.

use crossbind_worker::{
    Differentiated, Error, HostTensor, Inference, Job, Pass, Probed, Result, Samples, State, Step, Tensors, Training,
};
use serde_json::{Map, Value};
use tch::Tensor;

use crate::layers::Mode;
use crate::loaders::{Batch, Batches};
use crate::native::OpenOptimizer;
use crate::network::Network;
use crate::optimizers::{self, Moments};
use crate::place::Place;
use crate::tensors::to_host;

/// Once it has been reset, it trains.
pub struct TorchModel {
    place: Place,
    network: Network,
    weights: Tensors,
    seed: u32,
    optimizer: Option<OpenOptimizer>,
    /// Of the last forward.
    loss: Option<Tensor>,
}

impl TorchModel {
    pub fn new(job: &Job) -> Result<Self> {
        let place = Place::new(job)?;
        let network = Network::build(&job.graph, place.device)?;
        network.load(&job.weights);
        let (weights, seed) = (job.weights.clone(), job.settings.seed);
        tch::manual_seed(seed.into()); // for probes with dropout; a training seeds again
        Ok(Self { place, network, weights, seed, optimizer: None, loss: None })
    }

    fn new_optimizer(&self) -> Result<OpenOptimizer> {
        optimizers::build(&self.place.graph, &self.network.parameters, self.place.device)
    }

    /// The final output, and every layer's under its name in the protocol.
    fn forward_shown(&self, batch: &Batch, mode: Mode) -> (Tensor, Tensors) {
        let mut shown = Tensors::new();
        let outputs = self.network.forward(&batch.inputs, mode, |layer, output| {
            shown.insert(format!("{layer}.out"), to_host(output));
        });
        (outputs, shown)
    }
}

impl Inference for TorchModel {
    type Batch = Batch;
    type Tensor = Tensor;
    type Batches = Batches;

    fn parameters(&self) -> usize {
        self.network.parameters.iter().map(|(_, tensor)| tensor.numel()).sum()
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
        let _no_grad = tch::no_grad_guard(); // no_grad() would leave gradients off after a panic
        Ok(self.network.forward(&batch.inputs, Mode::EVALUATION, |_, _| ()))
    }

    fn differentiate(&mut self, batch: &Batch) -> Result<Differentiated<Tensor>> {
        self.place.differentiate(batch, |inputs| Ok(self.network.forward(inputs, Mode::EVALUATION, |_, _| ())))
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

    fn probe_evaluation(&mut self, state: &State, batch: &Samples) -> Result<Probed> {
        self.network.load(&state.parameters);
        let batch = Batch::new(batch, self.place.device);
        let _no_grad = tch::no_grad_guard();
        let (outputs, mut tensors) = self.forward_shown(&batch, Mode::EVALUATION);
        tensors.append(&mut self.network.export());
        Ok(Probed { tensors, loss: self.place.loss_number(&outputs, &batch)?, fused: Vec::new() })
    }
}

impl Training for TorchModel {
    fn reset(&mut self) -> Result<()> {
        self.network.load(&self.weights);
        self.optimizer = Some(self.new_optimizer()?);
        tch::manual_seed(self.seed.into());
        Ok(())
    }

    fn forward(&mut self, batch: &Batch) -> Result<Step<Tensor>> {
        let outputs = self.network.forward(&batch.inputs, Mode::TRAINING, |_, _| ());
        let loss = self.place.loss(&outputs, batch)?;
        let step = Step { outputs: outputs.detach(), loss: loss.detach() };
        self.loss = Some(loss);
        Ok(step)
    }

    fn backward(&mut self) -> Result<()> {
        let (Some(open), Some(loss)) = (&mut self.optimizer, self.loss.take()) else {
            return Err(Error::internal("backward without reset and forward"));
        };
        open.optimizer.backward_step(&loss);
        Ok(())
    }

    fn export(&self) -> Result<Tensors> {
        Ok(self.network.export())
    }

    fn probe_training(&mut self, state: &State, batch: &Samples, dropout: bool) -> Result<Probed> {
        self.network.load(&state.parameters);
        let mut open = self.new_optimizer()?;
        let moments = Moments::set(&mut open, &self.place.graph, &self.network.parameters, state)?;
        let batch = Batch::new(batch, self.place.device);
        let (outputs, mut tensors) = self.forward_shown(&batch, Mode { train: true, dropout });
        let loss = self.place.loss(&outputs, &batch)?;
        open.optimizer.backward_step(&loss);
        tensors.extend(self.network.gradients().map(|(name, gradient)| (format!("{name}.grad"), to_host(&gradient))));
        tensors.append(&mut moments.export());
        tensors.append(&mut self.network.export());
        Ok(Probed { tensors, loss: Some(f64::try_from(loss).unwrap_or(f64::NAN)), fused: Vec::new() })
    }
}
