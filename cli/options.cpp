// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <opencv2/core/utility.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/commands.h"
#include "evaluate/truth.h"
#include "files/text.h"
#include "mpm/threads.h"
#include "tune/precisions.h"

namespace mpm::cli {

namespace {

bool isGiven(const CLI::Option* option) { return option != nullptr && option->count() > 0; }

cv::Size parseSize(const std::string& text) {
  const std::size_t cross = text.find('x');
  cv::Size size;
  if (cross == std::string::npos ||
      !files::parseWhole(std::string_view(text).substr(0, cross), size.width) ||
      !files::parseWhole(std::string_view(text).substr(cross + 1), size.height) ||
      size.width <= 0 || size.height <= 0) {
    throw UsageError("--input-size " + text +
                     " is not a size; give width x height in pixels, such as 512x384");
  }
  return size;
}

std::string knownPrecision(const std::string& text, bool knowsAuto = false) {
  if (std::find(std::begin(tune::kPrecisions), std::end(tune::kPrecisions), text) ==
      std::end(tune::kPrecisions))
    throw UsageError("--precision " + text + " is not known; use fp32, tf32, bf16, fp16" +
                     (knowsAuto ? ", int8 or auto" : " or int8"));
  return text;
}

}  // namespace

Schedule parseSchedule(const std::string& text) {
  try {
    return Schedule::parse(text);
  } catch (const std::invalid_argument& error) {
    throw UsageError("--merge-before " + text + ": " + error.what());
  }
}

std::string checkPrecision(const std::string& text, const std::string& device) {
  if (hasPrecision(knownPrecision(text), device)) return text;
  if (device != "cpu") {
    throw UsageError("--precision " + text + ": " + deviceName(device) +
                     " does not compute in it; use fp32");
  }
  throw UsageError("--precision " + text +
                   (text == "tf32"   ? ": the processor does not compute in it, --device cuda does"
                    : text == "fp16" ? ": this processor cannot multiply in float16, as Arm's can "
                                       "from Armv8.2 on"
                                     : ": this processor cannot multiply in bfloat16") +
                   (text == "fp16" ? "; use int8 or fp32" : "; use fp32"));
}

void checkCanMerge(const Description& model, const std::string& path, bool wanted) {
  if (wanted && !model.mergeable)
    throw std::runtime_error(path + ": it cannot merge: " + model.reason);
}

bool isFootage(const std::string& path) {
  constexpr std::string_view kEndings[] = {".avi", ".mp4", ".mkv", ".mov",  ".webm", ".mpg", ".ts",
                                           ".jpg", ".png", ".bmp", ".jpeg", ".tif",  ".webp"};
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& letter : ending) letter = letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
  return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

CLI::Option* addModel(CLI::App& command, std::string& model, const std::string& what) {
  const auto refuseOther = [](const std::string& path) -> std::string {
    std::error_code ignored;
    if (!isFootage(path) && !std::filesystem::is_directory(path, ignored)) return "";
    return path + " is not a model; name an ONNX file before it";
  };
  return addOption(command, "MODEL", model, "", "an ONNX file" + what)
      ->required()
      ->check(refuseOther);
}

CLI::Option* addOut(CLI::App& command, std::string& path, const std::string& type,
                    const std::string& help) {
  return addOption(command, "-o,--out", path, type, help);
}

CLI::Option* addSwitch(CLI::App& command, const std::string& name, bool& value,
                       const std::string& help) {
  return addOption(command, name, value, "on|off", help)
      ->check(CLI::IsMember({"on", "off"}).description(""));
}

void addRenamed(CLI::App& command,
                std::initializer_list<std::pair<const char*, const char*>> names) {
  for (const auto& [old, now] : names) {
    const std::string sentence = std::string(old) + " is " + now + " now";
    const auto answer = [sentence](const CLI::results_t&) -> bool { throw UsageError(sentence); };
    command.add_option(old, answer)->expected(0, 1)->group("");
  }
}

void addNeeds(CLI::App& command, const std::string& needed,
              std::initializer_list<const char*> options) {
  for (const char* option : options) command.get_option(option)->needs(command.get_option(needed));
}

CLI::Option* addSchedules(CLI::App& command, std::vector<std::string>& schedules,
                          const std::string& help) {
  return addOption(command, "--merge-before", schedules, "BLOCKS", help)->allow_extra_args(false);
}

void ModelOptions::addTo(CLI::App& command, unsigned which) {
  if ((which & kSchedule) != 0)
    mergeBeforeOption_ =
        addOption(command, "--merge-before", mergeBefore_, "BLOCKS",
                  "blocks to merge before, counted from 0, or none (default: 2,5;\n"
                  "written out, a model that cannot merge is refused)");
  if ((which & kInputSize) != 0)
    inputSizeOption_ = addOption(command, "--input-size", inputSize_, "WxH",
                                 "another input size in pixels, for which position\n"
                                 "embeddings are resized (default: the model's own)");
  if ((which & kProportional) != 0)
    command
        .add_flag("--proportional", isProportional_,
                  "count the key of a merged token once for each patch that it\n"
                  "stands for, in the encoder's attention, too")
        ->group(kAdvanced);
  if ((which & kRestore) != 0)
    addOption(command, "--restore", restore_, "early|late",
              "where original positions get their values back\n"
              "early: after the encoder; late: as late as possible for\n"
              "the same result, so that decoders run on merged tokens\n"
              "(default: late)")
        ->group(kAdvanced);
  knowsAuto_ = (which & kPrecisionOrAuto) != 0;
  if ((which & (kPrecision | kPrecisionOrAuto)) != 0)
    precisionOption_ =
        addOption(command, "--precision", precision_,
                  knowsAuto_ ? "fp32|tf32|bf16|fp16|int8|auto" : "fp32|tf32|bf16|fp16|int8",
                  std::string("precision of products: fp32, int8, or bf16 or fp16 where the\n"
                              "processor has it; on cuda fp32, tf32 or bf16") +
                      (knowsAuto_ ? "; auto: the fastest\n"
                                    "that labels 99.5% of the pixels of the first frames as\n"
                                    "fp32 does (default: MPM_PRECISION, fp32)"
                                  : "\n(default: MPM_PRECISION, fp32)"));
  if ((which & (kPrecision | kPrecisionOrAuto | kDevice)) != 0)
    deviceOption_ = addOption(command, "--device", device_, "cpu|cuda",
                              "where to compute (default: MPM_DEVICE, or cpu); without a GPU\n"
                              "the cpu computes, and a message says so")
                        ->group(kAdvanced);
  if ((which & kThreads) != 0)
    addOption(command, "--threads", threads_, "N",
              "how many threads to use (default: one for each core)")
        ->check(within(1, 1024));
}

void ModelOptions::chooseDevice(ReadOptions& options) const {
  const char* forced = std::getenv("MPM_DEVICE");
  options.device = isGiven(deviceOption_) ? device_ : forced != nullptr ? forced : "";
  if (options.device.empty()) options.device = "cpu";
  if (options.device != "cpu" && options.device.rfind("cuda", 0) != 0) {
    throw UsageError((isGiven(deviceOption_) ? "--device " : "MPM_DEVICE=") + options.device +
                     " is not known; use cpu or cuda");
  }
  const bool chosenLater = knowsAuto_ && precision_ == kAutoPrecision;
  if (isGiven(precisionOption_)) {
    options.precision = chosenLater ? precision_ : knownPrecision(precision_, knowsAuto_);
  }
  const std::string fault = deviceFault(options.device);
  if (fault.empty()) {
    if (isGiven(precisionOption_) && !chosenLater) checkPrecision(precision_, options.device);
    return;
  }
  options.device = "cpu";
  if (!chosenLater && !hasPrecision(usedPrecision(options))) options.precision = "fp32";
  std::cerr << "mpm: " << fault << "; the cpu computes"
            << (chosenLater ? "" : ", in " + usedPrecision(options)) << '\n';
}

ReadOptions ModelOptions::parse() const {
  ReadOptions options;
  options.check = true;
  if (isGiven(mergeBeforeOption_)) options.schedule = parseSchedule(mergeBefore_);
  if (isGiven(inputSizeOption_)) options.inputSize = parseSize(inputSize_);
  if (restore_ != "early" && restore_ != "late") {
    throw UsageError("--restore " + restore_ + " is not known; use early or late");
  }
  options.proportional = isProportional_;
  options.restore = restore_ == "early" ? Restore::early : Restore::late;
  if (deviceOption_ != nullptr) chooseDevice(options);
  return options;
}

std::string inOptionWords(const std::string& sentence) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"merge before ", "--merge-before "}, {"input size ", "--input-size "}};
  for (const auto& [words, option] : kWords) {
    if (sentence.starts_with(words)) return std::string(option) + sentence.substr(words.size());
  }
  constexpr std::string_view kName = "ReadOptions::inputSize";
  const std::size_t name = sentence.find(kName);
  return name == std::string::npos
             ? sentence
             : std::string(sentence).replace(name, kName.size(), "--input-size");
}

