//! Models of a layer or two, built from made-up graphs and run.

use std::path::PathBuf;

use crossbind_worker::{
    Data, Error, HostTensor, Inference, Input, Job, Pass, Result, Samples, Split, State, Target, Tensors, Training,
};
use serde_json::{Value as Json, json};

use crate::model::BuiltModel;
use crate::optimizers::Barrier;

/// Its parameters have these values, its optimizer is the one given.
struct Made {
    nodes: Vec<Json>,
    weights: Tensors,
    optimizer: Json,
    input: Json,
    loss: &'static str,
}

impl Made {
    fn new(input: &Json, loss: &'static str) -> Self {
        let input = json!({"name": "x", "shape": input, "type": "number"});
        let optimizer = sgd(0.1, 0.0, 0.0);
        Self { nodes: Vec::new(), weights: Tensors::new(), optimizer, input, loss }
    }

    /// A layer after the one before; parameters are given as role, shape and values.
    fn layer(mut self, kind: &str, output: &[usize], fields: &Json, parameters: &[(&str, &[usize], Vec<f32>)]) -> Self {
        let before = self.nodes.last().map_or("x".into(), |node| node["name"].clone());
        let name = format!("layer{}", self.nodes.len());
        let described: Vec<Json> = parameters
            .iter()
            .map(|(role, shape, _)| {
                let trainable = !role.starts_with("running");
                json!({"name": format!("{name}.{role}"), "shape": shape, "role": role, "trainable": trainable})
            })
            .collect();
        for (role, shape, values) in parameters {
            self.weights.insert(format!("{name}.{role}"), HostTensor::from_f32(shape.to_vec(), values));
        }
        self.nodes.push(json!({"name": name, "type": kind, "inputs": [before], "output": output, "fields": fields,
            "parameters": described}));
        self
    }

    fn linear(self, inputs: usize, outputs: usize) -> Self {
        let weight = numbers(inputs * outputs);
        let parameters = [("weight", &[outputs, inputs][..], weight), ("bias", &[outputs], vec![0.1; outputs])];
        self.layer("linear", &[outputs], &json!({"bias": true}), &parameters)
    }

    fn job(&self, samples: Option<Samples>) -> Job {
        let graph = json!({"version": 1, "inputs": [self.input], "nodes": self.nodes, "loss": {"type": self.loss},
            "optimizer": self.optimizer});
        let settings = json!({"device": "cpu", "loader": "resident", "variant": "step", "measure": "total", "seed": 1,
            "epochs": 1, "batch_size": 4, "training_accuracy": "running", "evaluate": "last", "warmup_steps": 0,
            "threads": 1});
        let split = |samples: Samples| Split { name: "train", size: samples.targets[0].values.len(), samples };
        Job {
            graph: serde_json::from_value(graph).unwrap(),
            weights: self.weights.clone(),
            data: Data { train: samples.map(split), test: None },
            order: None,
            settings: serde_json::from_value(settings).unwrap(),
            scratch: PathBuf::new(),
        }
    }

    fn built(&self) -> BuiltModel {
        BuiltModel::new(&self.job(None), Barrier::Kept).unwrap()
    }

    fn state(&self) -> State {
        State { parameters: self.weights.clone(), moments: Tensors::new(), step: 1 }
    }

    /// What comes out of the last layer in evaluation mode.
    fn output(&self, shape: &[usize], values: &[f32]) -> Vec<f32> {
        let input = Input { name: "x".into(), values: HostTensor::from_f32(shape.to_vec(), values) };
        let samples = Samples { inputs: vec![input], targets: Vec::new() };
        let probed = self.built().probe_evaluation(&self.state(), &samples).unwrap();
        probed.tensors[&format!("layer{}.out", self.nodes.len() - 1)].f32s().collect()
    }
}

fn sgd(rate: f64, momentum: f64, decay: f64) -> Json {
    let decay = json!({"value": decay, "form": "coupled", "applies_to": "weights"});
    json!({"type": "sgd", "rate": rate, "momentum": momentum, "weight_decay": decay})
}

