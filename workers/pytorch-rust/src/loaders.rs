//! Batches on the device, by either loader.

use crossbind_worker::{Loader as Kind, Pass, Result, Samples};
use tch::data::Iter2;
use tch::{Device, Tensor};

use crate::tensors::{to_i64, to_torch};

/// In the order of the graph.
#[derive(Debug)]
pub struct Batch {
    pub inputs: Vec<Tensor>,
    pub targets: Vec<Tensor>,
}

pub type Batches = Box<dyn Iterator<Item = Result<Batch>>>;

impl Batch {
    pub fn new(samples: &Samples, device: Device) -> Self {
        let inputs = samples.inputs.iter().map(|input| to_torch(&input.values).to_device(device));
        let targets = samples.targets.iter().map(|target| Tensor::from_slice(&target.values).to_device(device));
        Self { inputs: inputs.collect(), targets: targets.collect() }
    }

    fn map(&self, change: impl Fn(&Tensor) -> Tensor) -> Self {
        let [inputs, targets] = [&self.inputs, &self.targets].map(|tensors| tensors.iter().map(&change).collect());
        Self { inputs, targets }
    }
}

/// Batches of one split.
pub struct Loader {
    kind: Kind,
    device: Device,
    /// All samples, where the loader has them.
    whole: Batch,
}

impl Loader {
    pub fn new(kind: Kind, samples: &Samples, device: Device) -> Self {
        let home = if kind == Kind::Resident { device } else { Device::Cpu };
        Self { kind, device, whole: Batch::new(samples, home) }
    }

    pub fn batches(&self, pass: Pass) -> Batches {
        match self.kind {
            Kind::Idiomatic => self.idiomatic(pass),
            Kind::Resident => self.resident(pass),
        }
    }

    /// tch's iterator. It takes no order, only shuffles, which is to index whole tensors before the first batch: so does
    /// this, by the order. It is for one input and one target; others are split by hand in the same way.
    fn idiomatic(&self, pass: Pass) -> Batches {
        let (size, device) = (to_i64(pass.batch_size), self.device);
        let ordered = self.ordered(pass);
        if let ([inputs], [targets]) = (&ordered.inputs[..], &ordered.targets[..]) {
            let mut batches = Iter2::new(inputs, targets, size);
            batches.to_device(device).return_smaller_last_batch();
            return Box::new(batches.map(|(input, target)| Ok(Batch { inputs: vec![input], targets: vec![target] })));
        }
        let samples = to_i64(pass.ids.len());
        let starts = (0..samples).step_by(pass.batch_size);
        Box::new(starts.map(move |start| {
            let length = size.min(samples - start);
            Ok(ordered.map(|tensor| tensor.narrow(0, start, length).to_device(device)))
        }))
    }

    fn ordered(&self, pass: Pass) -> Batch {
        if pass.in_file_order {
            return self.whole.map(|tensor| tensor.narrow(0, 0, to_i64(pass.ids.len())));
        }
        let rows = Tensor::from_slice(pass.ids);
        self.whole.map(|tensor| tensor.index_select(0, &rows))
    }

    /// Whole tensors on the device; a batch is some of their rows.
    fn resident(&self, pass: Pass) -> Batches {
        let device = self.device;
        let whole = self.whole.map(Tensor::shallow_clone);
        let batches: Vec<Vec<i64>> = pass.batches().map(<[i64]>::to_vec).collect();
        Box::new(batches.into_iter().map(move |ids| {
            let rows = Tensor::from_slice(&ids).to_device(device);
            Ok(whole.map(|tensor| tensor.index_select(0, &rows)))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbind_worker::{HostTensor, Input, Split, Target};

    fn split(inputs: usize) -> Split {
        let values = HostTensor::from_f32(vec![5, 1], &[0., 1., 2., 3., 4.]);
        let inputs = (0..inputs).map(|number| Input { name: number.to_string(), values: values.clone() });
        let target = Target { name: "label".into(), values: vec![0, 10, 20, 30, 40] };
        Split { name: "train", size: 5, samples: Samples { inputs: inputs.collect(), targets: vec![target] } }
    }

    /// The last input and the target of each batch.
    fn seen(split: &Split, kind: Kind, ids: &[i64], in_file_order: bool) -> Vec<(Vec<f32>, Vec<i64>)> {
        let pass = Pass { split, ids, in_file_order, batch_size: 2 };
        let batches = Loader::new(kind, &split.samples, Device::Cpu).batches(pass);
        let numbers = |batch: Batch| {
            let last = batch.inputs.last().unwrap().flatten(0, -1);
            (Vec::<f32>::try_from(last).unwrap(), Vec::<i64>::try_from(&batch.targets[0]).unwrap())
        };
        batches.map(|batch| numbers(batch.unwrap())).collect()
    }

    #[test]
    fn every_loader_follows_the_order_and_keeps_the_last_batch() {
        let expected = vec![(vec![4., 0.], vec![40, 0]), (vec![2., 1.], vec![20, 10]), (vec![3.], vec![30])];
        for kind in [Kind::Idiomatic, Kind::Resident] {
            for inputs in [1, 3] {
                assert_eq!(seen(&split(inputs), kind, &[4, 0, 2, 1, 3], false), expected);
            }
        }
    }

    #[test]
    fn a_pass_may_be_shorter_than_the_split() {
        for kind in [Kind::Idiomatic, Kind::Resident] {
            let expected = vec![(vec![0., 1.], vec![0, 10]), (vec![2.], vec![20])];
            assert_eq!(seen(&split(1), kind, &[0, 1, 2], true), expected);
        }
    }
}
