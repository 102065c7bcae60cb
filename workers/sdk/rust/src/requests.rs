//! What crossbind asks for, typed. Members that are not known here are ignored.

use std::num::NonZeroUsize;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{Error, Format, Graph, Precision, Result};

/// A path that can be one: not empty, without a zero byte.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct FilePath(PathBuf);

impl TryFrom<String> for FilePath {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.is_empty() || text.contains('\0') { Err("not a path") } else { Ok(Self(text.into())) }
    }
}

impl Deref for FilePath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

/// `Idiomatic`: what a user of the binding writes; `Resident`: slices of one loaded tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Loader {
    Idiomatic,
    Resident,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    Step,
    Fit,
    SavedModel,
    Graph,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    Total,
    Parts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainingAccuracy {
    Eval,
    Running,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evaluate {
    EveryEpoch,
    Last,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Train,
    Eval,
}

/// A choice as the protocol spells it.
pub fn word(choice: impl Serialize) -> String {
    json!(choice).as_str().unwrap_or_default().to_owned()
}

#[derive(Debug, Clone, Deserialize)]
pub struct Settings {
    pub device: String,
    pub loader: Loader,
    pub variant: Variant,
    pub measure: Measure,
    pub seed: u32,
    pub epochs: NonZeroUsize,
    pub batch_size: NonZeroUsize,
    pub training_accuracy: TrainingAccuracy,
    pub evaluate: Evaluate,
    pub warmup_steps: usize,
    pub threads: NonZeroUsize,
}

#[derive(Debug, Deserialize)]
pub struct DataFile {
    pub path: FilePath,
    pub train_samples: usize,
    pub test_samples: usize,
}

#[derive(Debug, Deserialize)]
pub struct Prepare {
    pub graph: Graph,
    /// One of these two is there.
    pub weights: Option<FilePath>,
    pub serialized: Option<FilePath>,
    /// Of the latter; left out it is the worker's only one.
    pub format: Option<Format>,
    pub data: Option<DataFile>,
    pub order: Option<FilePath>,
    pub settings: Settings,
    pub scratch: FilePath,
}

#[derive(Debug, Deserialize)]
pub struct Train {
    pub save: Option<FilePath>,
    #[serde(default)]
    pub evidence: i64,
}

#[derive(Debug, Deserialize)]
pub struct Infer {
    pub outputs: Option<FilePath>,
}

#[derive(Debug, Deserialize)]
pub struct Probe {
    pub mode: Mode,
    pub step: NonZeroUsize,
    pub batch: FilePath,
    pub state: Option<FilePath>,
    pub wanted: Vec<String>,
    pub directory: FilePath,
    /// Whether dropout draws in the step, as in training.
    #[serde(default)]
    pub dropout: bool,
}

#[derive(Debug, Deserialize)]
pub struct Query {
    pub batch: FilePath,
    #[serde(default)]
    pub gradients: bool,
    pub answer: FilePath,
}

#[derive(Debug, Deserialize)]
pub struct Serialization {
    pub path: FilePath,
    /// Left out it is the worker's only one.
    pub format: Option<Format>,
    #[serde(default)]
    pub precision: Precision,
    #[serde(default)]
    pub training: bool,
    #[serde(default)]
    pub optimizer: bool,
    pub calibration: Option<FilePath>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Request {
    Prepare(Box<Prepare>),
    Train(Train),
    Infer(Infer),
    Probe(Probe),
    Query(Query),
    Serialize(Serialization),
}

impl Request {
    pub fn parse(message: Map<String, Value>) -> Result<Self> {
        let request: Request =
            serde_json::from_value(message.into()).map_err(|error| Error::bad_request(error.to_string()))?;
        request.check()?;
        Ok(request)
    }

    fn check(&self) -> Result<()> {
        match self {
            Request::Prepare(prepare) if prepare.weights.is_some() == prepare.serialized.is_some() => {
                Err(Error::bad_request("one of 'weights' and 'serialized' must be there, not both"))
            }
            Request::Prepare(prepare)
                if prepare.serialized.is_none() && prepare.settings.variant == Variant::SavedModel =>
            {
                Err(Error::bad_request("the variant 'savedmodel' needs a model that is 'serialized'"))
            }
            Request::Prepare(prepare) => prepare.graph.check(),
            Request::Train(train) if train.evidence < -1 => {
                Err(Error::bad_request(format!("'evidence' is {}", train.evidence)))
            }
            Request::Probe(probe) if probe.mode == Mode::Train && probe.state.is_none() => {
                Err(Error::bad_request("a training step is probed from a 'state'"))
            }
            Request::Probe(probe) if probe.mode == Mode::Eval && probe.dropout => {
                Err(Error::bad_request("'dropout' is drawn in the mode 'train' alone"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(message: Value) -> Result<Request> {
        let Value::Object(members) = message else { panic!("an object") };
        Request::parse(members)
    }

    fn probe() -> Value {
        json!({"type": "probe", "id": 1, "mode": "train", "step": 1, "batch": "/b", "state": "/s", "wanted": [],
            "directory": "/d", "unknown": true})
    }

    #[test]
    fn unknown_members_are_ignored() {
        assert!(matches!(parse(probe()), Ok(Request::Probe(_))));
    }

    #[test]
    fn only_evaluation_is_probed_without_a_state() {
        let mut message = probe();
        message.as_object_mut().unwrap().remove("state");
        assert!(parse(message.clone()).is_err());
        message["mode"] = "eval".into();
        assert!(parse(message).is_ok());
    }

    #[test]
    fn only_a_training_step_is_probed_with_dropout() {
        let mut message = probe();
        assert!(matches!(parse(message.clone()), Ok(Request::Probe(Probe { dropout: false, .. }))));
        message["dropout"] = true.into();
        assert!(matches!(parse(message.clone()), Ok(Request::Probe(Probe { dropout: true, .. }))));
        message["mode"] = "eval".into();
        assert!(matches!(parse(message), Err(Error::Failed { code: crate::Code::BadRequest, .. })));
    }

    #[test]
    fn what_is_left_out_of_a_serialization_is_as_before() {
        let Ok(Request::Serialize(found)) = parse(json!({"type": "serialize", "id": 1, "path": "/p"})) else {
            panic!("a serialization");
        };
        assert_eq!((found.format, found.precision), (None, Precision::Float32));
        assert!(!found.training && !found.optimizer && found.calibration.is_none());
        let unknown = json!({"type": "serialize", "id": 1, "path": "/p", "precision": "int4"});
        assert!(parse(unknown).is_err());
    }

    #[test]
    fn what_makes_no_sense_is_a_bad_request() {
        let mut step = probe();
        step["step"] = 0.into();
        let mut path = probe();
        path["batch"] = "".into();
        let unknown = json!({"type": "dance", "id": 1});
        let evidence = json!({"type": "train", "id": 1, "evidence": -2});
        for message in [step, path, unknown, evidence] {
            assert!(matches!(parse(message), Err(Error::Failed { code: crate::Code::BadRequest, .. })));
        }
    }
}
