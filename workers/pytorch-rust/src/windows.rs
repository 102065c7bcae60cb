//! Layers that look through windows: convolution, pools, and padding.

use serde::Deserialize;
use tch::Tensor;
use tch::nn::{self, Module};

use crate::layers::{Layer, ZEROS, simple};

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(from = "[i64; 4]")]
pub struct Pads {
    top: i64,
    left: i64,
    bottom: i64,
    right: i64,
}

impl From<[i64; 4]> for Pads {
    fn from([top, left, bottom, right]: [i64; 4]) -> Self {
        Self { top, left, bottom, right }
    }
}

impl Pads {
    const NONE: [i64; 2] = [0, 0];

    fn apply(self, x: &Tensor, value: f64) -> Tensor {
        x.pad([self.left, self.right, self.top, self.bottom], "constant", value)
    }

    /// Height and width, where both sides have the same: all that PyTorch's own layers can do.
    fn even(self) -> Option<[i64; 2]> {
        (self.top == self.bottom && self.left == self.right).then_some([self.top, self.left])
    }

    /// PyTorch's pools also pad at most half a window.
    fn even_in_pool(self, [height, width]: [i64; 2]) -> Option<[i64; 2]> {
        self.even().filter(|[top, left]| 2 * top <= height && 2 * left <= width)
    }
}

#[derive(Deserialize)]
pub struct Conv2d {
    in_channels: i64,
    out_channels: i64,
    kernel: [i64; 2],
    stride: [i64; 2],
    pads: Pads,
    bias: bool,
}

pub fn conv2d(fields: &Conv2d, path: &nn::Path) -> Layer {
    let (pads, even) = (fields.pads, fields.pads.even());
    let config = nn::ConvConfigND {
        stride: fields.stride,
        padding: even.unwrap_or(Pads::NONE),
        dilation: [1, 1],
        groups: 1,
        bias: fields.bias,
        ws_init: ZEROS,
        bs_init: ZEROS,
        padding_mode: nn::PaddingMode::Zeros,
    };
    let conv = nn::conv(path, fields.in_channels, fields.out_channels, fields.kernel, config);
    if even.is_some() { simple(move |x| conv.forward(x)) } else { simple(move |x| conv.forward(&pads.apply(x, 0.0))) }
}

#[derive(Deserialize)]
pub struct MaxPool2d {
    kernel: [i64; 2],
    stride: [i64; 2],
    pads: Pads,
}

pub fn max_pool2d(fields: &MaxPool2d) -> Layer {
    let &MaxPool2d { kernel, stride, pads } = fields;
    let pool = move |x: &Tensor, padding| x.max_pool2d(kernel, stride, padding, [1, 1], false);
    match pads.even_in_pool(kernel) {
        Some(padding) => simple(move |x| pool(x, padding)),
        None => simple(move |x| pool(&pads.apply(x, f64::NEG_INFINITY), Pads::NONE)),
    }
}

#[derive(Deserialize)]
pub struct AvgPool2d {
    kernel: [i64; 2],
    stride: [i64; 2],
    pads: Pads,
    count_padding: bool,
}

pub fn avg_pool2d(fields: &AvgPool2d) -> Layer {
    let &AvgPool2d { kernel, stride, pads, count_padding } = fields;
    let pool = move |x: &Tensor, padding| x.avg_pool2d(kernel, stride, padding, false, count_padding, None::<i64>);
    if let Some(padding) = pads.even_in_pool(kernel) {
        return simple(move |x| pool(x, padding));
    }
    let padded = move |x: &Tensor| pool(&pads.apply(x, 0.0), Pads::NONE);
    if count_padding { simple(padded) } else { simple(move |x| padded(x) / padded(&x.ones_like())) }
}

#[derive(Deserialize)]
pub struct Pad {
    pads: Pads,
    value: f64,
}

pub fn pad(fields: &Pad) -> Layer {
    let &Pad { pads, value } = fields;
    simple(move |x| pads.apply(x, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::Mode;
    use tch::{Device, Kind};

    fn numbers(tensor: &Tensor) -> Vec<f32> {
        Vec::try_from(tensor.flatten(0, -1)).unwrap()
    }

    #[test]
    fn uneven_pads_of_a_max_pool_never_win() {
        let fields = MaxPool2d { kernel: [2, 2], stride: [1, 1], pads: [1, 0, 0, 1].into() };
        let x = Tensor::full([1, 1, 2, 2], -5.0, (Kind::Float, Device::Cpu));
        let y = max_pool2d(&fields)(&[&x], Mode::EVALUATION);
        assert_eq!(y.size(), [1, 1, 2, 2]);
        assert_eq!(numbers(&y), [-5.0; 4]);
    }

    #[test]
    fn an_average_counts_padding_only_where_it_is_asked_to() {
        let x = Tensor::ones([1, 1, 2, 2], (Kind::Float, Device::Cpu));
        for (count_padding, expected) in [(true, [0.25, 0.5, 0.5, 1.0]), (false, [1.0; 4])] {
            let fields = AvgPool2d { kernel: [2, 2], stride: [1, 1], pads: [1, 1, 0, 0].into(), count_padding };
            let y = avg_pool2d(&fields)(&[&x], Mode::EVALUATION);
            assert_eq!(numbers(&y), expected);
        }
    }
}
