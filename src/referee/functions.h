// Functions that several layers and the losses share.
#pragma once

#include <cstdint>

#include "referee/math.h"

namespace crossbind::referee {

template <typename T>
void tanh_of(const T* x, T* y, int64_t count);
template <typename T>
void sigmoid_of(const T* x, T* y, int64_t count);

// y = softmax(x), shifted by the maximum; entries of -infinity get 0. Returns log(sum(exp(x))).
template <typename T>
T softmax_of(const Math<T>& math, const T* x, T* y, int64_t count);

// Adds the variance (units of u^2) of a computed softmax's error: rounding, and, unless null, the
// error of variance vx that its input carries.
template <typename T>
void softmax_error(const T* x, const T* y, const T* vx, T* variance, int64_t count);

}  // namespace crossbind::referee
