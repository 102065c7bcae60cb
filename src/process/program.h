// A program that is to be started: its words, where, and with what in its environment. A value; who
// starts it, and on which machine, is not said here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace crossbind::process {

struct Program {
  // The program first: an absolute path, a name for PATH, or, with a slash, relative to the
  // directory.
  std::vector<std::string> arguments;
  std::filesystem::path directory;       // where it runs; empty: here
  std::vector<std::string> environment;  // "NAME=value", on top of what is there
};

}  // namespace crossbind::process
