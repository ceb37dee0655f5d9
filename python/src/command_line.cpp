// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "models.h"
#include "models/street/street_model.h"
#include "released.h"

namespace mpm {
namespace {

std::string theStreetModel;  // where Python found it; empty: nowhere

}  // namespace

std::string streetModel() {
  if (theStreetModel.empty()) {
    throw std::runtime_error(
        "the street model is not here; pip install mpm-dnn-street brings it, and --model names "
        "another");
  }
  return theStreetModel;
}

}  // namespace mpm

namespace mpm::python {

namespace nb = nanobind;

namespace {

// Runs a program, which needs a process of its own: it silences OpenCV, and writes to the process's
// standard output.
template <class Run>
int runWith(const std::vector<nb::bytes>& given, Run run) {
  std::vector<std::string> words;
  for (const nb::bytes& word : given) words.emplace_back(word.c_str(), word.size());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  const int count = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  const Released released;
  return run(count, argv.data());
}

}  // namespace

void addCommandLine(nb::module_& module) {
  module.def("run_mpm", [](const std::vector<nb::bytes>& words) {
    return runWith(words, [](int count, char** argv) { return cli::runMpm(count, argv); });
  });
  module.def("run_scene",
             [](const std::vector<nb::bytes>& words) { return runWith(words, cli::runScene); });
  module.def("run_demo", [](const std::vector<nb::bytes>& words, const std::string& streetModel) {
    theStreetModel = streetModel;
    return runWith(words, cli::runDemo);
  });
}

}  // namespace mpm::python
