// What a model is written as: the format of the file, and the precision of the numbers in it. Words
// that messages, manifests and studies share.
#pragma once

#include <array>

#include "base/named.h"

namespace crossbind::trial {

enum class Format {
  kTorchScript,
  kSavedModel,
  kOnnx,
  kTflite,
  kTfjs,
  kCoreMl,
  kCheckpoint,  // parameters alone, as the framework itself keeps them
};

enum class Precision {
  kFloat32,
  kFloat16,
  kInt8Weights,  // weights in 8 bits, computed with in floats
  kInt8,         // activations too; their ranges come from calibration samples
};

inline constexpr std::array kFormats = {
    Named<Format>{"torchscript", Format::kTorchScript},
    Named<Format>{"savedmodel", Format::kSavedModel},
    Named<Format>{"onnx", Format::kOnnx},
    Named<Format>{"tflite", Format::kTflite},
    Named<Format>{"tfjs", Format::kTfjs},
    Named<Format>{"coreml", Format::kCoreMl},
    Named<Format>{"checkpoint", Format::kCheckpoint},
};
inline constexpr std::array kPrecisions = {
    Named<Precision>{"float32", Precision::kFloat32},
    Named<Precision>{"float16", Precision::kFloat16},
    Named<Precision>{"int8-weights", Precision::kInt8Weights},
    Named<Precision>{"int8", Precision::kInt8},
};

}  // namespace crossbind::trial
