// SPDX-License-Identifier: Apache-2.0
// How many cores a process may use is found out once: each case is a process of its own, which
// begins anew and tells its number as its exit status.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "processor/pool.h"
#ifdef __linux__
#include <sched.h>
#endif

namespace mpm::processor {
namespace {

// Exit statuses are of 8 bits.
int statusOf(int count) { return std::min(count, 255); }

[[noreturn]] void tellCores(const char* limit) {
  limit == nullptr ? unsetenv("OMP_NUM_THREADS") : setenv("OMP_NUM_THREADS", limit, 1);
  std::exit(statusOf(usableCores() == threadCount() ? usableCores() : 0));
}

class UsableCores : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(UsableCores, AreNoMoreThanOmpNumThreads) {
  EXPECT_EXIT(tellCores("1"), testing::ExitedWithCode(1), "");
}

TEST_F(UsableCores, AreNoMoreThanThereAre) {
#ifdef __linux__
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const int cores = statusOf(CPU_COUNT(&allowed));
  // What is no number of threads limits nothing.
  for (const char* limit : {static_cast<const char*>(nullptr), "100000", "0", "-2", "", "many"}) {
    EXPECT_EXIT(tellCores(limit), testing::ExitedWithCode(cores), "")
        << (limit == nullptr ? "unset" : limit);
  }
#else
  GTEST_SKIP() << "which cores a process may use is asked of Linux alone";
#endif
}

#ifdef __linux__
[[noreturn]] void tellCoresOfOne() {
  cpu_set_t allowed, one;
  sched_getaffinity(0, sizeof allowed, &allowed);
  CPU_ZERO(&one);
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  CPU_SET(first, &one);
  sched_setaffinity(0, sizeof one, &one);
  tellCores(nullptr);
}

TEST_F(UsableCores, AreThoseOfTheProcessNotOfTheMachine) {
  EXPECT_EXIT(tellCoresOfOne(), testing::ExitedWithCode(1), "");
}
#endif

}  // namespace
}  // namespace mpm::processor
