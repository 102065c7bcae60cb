//! Whole conversations with a made-up binding.

use std::fs;
use std::process::ExitCode;

use serde_json::json;

use crate::made_up::{Crossbind, MANIFEST};
use crate::{HostTensor, Tensors};

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
    assert_eq!(events[3]["test_accuracy"], json!(0.5));
    let test_loss = f64::midpoint((-3_f64).exp().ln_1p(), 6_f64.exp().ln_1p());
    assert!((events[3]["test_loss"].as_f64().unwrap() - test_loss).abs() < 1e-12);
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

#[test]
fn a_probe_may_ask_for_dropout() {
    let mut crossbind = Crossbind::prepared(MANIFEST);
    let batch = Tensors::from([
        ("x".into(), HostTensor::from_f32(vec![1, 2], &[1.0, 0.0])),
        ("label".into(), HostTensor::from_i64(vec![1], &[0])),
    ]);
    let (batch, state) = (crossbind.write("batch", &batch), crossbind.folder.path().join("weights"));
    let mut probe = json!({"type": "probe", "id": 4, "mode": "train", "step": 1, "batch": batch, "state": state,
        "wanted": [], "directory": crossbind.folder.path()});
    assert_eq!(crossbind.ask(&probe).1["type"], "done");
    probe["dropout"] = true.into();
    assert_eq!(crossbind.ask(&probe).1["feature"], "dropout in a probe");
    crossbind.bye();
}

#[test]
fn files_are_written_in_the_formats_and_forms_that_there_are() {
    let mut crossbind = Crossbind::prepared(MANIFEST);
    let path = crossbind.folder.path().join("model");
    let request = json!({"type": "serialize", "id": 5, "path": path});
    assert_eq!(crossbind.ask(&request).1, json!({"type": "done", "id": 5}));
    assert_eq!(fs::read(&path).unwrap(), b"made-up");
    for (key, value, feature) in [
        ("format", json!("onnx"), "format onnx"),
        ("precision", json!("int8-weights"), "precision int8-weights of format checkpoint"),
        ("optimizer", json!(true), "optimizer state in format checkpoint"),
    ] {
        let mut request = request.clone();
        request[key] = value;
        assert_eq!(crossbind.ask(&request).1["feature"], feature);
    }
    crossbind.bye();
}

#[test]
fn files_are_read_in_the_formats_that_there_are() {
    let mut crossbind = Crossbind::start();
    crossbind.receive();
    let mut job = crossbind.job([0.0; 3]);
    job["serialized"] = job.as_object_mut().unwrap().remove("weights").unwrap();
    for format in [json!(null), json!("checkpoint")] {
        job["format"] = format;
        assert_eq!(crossbind.ask(&job).1["type"], "done");
    }
    job["format"] = "onnx".into();
    assert_eq!(crossbind.ask(&job).1["feature"], "format onnx");
    crossbind.bye();
}
