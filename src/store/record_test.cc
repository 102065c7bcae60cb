#include "store/record.h"

#include <limits>

#include "store/fixtures.h"
#include "testing/testing.h"

namespace crossbind::store {
namespace {

using ::testing::AllOf;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;

TEST(Record, OutcomesHaveNames) {
  for (const auto outcome : {Outcome::kDone, Outcome::kUnsupported, Outcome::kFailed}) {
    EXPECT_EQ(outcome_from(name_of(outcome)), outcome);
  }
  EXPECT_EQ(name_of(Outcome::kUnsupported), "unsupported");
  EXPECT_EQ(outcome_from("Done"), std::nullopt);
}

// Fixed, because stores on disk hold these; computed with sha256sum over "5:quick8:epochs=1".
TEST(Record, HashesAreTheSameForEver) {
  EXPECT_EQ(id_of({"quick", "epochs=1"}).sha256,
            "ef4f747c4ec5caec98ac0124dde01b9ef0568f69c1cfaf3b7f73c7b1b4243506");
  EXPECT_EQ(sha256_of({{"a", "b"}, {"c", ""}}),
            "1aca659a301e4b03827b0b8b9cffb33f6fbdabf527979b991067a7e2084e24f2");
}

TEST(Record, HashesTellApartWhatOnlyConcatenatesAlike) {
  EXPECT_NE(id_of({"ab", "c"}), id_of({"a", "bc"}));
  EXPECT_NE(sha256_of({{"a", "b"}}), sha256_of({{"ab", ""}}));
  EXPECT_NE(sha256_of({{"a", "1:b"}}), sha256_of({{"a", "1"}, {"b", ""}}));
}

TEST(Record, TheFixturesAreValid) {
  EXPECT_THAT(validate(full_trial()), is_ok());
  EXPECT_THAT(validate(make_trial(1)), is_ok());
}

TEST(Record, ANumberThatIsNotFiniteIsRefusedByItsName) {
  auto trial = make_trial(1);
  trial.series[1].values[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(validate(trial),
              fails_with(AllOf(HasSubstr("trial 000"),
                               HasSubstr("metric 'forward' of epoch 0 is nan at step 2"))));
  trial = full_trial();
  trial.curve[1].train_accuracy = std::numeric_limits<double>::infinity();
  EXPECT_THAT(validate(trial), fails_with(HasSubstr("train_accuracy of epoch 1 is inf")));
  trial = full_trial();
  trial.curve[0].loss = -std::numeric_limits<double>::infinity();
  EXPECT_THAT(validate(trial), fails_with(HasSubstr("loss of epoch 0 is -inf")));
}

TEST(Record, WhatCouldNotBeReadBackAsItWasIsRefused) {
  const auto refusal = [](auto change) {
    auto trial = full_trial();
    change(trial);
    return validate(trial);
  };
  EXPECT_THAT(refusal([](auto& trial) { trial.series[0].values.clear(); }),
              fails_with(HasSubstr("metric 'forward' of epoch -1 has no values")));
  EXPECT_THAT(refusal([](auto& trial) { trial.series.push_back(trial.series[2]); }),
              fails_with(HasSubstr("metric 'load' of epoch 0 is there twice")));
  EXPECT_THAT(refusal([](auto& trial) { trial.settings[1].name = "batch"; }),
              fails_with(HasSubstr("setting 'batch' is there twice")));
  EXPECT_THAT(refusal([](auto& trial) { trial.curve[1].epoch = 0; }),
              fails_with(HasSubstr("the curve has epoch 0 twice")));
  EXPECT_THAT(refusal([](auto& trial) { trial.log.resize(kMostLogBytes + 1); }),
              fails_with(HasSubstr("more than the 16.0 MiB that are kept")));
}

TEST(Record, AReasonIsThereExactlyWhenTheTrialIsNotDone) {
  auto trial = make_trial(1);
  trial.reason = "none";
  EXPECT_THAT(validate(trial), fails_with(HasSubstr("this one is done, its reason 'none'")));
  EXPECT_THAT(validate(failed(make_trial(1), "")), fails_with(HasSubstr("this one is failed")));
}

TEST(Record, AnIdentityIsLowerCaseHexadecimal) {
  for (const auto* identity : {"", "AB", "0x1", "g"}) {
    auto trial = make_trial(1);
    trial.identity = identity;
    EXPECT_THAT(validate(trial), fails_with(HasSubstr("lower-case hexadecimal"))) << identity;
  }
}

}  // namespace
}  // namespace crossbind::store
