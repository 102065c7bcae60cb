//! The inference procedure: load and forward of the whole test set under the timer, after a warm-up.

use serde_json::{Value, json};

use crate::metrics::count_correct;
use crate::reporter::Reporter;
use crate::requests::{Infer, Measure};
use crate::stopwatch::{Part, Stopwatch};
use crate::training::{as_f64, next_batch};
use crate::{HostTensor, Inference, Job, Pass, Result, Tensors, write_safetensors};

pub fn infer<M: Inference>(job: &Job, model: &mut M, request: &Infer, reporter: &mut Reporter) -> Result<Value> {
    let split = job.data.test()?;
    let ids = split.in_file_order();
    let pass = Pass { split, ids: &ids, in_file_order: true, batch_size: job.settings.batch_size.get() };

    if job.settings.warmup_steps > 0 {
        let mut watch = Stopwatch::start(model, true);
        forward_all(model, pass.first(job.settings.warmup_steps), &mut watch, reporter)?;
        reporter.event("timings", json!({"phase": "warmup", "steps_ns": watch.steps()}))?;
    }

    let mut watch = Stopwatch::start(model, job.settings.measure == Measure::Parts);
    let on_device = forward_all(model, pass, &mut watch, reporter)?;
    let mut timings = watch.stop(model);
    timings["phase"] = "infer".into();
    reporter.event("timings", timings)?;

    let outputs = on_device.iter().map(|tensor| model.to_host(tensor)).collect::<Result<Vec<_>>>()?;
    let mut correct = 0;
    for (ids, rows) in pass.batches().zip(&outputs) {
        correct += count_correct(rows, &split.targets(ids))?;
    }
    if let Some(path) = &request.outputs {
        write_safetensors(path, &Tensors::from([("outputs".into(), concatenated(&outputs, split.size))]))?;
    }
    Ok(json!({"samples": split.size, "accuracy": as_f64(correct) / as_f64(split.size)}))
}

fn forward_all<M: Inference>(
    model: &mut M,
    pass: Pass,
    watch: &mut Stopwatch,
    reporter: &Reporter,
) -> Result<Vec<M::Tensor>> {
    let mut loader = model.batches(pass)?;
    let mut outputs = Vec::with_capacity(pass.batches().len());
    for _ in pass.batches() {
        let batch = next_batch::<M>(&mut loader)?;
        watch.lap(model, Part::Load);
        outputs.push(model.predict(&batch)?);
        watch.lap(model, Part::Forward);
        reporter.check_cancelled()?;
        watch.mark();
    }
    Ok(outputs)
}

fn concatenated(outputs: &[HostTensor], rows: usize) -> HostTensor {
    let mut shape = outputs[0].shape().to_vec();
    shape[0] = rows;
    let bytes = outputs.iter().flat_map(HostTensor::bytes).copied().collect();
    HostTensor::new(outputs[0].dtype(), shape, bytes)
}
