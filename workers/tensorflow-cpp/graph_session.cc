#include "graph_session.h"

#include <tensorflow/core/public/session.h>
#include <tensorflow/core/public/version.h>

#include "session_options.h"

namespace crossbind::worker {
namespace {

namespace tf = tensorflow;

std::unique_ptr<tf::Session> new_session(int threads) {
  tf::SessionOptions options = options_for(threads);
  // Else it forgets its graph after the first run, and cannot be extended.
  options.config.mutable_experimental()->set_disable_optimize_for_static_graph(true);
  tf::Session* session = nullptr;
  check(tf::NewSession(options, &session));
  return std::unique_ptr<tf::Session>(session);
}

tf::GraphDef graph_of(const std::string& definition) {
  tf::GraphDef graph;
  graph.ParseFromString(definition);
  return graph;
}

template <typename T>
NativeTensor scalar_of(T value) {
  return NativeTensor(tf::Tensor(value));
}

}  // namespace

NativeTensor::NativeTensor(tensor::DType dtype, const tensor::Shape& shape)
    : tensor_(std::make_unique<tf::Tensor>(
          dtype == tensor::DType::kI64 ? tf::DT_INT64 : tf::DT_FLOAT, tf::TensorShape(shape))) {}
NativeTensor::NativeTensor(tf::Tensor tensor)
    : tensor_(std::make_unique<tf::Tensor>(std::move(tensor))) {}
NativeTensor::NativeTensor(const NativeTensor& other)
    : tensor_(std::make_unique<tf::Tensor>(*other.tensor_)) {}
NativeTensor::NativeTensor(NativeTensor&& other) noexcept = default;
NativeTensor& NativeTensor::operator=(const NativeTensor& other) {
  return *this = NativeTensor(other);
}
NativeTensor& NativeTensor::operator=(NativeTensor&& other) noexcept = default;
NativeTensor::~NativeTensor() = default;

NativeTensor NativeTensor::scalar(float value) {
  return scalar_of(value);
}
NativeTensor NativeTensor::scalar(int64_t value) {
  return scalar_of(static_cast<tf::int64>(value));
}

tensor::TensorView NativeTensor::view() const {
  const auto sizes = tensor_->shape().dim_sizes();
  const tf::StringPiece data = tensor_->tensor_data();
  return {tensor_->dtype() == tf::DT_INT64 ? tensor::DType::kI64 : tensor::DType::kF32,
          {sizes.begin(), sizes.end()},
          std::as_bytes(std::span(data.data(), data.size()))};
}

float NativeTensor::number() const {
  return *static_cast<const float*>(tensor_->data());
}

std::vector<tensor::TensorView> views_of(const std::vector<NativeTensor>& tensors) {
  std::vector<tensor::TensorView> views;
  views.reserve(tensors.size());
  for (const NativeTensor& each : tensors) {
    views.push_back(each.view());
  }
  return views;
}

std::span<std::byte> NativeTensor::bytes() {
  return {static_cast<std::byte*>(tensor_->data()), tensor_->TotalBytes()};
}

GraphSession::GraphSession(const std::string& definition, int threads)
    : session_(new_session(threads)) {
  check(session_->Create(graph_of(definition)));
}
GraphSession::GraphSession(std::unique_ptr<tf::Session> session) : session_(std::move(session)) {}
GraphSession::GraphSession(GraphSession&& other) noexcept = default;
GraphSession& GraphSession::operator=(GraphSession&& other) noexcept = default;

// A session that is not closed keeps its memory.
GraphSession::~GraphSession() {
  if (session_ != nullptr) {
    session_->Close().IgnoreError();
  }
}

void GraphSession::extend(const std::string& definition) {
  check(session_->Extend(graph_of(definition)));
}

std::vector<NativeTensor> GraphSession::run(const Feeds& feeds,
                                            const Names& fetches,
                                            const Names& targets) {
  if (fetches.empty() && targets.empty()) {
    return {};  // TensorFlow refuses to do nothing
  }
  std::vector<std::pair<std::string, tf::Tensor>> given;
  given.reserve(feeds.size());
  for (const auto& [name, tensor] : feeds) {
    given.emplace_back(name, tensor.get());
  }
  std::vector<tf::Tensor> fetched;
  check(session_->Run(given, fetches, targets, &fetched));
  std::vector<NativeTensor> tensors;
  tensors.reserve(fetched.size());
  for (tf::Tensor& each : fetched) {
    tensors.emplace_back(std::move(each));
  }
  return tensors;
}

std::string tensorflow_version() {
  return TF_VERSION_STRING;
}

}  // namespace crossbind::worker
