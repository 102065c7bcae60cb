#include "conform/case.h"

#include <nlohmann/json.hpp>

#include "conform/made_up_case.h"
#include "model/graph_json.h"
#include "tensor/safetensors.h"
#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

class ReproTest : public testing::ScratchTest {
 protected:
  const Divergence divergence_ = {.kind = Kind::kGradient,
                                  .layer = "conv1",
                                  .tensor = "conv1.weight.grad",
                                  .error = 0.25,
                                  .bound = 1e-6,
                                  .cause = "labels shifted by one sample"};
};

bool same(const tensor::TensorMap& one, const tensor::TensorMap& other) {
  return std::ranges::equal(one, other, [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.shape() == b.second.shape() &&
           a.second.dtype() == b.second.dtype() &&
           std::ranges::equal(a.second.view().bytes, b.second.view().bytes);
  });
}

TEST_F(ReproTest, ComesBackAsItWasWritten) {
  for (const char* name : {"lenet1", "lstm", "bert-base"}) {
    Case subject = made_up_case(name);
    subject.number = 4;
    subject.trains = std::string_view(name) != "lstm";
    const auto folder = scratch(name);
    ASSERT_THAT(write_repro(folder, subject, "pytorch/rust", divergence_), is_ok());
    const auto again = read_repro(folder);
    ASSERT_THAT(again, is_ok());
    EXPECT_EQ(model::canonical_graph(again->model), model::canonical_graph(subject.model));
    EXPECT_TRUE(same(again->state, subject.state));
    EXPECT_TRUE(same(again->batch, subject.batch));
    EXPECT_EQ(again->number, 4);
    EXPECT_EQ(again->trains, subject.trains);
  }
}

TEST_F(ReproTest, SaysWhatDivergesAndHowToSeeItAgain) {
  const auto folder = scratch("repro");
  ASSERT_THAT(write_repro(folder, made_up_case("lenet1"), "pytorch/rust", divergence_), is_ok());
  const auto text = read_file(folder / "README.md");
  ASSERT_THAT(text, is_ok());
  EXPECT_THAT(*text, HasSubstr("crossbind conform pytorch/rust --replay " + folder.string()));
  EXPECT_THAT(*text, HasSubstr("`conv1.weight.grad` (gradient) is off by 0.25"));
  EXPECT_THAT(*text, HasSubstr("What explains it: labels shifted by one sample."));
}

TEST_F(ReproTest, IsNotWrittenOverAnything) {
  ASSERT_THAT(write_file(scratch("notes"), "mine"), is_ok());
  EXPECT_THAT(write_repro(scratch("notes"), made_up_case("lenet1"), "a/b", divergence_),
              fails_with(HasSubstr("there already")));
}

TEST_F(ReproTest, IsCheckedWhenItIsRead) {
  const auto folder = scratch("repro");
  const Case subject = made_up_case("lstm");
  ASSERT_THAT(write_repro(folder, subject, "a/b", divergence_), is_ok());
  const tensor::Metadata step = {{"step", "1"}, {"mode", "train"}};
  const auto read_with = [&](const tensor::TensorMap& batch, const tensor::Metadata& metadata) {
    EXPECT_THAT(tensor::save_safetensors(folder / "batch.safetensors", batch, metadata), is_ok());
    return read_repro(folder);
  };
  EXPECT_THAT(read_with(subject.batch, step), is_ok());
  EXPECT_THAT(read_with(subject.batch, {}), fails_with(HasSubstr("'step'")));
  EXPECT_THAT(read_with({}, step), fails_with(HasSubstr("there is no tensor 'tokens'")));
  tensor::TensorMap batch = subject.batch;
  const auto samples = subject.model.batch;
  batch.insert_or_assign(
      "label", tensor::Tensor({samples}, std::vector<int64_t>(static_cast<size_t>(samples), 2)));
  EXPECT_THAT(read_with(batch, step), fails_with(HasSubstr("'label' holds 2, expected 0 to 1")));
  batch.insert_or_assign("label", tensor::Tensor({1}, std::vector<float>(1)));
  EXPECT_THAT(read_with(batch, step), fails_with(HasSubstr("tensor 'label' is [1] of F32")));
  EXPECT_THAT(read_repro(scratch("nowhere")), fails_with(HasSubstr("model.toml")));
}

}  // namespace
}  // namespace crossbind::conform
