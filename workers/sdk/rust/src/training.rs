//! The training procedure: warm-up, then for each epoch load, forward and backward of each batch under the timer, and
//! evaluation outside of it.

use serde_json::{Value, json};

use crate::metrics::{count_correct, hashes, sum_of_losses};
use crate::reporter::Reporter;
use crate::requests::{Evaluate, Measure, Train, TrainingAccuracy};
use crate::stopwatch::{Part, Stopwatch};
use crate::{Error, Inference, Job, Pass, Result, Split, Step, Training, write_safetensors};

/// A training that was asked for: the procedure, for a model that is still to be named.
pub struct TrainingRun<'a, 'c> {
    pub(crate) job: &'a Job,
    pub(crate) request: &'a Train,
    pub(crate) reporter: &'a mut Reporter<'c>,
}

impl TrainingRun<'_, '_> {
    pub fn run(self, model: &mut impl Training) -> Result<Value> {
        train(self.job, model, self.request, self.reporter)
    }
}

/// Always starts from what was prepared, and leaves the trained model behind.
pub fn train<M: Training>(job: &Job, model: &mut M, request: &Train, reporter: &mut Reporter) -> Result<Value> {
    let order = job.order.as_ref().ok_or_else(|| Error::bad_request("the worker was prepared without an order"))?;
    let split = job.data.train()?;
    let batch_size = job.settings.batch_size.get();
    let pass = |ids| Pass { split, ids, in_file_order: false, batch_size };
    model.reset()?;
    if job.settings.warmup_steps > 0 {
        warm_up(model, pass(&order[0]).first(job.settings.warmup_steps), reporter)?;
    }
    let mut steps = 0;
    for (epoch, ids) in (1..).zip(order) {
        let mut trainer = Epoch { job, number: epoch, pass: pass(ids), evidence: request.evidence, reporter };
        let mut metrics = trainer.run(model)?;
        if let Some(test) = job.data.test.as_ref().filter(|_| is_evaluated(job, epoch)) {
            let scores = evaluate(job, model, test, reporter)?;
            metrics["test_accuracy"] = scores.accuracy.into();
            metrics["test_loss"] = scores.loss.into();
        }
        reporter.event("epoch", metrics)?;
        steps += ids.len().div_ceil(batch_size);
    }
    if let Some(path) = &request.save {
        write_safetensors(path, &model.export()?)?;
    }
    Ok(json!({"steps": steps}))
}

fn is_evaluated(job: &Job, epoch: usize) -> bool {
    job.settings.evaluate == Evaluate::EveryEpoch || epoch == job.settings.epochs.get()
}

fn warm_up<M: Training>(model: &mut M, pass: Pass, reporter: &mut Reporter) -> Result<()> {
    let mut watch = Stopwatch::start(model, true);
    let mut loader = model.batches(pass)?;
    for _ in pass.batches() {
        step(model, &mut loader, &mut watch)?;
        reporter.check_cancelled()?;
        watch.mark();
    }
    reporter.event("timings", json!({"phase": "warmup", "steps_ns": watch.steps()}))?;
    model.reset()
}

fn step<M: Training>(
    model: &mut M,
    loader: &mut M::Batches,
    watch: &mut Stopwatch,
) -> Result<(M::Batch, Step<M::Tensor>)> {
    let batch = next_batch::<M>(loader)?;
    watch.lap(model, Part::Load);
    let step = model.forward(&batch)?;
    watch.lap(model, Part::Forward);
    model.backward()?;
    watch.lap(model, Part::Backward);
    Ok((batch, step))
}

pub fn next_batch<M: Inference>(loader: &mut M::Batches) -> Result<M::Batch> {
    loader.next().unwrap_or_else(|| Err(Error::internal("the loader has too few batches")))
}

/// What stays the same during one epoch.
struct Epoch<'a, 'c> {
    job: &'a Job,
    number: usize,
    pass: Pass<'a>,
    evidence: i64,
    reporter: &'a mut Reporter<'c>,
}

