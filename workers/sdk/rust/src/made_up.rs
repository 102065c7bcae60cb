//! A made-up binding, and crossbind's side of conversations with it. Its training loss is the batch's first number, and
//! it panics at negative ones; its outputs are a sample's first number and 0. It writes nothing but its name, and does
//! not draw.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::iter;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::{self, JoinHandle};
use std::vec;

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::serving::serve_at;
use crate::{
    Binding, Differentiated, Dtype, Error, Format, Hello, HostTensor, Inference, Input, Job, ModelFile, Pass,
    Precision, Probed, Result, Samples, State, Step, Target, Tensors, Training, TrainingRun, WantedFile,
    write_safetensors,
};

pub const MANIFEST: &str = r#"
framework = "made-up"
language = "rust"

[capabilities]
tasks = ["train", "infer-parameters", "infer-serialization"]
devices = ["cpu"]
loaders = ["resident"]
variants = ["step", "savedmodel"]
measures = ["total", "parts"]
training_accuracies = ["running"]
layers = ["linear"]
losses = ["cross_entropy"]
optimizers = ["sgd"]
queries = "gradients"
reads = ["checkpoint"]
writes = ["checkpoint"]
"#;

struct MadeUp;

struct Model {
    weights: Tensors,
    batches: Vec<(f32, i64)>,
}

impl Binding for MadeUp {
    type Built = Model;
    type Serialized = Model;

    fn build(&self, job: &Job) -> Result<Model> {
        let samples = &job.data.train()?.samples;
        let batches = numbers(samples).into_iter().zip(samples.targets[0].values.iter().copied()).collect();
        Ok(Model { weights: job.weights.clone(), batches })
    }

    fn load(&self, job: &Job, file: &ModelFile) -> Result<Model> {
        assert_eq!(file.format, Format::Checkpoint);
        self.build(job)
    }

    fn train_serialized(&self, model: &mut Model, training: TrainingRun) -> Result<Value> {
        training.run(model)
    }
}

/// The first numbers and labels of its samples.
type Batch = Vec<(f32, i64)>;

fn numbers(samples: &Samples) -> Vec<f32> {
    let values = &samples.inputs[0].values;
    match values.dtype() {
        Dtype::I64 => values.i64s().step_by(2).map(|value| f32::from(u8::try_from(value).unwrap())).collect(),
        _ => values.f32s().step_by(2).collect(),
    }
}

impl Inference for Model {
    type Batch = Batch;
    type Tensor = HostTensor;
    type Batches = vec::IntoIter<Result<Batch>>;

    fn parameters(&self) -> usize {
        self.weights.values().map(|tensor| tensor.f32s().count()).sum()
    }

    fn effective(&self) -> Map<String, Value> {
        Map::new()
    }

    fn batches(&self, pass: Pass) -> Result<Self::Batches> {
        let batch = |ids: &[i64]| Ok(ids.iter().map(|&id| self.batches[usize::try_from(id).unwrap()]).collect());
        Ok(pass.batches().map(batch).collect::<Vec<_>>().into_iter())
    }

    fn on_device(&self, samples: &Samples) -> Result<Batch> {
        let labels = samples.targets.first().map(|target| target.values.clone()).unwrap_or_default();
        Ok(numbers(samples).into_iter().zip(labels.into_iter().chain(iter::repeat(0))).collect())
    }

    fn predict(&mut self, batch: &Batch) -> Result<HostTensor> {
        let outputs: Vec<f32> = batch.iter().flat_map(|&(number, _)| [number, 0.0]).collect();
        Ok(HostTensor::from_f32(vec![batch.len(), 2], &outputs))
    }

    fn differentiate(&mut self, batch: &Batch) -> Result<Differentiated<HostTensor>> {
        let probability = |number: f32| 1.0 / (1.0 + (-number).exp());
        let gradient = |&(number, label): &(f32, i64)| [probability(number) - f32::from(u8::from(label == 0)), 0.0];
        let gradients: Vec<f32> = batch.iter().flat_map(gradient).collect();
        let inputs = vec![HostTensor::from_f32(vec![batch.len(), 2], &gradients)];
        Ok(Differentiated { outputs: self.predict(batch)?, inputs })
    }

    fn synchronize(&self) {}

    fn to_host(&self, tensor: &HostTensor) -> Result<HostTensor> {
        Ok(tensor.clone())
    }

    fn reached(&self, batch: &Batch) -> Result<Samples> {
        let (numbers, labels): (Vec<f32>, Vec<i64>) = batch.iter().copied().unzip();
        let values = HostTensor::from_f32(vec![numbers.len()], &numbers);
        Ok(Samples {
            inputs: vec![Input { name: "x".into(), values }],
            targets: vec![Target { name: "label".into(), values: labels }],
        })
    }

    fn probe_evaluation(&mut self, state: &State, _: &Samples) -> Result<Probed> {
        Ok(Probed { tensors: state.parameters.clone(), ..Probed::default() })
    }
}

impl Training for Model {
    fn reset(&mut self) -> Result<()> {
        Ok(())
    }

    fn forward(&mut self, batch: &Batch) -> Result<Step<HostTensor>> {
        let loss = batch[0].0;
        assert!(loss >= 0.0, "a negative number");
        Ok(Step { outputs: self.predict(batch)?, loss: HostTensor::from_f32(vec![], &[loss]) })
    }

