// A study of a few made-up trials, for the tests of the tables that are made of one.
#pragma once

#include <string>
#include <unordered_set>

#include "store/memory_store.h"
#include "testing/testing.h"

namespace crossbind::cli {

class StudyTest : public ::testing::Test {
 protected:
  StudyTest() : study_(store_.add_study({"mine", "text"}).value()) {}

  static store::TrialRecord trial(const std::string& identity, const std::string& task) {
    store::TrialRecord trial;
    trial.identity = identity;
    trial.axes.binding = "toy/cpp";
    trial.axes.model = "lenet1";
    trial.axes.dataset = "glyphs";
    trial.axes.device = "cpu";
    trial.axes.task = task;
    trial.axes.loader = "resident";
    trial.axes.variant = "step";
    trial.axes.measure = "total";
    return trial;
  }

  void add(const store::TrialRecord& trial) {
    ASSERT_THAT(store_.add_trial(study_, trial), testing::is_ok());
    identities_.insert(trial.identity);
  }

  store::MemoryStore store_;
  store::StudyId study_;
  std::unordered_set<std::string> identities_;
};

}  // namespace crossbind::cli