impl Epoch<'_, '_> {
    /// The members of the `epoch` event.
    fn run<M: Training>(&mut self, model: &mut M) -> Result<Value> {
        let is_running = self.job.settings.training_accuracy == TrainingAccuracy::Running;
        let steps = self.pass.batches().len();
        // Losses and outputs are read when the timer has stopped: reading waits for the device.
        let (mut losses, mut outputs) = (Vec::with_capacity(steps), Vec::new());
        let mut watch = Stopwatch::start(model, self.job.settings.measure == Measure::Parts);
        let mut loader = model.batches(self.pass)?;
        for (batch_number, ids) in self.pass.batches().enumerate() {
            let (batch, step) = step(model, &mut loader, &mut watch)?;
            losses.push(step.loss);
            if is_running {
                outputs.push(step.outputs);
            }
            if self.evidence < 0 || usize::try_from(self.evidence).is_ok_and(|shown| batch_number < shown) {
                watch.pause(model, || self.show(model, batch_number, ids, &batch))?;
            }
            self.reporter.progress(self.number, batch_number + 1, steps)?;
            self.reporter.check_cancelled()?;
            watch.mark();
        }
        let mut timings = watch.stop(model);
        timings["phase"] = "train".into();
        timings["epoch"] = self.number.into();
        self.reporter.event("timings", timings)?;
        let loss = self.mean_loss(model, &losses)?;
        let train_accuracy = if is_running {
            self.running_accuracy(model, &outputs)?
        } else {
            evaluate(self.job, model, self.pass.split, self.reporter)?.accuracy
        };
        Ok(json!({"epoch": self.number, "loss": loss, "train_accuracy": train_accuracy}))
    }

    fn show<M: Training>(&mut self, model: &M, number: usize, ids: &[i64], batch: &M::Batch) -> Result<()> {
        let found = hashes(&model.reached(batch)?);
        let members = json!({
            "epoch": self.number, "batch": number, "count": ids.len(), "ids": ids,
            "inputs_sha256": found.inputs, "labels_sha256": found.labels,
        });
        self.reporter.event("batch", members)
    }

    fn mean_loss<M: Training>(&self, model: &M, losses: &[M::Tensor]) -> Result<f64> {
        let mut total = 0.0;
        for (number, (ids, tensor)) in (1..).zip(self.pass.batches().zip(losses)) {
            let loss = f64::from(model.to_host(tensor)?.f32s().next().unwrap_or(f32::NAN));
            if !loss.is_finite() {
                let message = format!("the loss of step {number} in epoch {} is {loss}", self.number);
                return Err(Error::not_finite(message));
            }
            total += loss * as_f64(ids.len());
        }
        Ok(total / as_f64(self.pass.split.size))
    }

    fn running_accuracy<M: Training>(&self, model: &M, outputs: &[M::Tensor]) -> Result<f64> {
        let mut correct = 0;
        for (ids, output) in self.pass.batches().zip(outputs) {
            correct += count_correct(&model.to_host(output)?, &self.pass.split.targets(ids))?;
        }
        Ok(as_f64(correct) / as_f64(self.pass.split.size))
    }
}

/// Means over a whole split, in evaluation mode.
struct Scores {
    accuracy: f64,
    loss: f64,
}

fn evaluate<M: Inference>(job: &Job, model: &mut M, split: &Split, reporter: &Reporter) -> Result<Scores> {
    let ids = split.in_file_order();
    let pass = Pass { split, ids: &ids, in_file_order: true, batch_size: job.settings.batch_size.get() };
    let mut loader = model.batches(pass)?;
    let (mut correct, mut loss) = (0, 0.0);
    for ids in pass.batches() {
        let outputs = model.predict(&next_batch::<M>(&mut loader)?)?;
        let (outputs, targets) = (model.to_host(&outputs)?, split.targets(ids));
        correct += count_correct(&outputs, &targets)?;
        loss += sum_of_losses(job.graph.loss(), &outputs, &targets)?;
        reporter.check_cancelled()?;
    }
    let samples = as_f64(split.size);
    Ok(Scores { accuracy: as_f64(correct) / samples, loss: loss / samples })
}

/// Numbers of samples are far below 2^53.
#[allow(clippy::cast_precision_loss)]
pub fn as_f64(count: usize) -> f64 {
    count as f64
}
