//! Models of a few layers, differentiated and probed.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{env, fs, process};

use crossbind_worker::testing::{SmallModel, check_drawn_probes, check_input_gradients, check_queries_leave_nothing};
use tch::{CModule, Device, Kind, Tensor};

use crate::model::TorchModel;
use crate::serialized::SerializedModel;

/// libtorch has one generator for all threads, which every model seeds.
static GENERATOR: Mutex<()> = Mutex::new(());

fn lock() -> MutexGuard<'static, ()> {
    GENERATOR.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn the_gradients_of_inputs_are_slopes() {
    let _alone = lock();
    for small in [SmallModel::of_images(), SmallModel::of_sequences("lstm", 5), SmallModel::of_sequences("gru", 5)] {
        let mut model = TorchModel::new(&small.job(None)).unwrap();
        check_input_gradients(&mut model, &small, &small.samples(3)).unwrap();
        check_input_gradients(&mut model, &small, &small.samples(1)).unwrap();
    }
}

#[test]
fn a_query_leaves_nothing_that_a_training_would_meet() {
    let _alone = lock();
    check_queries_leave_nothing(TorchModel::new).unwrap();
}

#[test]
fn a_probe_draws_where_it_is_asked_to() {
    let _alone = lock();
    check_drawn_probes(TorchModel::new).unwrap();
}

/// Whatever the graph says, the module is a product with ones and a hyperbolic tangent.
#[test]
fn a_torchscript_file_is_differentiated_too() {
    let small = SmallModel::new(&[4], "cross_entropy").plain("tanh", &[4]);
    let options = (Kind::Float, Device::Cpu);
    let ones = Tensor::ones([4, 4], options).triu(0);
    let mut forward = |inputs: &[Tensor]| vec![inputs[0].matmul(&ones).tanh()];
    let module = CModule::create_by_tracing("Module", "forward", &[Tensor::zeros([2, 4], options)], &mut forward);
    let path = env::temp_dir().join(format!("crossbind-{}.pt", process::id()));
    module.unwrap().save(&path).unwrap();
    let loaded = SerializedModel::new(&small.job(None), &path);
    fs::remove_file(&path).unwrap();
    let mut model = loaded.unwrap();
    for count in [3, 1, 5] {
        check_input_gradients(&mut model, &small, &small.samples(count)).unwrap();
    }
}
