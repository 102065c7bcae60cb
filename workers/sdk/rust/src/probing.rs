//! One step, taken apart: reads where it starts, writes what is wanted of it.

use std::path::Path;

use serde_json::{Value, json};

use crate::data::{read_batch, read_parameters};
use crate::model::TRAINING_SERIALIZED;
use crate::requests::{Mode, Probe};
use crate::{Dtype, Error, Inference, Job, Probed, Result, State, Tensors, Training, write_safetensors};

pub fn probe<M: Training>(job: &Job, model: &mut M, id: i64, request: &Probe) -> Result<Value> {
    let batch = read_batch(&request.batch, &job.graph)?;
    if request.mode == Mode::Train && batch.targets.is_empty() {
        let needed = job.graph.targets().join(" and ");
        let message = format!("{}: a training step needs {needed}", request.batch.display());
        return Err(Error::bad_input(message));
    }
    let state = match &request.state {
        Some(path) => read_state(job, path, request)?,
        None => prepared(job, request),
    };
    let probed = match request.mode {
        Mode::Train => model.probe_training(&state, &batch, request.dropout)?,
        Mode::Eval => model.probe_evaluation(&state, &batch)?,
    };
    reply(&probed, id, request)
}

/// A serialized model shows what it does, and takes no parameters.
pub fn probe_serialized<M: Inference>(job: &Job, model: &mut M, id: i64, request: &Probe) -> Result<Value> {
    if request.mode == Mode::Train {
        return Err(Error::unsupported(TRAINING_SERIALIZED));
    }
    if request.state.is_some() {
        return Err(Error::unsupported("parameters of a serialized model"));
    }
    let batch = read_batch(&request.batch, &job.graph)?;
    reply(&model.probe_evaluation(&prepared(job, request), &batch)?, id, request)
}

fn step_number(request: &Probe) -> i64 {
    i64::try_from(request.step.get()).unwrap_or(i64::MAX)
}

fn prepared(job: &Job, request: &Probe) -> State {
    State { parameters: job.weights.clone(), moments: Tensors::new(), step: step_number(request) }
}

fn read_state(job: &Job, path: &Path, request: &Probe) -> Result<State> {
    let (parameters, others) = read_parameters(path, &job.graph)?;
    let mut moments = Tensors::new();
    for (name, values) in others {
        let Some(parameter) = moment_of(&name).and_then(|parameter| parameters.get(parameter)) else { continue };
        if values.shape() != parameter.shape() || values.dtype() != Dtype::F32 {
            let message = format!("{}: '{name}' has not the type and shape of its parameter", path.display());
            return Err(Error::bad_input(message));
        }
        moments.insert(name, values);
    }
    Ok(State { parameters, moments, step: step_number(request) })
}

/// The parameter whose moment has that name.
fn moment_of(name: &str) -> Option<&str> {
    name.strip_suffix(".state.m").or_else(|| name.strip_suffix(".state.v"))
}

fn reply(probed: &Probed, id: i64, request: &Probe) -> Result<Value> {
    if let Some(loss) = probed.loss.filter(|loss| !loss.is_finite()) {
        return Err(Error::not_finite(format!("the loss of the step is {loss}")));
    }
    let (mut found, mut fused, mut missing) = (Tensors::new(), Vec::new(), Vec::new());
    for name in &request.wanted {
        if let Some(tensor) = probed.tensors.get(name) {
            found.insert(name.clone(), tensor.clone());
        } else if probed.fused.contains(name) {
            fused.push(name);
        } else {
            missing.push(name);
        }
    }
    let path = request.directory.join(format!("{id}.safetensors"));
    write_safetensors(&path, &found)?;
    let mut reply = json!({"tensors": path, "fused": fused, "missing": missing});
    if let Some(loss) = probed.loss {
        reply["loss"] = loss.into();
    }
    Ok(reply)
}
