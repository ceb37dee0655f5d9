// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_report.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <string_view>

#include "cli/frames.h"
#include "cli/picture_blob.h"
#include "cli/wording.h"
#include "files/new_file.h"
#include "mpm/segmenter.h"

namespace mpm::cli {
namespace {

// As a shell reads it back.
std::string quoted(const std::string& word) {
  const auto isPlain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./:,@%+=").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), isPlain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

// An address is shown without its password, which has to be filled in again.
std::string shownInput(const std::string& input) {
  return input.rfind('@', 0) == 0 ? input : placeOf(input).shown;
}

std::string commandOf(const std::string& model, const ReadOptions& read,
                      const std::vector<std::string>& inputs) {
  const std::string stem = std::filesystem::path(model).stem().string() + "_int8";
  std::string command = "mpm convert " + quoted(model) + " -o " + quoted(stem + ".onnx");
  if (read.schedule) command += " --merge-before " + read.schedule->text();
  if (!read.inputSize.empty()) {
    command += " --input-size " + std::to_string(read.inputSize.width) + "x" +
               std::to_string(read.inputSize.height);
  }
  if (read.restore == Restore::early) command += " --restore early";
  command += " --calibrate";
  for (const std::string& input : inputs) command += " " + quoted(shownInput(input));
  return command;
}

}  // namespace

const TunedPrecision* int8Of(const std::vector<TunedPrecision>& precisions) {
  const auto found = std::find_if(precisions.begin(), precisions.end(),
                                  [](const auto& one) { return one.precision == "int8"; });
  return found == precisions.end() ? nullptr : &*found;
}

bool CalibratedInt8::helps() const {
  return fault.empty() && fastestPrecision(precisions, kEnoughLabels).precision == "int8" &&
         int8Of(asItIs)->agreement < int8Of(precisions)->agreement;
}

CalibratedInt8 tryCalibrated(const std::string& model, const ReadOptions& read,
                             const std::vector<cv::Mat>& frames,
                             const std::vector<std::string>& inputs) {
  CalibratedInt8 tried;
  std::vector<cv::Mat> calibrating, judging;
  for (const cv::Mat& frame : frames)
    (calibrating.size() == judging.size() ? calibrating : judging).push_back(frame);
  if (judging.empty()) {
    tried.fault =
        "that takes two frames or more of several colours, some to calibrate on and others to "
        "judge by";
    return tried;
  }
  try {
    const files::NewFile file(std::filesystem::temp_directory_path() / "mpm_tune_", ".onnx");
    convert(model, file.path().string(), read, calibrationBlobs(model, read, calibrating));
    SegmenterOptions options;
    options.read.device = read.device;
    tried.precisions = tunePrecisions(file.path().string(), options, judging);
  } catch (const std::runtime_error& error) {
    tried.fault = error.what();
    return tried;
  }
  SegmenterOptions options;
  options.read = read;
  tried.asItIs = tunePrecisions(model, options, judging);
  tried.calibratedOn = calibrating.size();
  tried.judgedBy = judging.size();
  tried.command = commandOf(model, read, inputs);
  return tried;
}

}  // namespace mpm::cli
