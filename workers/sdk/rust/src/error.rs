//! The ways in which a request ends without being done.

use serde::Serialize;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The binding lacks a feature, named in the words of the graph: `layer gru`.
    Unsupported(String),
    Failed {
        code: Code,
        message: String,
    },
}

/// The protocol's codes of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    BadRequest,
    BadInput,
    NotFinite,
    Cancelled,
    OutOfMemory,
    Internal,
}

impl Error {
    pub fn unsupported(feature: impl Into<String>) -> Self {
        Error::Unsupported(feature.into())
    }

    pub fn failed(code: Code, message: impl Into<String>) -> Self {
        Error::Failed { code, message: message.into() }
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::failed(Code::BadRequest, message)
    }

    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::failed(Code::BadInput, message)
    }

    pub fn not_finite(message: impl Into<String>) -> Self {
        Self::failed(Code::NotFinite, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::failed(Code::Internal, message)
    }
}
