//! Models of a few layers, and batches for them.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::{Data, HostTensor, Input, Job, Samples, Split, State, Target, Tensors};

/// One input `x`, and layers `layer0`, `layer1`, … one after the other.
pub struct SmallModel {
    nodes: Vec<Value>,
    /// By their names in the graph.
    pub weights: Tensors,
    pub optimizer: Value,
    input: Vec<usize>,
    pub(super) loss: &'static str,
}

impl SmallModel {
    pub fn new(input: &[usize], loss: &'static str) -> Self {
        let (nodes, weights, optimizer) = (Vec::new(), Tensors::new(), sgd(0.1, 0.0, 0.0));
        Self { nodes, weights, optimizer, input: input.to_vec(), loss }
    }

    /// Parameters are given as role, shape and values.
    #[must_use]
    pub fn layer(
        mut self,
        kind: &str,
        output: &[usize],
        fields: &Value,
        parameters: &[(&str, &[usize], Vec<f32>)],
    ) -> Self {
        let before = self.nodes.last().map_or("x".into(), |node| node["name"].clone());
        let name = format!("layer{}", self.nodes.len());
        let described: Vec<Value> = parameters
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

    /// A layer without fields and parameters.
    #[must_use]
    pub fn plain(self, kind: &str, output: &[usize]) -> Self {
        self.layer(kind, output, &json!({}), &[])
    }

    #[must_use]
    pub fn linear(self, inputs: usize, outputs: usize) -> Self {
        let fields = json!({"in_features": inputs, "out_features": outputs, "bias": true});
        let weight = numbers(inputs * outputs);
        let parameters = [("weight", &[outputs, inputs][..], weight), ("bias", &[outputs], vec![0.1; outputs])];
        self.layer("linear", &[outputs], &fields, &parameters)
    }

    /// Images of two channels through windows of all kinds, a norm and dropout.
    pub fn of_images() -> Self {
        let conv = json!({"in_channels": 2, "out_channels": 3, "kernel": [3, 2], "stride": [1, 1],
            "pads": [1, 0, 1, 1], "bias": true});
        let conv_parameters = [("weight", &[3, 2, 3, 2][..], numbers(36)), ("bias", &[3], numbers(3))];
        let norm = json!({"features": 3, "epsilon": 1e-3, "momentum": 0.1, "running_variance": "unbiased"});
        let statistics = [
            ("weight", &[3][..], vec![0.5, 1.0, 2.0]),
            ("bias", &[3], numbers(3)),
            ("running_mean", &[3], numbers(3)),
            ("running_var", &[3], vec![0.5, 1.0, 2.0]),
        ];
        let average = json!({"kernel": [2, 2], "stride": [2, 2], "pads": [0, 0, 0, 0], "count_padding": true});
        let largest = json!({"kernel": [2, 2], "stride": [1, 1], "pads": [0, 1, 1, 0]});
        Self::new(&[2, 6, 6], "cross_entropy")
            .layer("conv2d", &[3, 6, 6], &conv, &conv_parameters)
            .layer("batchnorm", &[3, 6, 6], &norm, &statistics)
            .plain("gelu", &[3, 6, 6])
            .layer("avg_pool2d", &[3, 3, 3], &average, &[])
            .layer("max_pool2d", &[3, 3, 3], &largest, &[])
            .plain("flatten", &[27])
            .layer("dropout", &[27], &json!({"rate": 0.5}), &[])
            .linear(27, 4)
    }

    /// `lstm` or `gru` over that many steps of two numbers.
    pub fn of_sequences(kind: &str, steps: usize) -> Self {
        let gates = if kind == "lstm" { 4 } else { 3 };
        let parameters = [
            ("weight_ih", &[gates * 3, 2][..], numbers(gates * 6)),
            ("weight_hh", &[gates * 3, 3], numbers(gates * 9)),
            ("bias_ih", &[gates * 3], numbers(gates * 3)),
            ("bias_hh", &[gates * 3], numbers(gates * 3)),
        ];
        let fields = json!({"in_features": 2, "hidden": 3, "biases": 2, "recurrent_activation": "sigmoid",
            "reset_after": true});
        Self::new(&[steps, 2], "binary_cross_entropy")
            .layer(kind, &[steps, 3], &fields, &parameters)
            .plain("select_last", &[3])
            .linear(3, 1)
    }

    /// What a worker is prepared with, the samples for training.
    pub fn job(&self, samples: Option<Samples>) -> Job {
        let input = json!({"name": "x", "shape": self.input, "type": "float"});
        let graph = json!({"version": 1, "inputs": [input], "nodes": self.nodes, "loss": {"type": self.loss},
            "optimizer": self.optimizer});
        let settings = json!({"device": "cpu", "loader": "resident", "variant": "step", "measure": "total", "seed": 1,
            "epochs": 1, "batch_size": 4, "training_accuracy": "running", "evaluate": "last", "warmup_steps": 0,
            "threads": 1});
        let split = |samples: Samples| Split { name: "train", size: samples.targets[0].values.len(), samples };
        Job {
            graph: serde_json::from_value(graph).expect("it is a graph"),
            weights: self.weights.clone(),
            data: Data { train: samples.map(split), test: None },
            order: None,
            settings: serde_json::from_value(settings).expect("they are settings"),
            scratch: PathBuf::new(),
        }
    }

    /// Before the first step.
    pub fn state(&self) -> State {
        State { parameters: self.weights.clone(), moments: Tensors::new(), step: 1 }
    }

    /// That many samples, with labels.
    pub fn samples(&self, count: usize) -> Samples {
        let shape = [&[count], &self.input[..]].concat();
        let values = HostTensor::from_f32(shape.clone(), &numbers(shape.iter().product()));
        let labels = (0..self.job(None).graph.classes()).cycle().take(count).collect();
        Samples {
            inputs: vec![Input { name: "x".into(), values }],
            targets: vec![Target { name: "label".into(), values: labels }],
        }
    }
}

/// Weight decay is coupled and spares all but weights.
pub fn sgd(rate: f64, momentum: f64, decay: f64) -> Value {
    let decay = json!({"value": decay, "form": "coupled", "applies_to": "weights"});
    json!({"type": "sgd", "rate": rate, "momentum": momentum, "weight_decay": decay})
}

/// Some that are all different, small and of either sign.
pub fn numbers(count: usize) -> Vec<f32> {
    (0..count)
        .scan(7_u16, |last, _| {
            *last = last.wrapping_mul(25_173).wrapping_add(13_849);
            Some(f32::from(*last) / 65_536.0 - 0.5)
        })
        .collect()
}
