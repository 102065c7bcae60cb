#include "conform/premise.h"
#include "conform/workbench.h"
#include "testing/testing.h"

namespace crossbind::conform {
namespace {

using model::BatchNorm;

std::vector<Bug> statistics_bugs() {
  return {
      {"momentum_inverted",
       "image",
       true,
       [](Work& w, const Steps&) { layer<BatchNorm>(w, "bn").momentum = 0.9; },
       {},
       "bn.running_mean",
       "batch-norm momentum 0.1 read as 0.9"},
      {"biased_variance",
       "image",
       true,
       [](Work& w, const Steps&) {
         layer<BatchNorm>(w, "bn").running_variance = model::RunningVariance::kBiased;
       },
       {},
       "bn.running_var",
       "running variance from the biased batch variance"},
      {"no_statistics",
       "image",
       true,
       [](Work& w, const Steps&) { layer<BatchNorm>(w, "bn").momentum = 0; },
       {},
       "bn.running_mean",
       "running statistics are not updated"},
  };
}

class StatisticsCause : public ::testing::TestWithParam<Bug> {};

TEST_P(StatisticsCause, IsNamed) {
  check(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Bugs,
                         StatisticsCause,
                         ::testing::ValuesIn(statistics_bugs()),
                         name_of_bug);

}  // namespace
}  // namespace crossbind::conform
