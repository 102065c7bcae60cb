#include "model/sizes.h"

#include "model/layers.h"

namespace crossbind::model {
namespace {

template <typename Owner>
struct ListSizes {
  Owner& owner;
  std::vector<int64_t*>& sizes;

  void operator()(const Size<Owner>& field) const { sizes.push_back(&(owner.*field.member)); }
  // Kernels, strides and pads are what a divergence may hang on; they are no sizes.
  void operator()(const HeightAndWidth<Owner>&) const {}
  void operator()(const FourPads<Owner>&) const {}
  void operator()(const WindowPads<Owner>&) const {}
  void operator()(const InferredSize<Owner>&) const {}
  void operator()(const InferredFlag<Owner>&) const {}
  void operator()(const Flag<Owner>&) const {}
  void operator()(const OneOrTwo<Owner>&) const {}
  void operator()(const Number<Owner>&) const {}
  template <typename Enum>
  void operator()(const Word<Owner, Enum>&) const {}
  void operator()(const OptionalRow<Owner>&) const {}
  void operator()(const Constant&) const {}
  void operator()(const InitialRule&) const {}
  void operator()(const ForgetBias&) const {}
};

}  // namespace

std::vector<int64_t*> chosen_sizes(Layer& layer) {
  std::vector<int64_t*> sizes;
  std::visit(
      [&]<typename Owner>(Owner& owner) {
        for_each_field<Owner>(ListSizes<Owner>{owner, sizes});
      },
      layer);
  return sizes;
}

}  // namespace crossbind::model
