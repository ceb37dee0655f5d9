// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <opencv2/core/version.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/eval_arguments.h"
#include "cli/measure/machine.h"
#include "cli/read_options.h"
#include "cli/usage_error.h"
#include "cli/wording.h"
#include "digest/sha256.h"
#include "dnn/model_files.h"
#include "evaluate/pairs.h"
#include "evaluate/picture.h"
#include "evaluate/record.h"
#include "models/scenes/noise.h"
#include "mpm/segmenter.h"

namespace mpm::cli {

/// A model, a data set, and what is measured: everything that can be refused before the first
/// picture has been.
class EvalPlan {
 public:
  /// The data set first: it is quickly looked through, and a model is not quickly read.
  explicit EvalPlan(const EvalArguments& arguments)
      : wish_(wishOf(arguments)),
        listing_(listingOf(arguments, wish_)),
        threads_(arguments.threads.use()),
        segmenter_(openModel(arguments)) {
    measure_.classes = classesFor(arguments, wish_, listing_, segmenter_.classes());
    chooseSchedules();
    checkSchedules(segmenter_, measure_.schedules, arguments.model);
    fillMeasure(arguments);
    fillHeader(arguments);
    fillOptions(arguments);
    remark(arguments);
  }

  Segmenter& segmenter() { return segmenter_; }
  const std::vector<evaluate::Pair>& pairs() const { return listing_.pairs; }
  const evaluate::Measure& measure() const { return measure_; }
  const evaluate::Header& header() const { return header_; }
  /// Sentences on what is not as one might expect.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  static std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  }

  static std::size_t classNamed(const std::string& name, const std::vector<std::string>& classes) {
    std::string known;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      if (lower(classes[k]) == lower(name)) return k;
      known += (k == 0 ? "" : ", ") + classes[k];
    }
    throw UsageError("--small " + name + " is not a class; choose from: " + known);
  }

  evaluate::Listing listingOf(const EvalArguments& arguments, const EvalWish& wish) {
    evaluate::Listing listing =
        evaluate::listPairs(wish.format, arguments.dataset, arguments.split);
    // A folder of one's own may have frames that are not painted yet; of a data set one is missing.
    if (wish.format == evaluate::Format::folder) unlabelled_ = evaluate::takeUnlabelled(listing);
    listing.pairs = evaluate::spreadPairs(listing.pairs, static_cast<std::size_t>(arguments.limit));
    if (static_cast<std::size_t>(wish.shard.count) > listing.pairs.size()) {
      throw UsageError("--shard " + arguments.shard + ": there are " +
                       std::to_string(listing.pairs.size()) +
                       " pictures, and there cannot be more shards than pictures");
    }
    return listing;
  }

  static evaluate::Classes classesFor(const EvalArguments& arguments, const EvalWish& wish,
                                      const evaluate::Listing& listing,
                                      const std::vector<std::string>& modelNames) {
    try {
      return evaluate::classesOf(wish.format, listing.root, listing.hasTrainIds, arguments.classes,
                                 modelNames);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(arguments.model + ": " + error.what());
    }
  }

  // Where a schedule cannot be, before the first picture.
  static void checkSchedules(Segmenter& segmenter, const std::vector<Schedule>& schedules,
                             const std::string& model) {
    for (const Schedule& schedule : schedules) {
      checkCanMerge(segmenter.model(), model, !schedule.empty());
      segmenter.setSchedule(schedule);
    }
  }

  Segmenter openModel(const EvalArguments& arguments) {
    SegmenterOptions options;
    options.read = wish_.read;
    options.confidence = false;
    options.fit = wish_.slides ? Fit::slide : Fit::stretch;
    if (wish_.slides) {
      const cv::Size input = describe(arguments.model, wish_.read).input;
      const int side = std::min(input.width, input.height);
      if (wish_.shortSide == 0) wish_.shortSide = side;
      if (wish_.stride == 0) wish_.stride = evaluate::strideOf(side);
      options.shortSide = wish_.shortSide;
      options.stride = wish_.stride;
    }
    return Segmenter(arguments.model, options);
  }

  void chooseSchedules() {
    if (wish_.schedules) {
      measure_.schedules = *wish_.schedules;
      return;
    }
    measure_.schedules = {{}};
    const Schedule own = segmenter_.model().mergeable ? segmenter_.schedule() : Schedule();
    if (!own.empty()) measure_.schedules.push_back(own);
  }

