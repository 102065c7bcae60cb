//! A model that was built from the graph, as the procedures of the SDK want it.

use crossbind_worker::{
    Differentiated, Error, HostTensor, Inference, Job, Node, Parameter, Pass, Probed, Result, Samples, State, Step,
    Tensors, Training,
};
use serde_json::{Map, Value as Json};
use tensorflow::{Operation, Output, Scope, Session};

use crate::gradients::by_inputs;
use crate::layers::Mode;
use crate::loaders::{Batch, Batches};
use crate::losses;
use crate::network::{Feeds, Network};
use crate::optimizers::{Barrier, Sgd};
use crate::place::{Place, shown};
use crate::running::{open, run};
use crate::values::Value;
use crate::variables::{Held, hold, load, read};

/// Evaluation is there at once; a training step and a probed one are added to the graph when they are first needed.
pub struct BuiltModel {
    place: Place,
    scope: Scope,
    session: Session,
    feeds: Feeds,
    parameters: Vec<Held>,
    evaluation: Network,
    /// In mode `eval`, where there are targets.
    evaluation_loss: Option<Output>,
    /// Of the sum of the samples' losses in evaluation mode, by each input that is not of integers.
    input_gradients: Option<Vec<Output>>,
    /// One for each parameter that is trained, if the optimizer has any.
    moments: Option<Vec<Held>>,
    training: Option<TrainingStep>,
    probed: Option<TrainingStep>,
    weights: Tensors,
    seed: u32,
    barrier: Barrier,
    /// How often dropout has drawn since all was as prepared.
    draws: i64,
}

/// One call of the session.
struct TrainingStep {
    network: Network,
    loss: Output,
    gradients: Vec<Output>,
    update: Operation,
}

impl BuiltModel {
    pub fn new(job: &Job, barrier: Barrier) -> Result<Self> {
        let place = Place::new(job)?;
        let mut scope = Scope::new_root_scope();
        let feeds = Feeds::new(&mut scope, &job.graph)?;
        let parameters = hold(&mut scope, of_layers(&job.graph.nodes))?;
        let seed = job.settings.seed;
        let evaluation = Network::build(&mut scope, &job.graph, &feeds, &parameters, Mode::EVALUATION, seed)?;
        let session = open(&scope.graph(), place.threads)?;
        let mut model = Self {
            place,
            scope,
            session,
            feeds,
            parameters,
            evaluation,
            evaluation_loss: None,
            input_gradients: None,
            moments: None,
            training: None,
            probed: None,
            weights: job.weights.clone(),
            seed,
            barrier,
            draws: 0,
        };
        model.load(&job.weights)?;
        Ok(model)
    }

    fn load(&mut self, values: &Tensors) -> Result<()> {
        load(&self.session, &self.parameters, |parameter| values[&parameter.name].clone())
    }

    fn load_moments(&self, values: &Tensors) -> Result<()> {
        let value = |parameter: &Parameter| match values.get(&moment_name(parameter)) {
            Some(values) => values.clone(),
            None => HostTensor::from_f32(parameter.shape.clone(), &vec![0.0; parameter.shape.iter().product()]),
        };
        load(&self.session, self.moments.as_deref().unwrap_or_default(), value)
    }

    fn build_step(&mut self, mode: Mode) -> Result<TrainingStep> {
        let (graph, scope) = (&self.place.graph, &mut self.scope);
        let optimizer = Sgd::new(graph)?;
        let network = Network::build(scope, graph, &self.feeds, &self.parameters, mode, self.seed)?;
        let loss = losses::build(scope, graph, network.last().clone(), &self.feeds.targets)?;
        let trained: Vec<&Held> = self.parameters.iter().filter(|each| each.parameter.trainable).collect();
        let gradients = optimizer.gradients(scope, loss.clone(), &trained)?;
        if self.moments.is_none() && optimizer.has_momentum() {
            let trainable = of_layers(&graph.nodes).filter(|(_, parameter)| parameter.trainable);
            self.moments = Some(hold(scope, trainable)?);
        }
        let moments = self.moments.as_deref().unwrap_or_default();
        let update = optimizer.update(scope, &gradients, &trained, moments, self.barrier)?;
        Ok(TrainingStep { network, loss, gradients, update })
    }

