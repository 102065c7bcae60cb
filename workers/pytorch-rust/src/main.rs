//! The worker pytorch/rust: PyTorch through tch.

mod errors;
mod layers;
mod loaders;
mod losses;
mod model;
#[cfg(test)]
mod model_test;
mod native;
mod network;
mod optimizers;
mod place;
mod sequences;
mod serialized;
mod tensors;
mod windows;

use std::process::ExitCode;

use crossbind_worker::{Binding, Error, Hello, Job, ModelFile, Result, serve};

use model::TorchModel;
use serialized::SerializedModel;

struct PyTorch;

impl Binding for PyTorch {
    type Built = TorchModel;
    type Serialized = SerializedModel;

    fn build(&self, job: &Job) -> Result<TorchModel> {
        TorchModel::new(job)
    }

    fn load(&self, job: &Job, serialized: &ModelFile) -> Result<SerializedModel> {
        SerializedModel::new(job, &serialized.path)
    }

    /// tch panics with what libtorch throws.
    fn panicked(&self, message: String) -> Error {
        errors::failure(&message)
    }
}

fn main() -> ExitCode {
    tch::set_num_interop_threads(1);
    let versions = [
        ("worker", "1"),
        ("rust", env!("RUST_VERSION")),
        ("tch", "0.20.0"), // as Cargo.toml pins it; the crate does not say
        ("torch", native::torch_version()),
    ];
    match Hello::from_manifest(include_str!("../worker.toml"), &versions) {
        Ok(hello) => serve(&PyTorch, &hello),
        Err(error) => {
            eprintln!("worker: {error:?}");
            ExitCode::FAILURE
        }
    }
}
