#include <type_traits>

#include "reference/ops/factories.h"

namespace crossbind::reference {

template <typename T>
OpPointer<T> make_op(const model::Layer& layer,
                     const Math<T>& math,
                     const DropoutSource& dropout,
                     uint32_t node) {
  return std::visit(
      [&](const auto& typed) -> OpPointer<T> {
        if constexpr (std::is_same_v<std::decay_t<decltype(typed)>, model::Dropout>) {
          return make_dropout<T>(typed, dropout, node);
        } else {
          return make_op_for<T>(typed, math);
        }
      },
      layer);
}

template OpPointer<float> make_op(const model::Layer&,
                                  const Math<float>&,
                                  const DropoutSource&,
                                  uint32_t);
template OpPointer<double> make_op(const model::Layer&,
                                   const Math<double>&,
                                   const DropoutSource&,
                                   uint32_t);

}  // namespace crossbind::reference
