// SPDX-License-Identifier: Apache-2.0
// mpm convert: writes a model with its merges into a file.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/frames.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/wording.h"
#include "mpm/net.h"

namespace mpm::cli {
namespace {

struct ConvertArguments {
  std::string model, output;
  std::vector<std::string> calibrate;
  ModelOptions read;
};

// Frames to measure features on: more of one camera hardly add anything.
constexpr int kFrames = 8;

std::vector<cv::Mat> blobsOf(const ConvertArguments& arguments, const ReadOptions& options) {
  if (arguments.calibrate.empty()) return {};
  return calibrationBlobs(arguments.model, options, spreadFrames(arguments.calibrate, kFrames));
}

void convertModel(const ConvertArguments& arguments) {
  const ReadOptions options = arguments.read.parse();
  InputFiles inputs(arguments.model);
  for (const std::string& input : arguments.calibrate) inputs.addAll(filesOfInput(input));
  inputs.checkOutput(arguments.output);
  removeLeftovers(arguments.output);
  convert(arguments.model, arguments.output, options, blobsOf(arguments, options));
  std::cout << "wrote " << arguments.output << ", merges "
            << scheduleText(describe(arguments.output).schedule) << '\n';
}

}  // namespace

void addConvert(CLI::App& app) {
  CLI::App* command = app.add_subcommand("convert", "write a model with its merges to a file");
  const auto arguments = std::make_shared<ConvertArguments>();
  addModel(*command, arguments->model);
  addOut(*command, arguments->output, "FILE", "the file to write")->required();
  addOption(*command, "--calibrate", arguments->calibrate, "INPUT",
            "measure on 8 frames of these pictures, folders of\n"
            "pictures and videos where each block's features lie:\n"
            "int8 then stays close to fp32 where some are far from\n"
            "the others");
  arguments->read.addTo(*command, kSchedule | kInputSize | kRestore | kProportional);
  addRenamed(*command, {{"--output", "--out"}});
  command->footer(
      "Any program that calls mpm::registerLayers() and then cv::dnn::readNetFromONNX\n"
      "can read the file. It is written whole or not at all.\n"
      "Example: mpm convert vit.onnx -o vit_merged.onnx --merge-before 2,5");
  command->callback([arguments] { convertModel(*arguments); });
}

}  // namespace mpm::cli
