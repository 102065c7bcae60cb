//! Tensors on the host, as files hold them: row-major, little-endian, canonical.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use memmap2::Mmap;
pub use safetensors::Dtype;
use safetensors::View;

/// Cheap to clone: the numbers are shared, and those of a file stay in its memory map.
#[derive(Clone)]
pub struct HostTensor {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Bytes,
}

#[derive(Clone)]
enum Bytes {
    Own(Arc<[u8]>),
    Mapped(Arc<Mmap>, Range<usize>),
}

impl HostTensor {
    /// # Panics
    /// When the bytes are not those of the shape.
    pub fn new(dtype: Dtype, shape: Vec<usize>, bytes: Vec<u8>) -> Self {
        assert_eq!(shape.iter().product::<usize>() * dtype.bitsize() / 8, bytes.len(), "bytes of {shape:?}");
        Self { dtype, shape, bytes: Bytes::Own(bytes.into()) }
    }

    pub fn from_f32(shape: Vec<usize>, values: &[f32]) -> Self {
        Self::new(Dtype::F32, shape, flattened(values.iter().map(|value| value.to_le_bytes())))
    }

    pub fn from_i64(shape: Vec<usize>, values: &[i64]) -> Self {
        Self::new(Dtype::I64, shape, flattened(values.iter().map(|value| value.to_le_bytes())))
    }

    pub(crate) fn mapped(dtype: Dtype, shape: Vec<usize>, file: Arc<Mmap>, range: Range<usize>) -> Self {
        Self { dtype, shape, bytes: Bytes::Mapped(file, range) }
    }

    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Own(bytes) => bytes,
            Bytes::Mapped(file, range) => &file[range.clone()],
        }
    }

    /// # Panics
    /// When it is of another type.
    pub fn f32s(&self) -> impl Iterator<Item = f32> {
        assert_eq!(self.dtype, Dtype::F32);
        numbers(self.bytes()).map(f32::from_le_bytes)
    }

    /// # Panics
    /// When it is of another type.
    pub fn i64s(&self) -> impl Iterator<Item = i64> {
        assert_eq!(self.dtype, Dtype::I64);
        numbers(self.bytes()).map(i64::from_le_bytes)
    }

    /// The same numbers in the same order.
    ///
    /// # Panics
    /// When the shape is of another number of them.
    #[must_use]
    pub fn reshaped(&self, shape: Vec<usize>) -> Self {
        assert_eq!(shape.iter().product::<usize>(), self.shape.iter().product::<usize>(), "{self:?} as {shape:?}");
        Self { shape, ..self.clone() }
    }

    /// In memory of its own, so that the file may go.
    pub(crate) fn copied(&self) -> Self {
        Self { bytes: Bytes::Own(self.bytes().into()), ..self.clone() }
    }

    /// The first rows, of which there are as many at least.
    pub(crate) fn first(&self, rows: usize) -> Self {
        let mut shape = self.shape.clone();
        shape[0] = rows;
        let length = shape.iter().product::<usize>() * self.dtype.bitsize() / 8;
        let bytes = match &self.bytes {
            Bytes::Own(bytes) => Bytes::Own(bytes[..length].into()),
            Bytes::Mapped(file, range) => Bytes::Mapped(Arc::clone(file), range.start..range.start + length),
        };
        Self { dtype: self.dtype, shape, bytes }
    }
}

impl fmt::Debug for HostTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}", self.dtype, self.shape)
    }
}

fn flattened<const SIZE: usize>(numbers: impl Iterator<Item = [u8; SIZE]>) -> Vec<u8> {
    numbers.collect::<Vec<_>>().into_flattened()
}

fn numbers<const SIZE: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; SIZE]> {
    bytes.chunks_exact(SIZE).map(|chunk| chunk.try_into().expect("a chunk has its size"))
}

impl View for &HostTensor {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        self.bytes().into()
    }

    fn data_len(&self) -> usize {
        self.bytes().len()
    }
}
