//! What is said about outputs, the same for every binding: computed on the host, outside of every timer.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::training::as_f64;
use crate::{Error, HostTensor, Result, Samples};

/// Samples whose largest output (the lowest index among equals) is the label; with one output, output > 0 means 1;
/// with spans, both ends.
pub fn count_correct(outputs: &HostTensor, targets: &[Vec<i64>]) -> Result<usize> {
    check_finite(outputs)?;
    let values: Vec<f32> = outputs.f32s().collect();
    let width = width(outputs);
    let rows = values.chunks(width).enumerate();
    let ends = targets.len();
    let is_correct = |row: &[f32], sample: usize| match targets {
        [labels] if width == 1 => i64::from(row[0] > 0.0) == labels[sample],
        _ => targets.iter().enumerate().all(|(end, labels)| {
            let column: Vec<f32> = row.iter().skip(end).step_by(ends).copied().collect();
            usize::try_from(labels[sample]) == Ok(largest(&column))
        }),
    };
    Ok(rows.filter(|(sample, row)| is_correct(row, *sample)).count())
}

pub fn check_finite(outputs: &HostTensor) -> Result<()> {
    if outputs.f32s().all(f32::is_finite) { Ok(()) } else { Err(Error::not_finite("an output is not finite")) }
}

/// The outputs of one sample.
fn width(outputs: &HostTensor) -> usize {
    outputs.shape()[1..].iter().product()
}

/// Of the samples' losses, in double precision.
pub fn sum_of_losses(loss: &str, outputs: &HostTensor, targets: &[Vec<i64>]) -> Result<f64> {
    check_finite(outputs)?;
    let values: Vec<f64> = outputs.f32s().map(f64::from).collect();
    let rows = values.chunks(width(outputs)).enumerate();
    match loss {
        "binary_cross_entropy" => Ok(rows.map(|(sample, row)| binary_cross_entropy(row[0], targets[0][sample])).sum()),
        "cross_entropy" | "span_cross_entropy" => {
            Ok(rows.map(|(sample, row)| mean_cross_entropy(row, targets, sample)).sum())
        }
        other => Err(Error::unsupported(format!("loss {other}"))),
    }
}

fn binary_cross_entropy(x: f64, label: i64) -> f64 {
    x.max(0.0) - x * f64::from(label == 1) + (-x.abs()).exp().ln_1p()
}

/// Over the targets, of which each has a column of its own.
fn mean_cross_entropy(row: &[f64], targets: &[Vec<i64>], sample: usize) -> f64 {
    let count = targets.len();
    let of_target = |(number, labels): (usize, &Vec<i64>)| {
        let column: Vec<f64> = row.iter().skip(number).step_by(count).copied().collect();
        cross_entropy(&column, labels[sample])
    };
    targets.iter().enumerate().map(of_target).sum::<f64>() / as_f64(count)
}

fn cross_entropy(outputs: &[f64], label: i64) -> f64 {
    let largest = outputs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = outputs.iter().map(|output| (output - largest).exp()).sum();
    let expected = outputs[usize::try_from(label).expect("labels are checked when they are read")];
    largest + sum.ln() - expected
}

/// The lowest index among equals.
fn largest(values: &[f32]) -> usize {
    (1..values.len()).fold(0, |best, index| if values[index] > values[best] { index } else { best })
}

pub struct Hashes {
    pub inputs: String,
    pub labels: String,
}

/// The evidence of a batch.
pub fn hashes(reached: &Samples) -> Hashes {
    let mut inputs = Sha256::new();
    for input in &reached.inputs {
        inputs.update(input.values.bytes());
    }
    let mut labels = Sha256::new();
    for value in reached.targets.iter().flat_map(|target| &target.values) {
        labels.update(value.to_le_bytes());
    }
    Hashes { inputs: hex(inputs), labels: hex(labels) }
}

