//! What tch lacks: the way to the state of an optimizer, and libtorch's version. All unsafe code is here.

use std::cell::Cell;
use std::ffi::{CStr, c_char};

use tch::nn::{Optimizer, OptimizerConfig, VarStore};
use tch::{COptimizer, TchError, Tensor};
use torch_sys::{C_optimizer, C_tensor};

unsafe extern "C" {
    fn crossbind_set_sgd_state(optimizer: *mut C_optimizer, parameter: *const C_tensor, m: *const C_tensor);
    fn crossbind_set_adam_state(
        optimizer: *mut C_optimizer,
        parameter: *const C_tensor,
        m: *const C_tensor,
        v: *const C_tensor,
        steps: i64,
    );
    fn crossbind_torch_version() -> *const c_char;
}

pub fn torch_version() -> &'static str {
    // SAFETY: it is a literal of the native code.
    unsafe { CStr::from_ptr(crossbind_torch_version()) }.to_str().unwrap_or("unknown")
}

/// tch's optimizer, and libtorch's inside of it.
pub struct OpenOptimizer {
    pub optimizer: Optimizer,
    native: *mut C_optimizer,
}

impl OpenOptimizer {
    pub fn build(config: impl OptimizerConfig, variables: &VarStore, rate: f64) -> Result<Self, TchError> {
        let seen = Cell::new(std::ptr::null_mut());
        let optimizer = Watched { config, seen: &seen }.build(variables, rate)?;
        Ok(Self { optimizer, native: seen.get() })
    }

    /// Shares the tensor: the next step updates it. The optimizer must be SGD.
    pub fn set_sgd_state(&mut self, parameter: &Tensor, m: &Tensor) {
        // SAFETY: the optimizer lives as long as `self.optimizer`, and all pointers are of live objects.
        unsafe { crossbind_set_sgd_state(self.native, parameter.as_ptr(), m.as_ptr()) }
    }

    /// As after that many steps; shares the tensors. The optimizer must be Adam or `AdamW`.
    pub fn set_adam_state(&mut self, parameter: &Tensor, m: &Tensor, v: &Tensor, steps: i64) {
        // SAFETY: as above.
        unsafe { crossbind_set_adam_state(self.native, parameter.as_ptr(), m.as_ptr(), v.as_ptr(), steps) }
    }
}

/// Sees the optimizer when it is made; afterwards tch keeps it to itself.
struct Watched<'a, C> {
    config: C,
    seen: &'a Cell<*mut C_optimizer>,
}

impl<C: OptimizerConfig> OptimizerConfig for Watched<'_, C> {
    fn build_copt(&self, rate: f64) -> Result<COptimizer, TchError> {
        const { assert!(size_of::<COptimizer>() == size_of::<*mut C_optimizer>()) };
        let optimizer = self.config.build_copt(rate)?;
        // SAFETY: in the version of tch that Cargo.toml pins, that pointer is all that a COptimizer is.
        self.seen.set(unsafe { std::mem::transmute_copy(&optimizer) });
        Ok(optimizer)
    }
}
