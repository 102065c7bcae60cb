//! Tensors between the host and PyTorch.

use crossbind_worker::{Dtype, HostTensor};
use tch::{Device, Kind, Tensor};

/// On the CPU, in memory of PyTorch's own.
pub fn to_torch(values: &HostTensor) -> Tensor {
    let shape: Vec<i64> = values.shape().iter().map(|&size| to_i64(size)).collect();
    let kind = if values.dtype() == Dtype::I64 { Kind::Int64 } else { Kind::Float };
    Tensor::from_data_size(values.bytes(), &shape, kind)
}

/// int64 stays what it is, all else becomes float32.
pub fn to_host(tensor: &Tensor) -> HostTensor {
    let shape = tensor.size().into_iter().map(|size| usize::try_from(size).expect("sizes are natural")).collect();
    let (dtype, kind) = match tensor.kind() {
        Kind::Int64 => (Dtype::I64, Kind::Int64),
        _ => (Dtype::F32, Kind::Float),
    };
    let values = tensor.detach().to_device(Device::Cpu).to_kind(kind).contiguous();
    let mut bytes = vec![0; values.numel() * dtype.bitsize() / 8];
    values.copy_data_u8(&mut bytes, values.numel());
    HostTensor::new(dtype, shape, bytes)
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
        assert_eq!(to_host(&to_torch(&floats)).bytes(), floats.bytes());
        let integers = HostTensor::from_i64(vec![2], &[-1, 1 << 40]);
        assert_eq!(to_host(&to_torch(&integers)).bytes(), integers.bytes());
    }

    #[test]
    fn a_transposed_view_arrives_row_major() {
        let floats = HostTensor::from_f32(vec![2, 2], &[1., 2., 3., 4.]);
        let host = to_host(&to_torch(&floats).tr());
        assert_eq!(host.f32s().collect::<Vec<_>>(), [1., 3., 2., 4.]);
    }
}
