// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <opencv2/dnn.hpp>
#include <stdexcept>
#include <string>

#include "dnn/host_runner/host_runner.h"
#include "models/net_run.h"
#include "mpm/net.h"
#include "scoped.h"

namespace mpm::test {

template <class Function>
Function* functionOfRunner(const char* name) {
  static void* const library = dlopen(HOST_RUNNER, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// What the host runner counted since the last reset.
inline HostRunnerCounts counts() {
  return functionOfRunner<HostRunnerGetCounts>("hostRunnerCounts")();
}
inline void resetRunner(const std::string& without = "", const std::string& failing = "") {
  functionOfRunner<HostRunnerReset>("hostRunnerReset")(without.c_str(), failing.c_str());
}

/// Tests in which device cuda is the host runner's.
class OnHostRunner : public testing::Test {
 protected:
  void SetUp() override { resetRunner(); }

 private:
  ScopedVariable runner_{"MPM_RUNNER", HOST_RUNNER};
};

/// How the tests read a fixture.
struct Reading {
  Schedule schedule;
  Restore restore = Restore::late;
};

inline cv::dnn::Net netOn(const std::string& device, const Fixture& fixture,
                          const Reading& reading) {
  ReadOptions options = optionsOf(fixture);
  options.device = device;
  options.schedule = reading.schedule;
  options.restore = reading.restore;
  return readNet(fixture.path(), options);
}

}  // namespace mpm::test
