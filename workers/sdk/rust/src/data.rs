//! The samples and the order that a worker is prepared with, checked against the graph.

use std::path::Path;
use std::slice::Chunks;

use crate::requests::DataFile;
use crate::{Dtype, Error, Graph, GraphInput, HostTensor, Result, Tensors, read_safetensors};

#[derive(Debug, Clone)]
pub struct Input {
    pub name: String,
    /// float32, or int64 for integers; batch first.
    pub values: HostTensor,
}

#[derive(Debug, Clone)]
pub struct Target {
    pub name: String,
    pub values: Vec<i64>,
}

/// A batch on the host, or a whole split, in the order of the graph.
#[derive(Debug, Clone)]
pub struct Samples {
    pub inputs: Vec<Input>,
    /// `label`, or `start` and `end`; empty where there are none.
    pub targets: Vec<Target>,
}

#[derive(Debug)]
pub struct Split {
    pub name: &'static str,
    pub size: usize,
    pub samples: Samples,
}

impl Split {
    pub(crate) fn targets(&self, ids: &[i64]) -> Vec<Vec<i64>> {
        let of_ids = |target: &Target| ids.iter().map(|&id| target.values[row(id)]).collect();
        self.samples.targets.iter().map(of_ids).collect()
    }

    pub(crate) fn in_file_order(&self) -> Vec<i64> {
        (0..).take(self.size).collect()
    }
}

/// Ids have been checked when they were read.
fn row(id: i64) -> usize {
    usize::try_from(id).expect("an id is the number of a sample")
}

#[derive(Debug, Default)]
pub struct Data {
    pub train: Option<Split>,
    pub test: Option<Split>,
}

impl Data {
    pub(crate) fn train(&self) -> Result<&Split> {
        self.train.as_ref().ok_or_else(|| Error::bad_request("the worker was prepared without training samples"))
    }

    pub(crate) fn test(&self) -> Result<&Split> {
        self.test.as_ref().ok_or_else(|| Error::bad_request("the worker was prepared without test samples"))
    }
}

/// One way through some samples of a split.
#[derive(Debug, Clone, Copy)]
pub struct Pass<'a> {
    pub split: &'a Split,
    pub ids: &'a [i64],
    /// The ids are 0, 1, 2, …: nothing needs to be permuted.
    pub in_file_order: bool,
    pub batch_size: usize,
}

impl<'a> Pass<'a> {
    /// Consecutive pieces; the last one may be shorter.
    pub fn batches(&self) -> Chunks<'a, i64> {
        self.ids.chunks(self.batch_size)
    }

    /// The first batches of it, as many as there are at most.
    pub(crate) fn first(self, batches: usize) -> Self {
        let end = batches.saturating_mul(self.batch_size).min(self.ids.len());
        Self { ids: &self.ids[..end], ..self }
    }
}

fn find<'a>(tensors: &'a Tensors, name: &str, path: &Path) -> Result<&'a HostTensor> {
    tensors.get(name).ok_or_else(|| Error::bad_input(format!("{}: there is no tensor '{name}'", path.display())))
}

fn check_range(mut values: impl Iterator<Item = i64>, end: i64, name: &str, path: &Path) -> Result<()> {
    if values.any(|value| !(0..end).contains(&value)) {
        let message = format!("{}: tensor '{name}' has values outside of 0 to {}", path.display(), end - 1);
        return Err(Error::bad_input(message));
    }
    Ok(())
}

fn read_input(values: HostTensor, given: &GraphInput, name: &str, path: &Path) -> Result<Input> {
    let dtype = if given.entries.is_some() { Dtype::I64 } else { Dtype::F32 };
    if values.shape().get(1..) != Some(&given.shape[..]) || values.dtype() != dtype {
        let message =
            format!("{}: tensor '{name}' is {values:?}, not samples of {dtype:?} {:?}", path.display(), given.shape);
        return Err(Error::bad_input(message));
    }
    if let Some(entries) = given.entries {
        check_range(values.i64s(), entries, name, path)?;
    }
    Ok(Input { name: given.name.clone(), values })
}

fn read_target(values: &HostTensor, classes: i64, target: &str, name: &str, path: &Path) -> Result<Target> {
    if values.shape().len() != 1 || values.dtype() != Dtype::I64 {
        let message = format!("{}: tensor '{name}' is not one int64 number a sample", path.display());
        return Err(Error::bad_input(message));
    }
    check_range(values.i64s(), classes, name, path)?;
    Ok(Target { name: target.into(), values: values.i64s().collect() })
}