  void fillMeasure(const EvalArguments& arguments) {
    measure_.distancesEvery = arguments.locality;
    if (!arguments.paperNight) return;
    measure_.before = [night = scenes::PaperNight()](const cv::Mat& photo, std::size_t index) {
      cv::Mat dark = photo.clone();
      night.darken(dark, index);
      return dark;
    };
  }

  void fillHeader(const EvalArguments& arguments) {
    const Description& model = segmenter_.model();
    header_.pictures = listing_.pairs.size();
    header_.classes = measure_.classes.names;
    for (const std::string& name : arguments.small) {
      const std::size_t k = classNamed(name, header_.classes);
      if (std::find(header_.small.begin(), header_.small.end(), k) == header_.small.end())
        header_.small.push_back(k);
    }
    header_.schedules = measure_.schedules;
    header_.special = model.special;
    header_.grid = model.mergeable ? model.grid : cv::Size();
    header_.shard = wish_.shard;
    const Machine machine = thisMachine(usedDeviceName(wish_.read), threads_);
    header_.notes = {{"model", arguments.model},
                     {"dataset", arguments.dataset},
                     {"machine", nameOf(machine) + ", OpenCV " CV_VERSION}};
  }

  void fillOptions(const EvalArguments& arguments) {
    std::string names;
    for (const evaluate::Pair& pair : listing_.pairs) names += pair.name + '\n';
    std::map<std::string, std::string>& options = header_.options;
    options["program"] = "mpm " MPM_VERSION;
    const auto files = dnn::filesOfModel(arguments.model);
    for (const auto& [end, digest] : digest::modelSha256(arguments.model, files))
      options["model" + end] = digest;
    options["format"] = evaluate::nameOf(wish_.format);
    options["split"] = arguments.split;
    options["names of pictures"] = digest::sha256Of(names);
    options["input"] = sizeText(segmenter_.model().input);
    options["fit"] = wish_.slides ? "slide" : "stretch";
    if (wish_.slides) {
      options["short side"] = std::to_string(wish_.shortSide);
      options["stride"] = std::to_string(wish_.stride);
    }
    options["restore"] = wish_.read.restore == Restore::early ? "early" : "late";
    options["precision"] = usedPrecision(wish_.read);
    if (const std::string device = usedDeviceName(wish_.read); !device.empty())
      options["device"] = device;
    if (wish_.format == evaluate::Format::folder) {
      options["ignored number"] = std::to_string(arguments.classes.ignored);
      options["zero label"] = arguments.classes.reduceZero ? "reduced" : "kept";
    }
    options["night"] = arguments.paperNight ? "the paper's" : "none";
    options["edge distance"] = std::to_string(measure_.edgeDistance);
    options["locality"] = "every " + std::to_string(measure_.distancesEvery);
  }

  void remark(const EvalArguments& arguments) {
    const Description& model = segmenter_.model();
    if (!model.mergeable)
      remarks_.push_back(arguments.model + " runs without merging: " + model.reason);
    const int window = evaluate::protocolOf(wish_.format).window;
    if (window != 0 && model.input != cv::Size(window, window)) {
      const std::string side = std::to_string(window);
      remarks_.push_back("the model's input is " + sizeText(model.input) +
                         ", but published figures " + "on " + evaluate::nameOf(wish_.format) +
                         " use windows of " + side + " x " + side + "; --input-size " + side + "x" +
                         side + " resizes its position embeddings");
    }
    if (!unlabelled_.empty()) {
      const bool isOne = unlabelled_.size() == 1;
      remarks_.push_back(countText(unlabelled_.size(), "photo") +
                         (isOne ? " has no labels yet and does not count: "
                                : " have no labels yet and do not count, such as ") +
                         unlabelled_.front());
    }
    if (!listing_.lonely.empty()) {
      remarks_.push_back(std::to_string(listing_.lonely.size()) +
                         " label pictures have no photo and do not count, such as " +
                         listing_.lonely.front());
    }
  }

  EvalWish wish_;
  std::vector<std::string> unlabelled_;  // photos
  evaluate::Listing listing_;
  int threads_;
  Segmenter segmenter_;
  evaluate::Measure measure_;
  evaluate::Header header_;
  std::vector<std::string> remarks_;
};

}  // namespace mpm::cli
