//! What a made-up binding answers to queries.

use serde_json::json;

use crate::made_up::{Crossbind, MANIFEST};
use crate::{HostTensor, Tensors, read_safetensors};

#[test]
fn a_query_gives_outputs_for_any_number_of_samples_and_gradients_where_they_are_wanted() {
    let mut crossbind = Crossbind::prepared(MANIFEST);
    for (numbers, labels) in [(&[1.0, 2.0, 3.0][..], &[][..]), (&[4.0], &[1])] {
        let (reply, answer) = crossbind.query(numbers, labels, false);
        assert_eq!(reply, json!({"type": "done", "id": 6}));
        let tensors = read_safetensors(&answer).unwrap();
        assert_eq!(tensors.keys().collect::<Vec<_>>(), ["outputs"]);
        let expected: Vec<f32> = numbers.iter().flat_map(|&number| [number, 0.0]).collect();
        assert_eq!(tensors["outputs"].f32s().collect::<Vec<_>>(), expected);
    }
    let (reply, answer) = crossbind.query(&[0.0, 0.0], &[0, 1], true);
    assert_eq!(reply["type"], "done");
    let tensors = read_safetensors(&answer).unwrap();
    assert_eq!(tensors.keys().collect::<Vec<_>>(), ["outputs", "x.grad"]);
    assert_eq!(tensors["x.grad"].shape(), [2, 2]);
    assert_eq!(tensors["x.grad"].f32s().collect::<Vec<_>>(), [-0.5, 0.0, 0.5, 0.0]);
    crossbind.bye();
}

#[test]
fn integers_have_no_gradient() {
    let mut crossbind = Crossbind::start();
    crossbind.receive();
    let mut job = crossbind.job([0.0; 3]);
    job["graph"]["inputs"][0]["entries"] = 9.into();
    let data = Tensors::from([
        ("train.x".into(), HostTensor::from_i64(vec![3, 2], &[0; 6])),
        ("train.label".into(), HostTensor::from_i64(vec![3], &[0; 3])),
    ]);
    job["data"] = json!({"path": crossbind.write("integers", &data), "train_samples": 3, "test_samples": 0});
    assert_eq!(crossbind.ask(&job).1["type"], "done");
    let batch = Tensors::from([
        ("x".into(), HostTensor::from_i64(vec![1, 2], &[7, 0])),
        ("label".into(), HostTensor::from_i64(vec![1], &[0])),
    ]);
    let (batch, answer) = (crossbind.write("batch", &batch), crossbind.folder.path().join("answer"));
    let request = json!({"type": "query", "id": 6, "batch": batch, "gradients": true, "answer": answer});
    assert_eq!(crossbind.ask(&request).1["type"], "done");
    let tensors = read_safetensors(&answer).unwrap();
    assert_eq!(tensors.keys().collect::<Vec<_>>(), ["outputs"]);
    assert_eq!(tensors["outputs"].f32s().collect::<Vec<_>>(), [7.0, 0.0]);
    crossbind.bye();
}

#[test]
fn a_query_that_fails_leaves_no_answer() {
    let mut crossbind = Crossbind::prepared(MANIFEST);
    let (reply, answer) = crossbind.query(&[f32::INFINITY], &[], false);
    assert_eq!(reply["code"], "not_finite");
    assert!(!answer.exists());
    assert_eq!(crossbind.query(&[1.0], &[], true).0["code"], "bad_input", "gradients need labels");
    assert_eq!(crossbind.query(&[1.0], &[2], true).0["code"], "bad_input", "there are two classes");
    assert_eq!(crossbind.query(&[], &[], false).0["code"], "bad_input", "there is no sample");
    let missing = json!({"type": "query", "id": 7, "batch": "/nowhere", "answer": answer});
    assert_eq!(crossbind.ask(&missing).1["code"], "bad_input");
    assert!(!answer.exists());
    crossbind.bye();
}

/// The manifest with another line for its queries.
fn with_queries(line: &str) -> &'static str {
    MANIFEST.replace("queries = \"gradients\"", line).leak()
}

#[test]
fn queries_are_answered_as_far_as_they_are_claimed() {
    let mut crossbind = Crossbind::prepared(with_queries("queries = \"outputs\""));
    assert_eq!(crossbind.query(&[1.0], &[0], false).0["type"], "done");
    assert_eq!(crossbind.query(&[1.0], &[0], true).0["feature"], "gradients of inputs");
    crossbind.bye();
    for nothing in ["queries = \"none\"", ""] {
        let mut crossbind = Crossbind::prepared(with_queries(nothing));
        assert_eq!(crossbind.query(&[1.0], &[], false).0["feature"], "queries");
        crossbind.bye();
    }
    let mut crossbind = Crossbind::start();
    crossbind.receive();
    let mut job = crossbind.job([0.0; 3]);
    job["graph"]["loss"]["type"] = "binary_cross_entropy".into();
    crossbind.ask(&job);
    assert_eq!(crossbind.query(&[1.0], &[0], false).0["type"], "done");
    assert_eq!(crossbind.query(&[1.0], &[0], true).0["feature"], "loss binary_cross_entropy");
    crossbind.bye();
}