    fn backward(&mut self) -> Result<()> {
        Ok(())
    }

    fn export(&self) -> Result<Tensors> {
        Ok(self.weights.clone())
    }

    fn probe_training(&mut self, state: &State, batch: &Samples, dropout: bool) -> Result<Probed> {
        if dropout { Err(Error::unsupported("dropout in a probe")) } else { self.probe_evaluation(state, batch) }
    }

    fn serialize(&self, file: &WantedFile) -> Result<()> {
        if file.precision != Precision::Float32 {
            return Err(file.lacks_precision());
        }
        if file.optimizer {
            return Err(file.lacks_optimizer());
        }
        fs::write(&file.path, "made-up").map_err(|error| Error::internal(error.to_string()))
    }
}

/// crossbind's side.
pub struct Crossbind {
    pub folder: TempDir,
    stream: UnixStream,
    lines: BufReader<UnixStream>,
    worker: JoinHandle<ExitCode>,
}

impl Crossbind {
    pub fn start() -> Self {
        Self::start_as(MANIFEST)
    }

    pub fn start_as(manifest: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let worker = thread::spawn(move || {
            let hello = Hello::from_manifest(manifest, &[("worker", "1")]).unwrap();
            serve_at(&format!("unix:{}", path.display()), "secret", &MadeUp, &hello)
        });
        let stream = listener.accept().unwrap().0;
        let lines = BufReader::new(stream.try_clone().unwrap());
        Self { folder, stream, lines, worker }
    }

    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    pub fn send(&mut self, message: &Value) {
        writeln!(self.stream, "{message}").unwrap();
    }

    /// The events of a request, and its reply.
    pub fn ask(&mut self, request: &Value) -> (Vec<Value>, Value) {
        self.send(request);
        let mut events = Vec::new();
        loop {
            let message = self.receive();
            assert_eq!(message["id"], request["id"]);
            if matches!(message["type"].as_str(), Some("done" | "unsupported" | "failed")) {
                return (events, message);
            }
            events.push(message);
        }
    }

    pub fn write(&self, name: &str, tensors: &Tensors) -> PathBuf {
        let path = self.folder.path().join(name);
        write_safetensors(&path, tensors).unwrap();
        path
    }

    /// A `prepare` of one linear layer, with three training samples, of which two test it, and batches of two.
    pub fn job(&self, numbers: [f32; 3]) -> Value {
        let inputs: Vec<f32> = numbers.iter().flat_map(|&number| [number, 0.0]).collect();
        let data = Tensors::from([
            ("train.x".into(), HostTensor::from_f32(vec![3, 2], &inputs)),
            ("train.label".into(), HostTensor::from_i64(vec![3], &[0, 1, 0])),
            ("test.x".into(), HostTensor::from_f32(vec![2, 2], &inputs[..4])),
            ("test.label".into(), HostTensor::from_i64(vec![2], &[0, 1])),
        ]);
        let weight = HostTensor::from_f32(vec![2, 2], &[0.0; 4]);
        let order = HostTensor::from_i64(vec![1, 3], &[2, 0, 1]);
        json!({
            "type": "prepare", "id": 1,
            "graph": {
                "version": 1, "inputs": [{"name": "x", "type": "float", "shape": [2]}],
                "nodes": [{"name": "fc", "type": "linear", "inputs": ["x"], "output": [2], "fields": {}, "parameters": [
                    {"name": "fc.weight", "shape": [2, 2], "role": "weight", "trainable": true}]}],
                "loss": {"type": "cross_entropy"}, "optimizer": {"type": "sgd"},
            },
            "weights": self.write("weights", &Tensors::from([("fc.weight".into(), weight)])),
            "data": {"path": self.write("data", &data), "train_samples": 3, "test_samples": 2},
            "order": self.write("order", &Tensors::from([("order".into(), order)])),
            "settings": {"device": "cpu", "loader": "resident", "variant": "step", "measure": "parts", "seed": 1,
                "epochs": 1, "batch_size": 2, "training_accuracy": "running", "evaluate": "last", "warmup_steps": 1,
                "threads": 1},
            "scratch": self.folder.path(),
        })
    }

    /// Prepared, with the greeting behind it.
    pub fn prepared(manifest: &'static str) -> Self {
        let mut crossbind = Self::start_as(manifest);
        crossbind.receive();
        assert_eq!(crossbind.ask(&crossbind.job([3.0, 6.0, 9.0])).1["type"], "done");
        crossbind
    }

    /// The reply to a query of these numbers, and where the answer goes.
    pub fn query(&mut self, numbers: &[f32], labels: &[i64], gradients: bool) -> (Value, PathBuf) {
        let inputs: Vec<f32> = numbers.iter().flat_map(|&number| [number, 1.0]).collect();
        let mut batch = Tensors::from([("x".into(), HostTensor::from_f32(vec![numbers.len(), 2], &inputs))]);
        if !labels.is_empty() {
            batch.insert("label".into(), HostTensor::from_i64(vec![labels.len()], labels));
        }
        let (batch, answer) = (self.write("batch", &batch), self.folder.path().join("answer"));
        let request = json!({"type": "query", "id": 6, "batch": batch, "gradients": gradients, "answer": answer});
        (self.ask(&request).1, answer)
    }

    pub fn bye(mut self) -> ExitCode {
        self.send(&json!({"type": "bye"}));
        self.worker.join().unwrap()
    }
}
