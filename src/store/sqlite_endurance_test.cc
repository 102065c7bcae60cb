// What the SQLite store promises when things go wrong around it: processes that are killed, several
// that write at once, a disk that is full, a file system that cannot be written.
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "store/fixtures.h"
#include "store/sqlite_store.h"
#include "testing/testing.h"

namespace crossbind::store {
namespace {

using ::testing::AllOf;
using testing::fails_with;
using ::testing::HasSubstr;
using testing::is_ok;
using ::testing::IsEmpty;

constexpr int kSamples = 200;
const StudyRecord kStudy{"endurance", "text"};

// Runs the work in a process of its own, which ends with what it returns.
pid_t spawn(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(work() ? 0 : 1);
  }
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

// Adds trials first, first + 1, ..., `count` of them, and says so after each.
bool add_trials(
    const std::filesystem::path& path,
    int first,
    int count,
    const std::function<void()>& added = [] {}) {
  auto store = SqliteStore::open(path, Access::kReadWrite);
  const auto study = store ? store->add_study(kStudy) : tl::unexpected(store.error());
  if (!study) {
    std::fputs((study.error().to_string() + "\n").c_str(), stderr);
    return false;
  }
  for (int number = first; number < first + count; ++number) {
    if (const auto status = store->add_trial(*study, make_trial(number, kSamples)); !status) {
      std::fputs((status.error().to_string() + "\n").c_str(), stderr);
      return false;
    }
    added();
  }
  return true;
}

class SqliteEnduranceTest : public testing::ScratchTest {
 protected:
  [[nodiscard]] std::filesystem::path path() const { return scratch("store.db"); }

