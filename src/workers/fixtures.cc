#include "workers/fixtures.h"

#include <algorithm>

namespace crossbind::workers {

WorkersTest::WorkersTest()
    : places_{.workers = scratch("workers"),
              .programs = scratch("programs"),
              .guard = testing::build_path("crossbind-guard"),
              .cache = scratch("cache")} {
  std::filesystem::create_directories(places_.workers);
}

void WorkersTest::add_worker(const std::string& language,
                             const std::string& script,
                             const std::string& setup_keys) {
  write("toy-" + language + "/worker.toml",
        fmt::format("framework = \"toy\"\nlanguage = \"{}\"\ntitle = \"A toy\"\n"
                    "start = [\"{{home}}/bin/worker\", \"{{folder}}\"]\n"
                    "[setup]\ncommand = [\"./setup\"]\n{}\n{}",
                    language,
                    setup_keys,
                    kCapabilities));
  write_script("toy-" + language + "/setup", script);
}

void WorkersTest::add_shared(const std::string& name, const std::string& script) {
  write_script("shared/" + name + "/setup", script);
}

void WorkersTest::write(const std::string& path, const std::string& text) const {
  EXPECT_THAT(write_file(places_.workers / path, text), testing::is_ok());
}

void WorkersTest::write_script(const std::string& path, const std::string& text) const {
  write(path, "#!/bin/sh\nset -e\n" + text);
  std::filesystem::permissions(places_.workers / path, std::filesystem::perms::owner_all);
}

std::string WorkersTest::read(const std::string& path) const {
  return read_file(scratch(path)).value_or("");
}

Binding WorkersTest::find(const std::string& name) const {
  const auto bindings = list_bindings(places_);
  EXPECT_THAT(bindings, testing::is_ok());
  const auto found = select(bindings.value(), {name});
  EXPECT_THAT(found, testing::is_ok());
  return found ? found->front() : Binding{};
}

Result<SetupReport> WorkersTest::set_up_now(const std::string& name) const {
  RecordedWatch watch;
  return set_up(find(name), places_, watch);
}

std::vector<std::string> WorkersTest::cached(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(places_.cache / folder, absent)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace crossbind::workers
