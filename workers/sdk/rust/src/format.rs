//! Files of whole models: which are read and written, and how.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::requests::word;
use crate::{Error, Samples};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    TorchScript,
    SavedModel,
    Onnx,
    TfLite,
    TfJs,
    CoreMl,
    Checkpoint,
}

/// `Int8Weights`: computed in float32 from weights of eight bits; `Int8`: computed in eight bits too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    #[default]
    Float32,
    Float16,
    Int8Weights,
    Int8,
}

/// One that a worker is prepared with.
#[derive(Debug)]
pub struct ModelFile {
    pub path: PathBuf,
    pub format: Format,
}

/// One that a worker is to write, whole or not at all.
#[derive(Debug)]
pub struct WantedFile {
    pub path: PathBuf,
    pub format: Format,
    pub precision: Precision,
    /// Whether it also holds a training step, the optimizer and the random generators as prepared.
    pub training: bool,
    /// Whether the optimizer's state goes in.
    pub optimizer: bool,
    /// Samples without targets, for numbers of eight bits.
    pub calibration: Option<Samples>,
}

impl WantedFile {
    /// What a binding answers that does not write the format in this precision.
    pub fn lacks_precision(&self) -> Error {
        Error::unsupported(format!("precision {} of format {}", self.precision, self.format))
    }

    /// What a binding answers whose files of the format have no place for it.
    pub fn lacks_optimizer(&self) -> Error {
        Error::unsupported(format!("optimizer state in format {}", self.format))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&word(self))
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&word(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_protocol() {
        let formats = [Format::TorchScript, Format::SavedModel, Format::Onnx, Format::TfLite, Format::TfJs];
        assert_eq!(formats.map(word), ["torchscript", "savedmodel", "onnx", "tflite", "tfjs"]);
        assert_eq!([Format::CoreMl, Format::Checkpoint].map(word), ["coreml", "checkpoint"]);
        let precisions = [Precision::default(), Precision::Float16, Precision::Int8Weights, Precision::Int8];
        assert_eq!(precisions.map(word), ["float32", "float16", "int8-weights", "int8"]);
    }
}
