// The messages between crossbind and a worker, typed. protocol/PROTOCOL.md says what each means;
// codec.h turns them into lines. Values only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/texts.h"
#include "trial/capabilities.h"
#include "trial/format.h"
#include "trial/settings.h"

namespace crossbind::protocol {

inline constexpr int kVersion = 1;
inline constexpr size_t kMaximumLine = size_t{8} << 20;

inline constexpr const char* kEndpointVariable = "CROSSBIND_ENDPOINT";
inline constexpr const char* kTokenVariable = "CROSSBIND_TOKEN";
inline constexpr const char* kRepeatableVariable = "CROSSBIND_REPEATABLE";

using crossbind::Texts;
using RequestId = int64_t;

// From crossbind.

struct Welcome {
  int protocol = kVersion;
  std::string crossbind;  // its version
};

struct DataFile {
  std::filesystem::path path;
  int64_t train_samples = 0;
  int64_t test_samples = 0;
};

struct Prepare {
  RequestId id = 0;
  std::string graph;  // the canonical graph, as JSON text
  std::optional<std::filesystem::path> weights;
  std::optional<std::filesystem::path> serialized;
  std::optional<trial::Format> format;  // of what is serialized
  std::optional<DataFile> data;
  std::optional<std::filesystem::path> order;
  trial::Settings settings;
  std::filesystem::path scratch;
};

struct Train {
  RequestId id = 0;
  std::optional<std::filesystem::path> save;
  int64_t evidence = 0;  // batches of each epoch to report; -1: all
};

struct Infer {
  RequestId id = 0;
  std::optional<std::filesystem::path> outputs;
};

enum class ProbeMode { kTrain, kEval };

struct Probe {
  RequestId id = 0;
  ProbeMode mode = ProbeMode::kTrain;
  bool dropout = false;  // drawn as in training; with kTrain only
  int64_t step = 1;
  std::filesystem::path batch;
  std::optional<std::filesystem::path> state;  // nothing, with kEval only: as prepared
  std::vector<std::string> wanted;
  std::filesystem::path directory;
};

// A batch in, outputs back and, where they are wanted, the gradients of the summed loss by the
// inputs.
struct Query {
  RequestId id = 0;
  std::filesystem::path batch;
  bool gradients = false;
  std::filesystem::path answer;
};

// Writes the model as a file of another kind than safetensors.
struct Serialize {
  RequestId id = 0;
  std::filesystem::path path;
  trial::Format format = trial::Format::kTorchScript;
  trial::Precision precision = trial::Precision::kFloat32;
  std::optional<std::filesystem::path> calibration;  // samples, for precisions that take them
  bool training = false;                             // with its training step
  bool optimizer = false;                            // with the optimizer's state
};

struct Cancel {
  RequestId id = 0;
};

struct Bye {
  std::string reason;  // empty when all is well
};

using Request = std::variant<Welcome, Prepare, Train, Infer, Probe, Query, Serialize, Cancel, Bye>;

// From the worker.

struct Hello {
  int protocol = kVersion;
  std::string token;
  std::string binding;
  Texts versions;
  bool leaves_capabilities = false;  // to the worker's manifest: it has none here
  trial::Capabilities capabilities;
};

struct Progress {
  RequestId id = 0;
  int64_t epoch = 0;
  int64_t step = 0;
  int64_t steps = 0;
};

enum class Phase { kWarmup, kTrain, kInfer };

struct Timings {
  RequestId id = 0;
  Phase phase = Phase::kTrain;
  int64_t epoch = 0;  // 0 outside of training
  std::optional<int64_t> total_ns;
  std::vector<int64_t> steps_ns;  // of the warm-up; and, with measure = parts:
  std::vector<int64_t> load_ns;
  std::vector<int64_t> forward_ns;
  std::vector<int64_t> backward_ns;
};

struct Epoch {
  RequestId id = 0;
  int64_t epoch = 0;
  double loss = 0;
  std::optional<double> train_accuracy;
  std::optional<double> test_accuracy;
  std::optional<double> test_loss;
};

struct Batch {
  RequestId id = 0;
  int64_t epoch = 0;
  int64_t batch = 0;
  int64_t count = 0;
  std::vector<int64_t> ids;
  std::string inputs_sha256;
  std::string labels_sha256;
};

// What is there depends on the request.
struct Done {
  RequestId id = 0;
  std::optional<int64_t> parameters;             // prepare
  Texts effective;                               // prepare: what is not as requested
  std::optional<int64_t> steps;                  // train
  std::optional<int64_t> samples;                // infer
  std::optional<double> accuracy;                // infer
  std::optional<std::filesystem::path> tensors;  // probe
  std::optional<double> loss;                    // probe
  std::vector<std::string> fused;                // probe
  std::vector<std::string> missing;              // probe
};

struct Unsupported {
  RequestId id = 0;
  std::string feature;
};

enum class FailureCode {
  kBadRequest,
  kBadInput,
  kNotFinite,
  kCancelled,
  kOutOfMemory,
  kInternal,
};

struct Failed {
  RequestId id = 0;
  FailureCode code = FailureCode::kInternal;
  std::string message;
};

using Event = std::variant<Hello, Progress, Timings, Epoch, Batch, Done, Unsupported, Failed>;

// The id of a request or an event; nothing for those that have none.
template <typename Message>
[[nodiscard]] std::optional<RequestId> id_of(const Message& message) {
  return std::visit(
      [](const auto& one) -> std::optional<RequestId> {
        if constexpr (requires { one.id; }) {
          return one.id;
        }
        return std::nullopt;
      },
      message);
}

// Gives a request its id, if it is of a kind that has one.
inline void set_id(Request& request, RequestId id) {
  std::visit(
      [id](auto& one) {
        if constexpr (requires { one.id; }) {
          one.id = id;
        }
      },
      request);
}

inline constexpr std::array kProbeModes = {
    Named<ProbeMode>{"train", ProbeMode::kTrain},
    Named<ProbeMode>{"eval", ProbeMode::kEval},
};
inline constexpr std::array kPhases = {
    Named<Phase>{"warmup", Phase::kWarmup},
    Named<Phase>{"train", Phase::kTrain},
    Named<Phase>{"infer", Phase::kInfer},
};
inline constexpr std::array kFailureCodes = {
    Named<FailureCode>{"bad_request", FailureCode::kBadRequest},
    Named<FailureCode>{"bad_input", FailureCode::kBadInput},
    Named<FailureCode>{"not_finite", FailureCode::kNotFinite},
    Named<FailureCode>{"cancelled", FailureCode::kCancelled},
    Named<FailureCode>{"out_of_memory", FailureCode::kOutOfMemory},
    Named<FailureCode>{"internal", FailureCode::kInternal},
};

}  // namespace crossbind::protocol