/// Some that are all different, small and of either sign.
fn numbers(count: usize) -> Vec<f32> {
    (0..count)
        .scan(7_u16, |last, _| {
            *last = last.wrapping_mul(25_173).wrapping_add(13_849);
            Some(f32::from(*last) / 65_536.0 - 0.5)
        })
        .collect()
}

fn samples(shape: &[usize], classes: i64) -> Samples {
    let values = HostTensor::from_f32(shape.to_vec(), &numbers(shape.iter().product()));
    let labels = (0..classes).cycle().take(shape[0]).collect();
    Samples {
        inputs: vec![Input { name: "x".into(), values }],
        targets: vec![Target { name: "label".into(), values: labels }],
    }
}

/// The losses of that many steps with all samples, from what was prepared.
fn losses(model: &mut BuiltModel, job: &Job, steps: usize) -> Result<Vec<f64>> {
    let split = job.data.train.as_ref().unwrap();
    let ids: Vec<i64> = (0..).take(split.size).collect();
    let pass = Pass { split, ids: &ids, in_file_order: true, batch_size: split.size };
    model.reset()?;
    let step = |_| {
        let batch = model.batches(pass)?.next().unwrap()?;
        let loss = model.forward(&batch)?.loss.number();
        model.backward()?;
        Ok(loss)
    };
    (0..steps).map(step).collect()
}

fn perceptron() -> Made {
    let made = Made::new(&json!([16]), "cross_entropy").linear(16, 32).layer("tanh", &[32], &json!({}), &[]);
    made.linear(32, 32).layer("tanh", &[32], &json!({}), &[]).linear(32, 4)
}

#[test]
fn a_training_is_what_its_gradients_say() {
    let made = perceptron();
    let batch = samples(&[8, 16], 4);
    let mut model = made.built();
    let probed = model.probe_training(&made.state(), &batch).unwrap();
    let mut state = made.state();
    for (name, values) in &mut state.parameters {
        let gradient = probed.tensors[&format!("{name}.grad")].f32s();
        let updated: Vec<f32> = values.f32s().zip(gradient).map(|(value, gradient)| value - 0.1 * gradient).collect();
        *values = HostTensor::from_f32(values.shape().to_vec(), &updated);
    }
    let job = made.job(Some(batch.clone()));
    let trained = losses(&mut BuiltModel::new(&job, Barrier::Kept).unwrap(), &job, 2).unwrap();
    let expected = model.probe_evaluation(&state, &batch).unwrap().loss.unwrap();
    assert!((trained[1] - expected).abs() < 1e-6, "{trained:?}, not {expected}");
}

#[test]
fn without_the_barrier_it_is_wrong_from_the_second_step_on() {
    let made = perceptron();
    let job = made.job(Some(samples(&[8, 16], 4)));
    let trained = |barrier| losses(&mut BuiltModel::new(&job, barrier).unwrap(), &job, 5).unwrap();
    let (right, wrong) = (trained(Barrier::Kept), trained(Barrier::LeftOut));
    assert!((right[0] - wrong[0]).abs() < 1e-6);
    let parted: Vec<f64> = right.iter().zip(&wrong).skip(1).map(|(a, b)| (a / b - 1.0).abs()).collect();
    assert!(parted.iter().all(|&difference| difference > 1e-5), "{right:?} and {wrong:?}");
}

