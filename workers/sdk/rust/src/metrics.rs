//! What is said about outputs, the same for every binding: computed on the host, outside of every timer.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::{Error, HostTensor, Result, Samples};

/// Samples whose largest output (the lowest index among equals) is the label; with one output, output > 0 means 1;
/// with spans, both ends.
pub fn count_correct(outputs: &HostTensor, targets: &[Vec<i64>]) -> Result<usize> {
    let values: Vec<f32> = outputs.f32s().collect();
    if !values.iter().all(|value| value.is_finite()) {
        return Err(Error::not_finite("an output is not finite"));
    }
    let width: usize = outputs.shape()[1..].iter().product();
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
    use crate::Target;

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
        assert!(matches!(count_correct(&outputs, &[vec![0]]), Err(Error::Failed { .. })));
    }

    #[test]
    fn hashes_are_of_the_bytes() {
        let none = Samples { inputs: vec![], targets: vec![Target { name: "label".into(), values: vec![1] }] };
        let found = hashes(&none);
        assert_eq!(found.inputs, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(found.labels, "7c9fa136d4413fa6173637e883b6998d32e1d675f88cddff9dcbcf331820f4b8");
    }
}
