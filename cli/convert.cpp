// SPDX-License-Identifier: Apache-2.0
// mpm convert: a model with its merges written into the file.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/input_files.h"
#include "cli/option.h"
#include "cli/read_options.h"
#include "cli/wording.h"
#include "mpm/net.h"

namespace mpm::cli {
namespace {

struct Arguments {
  std::string model, output;
  ReadOptionArguments read;
};

void convertModel(const Arguments& arguments) {
  const ReadOptions options = arguments.read.parse();
  InputFiles(arguments.model).checkOutput(arguments.output);
  convert(arguments.model, arguments.output, options);
  std::cout << "wrote " << arguments.output << ", merges "
            << scheduleText(describe(arguments.output).schedule) << '\n';
}

}  // namespace

void addConvert(CLI::App& app) {
  CLI::App* command = app.add_subcommand("convert", "write a model with its merges to a file");
  const auto arguments = std::make_shared<Arguments>();
  addOption(*command, "MODEL", arguments->model, "", "an ONNX file")->required();
  addOption(*command, "-o,--output", arguments->output, "OUT", "the file to write")->required();
  arguments->read.addTo(*command);
  command->footer(
      "Any program that calls mpm::registerLayers() and then cv::dnn::readNetFromONNX\n"
      "can read the file. It is written whole or not at all.\n"
      "Example: mpm convert vit.onnx -o vit_merged.onnx --merge-before 2,5");
  command->callback([arguments] { convertModel(*arguments); });
}

}  // namespace mpm::cli
