//! Models of a layer or two, built from made-up graphs and run.

use crossbind_worker::testing::{
    SmallModel, check_drawn_probes, check_input_gradients, check_queries_leave_nothing, losses, numbers, sgd,
};
use crossbind_worker::{Error, HostTensor, Inference, Input, Samples, State, Training};
use serde_json::json;

use crate::model::BuiltModel;
use crate::optimizers::Barrier;

fn built(small: &SmallModel) -> BuiltModel {
    BuiltModel::new(&small.job(None), Barrier::Kept).unwrap()
}

/// What comes out of the last layer in evaluation mode.
fn output(small: &SmallModel, shape: &[usize], values: &[f32]) -> Vec<f32> {
    let input = Input { name: "x".into(), values: HostTensor::from_f32(shape.to_vec(), values) };
    let mut model = built(small);
    let batch = model.on_device(&Samples { inputs: vec![input], targets: Vec::new() }).unwrap();
    let outputs = model.predict(&batch).unwrap();
    model.to_host(&outputs).unwrap().f32s().collect()
}

fn perceptron() -> SmallModel {
    let made = SmallModel::new(&[16], "cross_entropy").linear(16, 32).plain("tanh", &[32]);
    made.linear(32, 32).plain("tanh", &[32]).linear(32, 4)
}

#[test]
fn a_training_is_what_its_gradients_say() {
    let made = perceptron();
    let batch = made.samples(8);
    let mut model = built(&made);
    let probed = model.probe_training(&made.state(), &batch, false).unwrap();
    let mut state = made.state();
    for (name, values) in &mut state.parameters {
        let gradient = probed.tensors[&format!("{name}.grad")].f32s();
        let updated: Vec<f32> = values.f32s().zip(gradient).map(|(value, gradient)| value - 0.1 * gradient).collect();
        *values = HostTensor::from_f32(values.shape().to_vec(), &updated);
    }
    let job = made.job(Some(batch.clone()));
    let trained = losses(&mut BuiltModel::new(&job, Barrier::Kept).unwrap(), &job, 2).unwrap();
    let expected = model.probe_evaluation(&state, &batch).unwrap().loss.unwrap();
    assert!((f64::from(trained[1]) - expected).abs() < 1e-6, "{trained:?}, not {expected}");
}

#[test]
fn without_the_barrier_it_is_wrong_from_the_second_step_on() {
    let made = perceptron();
    let job = made.job(Some(made.samples(8)));
    let trained = |barrier| losses(&mut BuiltModel::new(&job, barrier).unwrap(), &job, 5).unwrap();
    let (right, wrong) = (trained(Barrier::Kept), trained(Barrier::LeftOut));
    assert!((right[0] - wrong[0]).abs() < 1e-6);
    let parted: Vec<f32> = right.iter().zip(&wrong).skip(1).map(|(a, b)| (a / b - 1.0).abs()).collect();
    assert!(parted.iter().all(|&difference| difference > 1e-5), "{right:?} and {wrong:?}");
}

#[test]
fn momentum_goes_on_from_what_is_given_and_decay_spares_the_bias() {
    let mut made = SmallModel::new(&[2], "cross_entropy").linear(2, 2);
    made.optimizer = sgd(0.1, 0.5, 0.2);
    let batch = made.samples(3);
    let moments = ["weight", "bias"].map(|role| {
        let name = format!("layer0.{role}");
        (
            format!("{name}.state.m"),
            HostTensor::from_f32(made.weights[&name].shape().to_vec(), &vec![0.5; if role == "bias" { 2 } else { 4 }]),
        )
    });
    let state = State { moments: moments.into(), ..made.state() };
    let tensors = built(&made).probe_training(&state, &batch, false).unwrap().tensors;
    for (role, decay) in [("weight", 0.2), ("bias", 0.0)] {
        let name = format!("layer0.{role}");
        let before: Vec<f32> = made.weights[&name].f32s().collect();
        let gradient = tensors[&format!("{name}.grad")].f32s();
        let moments = tensors[&format!("{name}.state.m")].f32s();
        for (((before, after), gradient), moment) in
            before.into_iter().zip(tensors[&name].f32s()).zip(gradient).zip(moments)
        {
            assert!((moment - (0.5 * 0.5 + gradient + decay * before)).abs() < 1e-6);
            assert!((after - (before - 0.1 * moment)).abs() < 1e-6);
        }
    }
}

