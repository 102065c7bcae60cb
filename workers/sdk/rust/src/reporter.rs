//! What the procedures say while they run, and how they hear that they should stop.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::connection::Connection;
use crate::{Code, Error, Result};

const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// Events of one request.
pub struct Reporter<'a> {
    connection: &'a mut Connection,
    id: i64,
    last_progress: Instant,
}

impl<'a> Reporter<'a> {
    pub fn new(connection: &'a mut Connection, id: i64) -> Self {
        Self { connection, id, last_progress: Instant::now() }
    }

    /// An object with the event's own members.
    pub fn event(&mut self, kind: &str, mut members: Value) -> Result<()> {
        members["type"] = kind.into();
        members["id"] = self.id.into();
        self.connection.send(&members)
    }

    /// At most four a second are sent.
    pub fn progress(&mut self, epoch: usize, step: usize, steps: usize) -> Result<()> {
        if self.last_progress.elapsed() < PROGRESS_INTERVAL {
            return Ok(());
        }
        self.last_progress = Instant::now();
        self.event("progress", json!({"epoch": epoch, "step": step, "steps": steps}))
    }

    pub fn check_cancelled(&self) -> Result<()> {
        if self.connection.is_cancelled(self.id) {
            return Err(Error::failed(Code::Cancelled, "given up on request"));
        }
        Ok(())
    }
}
