//! Between the canonical layout and TensorFlow's, in both directions: images are NHWC here, kernels HWIO and [in, out].
//! What holds for parameters holds for their gradients and moments too.

use crossbind_worker::HostTensor;

const IMAGES: [usize; 4] = [0, 2, 3, 1];
const KERNELS: [usize; 4] = [2, 3, 1, 0];
const MATRICES: [usize; 2] = [1, 0];

/// Batches of images; anything else is the same in both.
pub fn images_to_native(values: &HostTensor) -> HostTensor {
    if values.shape().len() == 4 { permuted(values, &IMAGES) } else { values.clone() }
}

pub fn images_to_canonical(values: &HostTensor) -> HostTensor {
    if values.shape().len() == 4 { permuted(values, &inverse(&IMAGES)) } else { values.clone() }
}

/// A parameter of that kind of layer.
pub fn parameter_to_native(layer: &str, values: &HostTensor) -> HostTensor {
    axes(layer, values.shape().len()).map_or_else(|| values.clone(), |axes| permuted(values, axes))
}

pub fn parameter_to_canonical(layer: &str, values: &HostTensor) -> HostTensor {
    axes(layer, values.shape().len()).map_or_else(|| values.clone(), |axes| permuted(values, &inverse(axes)))
}

/// The shape of a canonical parameter here.
pub fn native_shape(layer: &str, shape: &[usize]) -> Vec<usize> {
    axes(layer, shape.len()).map_or_else(|| shape.to_vec(), |axes| axes.iter().map(|&axis| shape[axis]).collect())
}

/// Which axis of the canonical parameter each one here is, where they differ.
fn axes(layer: &str, rank: usize) -> Option<&'static [usize]> {
    match (layer, rank) {
        ("conv2d", 4) => Some(&KERNELS),
        ("linear" | "lstm" | "gru", 2) => Some(&MATRICES),
        _ => None,
    }
}

fn inverse(axes: &[usize]) -> Vec<usize> {
    let place = |axis| axes.iter().position(|&each| each == axis).expect("a permutation has each axis");
    (0..axes.len()).map(place).collect()
}

/// `axes` says which axis of the given tensor each axis of the new one is.
fn permuted(values: &HostTensor, axes: &[usize]) -> HostTensor {
    let old = values.shape();
    let mut strides = vec![values.dtype().bitsize() / 8; old.len()];
    for axis in (1..old.len()).rev() {
        strides[axis - 1] = strides[axis] * old[axis];
    }
    let shape: Vec<usize> = axes.iter().map(|&axis| old[axis]).collect();
    if axes.iter().filter(|&&axis| old[axis] > 1).is_sorted() {
        return values.reshaped(shape); // as images of one channel are in both layouts
    }
    let strides: Vec<usize> = axes.iter().map(|&axis| strides[axis]).collect();
    let mut bytes = Vec::with_capacity(values.bytes().len());
    copy(values.bytes(), &shape, &strides, values.dtype().bitsize() / 8, &mut bytes);
    HostTensor::new(values.dtype(), shape, bytes)
}

fn copy(from: &[u8], shape: &[usize], strides: &[usize], size: usize, to: &mut Vec<u8>) {
    match (shape, strides) {
        (&[length], &[stride]) => {
            (0..length).for_each(|index| to.extend_from_slice(&from[index * stride..index * stride + size]));
        }
        (&[length, ref shape @ ..], &[stride, ref strides @ ..]) => {
            (0..length).for_each(|index| copy(&from[index * stride..], shape, strides, size, to));
        }
        _ => to.extend_from_slice(&from[..size]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number is another one.
    fn counted(shape: &[usize]) -> HostTensor {
        let values: Vec<i64> = (0..).take(shape.iter().product()).collect();
        HostTensor::from_i64(shape.to_vec(), &values)
    }

    fn at(values: &HostTensor, index: &[usize]) -> i64 {
        let place = index.iter().zip(values.shape()).fold(0, |place, (&index, &size)| place * size + index);
        values.i64s().nth(place).unwrap()
    }

    #[test]
    fn back_and_forth_is_nothing() {
        for (layer, shape) in [("conv2d", vec![2, 3, 4, 5]), ("linear", vec![2, 3]), ("gru", vec![6]), ("", vec![2, 3])]
        {
            let there = parameter_to_native(layer, &counted(&shape));
            assert_eq!(there.shape(), native_shape(layer, &shape));
            let back = parameter_to_canonical(layer, &there);
            assert_eq!((back.shape(), back.bytes()), (&shape[..], counted(&shape).bytes()));
        }
    }

    #[test]
    fn kernels_are_hwio_and_matrices_transposed() {
        let (kernel, matrix) = (counted(&[2, 3, 4, 5]), counted(&[2, 3]));
        let native = parameter_to_native("conv2d", &kernel);
        assert_eq!(native.shape(), [4, 5, 3, 2]);
        assert_eq!(at(&native, &[3, 1, 2, 0]), at(&kernel, &[0, 2, 3, 1]));
        assert_eq!(at(&parameter_to_native("lstm", &matrix), &[2, 1]), at(&matrix, &[1, 2]));
        assert_eq!(at(&parameter_to_native("embedding", &matrix), &[1, 2]), at(&matrix, &[1, 2]));
    }

    #[test]
    fn images_are_nhwc_and_nothing_else_is() {
        let images = counted(&[2, 3, 4, 5]);
        let native = images_to_native(&images);
        assert_eq!(at(&native, &[1, 3, 4, 2]), at(&images, &[1, 2, 3, 4]));
        assert_eq!(images_to_canonical(&native).bytes(), images.bytes());
        let gray = counted(&[2, 1, 4, 5]);
        assert_eq!(
            (images_to_native(&gray).shape(), images_to_native(&gray).bytes()),
            (&[2, 4, 5, 1][..], gray.bytes())
        );
        let rows = counted(&[2, 3, 20]);
        assert_eq!(images_to_native(&rows).bytes(), rows.bytes());
    }
}