    fn build_input_gradients(&mut self) -> Result<Vec<Output>> {
        let (graph, scope) = (&self.place.graph, &mut self.scope);
        let total = losses::build_total(scope, graph, self.evaluation.last().clone(), &self.feeds.targets)?;
        let inputs = graph.inputs.iter().zip(&self.feeds.inputs).filter(|(input, _)| input.entries.is_none());
        let inputs: Vec<Output> = inputs.map(|(_, fed)| fed.clone()).collect();
        by_inputs(scope, total, &inputs)
    }

    fn export_parameters(&self) -> Result<Tensors> {
        let values = read(&self.session, &self.parameters)?;
        Ok(values.into_iter().map(|(parameter, values)| (parameter.name.clone(), values)).collect())
    }

    fn export_moments(&self) -> Result<Tensors> {
        let values = read(&self.session, self.moments.as_deref().unwrap_or_default())?;
        Ok(values.into_iter().map(|(parameter, values)| (moment_name(parameter), values)).collect())
    }

    /// The outputs of all layers under their names in the protocol.
    fn named_outputs<'a>(&'a self, values: &'a [Value]) -> impl Iterator<Item = (String, HostTensor)> + 'a {
        let names = self.place.graph.nodes.iter().map(|node| format!("{}.out", node.name));
        names.zip(values.iter().map(shown))
    }
}

/// Every parameter of the graph, with its layer.
fn of_layers(nodes: &[Node]) -> impl Iterator<Item = (&Node, &Parameter)> {
    nodes.iter().flat_map(|node| node.parameters.iter().map(move |parameter| (node, parameter)))
}

fn moment_name(parameter: &Parameter) -> String {
    format!("{}.state.m", parameter.name)
}

impl TrainingStep {
    /// Its outputs are whatever is fetched.
    fn run<'a>(
        &'a self,
        session: &Session,
        feeds: &'a Feeds,
        batch: &'a Batch,
        number: &'a Value,
        fetched: impl IntoIterator<Item = &'a Output>,
    ) -> Result<Vec<Value>> {
        let inputs = feeds.inputs.iter().zip(&batch.inputs).chain(feeds.targets.iter().zip(&batch.targets));
        let targets = self.network.updates.iter().chain([&self.update]);
        run(session, inputs.chain([(&feeds.step, number)]), fetched, targets)
    }
}

impl Inference for BuiltModel {
    type Batch = Batch;
    type Tensor = Value;
    type Batches = Batches;

    fn parameters(&self) -> usize {
        self.parameters.iter().map(|each| each.parameter.shape.iter().product::<usize>()).sum()
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
        let inputs = self.feeds.inputs.iter().zip(&batch.inputs);
        let mut outputs = run(&self.session, inputs, [self.evaluation.last()], [])?;
        outputs.pop().ok_or_else(|| Error::internal("a call without an output"))
    }

    fn differentiate(&mut self, batch: &Batch) -> Result<Differentiated<Value>> {
        if self.input_gradients.is_none() {
            self.input_gradients = Some(self.build_input_gradients()?);
        }
        let feeds = self.feeds.inputs.iter().zip(&batch.inputs).chain(self.feeds.targets.iter().zip(&batch.targets));
        let fetched = self.input_gradients.iter().flatten().chain([self.evaluation.last()]);
        let mut inputs = run(&self.session, feeds, fetched, [])?;
        let outputs = inputs.pop().ok_or_else(|| Error::internal("a call without an output"))?;
        Ok(Differentiated { outputs, inputs })
    }

    /// On a processor TensorFlow computes before it returns.
    fn synchronize(&self) {}

