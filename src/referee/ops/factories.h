// The constructors of all ops, one for each kind of layer; make_op() chooses among them.
#pragma once

#include "referee/op.h"

namespace crossbind::referee {

template <typename T>
OpPointer<T> make_op_for(const model::Conv2d& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::MaxPool2d& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::AvgPool2d& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::GlobalAvgPool& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::Linear& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::Flatten& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::Tanh& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::Relu& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::Sigmoid& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::Gelu& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::Softmax& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::BatchNorm& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::LayerNorm& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::Embedding& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::Lstm& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::Gru& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::Pad& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::Add& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::SelfAttention& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_op_for(const model::SelectLast& layer, const Math<T>& math);
template <typename T>
OpPointer<T> make_dropout(const model::Dropout& layer, const DropoutSource& source, uint32_t node);

// Instantiates a factory for both precisions; used at the end of each op's file.
#define CROSSBIND_INSTANTIATE_OP(Layer)                                           \
  template OpPointer<float> make_op_for(const model::Layer&, const Math<float>&); \
  template OpPointer<double> make_op_for(const model::Layer&, const Math<double>&)

}  // namespace crossbind::referee
