//! The clock of an epoch.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Inference;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Load,
    Forward,
    Backward,
}

/// Runs from its making until `stop`. With parts it also times each part of each step, the device synchronised
/// between; without, nothing is timed inside.
pub struct Stopwatch {
    with_parts: bool,
    start: Instant,
    mark: Instant,
    laps: [Vec<u64>; 3],
}

impl Stopwatch {
    pub fn start(model: &impl Inference, with_parts: bool) -> Self {
        model.synchronize();
        let now = Instant::now();
        Self { with_parts, start: now, mark: now, laps: Default::default() }
    }

    /// The next part begins here.
    pub fn mark(&mut self) {
        if self.with_parts {
            self.mark = Instant::now();
        }
    }

    /// The part ends here and the next one begins.
    pub fn lap(&mut self, model: &impl Inference, part: Part) {
        if self.with_parts {
            model.synchronize();
            let now = Instant::now();
            self.laps[part as usize].push(nanoseconds(now - self.mark));
            self.mark = now;
        }
    }

    /// What is done meanwhile counts for nothing.
    pub fn pause<T>(&mut self, model: &impl Inference, work: impl FnOnce() -> T) -> T {
        model.synchronize(); // or work of before would be waited for in the pause
        let begin = Instant::now();
        let result = work();
        let pause = begin.elapsed();
        self.start += pause;
        self.mark += pause;
        result
    }

    /// The members of a `timings` event.
    pub fn stop(self, model: &impl Inference) -> Value {
        model.synchronize();
        let mut timings = json!({"total_ns": nanoseconds(self.start.elapsed())});
        for (name, laps) in ["load_ns", "forward_ns", "backward_ns"].into_iter().zip(self.laps) {
            if !laps.is_empty() {
                timings[name] = laps.into();
            }
        }
        timings
    }

    /// Each step as the sum of its parts.
    pub fn steps(&self) -> Vec<u64> {
        let sum = |step| self.laps.iter().filter_map(|laps| laps.get(step)).sum();
        (0..self.laps[Part::Load as usize].len()).map(sum).collect()
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
