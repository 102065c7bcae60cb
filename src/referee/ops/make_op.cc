#include "referee/ops/factories.h"

namespace crossbind::referee {
namespace {

// Chooses the constructor. Layers that need no more than arithmetic are those that factories.h has
// a make_op_for() of; the others are here.
template <typename T>
struct MakeOp {
  const Math<T>& math;
  const DropoutSource& dropout;
  uint32_t node;

  OpPointer<T> operator()(const model::Dropout& layer) const {
    return make_dropout<T>(layer, dropout, node);
  }
  template <typename Layer>
  OpPointer<T> operator()(const Layer& layer) const {
    return make_op_for<T>(layer, math);
  }
};

}  // namespace

template <typename T>
OpPointer<T> make_op(const model::Layer& layer,
                     const Math<T>& math,
                     const DropoutSource& dropout,
                     uint32_t node) {
  return std::visit(MakeOp<T>{math, dropout, node}, layer);
}

template OpPointer<float> make_op(const model::Layer&,
                                  const Math<float>&,
                                  const DropoutSource&,
                                  uint32_t);
template OpPointer<double> make_op(const model::Layer&,
                                   const Math<double>&,
                                   const DropoutSource&,
                                   uint32_t);

}  // namespace crossbind::referee
