// SPDX-License-Identifier: Apache-2.0
// libmpm_torch's runner as a program finds it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "mpm/runner.h"

namespace mpm {
namespace {

RunnerEntry* entry() {
  static void* const library = dlopen(MPM_TORCH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr
                            : reinterpret_cast<RunnerEntry*>(dlsym(library, kRunnerEntry));
}

TEST(RunnerEntry, GivesTheSameRunnerForADevice) {
  ASSERT_NE(entry(), nullptr);
  std::string why;
  Runner* const runner = entry()(kRunnerVersion, "cpu-torch", &why);
  ASSERT_NE(runner, nullptr) << why;
  EXPECT_EQ(entry()(kRunnerVersion, "cpu-torch", &why), runner);
  EXPECT_TRUE(runner->hasPrecision("fp32"));
  EXPECT_FALSE(runner->deviceName().empty());
}

TEST(RunnerEntry, SaysWhyThereIsNone) {
  ASSERT_NE(entry(), nullptr);
  std::string why;
  EXPECT_EQ(entry()(kRunnerVersion + 1, "cpu-torch", &why), nullptr);
  const std::string asked = "was asked for version " + std::to_string(kRunnerVersion + 1);
  EXPECT_NE(why.find("and " + asked + "; expected the library that was built"), std::string::npos)
      << why;
  EXPECT_EQ(entry()(kRunnerVersion, "tpu", &why), nullptr);
  EXPECT_EQ(why, "libmpm_torch does not know the device tpu; expected cuda or cuda:N");
  EXPECT_EQ(entry()(kRunnerVersion, "cuda:99", &why), nullptr);
  EXPECT_NE(why.find("cuda:99"), std::string::npos) << why;
  EXPECT_NE(why.find("; expected "), std::string::npos) << why;
}

TEST(RunnerEntry, IsAllThatTheLibraryShows) {
  ASSERT_NE(entry(), nullptr);
  void* const library = dlopen(MPM_TORCH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  EXPECT_EQ(dlsym(library, "_ZN3mpm11identityMapEPim"), nullptr);
}

}  // namespace
}  // namespace mpm
