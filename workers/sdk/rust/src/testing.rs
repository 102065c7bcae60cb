//! For the tests of workers: models of a few layers, batches for them, and what must hold in every binding.
#![allow(clippy::missing_panics_doc)] // that is how tests fail

mod checks;
mod small_model;

pub use checks::{check_drawn_probes, check_input_gradients, check_queries_leave_nothing, losses};
pub use small_model::{SmallModel, numbers, sgd};