std::string usedDeviceName(const ReadOptions& options) {
  return options.device.empty() || options.device == "cpu" ? "" : deviceName(options.device);
}

std::string usedPrecision(const ReadOptions& options) { return precisionName(options.precision); }

int ModelOptions::useThreads() const {
  if (threads_ > 0) {
    cv::setNumThreads(threads_);
    setThreads(threads_);
  }
  return threads();
}

void FitOptions::addTo(CLI::App& command, const std::string& ownDefault) {
  addOption(command, "--fit", fit_, "stretch|slide",
            "how a frame is fitted to the model's input\n"
            "stretch: the whole frame, resized to it; slide: windows of\n"
            "its size over the frame, aspect ratio kept\n(default: " +
                ownDefault + ")");
  addOption(command, "--short-side", shortSide_, "PIXELS",
            "for slide: the length a frame's short side is resized to\n"
            "(default: the input's)")
      ->check(within(1, 65535))
      ->group(kAdvanced);
  addOption(command, "--stride", stride_, "PIXELS",
            "for slide: step from window to window (default: 32 less\n"
            "than the window's side)")
      ->check(within(1, 65535))
      ->group(kAdvanced);
}

void FitOptions::check(bool slides) const {
  if (!fit_.empty() && fit_ != "stretch" && fit_ != "slide")
    throw UsageError("--fit " + fit_ + " is not known; use stretch or slide");
  const bool doesSlide = fit_.empty() ? slides : fit_ == "slide";
  if (!doesSlide && (shortSide_ != 0 || stride_ != 0))
    throw UsageError("--short-side and --stride only go with --fit slide");
}

void FitOptions::apply(const std::string& model, SegmenterOptions& options, bool slides,
                       int shortSide) const {
  check(slides);
  const bool doesSlide = fit_.empty() ? slides : fit_ == "slide";
  options.fit = doesSlide ? Fit::slide : Fit::stretch;
  if (!doesSlide) return;
  ReadOptions read = options.read;
  read.check = false;  // the segmenter proves the model
  const cv::Size input = describe(model, read).input;
  const int side = std::min(input.width, input.height);
  options.shortSide = shortSide_ != 0 ? shortSide_ : shortSide != 0 ? shortSide : side;
  options.stride = stride_ != 0 ? stride_ : evaluate::strideOf(side);
}

}  // namespace mpm::cli
