//! What all workers of crossbind in Rust share: the connection, the messages, safetensors, and the procedures of
//! training, inference, probing and querying with their timers. It knows no framework: a worker is a manifest and a
//! [`Binding`], which it hands to [`serve`].

mod connection;
mod data;
mod error;
mod format;
mod graph;
mod hello;
mod host_tensor;
mod inference;
#[cfg(test)]
mod made_up;
mod metrics;
mod model;
mod probing;
mod querying;
#[cfg(test)]
mod querying_test;
mod reporter;
mod requests;
mod safetensors;
mod serializing;
mod serving;
#[cfg(test)]
mod serving_test;
mod stopwatch;
pub mod testing;
mod training;

pub use crate::safetensors::{Tensors, read_safetensors, write_safetensors};
pub use data::{Data, Input, Pass, Samples, Split, Target};
pub use error::{Code, Error, Result};
pub use format::{Format, ModelFile, Precision, WantedFile};
pub use graph::{Graph, GraphInput, Node, Parameter};
pub use hello::Hello;
pub use host_tensor::{Dtype, HostTensor};
pub use model::{Binding, Differentiated, Inference, Job, Probed, State, Step, Training};
pub use requests::{Loader, Settings};
pub use serving::serve;
pub use training::TrainingRun;
