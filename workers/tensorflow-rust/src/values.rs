//! Tensors of TensorFlow between it and the host. They keep TensorFlow's layout: `layouts` converts.

use crossbind_worker::{Dtype, HostTensor};
use tensorflow::{Tensor, TensorType};

/// What the graphs here are fed with and give.
#[derive(Debug)]
pub enum Value {
    Floats(Tensor<f32>),
    Integers(Tensor<i64>),
}

impl Value {
    pub fn from_host(values: &HostTensor) -> Self {
        match values.dtype() {
            Dtype::I64 => Self::Integers(filled(values.shape(), values.i64s())),
            _ => Self::Floats(filled(values.shape(), values.f32s())),
        }
    }

    pub fn from_i64s(values: &[i64]) -> Self {
        Self::Integers(values.into())
    }

    pub fn to_host(&self) -> HostTensor {
        match self {
            Self::Floats(tensor) => HostTensor::from_f32(shape(tensor), tensor),
            Self::Integers(tensor) => HostTensor::from_i64(shape(tensor), tensor),
        }
    }

    /// The first number of it.
    pub fn number(&self) -> f64 {
        match self {
            Self::Floats(tensor) => tensor.first().copied().map_or(f64::NAN, f64::from),
            Self::Integers(_) => f64::NAN,
        }
    }
}

pub fn filled<T: TensorType>(shape: &[usize], values: impl Iterator<Item = T>) -> Tensor<T> {
    let mut tensor = Tensor::new(&shape.iter().map(|&size| size as u64).collect::<Vec<_>>());
    tensor.iter_mut().zip(values).for_each(|(place, value)| *place = value);
    tensor
}

fn shape<T: TensorType>(tensor: &Tensor<T>) -> Vec<usize> {
    tensor.dims().iter().map(|&size| usize::try_from(size).expect("it is in memory")).collect()
}

pub fn to_i64(size: usize) -> i64 {
    i64::try_from(size).expect("sizes are below 2^63")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_come_back_as_they_went() {
        let floats = HostTensor::from_f32(vec![2, 3], &[1., 2., 3., 4., 5., 6.]);
        let integers = HostTensor::from_i64(vec![2], &[-1, 1 << 40]);
        for tensor in [floats, integers] {
            let back = Value::from_host(&tensor).to_host();
            assert_eq!((back.shape(), back.bytes()), (tensor.shape(), tensor.bytes()));
        }
    }
}
