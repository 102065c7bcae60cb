//! A batch in, outputs back, and where they are wanted the gradients of its inputs. Nothing else happens.

use serde_json::{Value, json};

use crate::data::read_batch;
use crate::metrics::check_finite;
use crate::requests::Query;
use crate::{Differentiated, Error, Inference, Job, Result, Tensors, write_safetensors};

pub fn query<M: Inference>(job: &Job, model: &mut M, request: &Query) -> Result<Value> {
    let samples = read_batch(&request.batch, &job.graph)?;
    if request.gradients && samples.targets.is_empty() {
        let needed = job.graph.targets().join(" and ");
        return Err(Error::bad_input(format!("{}: gradients need {needed}", request.batch.display())));
    }
    let batch = model.on_device(&samples)?;
    let differentiable: Vec<&str> = job.graph.differentiable_inputs().map(|input| input.name.as_str()).collect();
    let Differentiated { outputs, inputs } = if request.gradients && !differentiable.is_empty() {
        model.differentiate(&batch)?
    } else {
        Differentiated { outputs: model.predict(&batch)?, inputs: Vec::new() }
    };
    let outputs = model.to_host(&outputs)?;
    check_finite(&outputs)?;
    let mut answer = Tensors::from([("outputs".into(), outputs)]);
    for (name, gradient) in differentiable.iter().zip(&inputs) {
        answer.insert(format!("{name}.grad"), model.to_host(gradient)?);
    }
    write_safetensors(&request.answer, &answer)?;
    Ok(json!({}))
}
