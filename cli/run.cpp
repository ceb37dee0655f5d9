// SPDX-License-Identifier: Apache-2.0
// mpm run: tensors in, tensors out, as .npy.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <memory>
#include <opencv2/dnn.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/input_files.h"
#include "cli/option.h"
#include "cli/read_options.h"
#include "cli/run_tensors.h"
#include "cli/usage_error.h"
#include "cli/wording.h"
#include "mpm/net.h"

namespace mpm::cli {
namespace {

struct RunArguments {
  std::string model, folder;
  std::vector<std::string> inputs;
  ReadOptionArguments read;
};

// An input whose height and width are open is as large as its tensor, unless --input-size says it.
void sizeByTensor(const Description& model, const std::vector<Tensor>& inputs,
                  ReadOptions& options) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<int>& shape = model.inputs[i].shape;
    if (!options.inputSize.empty() || shape.size() != 4) continue;
    const cv::Size given(inputs[i].values.size[3], inputs[i].values.size[2]);
    const bool isOpen = shape[2] < 0 || shape[3] < 0;
    const bool isPicture = shape[2] == model.input.height && shape[3] == model.input.width;
    if (isOpen || (model.isInputOpen && isPicture && given != model.input))
      options.inputSize = given;
  }
}

Description describeFor(const ReadOptions& options, const std::string& path, Description own) {
  Description model = options.inputSize.empty() ? std::move(own) : describe(path, options);
  checkCanMerge(model, path, options.schedule && !options.schedule->empty());
  return model;
}

// The model's outputs, and what the merging adds to them.
std::vector<std::string> outputNames(const Description& model) {
  std::vector<std::string> names;
  for (const auto& output : model.outputs) names.push_back(output.name);
  for (const std::string& added : model.added) {
    if (std::find(names.begin(), names.end(), added) == names.end()) names.push_back(added);
  }
  return names;
}

std::vector<cv::Mat> forward(cv::dnn::Net& net, const std::vector<Tensor>& inputs,
                             const std::vector<std::string>& names, const std::string& path) {
  for (const Tensor& input : inputs) net.setInput(input.values, input.name);
  std::vector<cv::Mat> outputs;
  try {
    net.forward(outputs, names);
  } catch (const cv::Exception& error) {
    throw std::runtime_error(path +
                             ": OpenCV " CV_VERSION " cannot run it: " + withoutFrame(error.err));
  }
  return outputs;
}

void runModel(const RunArguments& arguments) {
  ReadOptions options = arguments.read.parse();
  const Description own = describe(arguments.model);
  const std::vector<Tensor> inputs = readInputs(arguments.inputs, own, options.inputSize);
  sizeByTensor(own, inputs, options);
  const Description model = describeFor(options, arguments.model, own);
  const std::vector<std::string> names = outputNames(model);
  const std::vector<std::filesystem::path> files = outputFiles(arguments.folder, names);
  InputFiles read(arguments.model);
  for (const Tensor& input : inputs) read.add(input.file);
  for (const std::filesystem::path& file : files) read.refuse(file);
  cv::dnn::Net net = readNet(arguments.model, options);
  const std::vector<cv::Mat> outputs = forward(net, inputs, names, arguments.model);
  writeOutputs(files, outputs);
  if (const std::string device = usedDeviceName(options); !device.empty())
    std::cout << "computed on " << device << '\n';
  if (!model.mergeable)
    std::cerr << "mpm: " << arguments.model << " runs without merging: " << model.reason << '\n';
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::cout << "wrote " << files[i].string() << ' ' << shapeText(shapeOf(outputs[i])) << '\n';
  }
}

}  // namespace

void addRun(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "run a model on tensors from .npy files");
  const auto arguments = std::make_shared<RunArguments>();
  addOption(*command, "MODEL", arguments->model, "", "an ONNX file")->required();
  addOption(*command, "--input", arguments->inputs, "NAME=x.npy",
            "a tensor for an input of the model; NAME= may be\n"
            "left out if the model has only one input")
      ->required()
      ->allow_extra_args(false);
  addOption(*command, "--output-dir", arguments->folder, "DIR",
            "a folder for the outputs, as .npy files")
      ->required();
  arguments->read.addTo(*command);
  arguments->read.addPrecisionTo(*command);
  command->footer(
      "Output a/b goes to DIR/a_b.npy: characters other than letters, digits, '.', '_' and\n"
      "'-' become '_'. A model that can merge also gives mpm_map, the live row of each\n"
      "patch, and mpm_rows, the number of live rows; with several encoders also mpm_map_2,\n"
      "mpm_rows_2 and so on. Either all files are written or none.\n"
      "Example: mpm run vit.onnx --input image=x.npy --output-dir out --merge-before 2,5");
  command->callback([arguments] { runModel(*arguments); });
}

}  // namespace mpm::cli
