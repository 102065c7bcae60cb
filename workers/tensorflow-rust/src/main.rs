//! The worker tensorflow/rust: TensorFlow through the crate of its own project.
//!
//! `--unsafe-ref-variables` leaves out what keeps updates behind the backward pass (`optimizers.rs`), as a user of the
//! crate would who does not know about it: its trainings are wrong, and conformance tests must find that.

mod errors;
mod gradients;
mod layers;
mod layouts;
mod loaders;
mod losses;
mod model;
#[cfg(test)]
mod model_test;
mod network;
mod optimizers;
mod place;
mod running;
mod sequences;
mod serialized;
mod signatures;
mod values;
mod variables;
mod windows;

use std::env;
use std::process::ExitCode;

use crossbind_worker::{Binding, Hello, Job, ModelFile, Result, TrainingRun, serve};
use serde_json::Value as Json;

use model::BuiltModel;
use optimizers::Barrier;
use serialized::SavedModel;

struct TensorFlow {
    barrier: Barrier,
}

impl Binding for TensorFlow {
    type Built = BuiltModel;
    type Serialized = SavedModel;

    fn build(&self, job: &Job) -> Result<BuiltModel> {
        BuiltModel::new(job, self.barrier)
    }

    fn load(&self, job: &Job, serialized: &ModelFile) -> Result<SavedModel> {
        SavedModel::new(job, &serialized.path)
    }

    fn train_serialized(&self, model: &mut SavedModel, training: TrainingRun) -> Result<Json> {
        training.run(model)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let barrier = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Barrier::Kept,
        ["--unsafe-ref-variables"] => Barrier::LeftOut,
        _ => {
            eprintln!("worker: unknown arguments {arguments:?}; there is --unsafe-ref-variables");
            return ExitCode::from(2);
        }
    };
    let native = tensorflow::version().unwrap_or_default();
    let versions = [
        ("worker", "1"),
        ("rust", env!("RUST_VERSION")),
        ("tensorflow-crate", "0.21.0"), // as Cargo.toml pins it; the crate does not say
        ("tensorflow", native.as_str()),
    ];
    match Hello::from_manifest(include_str!("../worker.toml"), &versions) {
        Ok(hello) => serve(&TensorFlow { barrier }, &hello),
        Err(error) => {
            eprintln!("worker: {error:?}");
            ExitCode::FAILURE
        }
    }
}
