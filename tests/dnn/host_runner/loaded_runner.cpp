// SPDX-License-Identifier: Apache-2.0
#include "dnn/host_runner/loaded_runner.h"

#include <dlfcn.h>

#include <stdexcept>

namespace mpm::test {
namespace {

template <class Function>
Function* functionOf(const char* name) {
  static void* const library = dlopen(HOST_RUNNER, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

HostRunnerCounts counts() { return functionOf<HostRunnerGetCounts>("hostRunnerCounts")(); }

void resetRunner(const std::string& without, const std::string& failing, int falseDownloads) {
  functionOf<HostRunnerReset>("hostRunnerReset")(without.c_str(), failing.c_str(), falseDownloads);
}

cv::dnn::Net netOn(const std::string& device, const Fixture& fixture, const Reading& reading) {
  ReadOptions options = optionsOf(fixture);
  options.device = device;
  options.schedule = reading.schedule;
  options.restore = reading.restore;
  return readNet(fixture.path(), options);
}

}  // namespace mpm::test
