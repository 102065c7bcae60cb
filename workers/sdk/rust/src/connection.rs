//! The line to crossbind: connects, reads lines in a thread of its own, writes them.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Map, Value};

use crate::{Error, Result};

const LONGEST_LINE: usize = 8 << 20;

/// One line of crossbind's.
#[derive(Debug)]
pub struct Message {
    pub kind: String,
    /// `welcome` and `bye` have none.
    pub id: Option<i64>,
    pub members: Map<String, Value>,
}

/// Requests are taken from it one by one; `cancel` is noted at once, and `bye` or the end of the connection while a
/// request runs ends the process: nobody waits for the answer.
pub struct Connection {
    writer: Box<dyn Write>,
    requests: Receiver<Message>,
    running: Arc<Mutex<Running>>,
}

#[derive(Default)]
struct Running {
    pending: HashSet<i64>,
    cancelled: HashSet<i64>,
}

impl Connection {
    /// To `unix:PATH` or `tcp:HOST:PORT`.
    pub fn open(endpoint: &str) -> io::Result<Self> {
        let (reader, writer) = connect(endpoint)?;
        let (sender, requests) = channel();
        let running = Arc::<Mutex<Running>>::default();
        let shared = Arc::clone(&running);
        thread::spawn(move || read(BufReader::new(reader), &sender, &shared));
        Ok(Self { writer, requests, running })
    }

    pub fn next(&self) -> Message {
        self.requests.recv().unwrap_or_else(|_| end(1, "the reader is gone"))
    }

    pub fn finished(&self, id: i64) {
        let mut running = lock(&self.running);
        running.pending.remove(&id);
        running.cancelled.remove(&id);
    }

    pub fn is_cancelled(&self, id: i64) -> bool {
        lock(&self.running).cancelled.contains(&id)
    }

    pub fn send(&mut self, message: &Value) -> Result<()> {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        if line.len() > LONGEST_LINE {
            let message = format!("{} has {} bytes, a line at most {LONGEST_LINE}", message["type"], line.len());
            return Err(Error::internal(message));
        }
        self.writer.write_all(&line).unwrap_or_else(|_| end(1, "crossbind is gone"));
        Ok(())
    }
}

type Ends = (Box<dyn Read + Send>, Box<dyn Write>);

fn connect(endpoint: &str) -> io::Result<Ends> {
    if let Some(path) = endpoint.strip_prefix("unix:").filter(|path| !path.is_empty()) {
        let stream = UnixStream::connect(path)?;
        return Ok((Box::new(stream.try_clone()?), Box::new(stream)));
    }
    if let Some(address) = endpoint.strip_prefix("tcp:") {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        return Ok((Box::new(stream.try_clone()?), Box::new(stream)));
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is neither unix:PATH nor tcp:HOST:PORT"))
}

fn lock(running: &Mutex<Running>) -> std::sync::MutexGuard<'_, Running> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read(mut lines: impl BufRead, requests: &Sender<Message>, running: &Mutex<Running>) {
    loop {
        match next_message(&mut lines) {
            Ok(Some(message)) => {
                let is_bye = message.kind == "bye";
                take(message, requests, running);
                if is_bye {
                    return;
                }
            }
            Ok(None) => end(1, "crossbind closed the connection"),
            Err(error) => end(1, &format!("the connection is broken: {error}")),
        }
    }
}

fn take(message: Message, requests: &Sender<Message>, running: &Mutex<Running>) {
    let mut running = lock(running);
    match (message.kind.as_str(), message.id) {
        ("cancel", Some(id)) => {
            if running.pending.contains(&id) {
                running.cancelled.insert(id);
            }
            return;
        }
        ("bye", _) if !running.pending.is_empty() => end(0, "crossbind said bye during a request"),
        (_, Some(id)) => {
            running.pending.insert(id);
        }
        _ => {}
    }
    // Without a receiver the process is about to end.
    let _ = requests.send(message);
}

/// None at the end of the connection.
fn next_message(lines: &mut impl BufRead) -> io::Result<Option<Message>> {
    let mut line = Vec::new();
    lines.take(LONGEST_LINE as u64).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let invalid = |reason: &str| io::Error::new(io::ErrorKind::InvalidData, reason);
    if !line.ends_with(b"\n") {
        return Err(invalid("a line is too long or has no end"));
    }
    let members: Map<String, Value> = serde_json::from_slice(&line)?;
    let kind = members.get("type").and_then(Value::as_str).ok_or_else(|| invalid("a line has no 'type'"))?.to_owned();
    let has_no_id = matches!(kind.as_str(), "welcome" | "bye");
    let id = members.get("id").and_then(Value::as_i64).filter(|_| !has_no_id);
    if id.is_none() && !has_no_id {
        return Err(invalid("a request has no integer 'id'"));
    }
    Ok(Some(Message { kind, id, members }))
}

/// From any thread, and at once: exit handlers would wait for, or fight with, the thread that computes.
fn end(code: i32, reason: &str) -> ! {
    eprintln!("worker: {reason}");
    // SAFETY: it does not return, and nothing of this process is needed any more.
    unsafe { libc::_exit(code) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(line: &str) -> io::Result<Option<Message>> {
        next_message(&mut line.as_bytes())
    }

    #[test]
    fn a_request_has_a_type_and_an_id() {
        let train = message("{\"type\": \"train\", \"id\": 2, \"more\": [1]}\n").unwrap().unwrap();
        assert_eq!((train.kind.as_str(), train.id), ("train", Some(2)));
        assert_eq!(message("{\"type\": \"bye\"}\n").unwrap().unwrap().id, None);
        assert!(message("").unwrap().is_none());
    }

    #[test]
    fn other_lines_are_no_messages() {
        let deep = format!("{{\"type\": \"train\", \"id\": 1, \"x\": {}", "[".repeat(10_000));
        for line in [
            "[]\n",
            "{}\n",
            "{\"type\": 1}\n",
            "{\"type\": \"train\"}\n",
            "{\"type\": \"bye\"}",
            "{\"id\": NaN}\n",
            &deep,
        ] {
            assert!(message(line).is_err(), "{line}");
        }
    }
}