    fn to_host(&self, value: &Value) -> Result<HostTensor> {
        Ok(shown(value))
    }

    fn reached(&self, batch: &Batch) -> Result<Samples> {
        Ok(self.place.reached(batch))
    }

    fn probe_evaluation(&mut self, state: &State, batch: &Samples) -> Result<Probed> {
        self.load(&state.parameters)?;
        let batch = Batch::new(batch);
        let has_targets = !batch.targets.is_empty();
        if has_targets && self.evaluation_loss.is_none() {
            let outputs = self.evaluation.last().clone();
            let loss = losses::build(&mut self.scope, &self.place.graph, outputs, &self.feeds.targets)?;
            self.evaluation_loss = Some(loss);
        }
        let loss = self.evaluation_loss.as_ref().filter(|_| has_targets);
        let feeds = self.feeds.inputs.iter().zip(&batch.inputs).chain(self.feeds.targets.iter().zip(&batch.targets));
        let values = run(&self.session, feeds, self.evaluation.outputs.iter().chain(loss), [])?;
        let loss = loss.and(values.last()).map(Value::number);
        let mut tensors: Tensors = self.named_outputs(&values).collect();
        tensors.append(&mut self.export_parameters()?);
        Ok(Probed { tensors, loss, fused: Vec::new() })
    }
}

impl Training for BuiltModel {
    fn reset(&mut self) -> Result<()> {
        if self.training.is_none() {
            self.training = Some(self.build_step(Mode::TRAINING)?);
        }
        self.draws = 0;
        self.load_moments(&Tensors::new())?;
        load(&self.session, &self.parameters, |parameter| self.weights[&parameter.name].clone())
    }

    /// All of the step: a second call for its second part would go forward again.
    fn forward(&mut self, batch: &Batch) -> Result<Step<Value>> {
        let step = self.training.as_ref().ok_or_else(|| Error::internal("forward without reset"))?;
        let fetched = [step.network.last(), &step.loss];
        let number = Value::from_i64s(&[self.draws]);
        let values = step.run(&self.session, &self.feeds, batch, &number, fetched)?;
        self.draws += 1;
        let [outputs, loss] = <[Value; 2]>::try_from(values).map_err(|_| Error::internal("a step without outputs"))?;
        Ok(Step { outputs, loss })
    }

    fn backward(&mut self) -> Result<()> {
        Ok(())
    }

    fn export(&self) -> Result<Tensors> {
        self.export_parameters()
    }

    fn probe_training(&mut self, state: &State, batch: &Samples, dropout: bool) -> Result<Probed> {
        if dropout && self.training.is_none() {
            self.training = Some(self.build_step(Mode::TRAINING)?);
        }
        if !dropout && self.probed.is_none() {
            self.probed = Some(self.build_step(Mode::PROBED_TRAINING)?);
        }
        self.load(&state.parameters)?;
        self.load_moments(&state.moments)?;
        let step = if dropout { &self.training } else { &self.probed };
        let step = step.as_ref().ok_or_else(|| Error::internal("it was just built"))?;
        let fetched = step.network.outputs.iter().chain(&step.gradients).chain([&step.loss]);
        let (batch, number) = (Batch::new(batch), Value::from_i64s(&[self.draws]));
        let values = step.run(&self.session, &self.feeds, &batch, &number, fetched)?;
        self.draws += i64::from(dropout);
        let (layers, gradients) = values.split_at(step.network.outputs.len());
        let mut tensors: Tensors = self.named_outputs(layers).collect();
        let trained = self.parameters.iter().filter(|each| each.parameter.trainable);
        tensors.extend(
            trained
                .zip(gradients)
                .map(|(each, value)| (format!("{}.grad", each.parameter.name), each.to_canonical(value))),
        );
        tensors.append(&mut self.export_moments()?);
        tensors.append(&mut self.export_parameters()?);
        Ok(Probed { tensors, loss: values.last().map(Value::number), fused: Vec::new() })
    }
}