  // The number of trials; the store is sound and every one of them whole.
  static int count_whole_trials(const std::filesystem::path& file, Access access) {
    const auto store = SqliteStore::open(file, access).value();
    EXPECT_THAT(store.check().value(), IsEmpty());
    int count = 0;
    const auto status = store.for_each_trial(std::nullopt, [&](const TrialRecord& trial) -> Status {
      EXPECT_EQ(trial, make_trial(static_cast<int>(trial.axes.seed), kSamples));
      ++count;
      return {};
    });
    EXPECT_THAT(status, is_ok());
    return count;
  }
};

TEST_F(SqliteEnduranceTest, WhatAKilledProcessHadStoredIsThereAndWhole) {
  constexpr int kRounds = 8;
  std::mt19937 random(7);
  int stored = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = spawn([&] {
      return add_trials(path(), 1000 * round, 1000, [&] { (void)!::write(ends[1], "+", 1); });
    });
    ::close(ends[1]);
    const auto wanted = random() % 10;
    char mark = 0;
    for (unsigned long i = 0; i <= wanted; ++i) {
      ASSERT_EQ(::read(ends[0], &mark, 1), 1);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    wait_for(child);
    int reported = static_cast<int>(wanted) + 1;
    while (::read(ends[0], &mark, 1) == 1) {
      ++reported;
    }
    ::close(ends[0]);
    const int found = count_whole_trials(path(), Access::kReadWrite);
    // One more may have been committed and not yet reported.
    EXPECT_GE(found, stored + reported);
    EXPECT_LE(found, stored + reported + 1);
    stored = found;
  }
}

TEST_F(SqliteEnduranceTest, TwoProcessesCreateAndFillOneStore) {
  const pid_t one = spawn([&] { return add_trials(path(), 0, 40); });
  const pid_t two = spawn([&] { return add_trials(path(), 100, 40); });
  EXPECT_EQ(wait_for(one), 0);
  EXPECT_EQ(wait_for(two), 0);
  EXPECT_EQ(count_whole_trials(path(), Access::kReadOnly), 80);
}

TEST_F(SqliteEnduranceTest, TwoThreadsWithAStoreEachWriteToOneFileWhileAThirdReads) {
  ASSERT_TRUE(add_trials(path(), 0, 1));
  std::thread one([&] { EXPECT_TRUE(add_trials(path(), 100, 40)); });
  std::thread two([&] { EXPECT_TRUE(add_trials(path(), 200, 40)); });
  int count = 0;
  while (count < 81 && !HasFailure()) {
    const int next = count_whole_trials(path(), Access::kReadOnly);
    EXPECT_GE(next, count);
    count = next;
  }
  one.join();
  two.join();
  EXPECT_EQ(count_whole_trials(path(), Access::kReadOnly), 81);
}

TEST_F(SqliteEnduranceTest, AMergeThatIsKilledHasDoneNothing) {
  ASSERT_TRUE(add_trials(path(), 0, 5));
  ASSERT_TRUE(add_trials(scratch("other.db"), 100, 50));
  const pid_t child = spawn([&] {
    auto into = SqliteStore::open(path(), Access::kReadWrite).value();
    const auto from = SqliteStore::open(scratch("other.db"), Access::kReadOnly).value();
    (void)into.transact([&]() -> Status {
      CB_TRY(into.merge(from));
      ::kill(::getpid(), SIGKILL);
      return {};
    });
    return true;
  });
  EXPECT_TRUE(WIFSIGNALED(wait_for(child)));
  EXPECT_EQ(count_whole_trials(path(), Access::kReadWrite), 5);
}

TEST_F(SqliteEnduranceTest, AWriteThatTheSystemRefusesFailsAndLeavesTheStoreAsItWas) {
  ASSERT_TRUE(add_trials(path(), 0, 3));
  const pid_t child = spawn([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{512 << 10, 512 << 10};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto store = SqliteStore::open(path(), Access::kReadWrite).value();
    const auto status = store.add_trial(id_of(kStudy), make_trial(50, 100'000));
    return !status && store.add_trial(id_of(kStudy), make_trial(3, kSamples)).has_value();
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(count_whole_trials(path(), Access::kReadOnly), 4);
}

// Runs the work in a thread that sees a small file system of its own at the directory; the file
// system goes with the thread. An error number where that is not allowed.
int with_small_file_system(const std::filesystem::path& directory,
                           const std::function<void()>& work) {
  int error = 0;
  std::thread thread([&] {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", directory.c_str(), "tmpfs", 0, "size=1m") != 0) {
      error = errno;
      return;
    }
    work();
  });
  thread.join();
  return error;
}

TEST_F(SqliteEnduranceTest, AFullDiskFailsTheTrialAndLeavesTheStoreAsItWas) {
  std::filesystem::create_directory(scratch("small"));
  const int error = with_small_file_system(scratch("small"), [&] {
    const auto file = scratch("small/store.db");
    ASSERT_TRUE(add_trials(file, 0, 3));
    {
      auto store = SqliteStore::open(file, Access::kReadWrite).value();
      EXPECT_THAT(store.add_trial(id_of(kStudy), make_trial(50, 100'000)),
                  fails_with(AllOf(HasSubstr(file.string()), HasSubstr("the disk is full"))));
      EXPECT_EQ(count_whole_trials(file, Access::kReadOnly), 3);
      EXPECT_THAT(store.add_trial(id_of(kStudy), make_trial(3, kSamples)), is_ok());
    }
    EXPECT_EQ(count_whole_trials(file, Access::kReadOnly), 4);
  });
  if (error != 0) {
    CROSSBIND_SKIP("full-disk", fmt::format("cannot mount a tmpfs: {}", std::strerror(error)));
  }
}

TEST_F(SqliteEnduranceTest, AStoreOnAReadOnlyFileSystemCanBeRead) {
  std::filesystem::create_directory(scratch("small"));
  const int error = with_small_file_system(scratch("small"), [&] {
    const auto file = scratch("small/100%?.db");
    ASSERT_TRUE(add_trials(file, 0, 3));
    ASSERT_EQ(::mount("none", scratch("small").c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr),
              0);
    EXPECT_EQ(count_whole_trials(file, Access::kReadOnly), 3);
    EXPECT_FALSE(SqliteStore::open(file, Access::kReadWrite));
  });
  if (error != 0) {
    CROSSBIND_SKIP("read-only", fmt::format("cannot mount a tmpfs: {}", std::strerror(error)));
  }
}

}  // namespace
}  // namespace crossbind::store
