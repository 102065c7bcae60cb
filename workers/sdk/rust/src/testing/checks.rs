//! What must hold in every binding, as its tests ask for it.

use serde_json::json;

use super::SmallModel;
use crate::metrics::sum_of_losses;
use crate::training::next_batch;
use crate::{HostTensor, Inference, Job, Pass, Result, Samples, Tensors, Training};

/// The gradients of the input are the slopes of the sum of the losses, and the outputs those of `predict`.
pub fn check_input_gradients<M: Inference>(model: &mut M, small: &SmallModel, samples: &Samples) -> Result<()> {
    const STEP: f32 = 1.0 / 512.0; // with 1/128 a window's largest number becomes another one
    let targets: Vec<Vec<i64>> = samples.targets.iter().map(|target| target.values.clone()).collect();
    let batch = model.on_device(samples)?;
    let found = model.differentiate(&batch)?;
    let outputs = [&found.outputs, &model.predict(&batch)?].map(|tensor| model.to_host(tensor).expect("it is there"));
    assert_eq!(outputs[0].shape(), outputs[1].shape());
    assert!(outputs[0].f32s().zip(outputs[1].f32s()).all(|(a, b)| (a - b).abs() < 1e-5), "outputs differ");

    let [gradient] = &found.inputs[..] else { panic!("{} gradients of one input", found.inputs.len()) };
    let gradient = model.to_host(gradient)?;
    let values = &samples.inputs[0].values;
    assert_eq!(gradient.shape(), values.shape());
    let original: Vec<f32> = values.f32s().collect();
    let mut loss_with = |place: usize, value: f32| {
        let mut moved = original.clone();
        moved[place] = value;
        let mut samples = samples.clone();
        samples.inputs[0].values = HostTensor::from_f32(values.shape().to_vec(), &moved);
        let outputs = model.predict(&model.on_device(&samples)?)?;
        sum_of_losses(small.loss, &model.to_host(&outputs)?, &targets)
    };
    for (place, slope) in gradient.f32s().enumerate() {
        let [above, below] = [original[place] + STEP, original[place] - STEP];
        let expected = (loss_with(place, above)? - loss_with(place, below)?) / f64::from(above - below);
        // Outputs near 1 are rounded at 6e-8, which the step enlarges to 2e-5; the rest is for other kernels.
        assert!((f64::from(slope) - expected).abs() < 2e-4, "at {place} the gradient is {slope}, not {expected}");
    }
    Ok(())
}

/// Those of that many training steps with all samples, from what was prepared.
pub fn losses<M: Training>(model: &mut M, job: &Job, steps: usize) -> Result<Vec<f32>> {
    losses_between(model, job, steps, |_| Ok(()))
}

fn losses_between<M: Training>(
    model: &mut M,
    job: &Job,
    steps: usize,
    before_each: impl Fn(&mut M) -> Result<()>,
) -> Result<Vec<f32>> {
    let split = job.data.train()?;
    let ids = split.in_file_order();
    let pass = Pass { split, ids: &ids, in_file_order: true, batch_size: split.size };
    model.reset()?;
    let step = |_| {
        before_each(model)?;
        let batch = next_batch::<M>(&mut model.batches(pass)?)?;
        let loss = model.forward(&batch)?.loss;
        model.backward()?;
        Ok(model.to_host(&loss)?.f32s().next().expect("a loss is a number"))
    };
    (0..steps).map(step).collect()
}

/// A training that queries interrupt is the one that they do not.
pub fn check_queries_leave_nothing<M: Training>(prepare: impl Fn(&Job) -> Result<M>) -> Result<()> {
    let small = SmallModel::of_images();
    let samples = small.samples(8);
    let job = small.job(Some(samples.clone()));
    let mut model = prepare(&job)?;
    let undisturbed = losses(&mut model, &job, 4)?;
    let query = |model: &mut M| {
        let batch = model.on_device(&samples)?;
        model.differentiate(&batch)?;
        model.predict(&batch)?;
        Ok(())
    };
    assert_eq!(losses_between(&mut model, &job, 4, query)?, undisturbed);
    Ok(())
}

/// In probes dropout draws where it is asked to: another mask each time, the same ones again after a `prepare`, scaled
/// as in training; and gradients and update are those of what was drawn.
pub fn check_drawn_probes<M: Training>(prepare: impl Fn(&Job) -> Result<M>) -> Result<()> {
    let small = SmallModel::new(&[16], "cross_entropy");
    let small = small.layer("dropout", &[16], &json!({"rate": RATE}), &[]).linear(16, 4);
    let (job, state, batch) = (small.job(None), small.state(), small.samples(8));
    let probe = |model: &mut M, dropout| Ok(model.probe_training(&state, &batch, dropout)?.tensors);
    let two = |model: &mut M| Ok([probe(model, true)?, probe(model, true)?]);
    let masked = |probes: &[Tensors; 2]| probes.each_ref().map(|tensors| values(tensors, "layer0.out"));

    let mut model = prepare(&job)?;
    let given: Vec<f32> = batch.inputs[0].values.f32s().collect();
    assert_eq!(values(&probe(&mut model, false)?, "layer0.out"), given, "nothing is drawn unasked");
    let probes = two(&mut model)?;
    for tensors in &probes {
        check_mask(&values(tensors, "layer0.out"), &given);
        check_step(tensors, &batch.targets[0].values);
    }
    let [first, second] = masked(&probes);
    assert_ne!(first, second);
    assert_eq!(masked(&two(&mut prepare(&job)?)?), [first, second]);
    Ok(())
}

const RATE: f32 = 0.25;

fn values(tensors: &Tensors, name: &str) -> Vec<f32> {
    tensors[name].f32s().collect()
}

fn check_mask(masked: &[f32], given: &[f32]) {
    let kept: Vec<_> = masked.iter().zip(given).filter(|(masked, _)| **masked != 0.0).collect();
    assert!(kept.iter().all(|&(masked, given)| (masked - given / (1.0 - RATE)).abs() < 1e-6));
    assert!((given.len() / 2..given.len()).contains(&kept.len()), "{} of {} are kept", kept.len(), given.len());
}

/// A linear layer after the dropout: its gradients are what its input and outputs say, and its biases have moved along.
fn check_step(tensors: &Tensors, labels: &[i64]) {
    let [inputs, outputs] = ["layer0.out", "layer1.out"].map(|name| values(tensors, name));
    let classes = outputs.len() / labels.len();
    let features = inputs.len() / labels.len();
    let samples = f32::from(u8::try_from(labels.len()).expect("they are few"));
    let mut expected = vec![0.0; classes * features];
    for ((input, output), label) in inputs.chunks(features).zip(outputs.chunks(classes)).zip(labels) {
        let sum: f32 = output.iter().map(|output| output.exp()).sum();
        for ((class, output), row) in (0..).zip(output).zip(expected.chunks_mut(features)) {
            let slope = output.exp() / sum - f32::from(u8::from(class == *label));
            row.iter_mut().zip(input).for_each(|(place, input)| *place += slope * input / samples);
        }
    }
    assert_near(&values(tensors, "layer1.weight.grad"), &expected);
    let moved: Vec<f32> = tensors["layer1.bias.grad"].f32s().map(|gradient| 0.1 - 0.1 * gradient).collect();
    assert_near(&values(tensors, "layer1.bias"), &moved);
}

fn assert_near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?} is not {expected:?}");
}
