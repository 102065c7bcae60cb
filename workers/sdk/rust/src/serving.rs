//! A worker's main loop: one request after the other, each with exactly one reply.

use std::any::Any;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use crate::connection::{Connection, Message};
use crate::data::{open_data, read_order, read_parameters};
use crate::inference::infer;
use crate::model::TRAINING_SERIALIZED;
use crate::probing::{probe, probe_serialized};
use crate::querying::query;
use crate::reporter::Reporter;
use crate::requests::{Mode, Prepare, Probe, Request, Variant};
use crate::serializing::serialize;
use crate::training::{TrainingRun, train};
use crate::{Binding, Data, Error, Hello, Inference, Job, ModelFile, Result, Tensors};

const PROTOCOL: u32 = 1;

/// Speaks for a binding until crossbind says bye; the exit status of the worker.
pub fn serve(binding: &impl Binding, hello: &Hello) -> ExitCode {
    let Some(endpoint) = env::var("CROSSBIND_ENDPOINT").ok().filter(|endpoint| !endpoint.is_empty()) else {
        eprintln!("worker: CROSSBIND_ENDPOINT is not set; crossbind sets it when it starts a worker");
        return ExitCode::from(2);
    };
    let token = env::var("CROSSBIND_TOKEN").unwrap_or_default();
    serve_at(&endpoint, &token, binding, hello)
}

pub(crate) fn serve_at(endpoint: &str, token: &str, binding: &impl Binding, hello: &Hello) -> ExitCode {
    let mut connection = match Connection::open(endpoint) {
        Ok(connection) => connection,
        Err(error) => {
            eprintln!("worker: cannot connect to {endpoint}: {error}");
            return ExitCode::FAILURE;
        }
    };
    if connection.send(&hello.message(PROTOCOL, token)).is_err() {
        return ExitCode::FAILURE;
    }
    let mut dispatcher = Dispatcher { binding, hello, prepared: None };
    loop {
        let message = connection.next();
        match (message.kind.as_str(), message.id) {
            ("welcome", _) => {}
            (_, Some(id)) => answer(&mut dispatcher, message, id, &mut connection),
            _ => return part(&message),
        }
    }
}

fn part(bye: &Message) -> ExitCode {
    if let Some(reason) = bye.members.get("reason").and_then(Value::as_str) {
        eprintln!("worker: crossbind said bye: {reason}");
    }
    ExitCode::SUCCESS
}

fn answer<B: Binding>(dispatcher: &mut Dispatcher<B>, message: Message, id: i64, connection: &mut Connection) {
    let mut reporter = Reporter::new(connection, id);
    let performed = catch_unwind(AssertUnwindSafe(|| dispatcher.perform(message, id, &mut reporter)))
        .unwrap_or_else(|panic| Err(dispatcher.binding.panicked(text_of(panic.as_ref()))));
    connection.finished(id);
    let mut reply = performed.unwrap_or_else(|error| refusal(&error));
    reply["id"] = id.into();
    if let Err(error) = connection.send(&reply) {
        let mut reply = refusal(&error);
        reply["id"] = id.into();
        connection.send(&reply).expect("a refusal is short");
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message").to_owned()
}

fn refusal(error: &Error) -> Value {
    match error {
        Error::Unsupported(feature) => json!({"type": "unsupported", "feature": feature}),
        Error::Failed { code, message } => json!({"type": "failed", "code": code, "message": message}),
    }
}

/// Knows what the worker was prepared with.
struct Dispatcher<'a, B: Binding> {
    binding: &'a B,
    hello: &'a Hello,
    prepared: Option<(Job, Prepared<B>)>,
}

enum Prepared<B: Binding> {
    Built(B::Built),
    Serialized(B::Serialized),
}