fn hex(digest: Sha256) -> String {
    digest.finalize().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes all");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Target};

    #[test]
    fn the_lowest_index_wins_among_equals() {
        let outputs = HostTensor::from_f32(vec![3, 3], &[1., 2., 2., 0., 0., 0., 3., 2., 1.]);
        assert_eq!(count_correct(&outputs, &[vec![1, 0, 0]]), Ok(3));
        assert_eq!(count_correct(&outputs, &[vec![2, 1, 0]]), Ok(1));
    }

    #[test]
    fn one_output_above_zero_means_one() {
        let outputs = HostTensor::from_f32(vec![3, 1], &[0.1, 0.0, -1.0]);
        assert_eq!(count_correct(&outputs, &[vec![1, 0, 1]]), Ok(2));
    }

    #[test]
    fn a_span_needs_both_ends() {
        let outputs = HostTensor::from_f32(vec![2, 2, 2], &[5., 0., 1., 9., 5., 0., 1., 9.]);
        assert_eq!(count_correct(&outputs, &[vec![0, 0], vec![1, 0]]), Ok(1));
    }

    #[test]
    fn outputs_that_are_not_finite_fail() {
        let outputs = HostTensor::from_f32(vec![1, 2], &[f32::NAN, 1.0]);
        let code = |failure: Error| matches!(failure, Error::Failed { code: Code::NotFinite, .. });
        assert!(count_correct(&outputs, &[vec![0]]).is_err_and(code));
        assert!(sum_of_losses("cross_entropy", &outputs, &[vec![0]]).is_err_and(code));
    }

    fn assert_loss(loss: &str, outputs: &HostTensor, targets: &[Vec<i64>], expected: f64) {
        let found = sum_of_losses(loss, outputs, targets).unwrap();
        assert!((found - expected).abs() < 1e-12 * expected.max(1.0), "{loss} is {found}, not {expected}");
    }

    #[test]
    fn a_cross_entropy_is_that_of_its_formula() {
        let outputs = HostTensor::from_f32(vec![2, 3], &[1., 2., 3., 0., 0., 0.]);
        let expected = (1_f64.exp() + 2_f64.exp() + 3_f64.exp()).ln() - 2.0 + 3_f64.ln();
        assert_loss("cross_entropy", &outputs, &[vec![1, 2]], expected);
        let outputs = HostTensor::from_f32(vec![2, 1], &[2.0, -3.0]);
        let expected = (1.0 + (-2_f64).exp()).ln() + (1.0 + 3_f64.exp()).ln();
        assert_loss("binary_cross_entropy", &outputs, &[vec![1, 1]], expected);
        assert_loss("binary_cross_entropy", &outputs, &[vec![0, 0]], expected + 2.0 - 3.0);
    }

    #[test]
    fn a_span_has_the_mean_of_both_ends() {
        let outputs = HostTensor::from_f32(vec![1, 2, 2], &[5., 0., 1., 9.]);
        let expected = f64::midpoint((-4_f64).exp().ln_1p(), 9_f64.exp().ln_1p());
        assert_loss("span_cross_entropy", &outputs, &[vec![0], vec![0]], expected);
    }

    #[test]
    fn large_outputs_make_a_large_loss_and_no_infinity() {
        let outputs = HostTensor::from_f32(vec![1, 2], &[1e30, -1e30]);
        assert_loss("cross_entropy", &outputs, &[vec![1]], 2.0 * f64::from(1e30_f32));
        let outputs = HostTensor::from_f32(vec![1, 1], &[-1e30]);
        assert_loss("binary_cross_entropy", &outputs, &[vec![1]], f64::from(1e30_f32));
    }

    #[test]
    fn hashes_are_of_the_bytes() {
        let none = Samples { inputs: vec![], targets: vec![Target { name: "label".into(), values: vec![1] }] };
        let found = hashes(&none);
        assert_eq!(found.inputs, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(found.labels, "7c9fa136d4413fa6173637e883b6998d32e1d675f88cddff9dcbcf331820f4b8");
    }
}
