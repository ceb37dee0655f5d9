// SPDX-License-Identifier: Apache-2.0
// mpm run: reads and writes tensors as .npy.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/npy.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/wording.h"
#include "files/text.h"
#include "mpm/net.h"

namespace mpm::cli {
namespace {

using Blob = Description::Blob;
namespace fs = std::filesystem;

struct Tensor {
  std::string name;
  std::string file;  // that it was read from
  cv::Mat values;    // float32
};

// Returns a tensor's sizes.
std::vector<int> shapeOf(const cv::Mat& tensor) {
  return {tensor.size.p, tensor.size.p + tensor.dims};
}

std::string namesOf(const std::vector<Blob>& blobs) {
  std::vector<std::string> names;
  for (const Blob& blob : blobs) names.push_back(blob.name);
  return files::joined(names);
}

// Returns the input that `word` names, as in image=x.npy, or the only one. Names may contain '='.
const Blob& inputOf(const std::string& word, const std::vector<Blob>& inputs) {
  for (const Blob& input : inputs) {
    if (word.starts_with(input.name + "=")) return input;
  }
  const std::size_t equals = word.find('=');
  if (inputs.size() == 1 && equals == std::string::npos) return inputs[0];
  const std::string inputNames = namesOf(inputs);
  throw UsageError("--input " + word +
                   (equals == std::string::npos ? " has no name; the model's inputs are "
                                                : " names no input of the model; its inputs are ") +
                   inputNames);
}

std::map<std::string, std::string> pairFiles(const std::vector<std::string>& words,
                                             const std::vector<Blob>& inputs) {
  std::map<std::string, std::string> files;
  for (const std::string& word : words) {
    const std::string& name = inputOf(word, inputs).name;
    const bool named = word.starts_with(name + "=");
    if (!files.emplace(name, word.substr(named ? name.size() + 1 : 0)).second) {
      throw UsageError("--input " + word + ": input " + name + " is given twice");
    }
  }
  for (const Blob& input : inputs) {
    if (!files.contains(input.name)) {
      throw UsageError("input " + input.name + " is missing; give it with --input " + input.name +
                       "=x.npy");
    }
  }
  return files;
}

// Replaces the size in [B, C, H, W] of the model's input by the requested one, or by any if the
// file leaves it open.
std::vector<int> shapeAt(std::vector<int> shape, const Description& model, const cv::Size& wanted) {
  const bool isPicture =
      shape.size() == 4 && shape[2] == model.input.height && shape[3] == model.input.width;
  if (!isPicture || (wanted.empty() && !model.isInputOpen)) return shape;
  shape[2] = wanted.empty() ? -1 : wanted.height;
  shape[3] = wanted.empty() ? -1 : wanted.width;
  return shape;
}

void checkShape(const std::string& name, const std::vector<int>& given,
                const std::vector<int>& expected) {
  const bool fits = std::equal(given.begin(), given.end(), expected.begin(), expected.end(),
                               [](int size, int wanted) { return wanted < 0 || size == wanted; });
  if (!fits) {
    throw UsageError("input " + name + " is " + shapeText(given) + "; the model takes " +
                     shapeText(expected));
  }
  if (std::find(given.begin(), given.end(), 0) != given.end()) {
    throw UsageError("input " + name + " is " + shapeText(given) + ", which holds no values");
  }
}

// Reads a tensor for each of the model's inputs from `words`: NAME=x.npy, or x.npy for a single
// input. `inputSize`, unless empty, replaces the size of the image input. Throws UsageError if
// words and inputs do not pair or a shape does not fit, and std::runtime_error if a file cannot be
// read.
std::vector<Tensor> readInputs(const std::vector<std::string>& words, const Description& model,
                               const cv::Size& inputSize) {
  const std::map<std::string, std::string> files = pairFiles(words, model.inputs);
  std::vector<Tensor> tensors;
  for (const Blob& input : model.inputs) {
    Array array = readNpy(files.at(input.name));
    checkShape(input.name, array.shape, shapeAt(input.shape, model, inputSize));
    std::vector<int> shape = array.shape;
    if (shape.empty()) shape.push_back(1);  // a Mat of no axes is empty
    tensors.push_back(
        {input.name, files.at(input.name), cv::Mat(shape, CV_32F, array.values.data()).clone()});
  }
  return tensors;
}

std::string fileName(std::string name) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  for (char& c : name) {
    if (kSafe.find(c) == std::string_view::npos) c = '_';
  }
  return name + ".npy";
}

// Returns a file for each tensor: `folder`/<name>.npy, with '_' for every character except letters,
// digits, '.', '_' and '-'. Throws std::runtime_error if it cannot be written, or two names become
// equal.
std::vector<fs::path> outputFiles(const fs::path& folder, const std::vector<std::string>& names) {
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)) {
    throw std::runtime_error("cannot write into " + folder.string() + ", which is not a folder");
  }
  std::vector<fs::path> files;
  std::map<fs::path, std::string> owners;
  for (const std::string& name : names) {
    files.push_back(folder / fileName(name));
    const auto [owner, added] = owners.emplace(files.back(), name);
    if (!added) {
      throw std::runtime_error("outputs " + owner->second + " and " + name + " would both be " +
                               files.back().string());
    }
    if (fs::is_directory(files.back(), ignored)) {
      throw std::runtime_error("cannot write " + files.back().string() + ", which is a folder");
    }
  }
  return files;
}

// Writes every tensor to its file, all of them or none. Creates a missing folder.
void writeOutputs(const std::vector<fs::path>& files, const std::vector<cv::Mat>& tensors) {
  if (files.empty()) return;
  const fs::path folder = files[0].parent_path();
  const bool created = makeFolder(folder);
  try {
    std::list<OutputFile> written;
    for (std::size_t i = 0; i < files.size(); ++i) {
      cv::Mat values;
      tensors[i].convertTo(values, CV_32F);  // continuous, whatever the tensor was
      written.emplace_back(files[i]).write(
          [&](std::ostream& file) { writeNpy(file, shapeOf(values), values.ptr<float>()); });
    }
    for (OutputFile& file : written) file.finish();
  } catch (...) {
    std::error_code ignored;
    if (created) fs::remove(folder, ignored);
    throw;
  }
}

struct RunArguments {
  std::string model, folder;
  std::vector<std::string> inputs;
  ModelOptions read;
};

// Gives an input of open size the size of its tensor, unless --input-size is given.
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

// Returns the names of the model's outputs, and of those that merging adds.
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
  addModel(*command, arguments->model);
  addOption(*command, "--input", arguments->inputs, "NAME=x.npy",
            "a tensor for an input of the model; NAME= may be\n"
            "left out if the model has only one input")
      ->required()
      ->allow_extra_args(false);
  addOut(*command, arguments->folder, "DIR", "a folder for the outputs, as .npy files")->required();
  arguments->read.addTo(*command, kSchedule | kInputSize | kRestore | kProportional | kPrecision);
  addRenamed(*command, {{"--output-dir", "--out"}});
  command->footer(
      "Output a/b goes to DIR/a_b.npy: characters other than letters, digits, '.', '_' and\n"
      "'-' become '_'. A model that can merge also gives mpm_map, the live row of each\n"
      "patch, and mpm_rows, the number of live rows; with several encoders also mpm_map_2,\n"
      "mpm_rows_2 and so on. Either all files are written or none.\n"
      "Example: mpm run vit.onnx --input image=x.npy --out out --merge-before 2,5");
  command->callback([arguments] { runModel(*arguments); });
}

}  // namespace mpm::cli