impl<B: Binding> Dispatcher<'_, B> {
    fn perform(&mut self, message: Message, id: i64, reporter: &mut Reporter) -> Result<Value> {
        let kind = message.kind;
        let request = Request::parse(message.members)?;
        let mut reply = match request {
            Request::Prepare(prepare) => self.prepare(&prepare)?,
            other => {
                let hello = self.hello;
                let (job, prepared) = self
                    .prepared
                    .as_mut()
                    .ok_or_else(|| Error::bad_request(format!("'{kind}' came before 'prepare' was done")))?;
                match prepared {
                    Prepared::Built(model) => run_built::<B>(hello, job, model, &other, id, reporter)?,
                    Prepared::Serialized(model) => {
                        run_serialized(self.binding, hello, (job, model), &other, id, reporter)?
                    }
                }
            }
        };
        reply["type"] = "done".into();
        Ok(reply)
    }

    fn prepare(&mut self, request: &Prepare) -> Result<Value> {
        self.prepared = None;
        self.hello.check_settings(&request.settings)?;
        let serialized = match &request.serialized {
            Some(path) => Some(ModelFile { path: path.to_path_buf(), format: self.hello.read_format(request.format)? }),
            None => None,
        };
        if serialized.is_none() {
            self.hello.check_layers(&request.graph)?;
        }
        let job = read(request)?;
        let prepared = match &serialized {
            Some(file) => Prepared::Serialized(self.binding.load(&job, file)?),
            None => Prepared::Built(self.binding.build(&job)?),
        };
        let (parameters, settings) = prepared.description();
        let mut effective = self.hello.departures(&job.graph);
        effective.extend(settings);
        self.prepared = Some((job, prepared));
        Ok(json!({"parameters": parameters, "effective": effective}))
    }
}

impl<B: Binding> Prepared<B> {
    fn description(&self) -> (usize, Map<String, Value>) {
        match self {
            Self::Built(model) => (model.parameters(), model.effective()),
            Self::Serialized(model) => (model.parameters(), model.effective()),
        }
    }
}

fn read(request: &Prepare) -> Result<Job> {
    let weights = match &request.weights {
        Some(path) => read_parameters(path, &request.graph)?.0,
        None => Tensors::new(),
    };
    let data = match &request.data {
        Some(file) => open_data(file, &request.graph)?,
        None => Data::default(),
    };
    let order = match &request.order {
        Some(path) => Some(read_order(path, request.settings.epochs.get(), data.train()?.size)?),
        None => None,
    };
    let (graph, settings) = (request.graph.clone(), request.settings.clone());
    Ok(Job { graph, weights, data, order, settings, scratch: request.scratch.to_path_buf() })
}

fn run_built<B: Binding>(
    hello: &Hello,
    job: &Job,
    model: &mut B::Built,
    request: &Request,
    id: i64,
    reporter: &mut Reporter,
) -> Result<Value> {
    match request {
        Request::Train(request) => {
            hello.check_training(&job.graph)?;
            hello.check_training_accuracy(&job.settings)?;
            train(job, model, request, reporter)
        }
        Request::Infer(request) => infer(job, model, request, reporter),
        Request::Probe(request @ Probe { mode: Mode::Train, .. }) => {
            hello.check_training(&job.graph)?;
            probe(job, model, id, request)
        }
        Request::Probe(request) => probe(job, model, id, request),
        Request::Query(request) => {
            hello.check_query(&job.graph, request.gradients)?;
            query(job, model, request)
        }
        Request::Serialize(request) => serialize(hello, job, model, request),
        Request::Prepare(_) => unreachable!("it is performed before"),
    }
}

fn run_serialized<B: Binding>(
    binding: &B,
    hello: &Hello,
    (job, model): (&Job, &mut B::Serialized),
    request: &Request,
    id: i64,
    reporter: &mut Reporter,
) -> Result<Value> {
    match request {
        Request::Train(request) if job.settings.variant == Variant::SavedModel => {
            hello.check_training_accuracy(&job.settings)?;
            binding.train_serialized(model, TrainingRun { job, request, reporter })
        }
        Request::Train(_) => Err(Error::unsupported(TRAINING_SERIALIZED)),
        Request::Infer(request) => infer(job, model, request, reporter),
        Request::Probe(request) => probe_serialized(job, model, id, request),
        Request::Query(request) => {
            hello.check_query(&job.graph, request.gradients)?;
            query(job, model, request)
        }
        Request::Serialize(_) => Err(Error::unsupported("serialization")),
        Request::Prepare(_) => unreachable!("it is performed before"),
    }
}
