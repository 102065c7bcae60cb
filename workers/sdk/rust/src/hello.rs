//! How a worker introduces itself, and what follows from it: what it must refuse.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::requests::{Settings, word};
use crate::{Error, Format, Graph, Result};

/// The manifest is the one place that lists what a worker can do.
#[derive(Debug)]
pub struct Hello {
    binding: String,
    versions: Map<String, Value>,
    capabilities: Map<String, Value>,
}

#[derive(Deserialize)]
struct Manifest {
    framework: String,
    language: String,
    capabilities: Map<String, Value>,
}

impl Hello {
    /// From the text of `worker.toml`, and the names and versions of what decides the results.
    pub fn from_manifest(text: &str, versions: &[(&str, &str)]) -> Result<Self> {
        let manifest: Manifest =
            toml::from_str(text).map_err(|error| Error::internal(format!("worker.toml: {error}")))?;
        let mut capabilities = manifest.capabilities;
        capabilities.entry("lacks").or_insert_with(|| json!([]));
        capabilities.entry("conventions").or_insert_with(|| json!({}));
        Ok(Self {
            binding: format!("{}/{}", manifest.framework, manifest.language),
            versions: versions.iter().map(|(name, version)| ((*name).into(), (*version).into())).collect(),
            capabilities,
        })
    }

    /// Conventions of which the graph asks for another form than the one that the binding has, with the latter.
    pub(crate) fn departures(&self, graph: &Graph) -> Map<String, Value> {
        let layers = graph.nodes.iter().map(|node| (node.kind.as_str(), &node.fields));
        let parts = layers.chain([(graph.optimizer_type(), &graph.optimizer)]);
        let fields =
            parts.flat_map(|(kind, fields)| fields.iter().map(move |(key, value)| (format!("{kind}.{key}"), value)));
        let conventions = &self.capabilities["conventions"];
        fields
            .filter_map(|(name, asked)| {
                let form = conventions.get(&name)?;
                (form != asked).then(|| (name, form.clone()))
            })
            .collect()
    }

    pub(crate) fn message(&self, protocol: u32, token: &str) -> Value {
        json!({
            "type": "hello", "protocol": protocol, "token": token, "binding": self.binding,
            "versions": self.versions, "capabilities": self.capabilities,
        })
    }

    fn lists(&self, capability: &str, word: &str) -> bool {
        let words = self.capabilities.get(capability).and_then(Value::as_array);
        words.is_some_and(|words| words.iter().any(|each| each == word))
    }

    fn require(&self, capability: &str, kind: &str, word: &str) -> Result<()> {
        if self.lists(capability, word) { Ok(()) } else { Err(Error::unsupported(format!("{kind} {word}"))) }
    }

    pub(crate) fn check_settings(&self, settings: &Settings) -> Result<()> {
        self.require("devices", "device", &settings.device)?;
        self.require("loaders", "loader", &word(settings.loader))?;
        self.require("variants", "variant", &word(settings.variant))?;
        self.require("measures", "measure", &word(settings.measure))
    }

    /// Of a model that comes serialized.
    pub(crate) fn read_format(&self, asked: Option<Format>) -> Result<Format> {
        self.require("tasks", "task", "infer-serialization")?;
        self.format("reads", asked)
    }

    pub(crate) fn written_format(&self, asked: Option<Format>) -> Result<Format> {
        self.format("writes", asked)
    }

    /// One that is not named is the worker's only one.
    fn format(&self, capability: &str, asked: Option<Format>) -> Result<Format> {
        if let Some(asked) = asked {
            return self.require(capability, "format", &word(asked)).map(|()| asked);
        }
        match self.capabilities.get(capability).and_then(Value::as_array).map(Vec::as_slice) {
            Some([only]) => Format::deserialize(only).map_err(|error| Error::internal(error.to_string())),
            Some([_, _, ..]) => Err(Error::bad_request(format!("'format' must name one of '{capability}'"))),
            _ => Err(Error::unsupported("serialization")),
        }
    }

    pub(crate) fn check_query(&self, graph: &Graph, gradients: bool) -> Result<()> {
        match self.capabilities.get("queries").and_then(Value::as_str) {
            Some("outputs" | "gradients") if !gradients => Ok(()),
            Some("gradients") => self.check_loss(graph),
            Some("outputs") => Err(Error::unsupported("gradients of inputs")),
            _ => Err(Error::unsupported("queries")),
        }
    }

    fn check_loss(&self, graph: &Graph) -> Result<()> {
        self.require("losses", "loss", graph.loss())
    }

    pub(crate) fn check_layers(&self, graph: &Graph) -> Result<()> {
        for node in &graph.nodes {
            self.require("layers", "layer", &node.kind)?;
            self.check_forms(&node.kind, &node.fields)?;
        }
        Ok(())
    }

    /// What only training needs: inference does without loss and optimizer.
    pub(crate) fn check_training(&self, graph: &Graph) -> Result<()> {
        let optimizer = graph.optimizer_type();
        self.check_loss(graph)?;
        self.require("optimizers", "optimizer", optimizer)?;
        self.check_forms(optimizer, &graph.optimizer)?;
        if is_set(graph.optimizer.get("momentum")) {
            self.check_form("sgd.momentum")?;
        }
        let decay = graph.optimizer.get("weight_decay").and_then(Value::as_object);
        if let Some(decay) = decay.filter(|decay| is_set(decay.get("value"))) {
            self.check_form("weight_decay")?;
            self.check_forms("weight_decay", decay)?;
        }
        Ok(())
    }

    pub(crate) fn check_training_accuracy(&self, settings: &Settings) -> Result<()> {
        self.require("training_accuracies", "training accuracy", &word(settings.training_accuracy))
    }

    fn check_forms(&self, kind: &str, fields: &Map<String, Value>) -> Result<()> {
        fields.iter().filter_map(|(key, value)| form(kind, key, value)).try_for_each(|form| self.check_form(&form))
    }

    fn check_form(&self, form: &str) -> Result<()> {
        if self.lists("lacks", form) { Err(Error::unsupported(form)) } else { Ok(()) }
    }
}

fn is_set(number: Option<&Value>) -> bool {
    number.and_then(Value::as_f64).is_some_and(|number| number != 0.0)
}

/// Fields that are words or truth values, and numbers of biases, as `lacks` spells them.
fn form(kind: &str, key: &str, value: &Value) -> Option<String> {
    match value {
        Value::Bool(truth) => Some(format!("{kind}.{key}={truth}")),
        Value::String(word) if key != "type" => Some(format!("{kind}.{key}={word}")),
        Value::Number(number) if key == "biases" => Some(format!("{kind}.{key}={number}")),
        _ => None,
    }
}
