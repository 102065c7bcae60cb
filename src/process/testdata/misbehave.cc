// crossbind-misbehave: what a worker may do wrong, one way a subcommand. Processes that stay write
// themselves into the file given, and end by themselves after two minutes should a test fail.
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "process/guarded.h"
#include "process/testdata/process_record.h"

namespace crossbind::process {
namespace {

using Arguments = std::vector<std::string>;

constexpr unsigned kLifetimeSeconds = 120;

std::string own_path() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

[[noreturn]] void stay(const std::string& file) {
  ::alarm(kLifetimeSeconds);
  record_self(file);
  while (true) {
    ::pause();
  }
}

// A grandchild in a session of its own that nobody waits for.
void detach(const std::string& file) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    if (::fork() == 0) {
      stay(file);
    }
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

void wait_for_records(const std::string& file, size_t count) {
  while (records_in(file).size() < count) {
    ::usleep(1000);
  }
}

int crash(const Arguments&) {
  ::signal(SIGSEGV, SIG_DFL);  // sanitizers catch it
  ::raise(SIGSEGV);
  return 0;
}

int ignore_term(const Arguments& arguments) {
  ::signal(SIGTERM, SIG_IGN);
  stay(arguments.at(0));
}

int say_goodbye(const Arguments& arguments) {
  ::signal(SIGTERM, [](int) {
    [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, "goodbye\n", 8);
    ::_exit(5);
  });
  stay(arguments.at(0));
}

int fill(const Arguments& arguments) {
  const std::string block(size_t{1} << 16, 'x');
  std::fputs("first words\n", stderr);
  for (long left = std::stol(arguments.at(0)); left > 0; left -= static_cast<long>(block.size())) {
    std::fwrite(block.data(), 1, block.size(), stderr);
  }
  std::fputs("\nlast words\n", stderr);
  return 0;
}

// MEBIBYTES, touched 4 at a time, at most 1 GiB a second.
int eat(const Arguments& arguments) {
  constexpr size_t kStep = size_t{4} << 20;
  std::vector<char*> blocks;
  for (long eaten = 0; eaten < std::stol(arguments.at(0)); eaten += 4) {
    blocks.push_back(static_cast<char*>(std::malloc(kStep)));
    std::memset(blocks.back(), 1, kStep);
    ::usleep(4000);
  }
  stay(arguments.at(1));
}

// COUNT FILE: detached grandchildren, and the program exits or stays.
int detach_and_exit(const Arguments& arguments) {
  const int count = std::stoi(arguments.at(0));
  for (int i = 0; i < count; ++i) {
    detach(arguments.at(1));
  }
  wait_for_records(arguments.at(1), static_cast<size_t>(count));
  return 0;
}

int detach_and_stay(const Arguments& arguments) {
  detach_and_exit(arguments);
  stay(arguments.at(1));
}

// FILE: a child that has detached; the parent of it is known only by its session when its
// environment is empty, and the child by nothing but its parent.
int detach_below(const Arguments& arguments) {
  if (::fork() == 0) {
    ::setsid();
    stay(arguments.at(0));
  }
  stay(arguments.at(0));
}

// FILE: six processes, every kind of descendant: the program, a child and a grandchild, a detached
// grandchild, and with an empty environment a child and a detached grandchild.
int family(const Arguments& arguments) {
  const std::string& file = arguments.at(0);
  if (::fork() == 0) {
    ::fork();
    stay(file);
  }
  detach(file);
  if (::fork() == 0) {
    std::array<char*, 1> nothing{nullptr};
    ::execle(own_path().c_str(),
             "crossbind-misbehave",
             "detach-below",
             file.c_str(),
             nullptr,
             nothing.data());
    ::_exit(127);
  }
  stay(file);
}

// FILE: forks and exits over and over, each process in a session of its own.
int chain(const Arguments& arguments) {
  if (::fork() != 0) {
    stay(arguments.at(0));
  }
  constexpr int kMostForks = 2000;  // should nobody stop it, it must not flood the machine
  for (int forks = 0; forks < kMostForks; ++forks) {
    ::setsid();
    record_self(arguments.at(0));
    ::usleep(1000);
    if (::fork() != 0) {
      ::_exit(0);
    }
  }
  return 0;
}

int print_affinity(const Arguments&) {
  cpu_set_t set;
  ::sched_getaffinity(0, sizeof set, &set);
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) {
      std::printf("%zu\n", cpu);
    }
  }
  return 0;
}

// GUARD SUBCOMMAND ARGUMENT...: starts itself under a guard and waits for its own death.
int launch(const Arguments& arguments) {
  Arguments command(arguments.begin() + 1, arguments.end());
  command.insert(command.begin(), own_path());
  auto process = GuardedProcess::start(arguments.at(0), {.program = {.arguments = command}});
  if (!process) {
    std::fputs(process.error().to_string().c_str(), stderr);
    return 1;
  }
  ::alarm(kLifetimeSeconds);
  while (true) {
    ::pause();
  }
}

int run(const std::string& subcommand, const Arguments& arguments) {
  const std::map<std::string, std::function<int(const Arguments&)>> subcommands{
      {"exit", [](const Arguments& given) { return std::stoi(given.at(0)); }},
      {"stay", [](const Arguments& given) -> int { stay(given.at(0)); }},
      {"crash", crash},
      {"ignore-term", ignore_term},
      {"say-goodbye", say_goodbye},
      {"fill", fill},
      {"eat", eat},
      {"detach-and-exit", detach_and_exit},
      {"detach-and-stay", detach_and_stay},
      {"detach-below", detach_below},
      {"family", family},
      {"chain", chain},
      {"print-affinity", print_affinity},
      {"launch", launch},
  };
  return subcommands.at(subcommand)(arguments);
}

}  // namespace
}  // namespace crossbind::process

int main(int argc, char** argv) {
  return crossbind::process::run(argv[1], {argv + 2, argv + argc});
}