fn open_split(
    tensors: &Tensors,
    graph: &Graph,
    split: &'static str,
    size: usize,
    path: &Path,
) -> Result<Option<Split>> {
    if size == 0 {
        return Ok(None);
    }
    let first = |name: &str| match find(tensors, name, path)? {
        values if values.shape().first().is_some_and(|&rows| rows >= size) => Ok(values.first(size)),
        _ => Err(Error::bad_input(format!("{}: tensor '{name}' has fewer than {size} samples", path.display()))),
    };
    let input = |given: &GraphInput| {
        let name = format!("{split}.{}", given.name);
        read_input(first(&name)?, given, &name, path)
    };
    let target = |target: &&str| {
        let name = format!("{split}.{target}");
        read_target(&first(&name)?, graph.classes(), target, &name, path)
    };
    let samples = Samples {
        inputs: graph.inputs.iter().map(input).collect::<Result<_>>()?,
        targets: graph.targets().iter().map(target).collect::<Result<_>>()?,
    };
    Ok(Some(Split { name: split, size, samples }))
}

pub(crate) fn open_data(file: &DataFile, graph: &Graph) -> Result<Data> {
    let tensors = read_safetensors(&file.path)?;
    Ok(Data {
        train: open_split(&tensors, graph, "train", file.train_samples, &file.path)?,
        test: open_split(&tensors, graph, "test", file.test_samples, &file.path)?,
    })
}

/// The batch of a probe; it may have no targets.
pub(crate) fn read_batch(path: &Path, graph: &Graph) -> Result<Samples> {
    let tensors = read_safetensors(path)?;
    let input = |given: &GraphInput| read_input(find(&tensors, &given.name, path)?.clone(), given, &given.name, path);
    let target = |name: &&str| Some(read_target(tensors.get(*name)?, graph.classes(), name, name, path));
    let samples = Samples {
        inputs: graph.inputs.iter().map(input).collect::<Result<_>>()?,
        targets: graph.targets().iter().filter_map(target).collect::<Result<_>>()?,
    };
    let mut sizes: Vec<usize> = samples.inputs.iter().map(|input| input.values.shape()[0]).collect();
    sizes.extend(samples.targets.iter().map(|target| target.values.len()));
    let is_partial = !samples.targets.is_empty() && samples.targets.len() < graph.targets().len();
    if is_partial || sizes[0] == 0 || sizes.iter().any(|&size| size != sizes[0]) {
        let message = format!("{}: inputs and targets are not of one number of samples", path.display());
        return Err(Error::bad_input(message));
    }
    Ok(samples)
}

/// The sample ids of each epoch.
pub(crate) fn read_order(path: &Path, epochs: usize, samples: usize) -> Result<Vec<Vec<i64>>> {
    let tensors = read_safetensors(path)?;
    let order = find(&tensors, "order", path)?;
    if order.dtype() != Dtype::I64 || order.shape() != [epochs, samples] {
        let message = format!("{}: 'order' is {order:?}, not I64 {:?}", path.display(), [epochs, samples]);
        return Err(Error::bad_input(message));
    }
    let end = i64::try_from(samples).unwrap_or(i64::MAX);
    check_range(order.i64s(), end, "order", path)?;
    let ids: Vec<i64> = order.i64s().collect();
    Ok(ids.chunks(samples).map(<[i64]>::to_vec).collect())
}

/// The parameters of the graph, and whatever else the file holds.
pub(crate) fn read_parameters(path: &Path, graph: &Graph) -> Result<(Tensors, Tensors)> {
    let mut others = read_safetensors(path)?;
    let mut parameters = Tensors::new();
    for parameter in graph.parameters() {
        let values = find(&others, &parameter.name, path)?;
        if values.dtype() != Dtype::F32 || values.shape() != parameter.shape {
            let message =
                format!("{}: '{}' is {values:?}, not F32 {:?}", path.display(), parameter.name, parameter.shape);
            return Err(Error::bad_input(message));
        }
        parameters.insert(parameter.name.clone(), values.copied());
        others.remove(&parameter.name);
    }
    Ok((parameters, others))
}
