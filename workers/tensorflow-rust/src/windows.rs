//! Layers that look through windows: convolution, pools, and padding.

use serde::Deserialize;
use tensorflow::{Output, Tensor, ops};

use crate::layers::{Made, Site, sizes};
use crate::values::filled;

#[derive(Deserialize)]
pub struct Window {
    kernel: [i64; 2],
    stride: [i64; 2],
    pads: [i64; 4],
}

impl Window {
    fn strides(&self) -> Vec<i64> {
        vec![1, self.stride[0], self.stride[1], 1]
    }

    fn sizes(&self) -> Vec<i64> {
        vec![1, self.kernel[0], self.kernel[1], 1]
    }

    /// Whether the pads are what TensorFlow's `SAME` gives images of that height and width.
    fn is_same(&self, image: [i64; 2]) -> bool {
        let [top, left, bottom, right] = self.pads;
        [(top, bottom), (left, right)].into_iter().enumerate().all(|(axis, pads)| {
            let (size, kernel, stride) = (image[axis], self.kernel[axis], self.stride[axis]);
            let steps = (size + stride - 1) / stride;
            let total = ((steps - 1) * stride + kernel - size).max(0);
            pads == (total / 2, total - total / 2)
        })
    }

    /// What the operation is given, and how it is to pad that.
    fn placed(&self, site: &mut Site, x: Output, value: f32) -> tensorflow::Result<(Output, &'static str)> {
        let image = sizes(site, &x)?;
        if self.is_same([image[1], image[2]]) {
            return Ok((x, "SAME"));
        }
        Ok((padded(site, x, self.pads, value)?, "VALID"))
    }
}

fn padded(site: &mut Site, x: Output, pads: [i64; 4], value: f32) -> Made {
    if pads == [0; 4] {
        return Ok(x);
    }
    // The gradient of a pad fails to build where its sizes are int64.
    let [top, left, bottom, right] = pads.map(|size| i32::try_from(size).unwrap_or(i32::MAX));
    let pads = Tensor::new(&[4, 2]).with_values(&[0, 0, top, bottom, left, right, 0, 0])?;
    let pads = ops::constant(pads, site.scope)?;
    if value == 0.0 {
        return Ok(ops::pad(x, pads, site.scope)?.into());
    }
    let value = site.number(value)?;
    Ok(ops::pad_v2(x, pads, value, site.scope)?.into())
}

#[derive(Deserialize)]
pub struct Conv2d {
    #[serde(flatten)]
    window: Window,
    bias: bool,
}

pub fn conv2d(site: &mut Site, fields: &Conv2d, x: Output) -> Made {
    let (x, padding) = fields.window.placed(site, x, 0.0)?;
    let conv = ops::Conv2D::new().strides(fields.window.strides()).padding(padding);
    let product = conv.build(x, site.parameter("weight"), site.scope)?;
    if !fields.bias {
        return Ok(product.into());
    }
    Ok(ops::bias_add(product, site.parameter("bias"), site.scope)?.into())
}

pub fn max_pool2d(site: &mut Site, window: &Window, x: Output) -> Made {
    let (x, padding) = window.placed(site, x, f32::NEG_INFINITY)?;
    let pool = ops::MaxPool::new().ksize(window.sizes()).strides(window.strides()).padding(padding);
    Ok(pool.build(x, site.scope)?.into())
}

#[derive(Deserialize)]
pub struct AvgPool2d {
    #[serde(flatten)]
    window: Window,
    count_padding: bool,
}

pub fn avg_pool2d(site: &mut Site, fields: &AvgPool2d, x: Output) -> Made {
    let AvgPool2d { window, count_padding } = fields;
    let image = sizes(site, &x)?;
    let [height, width] = [image[1], image[2]];
    let pool = |padding: &str| ops::AvgPool::new().ksize(window.sizes()).strides(window.strides()).padding(padding);
    if !count_padding && window.is_same([height, width]) {
        return Ok(pool("SAME").build(x, site.scope)?.into()); // which does not count it
    }
    let x = padded(site, x, window.pads, 0.0)?;
    let mean = pool("VALID").build(x, site.scope)?;
    if *count_padding || window.pads == [0; 4] {
        return Ok(mean.into());
    }
    let ones = filled(&[1, size(height), size(width), 1], std::iter::repeat(1.0_f32));
    let ones = ops::constant(ones, site.scope)?.into();
    let ones = padded(site, ones, window.pads, 0.0)?;
    let share = pool("VALID").build(ones, site.scope)?;
    Ok(ops::real_div(mean, share, site.scope)?.into())
}

fn size(known: i64) -> usize {
    usize::try_from(known).expect("images have a size")
}

#[derive(Deserialize)]
pub struct Pad {
    pads: [i64; 4],
    value: f32,
}

pub fn pad(site: &mut Site, fields: &Pad, x: Output) -> Made {
    padded(site, x, fields.pads, fields.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(kernel: [i64; 2], stride: [i64; 2], pads: [i64; 4]) -> Window {
        Window { kernel, stride, pads }
    }

    #[test]
    fn same_is_tensorflows_rule() {
        assert!(window([3, 3], [1, 1], [1, 1, 1, 1]).is_same([32, 32]));
        assert!(window([3, 3], [2, 2], [0, 0, 1, 1]).is_same([32, 32]), "what is uneven goes behind");
        assert!(!window([3, 3], [2, 2], [1, 1, 1, 1]).is_same([32, 32]));
        assert!(window([3, 3], [2, 2], [1, 1, 1, 1]).is_same([31, 31]));
        assert!(window([2, 2], [2, 2], [0; 4]).is_same([28, 28]), "there is nothing to pad");
        assert!(!window([2, 2], [2, 2], [0; 4]).is_same([27, 28]), "SAME has a window more");
    }
}
