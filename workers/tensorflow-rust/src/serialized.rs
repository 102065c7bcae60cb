//! A model that came as a SavedModel. It infers, and trains where the folder brings a training step of its own. The
//! native library cannot differentiate it: its gradient of a call fails where the call reads variables.

use std::path::{Path, PathBuf};

use crossbind_worker::{
    Error, HostTensor, Inference, Job, Pass, Probed, Result, Samples, State, Step, Tensors, Training,
};
use serde_json::{Map, Value as Json};
use tensorflow::{DataType, Output, SavedModelBundle, Scope, Session};

use crate::errors::failure;
use crate::loaders::{Batch, Batches};
use crate::losses;
use crate::network::placeholder;
use crate::place::{Place, shown};
use crate::running::{options, run, run_with_text};
use crate::signatures::{Function, Restore, Signatures};
use crate::values::Value;

pub struct SavedModel {
    place: Place,
    path: PathBuf,
    scope: Scope,
    session: Session,
    restore: Restore,
    predict: Function,
    /// Gives the parameters in the order of the graph, canonical.
    parameters: Function,
    train_step: Option<Function>,
    /// Of what is predicted, with where the targets go; made when it is first needed.
    loss: Option<Function>,
}

impl SavedModel {
    pub fn new(job: &Job, path: &Path) -> Result<Self> {
        let place = Place::new(job)?;
        let bad = |reason: String| Error::bad_input(format!("{}: {reason}", path.display()));
        let mut scope = Scope::new_root_scope();
        let bundle = SavedModelBundle::load(&options(place.threads)?, ["serve"], &mut scope.graph_mut(), path);
        let bundle = bundle.map_err(|status| bad(status.to_string()))?;
        let graph = scope.graph();
        let found = Signatures { graph: &graph, meta: bundle.meta_graph_def() };
        let inputs: Vec<&str> = job.graph.inputs.iter().map(|input| input.name.as_str()).collect();
        let predict = found.function("serving_default", &inputs, &["outputs"]).map_err(bad)?;
        let parameters = found.parameters(&job.graph).map_err(bad)?;
        let inputs = [&inputs, job.graph.targets()].concat();
        let train_step = found.optional_function("train_step", &inputs, &["outputs", "loss"]).map_err(bad)?;
        let restore = found.restore().map_err(bad)?;
        let (path, scope, session) = (path.to_path_buf(), scope.new_sub_scope("crossbind"), bundle.session);
        Ok(Self { place, path, scope, session, restore, predict, parameters, train_step, loss: None })
    }

    fn call<'a>(&self, function: &'a Function, given: impl IntoIterator<Item = &'a Value>) -> Result<Vec<Value>> {
        run(&self.session, function.inputs.iter().zip(given), &function.outputs, [])
    }

    fn build_loss(&mut self) -> Result<Function> {
        let targets = self.place.graph.targets().iter();
        let targets = targets.map(|_| placeholder(&mut self.scope, DataType::Int64, vec![None]));
        let targets = targets.collect::<tensorflow::Result<Vec<Output>>>().map_err(failure)?;
        let outputs = self.predict.outputs[0].clone();
        let loss = losses::build(&mut self.scope, &self.place.graph, outputs.clone(), &targets)?;
        Ok(Function { inputs: [&self.predict.inputs[..], &targets].concat(), outputs: vec![outputs, loss] })
    }

    fn train_step(&self) -> Result<&Function> {
        let path = self.path.display();
        let lacking = || format!("{path}: the model has no signature 'train_step': it was not serialized for training");
        self.train_step.as_ref().ok_or_else(|| Error::bad_input(lacking()))
    }
}

impl Inference for SavedModel {
    type Batch = Batch;
    type Tensor = Value;
    type Batches = Batches;

    fn parameters(&self) -> usize {
        self.place.graph.parameters().map(|parameter| parameter.shape.iter().product::<usize>()).sum()
    }

    fn effective(&self) -> Map<String, Json> {
        Map::new()
    }

    fn batches(&self, pass: Pass) -> Result<Batches> {
        self.place.batches(pass)
    }

    fn on_device(&self, samples: &Samples) -> Result<Batch> {
        Ok(Batch::new(samples))
    }

    fn predict(&mut self, batch: &Batch) -> Result<Value> {
        let mut outputs = self.call(&self.predict, &batch.inputs)?;
        outputs.pop().ok_or_else(|| Error::internal("a call without an output"))
    }

    /// On a processor TensorFlow computes before it returns.
    fn synchronize(&self) {}

    fn to_host(&self, value: &Value) -> Result<HostTensor> {
        Ok(shown(value))
    }

    fn reached(&self, batch: &Batch) -> Result<Samples> {
        Ok(self.place.reached(batch))
    }

    /// Shows the last layer alone: the others are inside of the model.
    fn probe_evaluation(&mut self, _: &State, batch: &Samples) -> Result<Probed> {
        let batch = Batch::new(batch);
        let has_targets = !batch.targets.is_empty();
        if has_targets && self.loss.is_none() {
            self.loss = Some(self.build_loss()?);
        }
        let function = self.loss.as_ref().filter(|_| has_targets).unwrap_or(&self.predict);
        let values = self.call(function, batch.inputs.iter().chain(&batch.targets))?;
        let last = self.place.graph.nodes.last().map(|node| format!("{}.out", node.name)).unwrap_or_default();
        let tensors = Tensors::from([(last, shown(&values[0]))]);
        Ok(Probed { tensors, loss: values.get(1).map(Value::number), fused: Vec::new() })
    }
}

impl Training for SavedModel {
    /// Reads the folder's variables again, those of the optimizer too. What has been made ready to run stays.
    fn reset(&mut self) -> Result<()> {
        self.train_step()?;
        let values = self.path.join("variables").join("variables");
        run_with_text(&self.session, &self.restore.path, &values.to_string_lossy(), &self.restore.operation)
    }

    fn forward(&mut self, batch: &Batch) -> Result<Step<Value>> {
        let values = self.call(self.train_step()?, batch.inputs.iter().chain(&batch.targets))?;
        let [outputs, loss] = <[Value; 2]>::try_from(values).map_err(|_| Error::internal("a step without outputs"))?;
        Ok(Step { outputs, loss })
    }

    /// It was in the call of the step.
    fn backward(&mut self) -> Result<()> {
        Ok(())
    }

    fn export(&self) -> Result<Tensors> {
        let values = self.call(&self.parameters, [])?;
        let names = self.place.graph.parameters().map(|parameter| parameter.name.clone());
        Ok(names.zip(values.iter().map(Value::to_host)).collect())
    }
}
