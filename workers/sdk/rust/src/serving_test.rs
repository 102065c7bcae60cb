//! Whole conversations with a made-up binding, whose loss is the batch's first number and which panics at negative ones.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::ExitCode;
use std::thread::{self, JoinHandle};
use std::vec;

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::serving::serve_at;
use crate::{
    Binding, Hello, HostTensor, Inference, Input, Job, Pass, Probed, Result, Samples, State, Step, Target, Tensors,
    Training, TrainingRun, write_safetensors,
};

const MANIFEST: &str = r#"
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
        let numbers = samples.inputs[0].values.f32s().step_by(2);
        let batches = numbers.zip(samples.targets[0].values.iter().copied()).collect();
        Ok(Model { weights: job.weights.clone(), batches })
    }

    fn load(&self, job: &Job, _: &Path) -> Result<Model> {
        self.build(job)
    }

    fn train_serialized(&self, model: &mut Model, training: TrainingRun) -> Result<Value> {
        training.run(model)
    }
}

/// The first numbers and labels of its samples.
type Batch = Vec<(f32, i64)>;

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

    /// Always the first class.
    fn predict(&mut self, batch: &Batch) -> Result<HostTensor> {
        Ok(HostTensor::from_f32(vec![batch.len(), 2], &[1.0, 0.0].repeat(batch.len())))
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

    fn probe_training(&mut self, state: &State, batch: &Samples) -> Result<Probed> {
        self.probe_evaluation(state, batch)
    }
}

/// crossbind's side.
struct Crossbind {
    folder: TempDir,
    stream: UnixStream,
    lines: BufReader<UnixStream>,
    worker: JoinHandle<ExitCode>,
}

impl Crossbind {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let worker = thread::spawn(move || {
            let hello = Hello::from_manifest(MANIFEST, &[("worker", "1")]).unwrap();
            serve_at(&format!("unix:{}", path.display()), "secret", &MadeUp, &hello)
        });
        let stream = listener.accept().unwrap().0;
        let lines = BufReader::new(stream.try_clone().unwrap());
        Self { folder, stream, lines, worker }
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stream, "{message}").unwrap();
    }

    /// The events of a request, and its reply.
    fn ask(&mut self, request: &Value) -> (Vec<Value>, Value) {
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

    /// A `prepare` of one linear layer, with three training samples and batches of two.
    fn job(&self, numbers: [f32; 3]) -> Value {
        let write = |name: &str, tensors: Tensors| {
            let path = self.folder.path().join(name);
            write_safetensors(&path, &tensors).unwrap();
            path
        };
        let inputs: Vec<f32> = numbers.iter().flat_map(|&number| [number, 0.0]).collect();
        let data = Tensors::from([
            ("train.x".into(), HostTensor::from_f32(vec![3, 2], &inputs)),
            ("train.label".into(), HostTensor::from_i64(vec![3], &[0, 1, 0])),
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
            "weights": write("weights", Tensors::from([("fc.weight".into(), weight)])),
            "data": {"path": write("data", data), "train_samples": 3, "test_samples": 0},
            "order": write("order", Tensors::from([("order".into(), order)])),
            "settings": {"device": "cpu", "loader": "resident", "variant": "step", "measure": "parts", "seed": 1,
                "epochs": 1, "batch_size": 2, "training_accuracy": "running", "evaluate": "last", "warmup_steps": 1,
                "threads": 1},
            "scratch": self.folder.path(),
        })
    }

    fn bye(mut self) -> ExitCode {
        self.send(&json!({"type": "bye"}));
        self.worker.join().unwrap()
    }
}

#[test]
fn a_worker_says_what_its_manifest_says_and_ends_with_bye() {
    let mut crossbind = Crossbind::start();
    let hello = crossbind.receive();
    assert_eq!((&hello["binding"], &hello["token"]), (&json!("made-up/rust"), &json!("secret")));
    assert_eq!(hello["capabilities"]["layers"], json!(["linear"]));
    assert_eq!(hello["capabilities"]["lacks"], json!([]));
    crossbind.send(&json!({"type": "welcome", "protocol": 1, "crossbind": "0.1.0"}));
    assert_eq!(crossbind.bye(), ExitCode::SUCCESS);
}

#[test]
fn a_training_weighs_losses_by_samples_and_times_each_step() {
    let mut crossbind = Crossbind::start();
    crossbind.receive();
    let reply = crossbind.ask(&crossbind.job([3.0, 6.0, 9.0])).1;
    assert_eq!(reply, json!({"type": "done", "id": 1, "parameters": 4, "effective": {}}));
    let (events, reply) = crossbind.ask(&json!({"type": "train", "id": 2, "evidence": 1}));
    assert_eq!(reply, json!({"type": "done", "id": 2, "steps": 2}));
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(kinds, ["timings", "batch", "timings", "epoch"]);
    assert_eq!(events[0]["steps_ns"].as_array().unwrap().len(), 1);
    assert_eq!(events[1]["ids"], json!([2, 0]));
    assert_eq!(events[2]["backward_ns"].as_array().unwrap().len(), 2);
    assert_eq!(events[3]["loss"], json!((2.0 * 9.0 + 6.0) / 3.0)); // batches [2, 0] and [1]
    assert_eq!(events[3]["train_accuracy"], json!(2.0 / 3.0));
    crossbind.bye();
}

#[test]
fn a_serialized_model_is_trained_by_its_own_step_where_that_is_the_variant() {
    let mut crossbind = Crossbind::start();
    crossbind.receive();
    let mut job = crossbind.job([3.0, 6.0, 9.0]);
    job["settings"]["variant"] = "savedmodel".into();
    assert_eq!(crossbind.ask(&job).1["code"], "bad_request", "it has parameters, and no step");
    job["serialized"] = job.as_object_mut().unwrap().remove("weights").unwrap();
    assert_eq!(crossbind.ask(&job).1["type"], "done");
    assert_eq!(crossbind.ask(&json!({"type": "train", "id": 2})).1["steps"], 2);
    job["settings"]["variant"] = "step".into();
    assert_eq!(crossbind.ask(&job).1["type"], "done");
    assert_eq!(crossbind.ask(&json!({"type": "train", "id": 3})).1["feature"], "training of a serialized model");
    crossbind.bye();
}

#[test]
fn whatever_goes_wrong_the_worker_answers_and_stays() {
    let mut crossbind = Crossbind::start();
    crossbind.receive();
    let reply = crossbind.ask(&json!({"type": "train", "id": 1})).1;
    assert_eq!(reply["code"], "bad_request");
    let mut strange = crossbind.job([0.0; 3]);
    strange["graph"]["nodes"][0]["type"] = "gru".into();
    assert_eq!(crossbind.ask(&strange).1, json!({"type": "unsupported", "id": 1, "feature": "layer gru"}));
    crossbind.ask(&crossbind.job([-1.0; 3]));
    let reply = crossbind.ask(&json!({"type": "train", "id": 2})).1;
    assert_eq!((&reply["code"], &reply["message"]), (&json!("internal"), &json!("a negative number")));
    crossbind.ask(&crossbind.job([f32::INFINITY; 3]));
    assert_eq!(crossbind.ask(&json!({"type": "train", "id": 3})).1["code"], "not_finite");
    assert_eq!(crossbind.bye(), ExitCode::SUCCESS);
}
