//! Batches in TensorFlow's layout, by either loader.

use std::rc::Rc;

use crossbind_worker::{Dtype, HostTensor, Loader as Kind, Pass, Result, Samples};
use tensorflow::{DataType, Operation, Output, Scope, Session, Shape, Tensor, TensorType, Variable, ops};

use crate::errors::failure;
use crate::layouts::images_to_native;
use crate::network::placeholder;
use crate::running::{open, run};
use crate::values::{Value, to_i64};

/// In the order of the graph.
#[derive(Debug)]
pub struct Batch {
    pub inputs: Vec<Value>,
    pub targets: Vec<Value>,
}

pub type Batches = Box<dyn Iterator<Item = Result<Batch>>>;

impl Batch {
    pub fn new(samples: &Samples) -> Self {
        Self::of(native(samples).iter().map(Value::from_host).collect(), samples.inputs.len())
    }

    fn of(mut tensors: Vec<Value>, inputs: usize) -> Self {
        let targets = tensors.split_off(inputs);
        Self { inputs: tensors, targets }
    }
}

/// Inputs, then targets.
fn native(samples: &Samples) -> Vec<HostTensor> {
    let inputs = samples.inputs.iter().map(|input| images_to_native(&input.values));
    let targets = samples.targets.iter().map(|target| HostTensor::from_i64(vec![target.values.len()], &target.values));
    inputs.chain(targets).collect()
}

/// Batches of one split.
pub struct Loader {
    inputs: usize,
    source: Source,
}

enum Source {
    /// The crate has no loader: its users copy the rows of a batch out of arrays.
    Idiomatic(Rc<[Array]>),
    Resident(Rc<Resident>),
}

impl Loader {
    pub fn new(kind: Kind, samples: &Samples, threads: usize) -> Result<Self> {
        let whole = native(samples);
        let source = match kind {
            Kind::Idiomatic => Source::Idiomatic(whole.iter().map(Array::new).collect()),
            Kind::Resident => Source::Resident(Rc::new(Resident::new(&whole, threads)?)),
        };
        Ok(Self { inputs: samples.inputs.len(), source })
    }

    pub fn batches(&self, pass: Pass) -> Batches {
        let inputs = self.inputs;
        let batches: Vec<Vec<i64>> = pass.batches().map(<[i64]>::to_vec).collect();
        match &self.source {
            Source::Idiomatic(arrays) => {
                let arrays = Rc::clone(arrays);
                let rows = move |ids: Vec<i64>| arrays.iter().map(|array| array.rows(&ids)).collect();
                Box::new(batches.into_iter().map(move |ids| Ok(Batch::of(rows(ids), inputs))))
            }
            Source::Resident(resident) => {
                let resident = Rc::clone(resident);
                Box::new(batches.into_iter().map(move |ids| Ok(Batch::of(resident.rows(&ids)?, inputs))))
            }
        }
    }
}

/// One tensor of a split, as a program has it.
enum Array {
    Floats(Vec<f32>, Vec<usize>),
    Integers(Vec<i64>, Vec<usize>),
}

impl Array {
    fn new(whole: &HostTensor) -> Self {
        let sample = whole.shape()[1..].to_vec();
        match whole.dtype() {
            Dtype::I64 => Self::Integers(whole.i64s().collect(), sample),
            _ => Self::Floats(whole.f32s().collect(), sample),
        }
    }

    fn rows(&self, ids: &[i64]) -> Value {
        match self {
            Self::Floats(values, sample) => Value::Floats(rows(values, sample, ids)),
            Self::Integers(values, sample) => Value::Integers(rows(values, sample, ids)),
        }
    }
}

fn rows<T: TensorType + Copy>(values: &[T], sample: &[usize], ids: &[i64]) -> Tensor<T> {
    let sizes = [&[ids.len()], sample].concat().into_iter().map(|size| size as u64);
    let mut batch = Tensor::new(&sizes.collect::<Vec<_>>());
    let length = sample.iter().product::<usize>();
    for (row, &id) in batch.chunks_exact_mut(length).zip(ids) {
        let start = usize::try_from(id).expect("an id is the number of a sample") * length;
        row.copy_from_slice(&values[start..start + length]);
    }
    batch
}

