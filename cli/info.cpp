// SPDX-License-Identifier: Apache-2.0
// mpm info: what was recognised in a model.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/description.h"
#include "mpm/net.h"

namespace mpm::cli {
namespace {

struct Arguments {
  std::string model;
  bool json = false;
};

}  // namespace

void addInfo(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info", "show what was recognised in a model");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("MODEL", arguments->model, "an ONNX file")->required()->type_name("");
  command->add_flag("--json", arguments->json, "as JSON, for programs");
  command->footer("Example: mpm info vit.onnx");
  command->callback([arguments] {
    const Description description = describe(arguments->model);
    std::cout << (arguments->json ? descriptionJson(arguments->model, description)
                                  : descriptionTable(arguments->model, description));
  });
}

}  // namespace mpm::cli
