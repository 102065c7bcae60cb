//! The whole model as a file that other programs load: what is asked for, checked and read.

use serde_json::{Value, json};

use crate::data::read_batch;
use crate::requests::Serialization;
use crate::{Hello, Job, Result, Training, WantedFile};

pub fn serialize<M: Training>(hello: &Hello, job: &Job, model: &M, request: &Serialization) -> Result<Value> {
    let format = hello.written_format(request.format)?;
    if request.training {
        hello.check_training(&job.graph)?;
    }
    let calibration = request.calibration.as_deref().map(|path| read_batch(path, &job.graph)).transpose()?;
    let &Serialization { precision, training, optimizer, .. } = request;
    let path = request.path.to_path_buf();
    model.serialize(&WantedFile { path, format, precision, training, optimizer, calibration })?;
    Ok(json!({}))
}
