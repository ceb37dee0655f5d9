// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <list>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "cli/npy.h"
#include "cli/output_file.h"
#include "cli/run_tensors.h"
#include "cli/usage_error.h"
#include "cli/wording.h"

namespace mpm::cli {
namespace {

using Blob = Description::Blob;

std::string namesOf(const std::vector<Blob>& blobs) {
  std::string names;
  for (const Blob& blob : blobs) names += (names.empty() ? "" : ", ") + blob.name;
  return names;
}

// The input that `word` begins with, as in image=x.npy, or the only one. Names may hold a '='.
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

// [B, C, H, W] of the model's input takes the size that is asked for, or any where the file leaves
// it open.
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

}  // namespace

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

namespace {

namespace fs = std::filesystem;

std::string fileName(std::string name) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  for (char& c : name) {
    if (kSafe.find(c) == std::string_view::npos) c = '_';
  }
  return name + ".npy";
}

}  // namespace

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

std::vector<int> shapeOf(const cv::Mat& tensor) {
  return {tensor.size.p, tensor.size.p + tensor.dims};
}

}  // namespace mpm::cli
