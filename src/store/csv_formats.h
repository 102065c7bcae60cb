// The files of a CSV folder and their columns. Rows of one file point to those of another by the
// number in its first column.
#pragma once

#include <array>
#include <string_view>

namespace crossbind::store {

struct CsvFormat {
  std::string_view file;
  std::string_view header;
};

inline constexpr CsvFormat kStudiesCsv = {"studies.csv", "study,name,text"};
inline constexpr CsvFormat kTrialsCsv = {
    "trials.csv",
    "trial,identity,binding,model,dataset,device,task,loader,variant,measure,weights,seed,repeat,"
    "outcome,reason,started_us,wall_us,user_us,system_us,peak_memory_bytes,host,worker"};
inline constexpr CsvFormat kStudyTrialsCsv = {"study_trials.csv", "study,trial"};
inline constexpr CsvFormat kSettingsCsv = {"settings.csv", "trial,name,requested,effective"};
inline constexpr CsvFormat kFactsCsv = {"facts.csv", "trial,name,value"};
inline constexpr CsvFormat kCurvesCsv = {"curves.csv",
                                         "trial,epoch,loss,train_accuracy,test_accuracy"};
inline constexpr CsvFormat kSamplesCsv = {"samples.csv", "trial,metric,epoch,step,value"};
inline constexpr CsvFormat kEnvironmentsCsv = {"environments.csv", "environment,name,value"};
inline constexpr std::array kCsvFormats = {&kStudiesCsv,
                                           &kTrialsCsv,
                                           &kStudyTrialsCsv,
                                           &kSettingsCsv,
                                           &kFactsCsv,
                                           &kCurvesCsv,
                                           &kSamplesCsv,
                                           &kEnvironmentsCsv};

}  // namespace crossbind::store