#[test]
fn momentum_goes_on_from_what_is_given_and_decay_spares_the_bias() {
    let mut made = Made::new(&json!([2]), "cross_entropy").linear(2, 2);
    made.optimizer = sgd(0.1, 0.5, 0.2);
    let batch = samples(&[3, 2], 2);
    let moments = ["weight", "bias"].map(|role| {
        let name = format!("layer0.{role}");
        (
            format!("{name}.state.m"),
            HostTensor::from_f32(made.weights[&name].shape().to_vec(), &vec![0.5; if role == "bias" { 2 } else { 4 }]),
        )
    });
    let state = State { moments: moments.into(), ..made.state() };
    let tensors = made.built().probe_training(&state, &batch).unwrap().tensors;
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
    let mut made = Made::new(&json!([16]), "cross_entropy");
    made = made.layer("dropout", &[16], &json!({"rate": 0.5}), &[]).linear(16, 4);
    made.optimizer = sgd(0.0, 0.0, 0.0);
    let job = made.job(Some(samples(&[8, 16], 4)));
    let mut model = BuiltModel::new(&job, Barrier::Kept).unwrap();
    let first = losses(&mut model, &job, 3).unwrap();
    assert_eq!(losses(&mut model, &job, 3).unwrap(), first);
    assert!(first.windows(2).all(|pair| (pair[0] - pair[1]).abs() > 1e-6), "{first:?}");
    let probed = model.probe_training(&made.state(), &samples(&[8, 16], 4)).unwrap();
    assert_eq!(probed.loss, model.probe_evaluation(&made.state(), &samples(&[8, 16], 4)).unwrap().loss);
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
        let made = Made::new(&json!([steps, 1]), "cross_entropy").layer("lstm", &[steps, 2], &fields, &parameters);
        made.layer("select_last", &[2], &json!({}), &[])
    };
    for (steps, trains) in [(32, true), (33, false)] {
        let made = lstm(steps);
        let job = made.job(Some(samples(&[2, steps, 1], 2)));
        let trained = losses(&mut BuiltModel::new(&job, Barrier::Kept).unwrap(), &job, 1);
        let refusal = Error::unsupported("while gradient");
        assert!(if trains { trained.is_ok() } else { trained == Err(refusal) }, "{steps} steps");
        assert_eq!(made.output(&[1, steps, 1], &vec![0.5; steps]).len(), 2);
    }
}

#[test]
fn uneven_pads_of_a_max_pool_never_win() {
    let fields = json!({"kernel": [2, 2], "stride": [1, 1], "pads": [1, 0, 0, 1]});
    let made = Made::new(&json!([1, 2, 2]), "cross_entropy").layer("max_pool2d", &[1, 2, 2], &fields, &[]);
    assert_eq!(made.output(&[1, 1, 2, 2], &[-5.0; 4]), [-5.0; 4]);
}

#[test]
fn an_average_counts_padding_only_where_it_is_asked_to() {
    for (count_padding, expected) in [(true, [0.25, 0.5, 0.5, 1.0]), (false, [1.0; 4])] {
        let fields = json!({"kernel": [2, 2], "stride": [1, 1], "pads": [1, 1, 0, 0], "count_padding": count_padding});
        let made = Made::new(&json!([1, 2, 2]), "cross_entropy").layer("avg_pool2d", &[1, 2, 2], &fields, &[]);
        assert_eq!(made.output(&[1, 1, 2, 2], &[1.0; 4]), expected);
    }
}

#[test]
fn flattened_images_have_the_order_of_the_graph() {
    let made = Made::new(&json!([2, 2, 2]), "cross_entropy").layer("flatten", &[8], &json!({}), &[]);
    let values: Vec<f32> = numbers(8);
    assert_eq!(made.output(&[1, 2, 2, 2], &values), values);
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
    let made = Made::new(&json!([1]), "binary_cross_entropy").layer("batchnorm", &[1], &fields, &parameters);
    let mut batch = samples(&[3, 1], 2);
    batch.inputs[0].values = HostTensor::from_f32(vec![3, 1], &[1.0, 2.0, 3.0]);
    let tensors = made.built().probe_training(&made.state(), &batch).unwrap().tensors;
    let found = ["mean", "var"].map(|name| tensors[&format!("layer0.running_{name}")].f32s().next().unwrap());
    assert!((found[0] - 1.0).abs() < 1e-6 && (found[1] - 1.0).abs() < 1e-6, "{found:?}");
}
