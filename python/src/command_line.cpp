// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "cli/commands.h"
#include "models.h"
#include "released.h"

namespace mpm::python {

namespace nb = nanobind;

void addCommandLine(nb::module_& module) {
  // Of a process of its own: it silences OpenCV, and writes to the process's standard output.
  module.def("run_mpm", [](const std::vector<nb::bytes>& given) {
    std::vector<std::string> words;
    for (const nb::bytes& word : given) words.emplace_back(word.c_str(), word.size());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    const int count = static_cast<int>(argv.size());
    argv.push_back(nullptr);
    const Released released;
    return cli::runMpm(count, argv.data(), {});
  });
}

}  // namespace mpm::python