#[test]
fn dropout_draws_the_same_again_but_not_in_every_step() {
    let mut made = SmallModel::new(&[16], "cross_entropy");
    made = made.layer("dropout", &[16], &json!({"rate": 0.5}), &[]).linear(16, 4);
    made.optimizer = sgd(0.0, 0.0, 0.0);
    let job = made.job(Some(made.samples(8)));
    let mut model = BuiltModel::new(&job, Barrier::Kept).unwrap();
    let first = losses(&mut model, &job, 3).unwrap();
    assert_eq!(losses(&mut model, &job, 3).unwrap(), first);
    assert!(first.windows(2).all(|pair| (pair[0] - pair[1]).abs() > 1e-6), "{first:?}");
    let probed = model.probe_training(&made.state(), &made.samples(8), false).unwrap();
    assert_eq!(probed.loss, model.probe_evaluation(&made.state(), &made.samples(8)).unwrap().loss);
}

#[test]
fn a_long_recurrent_layer_infers_but_does_not_train() {
    let lstm = |steps: usize| {
        let parameters = [
            ("weight_ih", &[8, 1][..], numbers(8)),
            ("weight_hh", &[8, 2], numbers(16)),
            ("bias_ih", &[8], numbers(8)),
        ];
        let fields = json!({"hidden": 2, "biases": 1, "recurrent_activation": "sigmoid"});
        let made = SmallModel::new(&[steps, 1], "cross_entropy").layer("lstm", &[steps, 2], &fields, &parameters);
        made.plain("select_last", &[2])
    };
    for (steps, trains) in [(32, true), (33, false)] {
        let made = lstm(steps);
        let job = made.job(Some(made.samples(2)));
        let trained = losses(&mut BuiltModel::new(&job, Barrier::Kept).unwrap(), &job, 1);
        let refusal = Error::unsupported("while gradient");
        assert!(if trains { trained.is_ok() } else { trained == Err(refusal) }, "{steps} steps");
        assert_eq!(output(&made, &[1, steps, 1], &vec![0.5; steps]).len(), 2);
    }
}

#[test]
fn uneven_pads_of_a_max_pool_never_win() {
    let fields = json!({"kernel": [2, 2], "stride": [1, 1], "pads": [1, 0, 0, 1]});
    let made = SmallModel::new(&[1, 2, 2], "cross_entropy").layer("max_pool2d", &[1, 2, 2], &fields, &[]);
    assert_eq!(output(&made, &[1, 1, 2, 2], &[-5.0; 4]), [-5.0; 4]);
}

#[test]
fn an_average_counts_padding_only_where_it_is_asked_to() {
    for (count_padding, expected) in [(true, [0.25, 0.5, 0.5, 1.0]), (false, [1.0; 4])] {
        let fields = json!({"kernel": [2, 2], "stride": [1, 1], "pads": [1, 1, 0, 0], "count_padding": count_padding});
        let made = SmallModel::new(&[1, 2, 2], "cross_entropy").layer("avg_pool2d", &[1, 2, 2], &fields, &[]);
        assert_eq!(output(&made, &[1, 1, 2, 2], &[1.0; 4]), expected);
    }
}

#[test]
fn flattened_images_have_the_order_of_the_graph() {
    let made = SmallModel::new(&[2, 2, 2], "cross_entropy").plain("flatten", &[8]);
    let values: Vec<f32> = numbers(8);
    assert_eq!(output(&made, &[1, 2, 2, 2], &values), values);
}

#[test]
fn the_running_variance_is_unbiased() {
    let fields = json!({"epsilon": 1e-3, "momentum": 0.5});
    let statistic = |role, value| (role, &[1][..], vec![value]);
    let parameters = [
        statistic("weight", 1.0),
        statistic("bias", 0.0),
        statistic("running_mean", 0.0),
        statistic("running_var", 1.0),
    ];
    let made = SmallModel::new(&[1], "binary_cross_entropy").layer("batchnorm", &[1], &fields, &parameters);
    let mut batch = made.samples(3);
    batch.inputs[0].values = HostTensor::from_f32(vec![3, 1], &[1.0, 2.0, 3.0]);
    let tensors = built(&made).probe_training(&made.state(), &batch, false).unwrap().tensors;
    let found = ["mean", "var"].map(|name| tensors[&format!("layer0.running_{name}")].f32s().next().unwrap());
    assert!((found[0] - 1.0).abs() < 1e-6 && (found[1] - 1.0).abs() < 1e-6, "{found:?}");
}

#[test]
fn the_gradients_of_inputs_are_slopes() {
    for made in [SmallModel::of_images(), SmallModel::of_sequences("lstm", 5), SmallModel::of_sequences("gru", 40)] {
        let mut model = built(&made);
        check_input_gradients(&mut model, &made, &made.samples(3)).unwrap();
        check_input_gradients(&mut model, &made, &made.samples(1)).unwrap();
    }
}

#[test]
fn a_query_leaves_nothing_that_a_training_would_meet() {
    check_queries_leave_nothing(|job| BuiltModel::new(job, Barrier::Kept)).unwrap();
}

#[test]
fn a_probe_draws_where_it_is_asked_to() {
    check_drawn_probes(|job| BuiltModel::new(job, Barrier::Kept)).unwrap();
}
