// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <opencv2/dnn.hpp>
#include <string>

#include "dnn/host_runner/host_runner.h"
#include "dnn/scoped_variable.h"
#include "models/net_run.h"
#include "mpm/net.h"

namespace mpm::test {

/// What the host runner counted since the last reset.
HostRunnerCounts counts();
void resetRunner(const std::string& without = "", const std::string& failing = "",
                 int falseDownloads = 0);

/// Tests in which device cuda is the host runner's.
class OnHostRunner : public testing::Test {
 protected:
  void SetUp() override { resetRunner(); }

 private:
  ScopedVariable runner_{"MPM_RUNNER", HOST_RUNNER};
};

/// How the tests read a fixture.
struct Reading {
  std::vector<int> schedule;
  Restore restore = Restore::late;
};
cv::dnn::Net netOn(const std::string& device, const Fixture& fixture, const Reading& reading);

}  // namespace mpm::test