/// Whole tensors in variables of TensorFlow; a batch is some of their rows.
struct Resident {
    session: Session,
    ids: Output,
    gathered: Vec<Output>,
}

impl Resident {
    fn new(whole: &[HostTensor], threads: usize) -> Result<Self> {
        let mut scope = Scope::new_root_scope();
        let ids = placeholder(&mut scope, DataType::Int64, vec![None]).map_err(failure)?;
        let kept = whole.iter().map(|tensor| keep(&mut scope, tensor, &ids)).collect::<tensorflow::Result<Vec<_>>>();
        let kept = kept.map_err(failure)?;
        let session = open(&scope.graph(), threads)?;
        for (tensor, (given, initializer, _)) in whole.iter().zip(&kept) {
            run(&session, [(given, &Value::from_host(tensor))], [], [initializer])?;
        }
        Ok(Self { session, ids, gathered: kept.into_iter().map(|(_, _, gathered)| gathered).collect() })
    }

    fn rows(&self, ids: &[i64]) -> Result<Vec<Value>> {
        run(&self.session, [(&self.ids, &Value::from_i64s(ids))], &self.gathered, [])
    }
}

/// How the tensor is given, what keeps it, and its rows of these ids.
fn keep(scope: &mut Scope, tensor: &HostTensor, ids: &Output) -> tensorflow::Result<(Output, Operation, Output)> {
    let kind = if tensor.dtype() == Dtype::I64 { DataType::Int64 } else { DataType::Float };
    let sizes: Vec<Option<i64>> = tensor.shape().iter().map(|&size| Some(to_i64(size))).collect();
    let given = placeholder(scope, kind, sizes.clone())?;
    let shape = Shape::new(Some(sizes));
    let variable = Variable::builder().initial_value(given.clone()).shape(shape).data_type(kind).build(scope)?;
    let axis = ops::constant(0_i32, scope)?;
    let gathered = ops::gather_v2(variable.output().clone(), ids.clone(), axis, scope)?;
    Ok((given, variable.initializer().clone(), gathered.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbind_worker::{Input, Split, Target};

    fn split(inputs: usize) -> Split {
        let values = HostTensor::from_f32(vec![5, 1], &[0., 1., 2., 3., 4.]);
        let inputs = (0..inputs).map(|number| Input { name: number.to_string(), values: values.clone() });
        let target = Target { name: "label".into(), values: vec![0, 10, 20, 30, 40] };
        Split { name: "train", size: 5, samples: Samples { inputs: inputs.collect(), targets: vec![target] } }
    }

    /// The last input and the target of each batch.
    fn seen(split: &Split, kind: Kind, ids: &[i64]) -> Vec<(Vec<f32>, Vec<i64>)> {
        let pass = Pass { split, ids, in_file_order: false, batch_size: 2 };
        let batches = Loader::new(kind, &split.samples, 1).unwrap().batches(pass);
        let numbers = |batch: Batch| {
            let inputs = batch.inputs.last().unwrap().to_host();
            (inputs.f32s().collect(), batch.targets[0].to_host().i64s().collect())
        };
        batches.map(|batch| numbers(batch.unwrap())).collect()
    }

    #[test]
    fn every_loader_follows_the_order_and_keeps_the_last_batch() {
        let expected = vec![(vec![4., 0.], vec![40, 0]), (vec![2., 1.], vec![20, 10]), (vec![3.], vec![30])];
        for kind in [Kind::Idiomatic, Kind::Resident] {
            for inputs in [1, 3] {
                assert_eq!(seen(&split(inputs), kind, &[4, 0, 2, 1, 3]), expected);
            }
        }
    }
}
