// SPDX-License-Identifier: Apache-2.0
// mpm eval: compares quality and cost of schedules on data with true labels.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <memory>
#include <opencv2/core/version.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/eval_report.h"
#include "cli/frames.h"
#include "cli/measure.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/wording.h"
#include "digest/sha256.h"
#include "dnn/model_files.h"
#include "evaluate/journal.h"
#include "evaluate/pairs.h"
#include "evaluate/picture.h"
#include "evaluate/summary.h"
#include "evaluate/truth.h"
#include "models/scenes/sensor.h"
#include "mpm/segmenter.h"
#include "mpm/version.h"

namespace mpm::cli {
namespace {

using evaluate::Format;
namespace fs = std::filesystem;
using evaluate::Header;
using evaluate::Journal;
using evaluate::PictureRecord;
using evaluate::Totals;

// Arguments of `mpm eval`.
struct EvalArguments {
  std::string model, dataset, format, split;
  evaluate::ClassOptions classes;
  std::vector<std::string> schedules;
  std::string folder;
  int count = 0;
  bool paperNight = false, restart = false, json = false;
  ModelOptions read;
  FitOptions fit;
};

// Arguments that can be checked before anything is read. Throws UsageError if they are wrong.
struct EvalWish {
  evaluate::Format format = evaluate::Format::folder;
  ReadOptions read;
  std::optional<std::vector<Schedule>> schedules;
};

void addDataOptions(CLI::App& command, EvalArguments& arguments) {
  addOption(command, "--format", arguments.format, "ade20k|cityscapes|pascal-context|folder",
            "how the data set is laid out");
  addOption(command, "--split", arguments.split, "NAME",
            "another part of the data set, such as train (default: val;\n"
            "for folder, images/ and labels/ themselves)")
      ->group(kAdvanced);
  addOption(command, "--classes", arguments.classes.classes, "59|60",
            "for pascal-context: without or with the background\n"
            "(default: as many as the model has)")
      ->group(kAdvanced);
  addOption(command, "--ignore", arguments.classes.ignored, "N",
            "for folder: the number in label pictures that does not\n"
            "count (default: 255)")
      ->check(within(0, 65535))
      ->group(kAdvanced);
  command
      .add_flag("--reduce-zero-label", arguments.classes.reduceZero,
                "for folder: number 0 does not count either, and number\n"
                "1 is the first class")
      ->group(kAdvanced);
  addOption(command, "--count", arguments.count, "N", "use N pictures, spread over the data set")
      ->check(within(1, 1 << 30));
  command
      .add_flag("--paper-night", arguments.paperNight,
                "turn each photo into a night first, as the paper does:\n"
                "less light, thermal noise, shot noise")
      ->group(kAdvanced);
}

void addResultOptions(CLI::App& command, EvalArguments& arguments) {
  addOut(command, arguments.folder, "DIR", "a folder for the results");
  command.add_flag("--restart", arguments.restart, "start over, whatever DIR holds");
  command.add_flag("--json", arguments.json, "print the summary as JSON");
}

void addOptions(CLI::App& command, EvalArguments& arguments) {
  addModel(command, arguments.model, " of a segmentation model");
  addOption(command, "DATASET", arguments.dataset, "", "the folder of the data set")->required();
  addDataOptions(command, arguments);
  arguments.fit.addTo(command, "the format's");
  addSchedules(command, arguments.schedules,
               "blocks to merge before, counted from 0, or none; may be\n"
               "given several times (default: none, and 2,5)");
  arguments.read.addTo(command, kInputSize | kPrecisionOrAuto | kProportional | kThreads);
  addResultOptions(command, arguments);
  addRenamed(command, {{"--limit", "--count"}});
}

Format parseFormat(const std::string& name) {
  if (name.empty()) throw UsageError("--format is required; see mpm eval --help");
  if (name == "sequence") throw UsageError("--format sequence is mpm bench --frames now");
  try {
    return evaluate::formatNamed(name);
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--") + error.what());
  }
}

std::vector<Schedule> parseSchedules(const std::vector<std::string>& texts) {
  std::vector<Schedule> schedules;
  for (const std::string& text : texts) {
    const Schedule schedule = parseSchedule(text);
    if (std::find(schedules.begin(), schedules.end(), schedule) != schedules.end())
      throw UsageError("--merge-before " + text + " is given twice");
    schedules.push_back(schedule);
  }
  return schedules;
}

void checkClasses(const EvalArguments& arguments, const EvalWish& wish) {
  const evaluate::ClassOptions& classes = arguments.classes;
  if (classes.classes != 0 && wish.format != Format::pascalContext)
    throw UsageError("--classes only goes with --format pascal-context");
  if (classes.classes != 0 && classes.classes != 59 && classes.classes != 60)
    throw UsageError("--classes " + std::to_string(classes.classes) +
                     ": Pascal Context has 59, or 60 with the background");
  if ((classes.ignored != 255 || classes.reduceZero) && wish.format != Format::folder)
    throw UsageError("--ignore and --reduce-zero-label only go with --format folder");
}

EvalWish wishOf(const EvalArguments& arguments) {
  EvalWish wish;
  wish.format = parseFormat(arguments.format);
  wish.read = arguments.read.parse();
  if (!arguments.schedules.empty()) wish.schedules = parseSchedules(arguments.schedules);
  if (arguments.folder.empty() && arguments.restart)
    throw UsageError("--restart needs a folder for the results; add --out DIR");
  arguments.fit.check(evaluate::protocolOf(wish.format).slides);
  checkClasses(arguments, wish);
  return wish;
}

// A model, a data set, and the measurements: checks everything that it can before the first
// picture.
class EvalPlan {
 public:
  // Reads the data set first, since a model takes longer.
  explicit EvalPlan(const EvalArguments& arguments)
      : wish_(wishOf(arguments)),
        listing_(listingOf(arguments, wish_)),
        threads_(arguments.read.useThreads()),
        segmenter_(openModel(arguments)) {
    measure_.classes = classesFor(arguments, wish_, listing_, segmenter_.classes());
    chooseSchedules();
    checkSchedules(segmenter_, measure_.schedules, arguments.model);
    if (arguments.paperNight) measure_.before = darkened;
    measure_.compareEvery = evaluate::compareEvery(listing_.pairs.size());
    measure_.input = segmenter_.model().input;
    fillHeader(arguments);
    fillOptions(arguments);
    remark(arguments);
  }

  Segmenter& segmenter() { return segmenter_; }
  const std::vector<evaluate::Pair>& pairs() const { return listing_.pairs; }
  const evaluate::Measure& measure() const { return measure_; }
  const evaluate::Header& header() const { return header_; }
  // Sentences about what may surprise.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  evaluate::Listing listingOf(const EvalArguments& arguments, const EvalWish& wish) {
    evaluate::Listing listing =
        evaluate::listPairs(wish.format, arguments.dataset, arguments.split);
    // A user's folder may have frames without annotations; in a data set one is missing.
    if (wish.format == evaluate::Format::folder) unlabelled_ = evaluate::takeUnlabelled(listing);
    listing.pairs = evaluate::spreadPairs(listing.pairs, static_cast<std::size_t>(arguments.count));
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

  // Throws before the first picture if a schedule is impossible.
  static void checkSchedules(Segmenter& segmenter, const std::vector<Schedule>& schedules,
                             const std::string& model) {
    for (const Schedule& schedule : schedules) {
      checkCanMerge(segmenter.model(), model, !schedule.empty());
      segmenter.setSchedule(schedule);
    }
  }

  Segmenter openModel(const EvalArguments& arguments) {
    fitted_.read = wish_.read;
    fitted_.confidence = false;
    const evaluate::Protocol protocol = evaluate::protocolOf(wish_.format);
    arguments.fit.apply(arguments.model, fitted_, protocol.slides, protocol.shortSide);
    if (fitted_.read.precision == kAutoPrecision) {
      choosePrecision(arguments.model, fitted_, firstPhotos());
      wish_.read.precision = fitted_.read.precision;
    }
    return Segmenter(arguments.model, fitted_);
  }

  std::vector<cv::Mat> firstPhotos() const {
    std::vector<cv::Mat> photos;
    for (const evaluate::Pair& pair : evaluate::spreadPairs(listing_.pairs, kFramesToChooseBy)) {
      cv::Mat photo = evaluate::readPhotoFile(pair.photo);
      if (!photo.empty()) photos.push_back(std::move(photo));
    }
    return photos;
  }

  static cv::Mat darkened(const cv::Mat& photo, std::size_t index) {
    static const scenes::PaperNight kNight;
    cv::Mat dark = photo.clone();
    kNight.darken(dark, index);
    return dark;
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

  void fillHeader(const EvalArguments& arguments) {
    const Description& model = segmenter_.model();
    header_.pictures = listing_.pairs.size();
    header_.classes = measure_.classes.names;
    header_.schedules = measure_.schedules;
    header_.special = model.numPrefixTokens;
    const Machine machine = thisMachine(usedDeviceName(wish_.read), threads_);
    header_.notes = {{"model", arguments.model},
                     {"dataset", arguments.dataset},
                     {"machine", nameOf(machine) + ", OpenCV " CV_VERSION}};
  }

  void fillOptions(const EvalArguments& arguments) {
    std::string names;
    for (const evaluate::Pair& pair : listing_.pairs) names += pair.name + '\n';
    std::map<std::string, std::string>& options = header_.options;
    options["program"] = std::string("mpm ") + version();
    const auto files = dnn::filesOfModel(arguments.model);
    for (const auto& [end, digest] : digest::modelSha256(arguments.model, files))
      options["model" + end] = digest;
    options["format"] = evaluate::nameOf(wish_.format);
    options["split"] = arguments.split;
    options["names of pictures"] = digest::sha256Of(names);
    options["input"] = sizeText(segmenter_.model().input);
    options["fit"] = fitted_.fit == Fit::slide ? "slide" : "stretch";
    if (fitted_.fit == Fit::slide) {
      options["short side"] = std::to_string(fitted_.shortSide);
      options["stride"] = std::to_string(fitted_.stride);
    }
    options["precision"] = usedPrecision(wish_.read);
    if (const std::string device = usedDeviceName(wish_.read); !device.empty())
      options["device"] = device;
    if (wish_.format == evaluate::Format::folder) {
      options["ignored number"] = std::to_string(arguments.classes.ignored);
      options["zero label"] = arguments.classes.reduceZero ? "reduced" : "kept";
    }
    options["night"] = arguments.paperNight ? "the paper's" : "none";
    options["edge distance"] = std::to_string(measure_.edgeDistance);
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
  SegmenterOptions fitted_;  // of the segmenter
  Segmenter segmenter_;
  evaluate::Measure measure_;
  evaluate::Header header_;
  std::vector<std::string> remarks_;
};

constexpr const char *kJson = "summary.json", *kCsv = "summary.csv", *kClassCsv = "per_class.csv";

void writeReport(const EvalReport& report, const fs::path& folder) {
  try {
    writeFile(folder / kJson, evalJson(report));
    writeFile(folder / kCsv, evalCsv(report));
    writeFile(folder / kClassCsv, evalClassCsv(report));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(
        std::string(error.what()) +
        "; the journal next to it is complete, and the same command writes it again");
  }
}

// Opens the journal in the folder for results, and adds finished pictures to the totals.
std::unique_ptr<Journal> openJournal(const EvalArguments& arguments, const EvalPlan& plan,
                                     Totals& totals, std::set<std::size_t>& done) {
  if (arguments.folder.empty()) return nullptr;
  makeFolder(arguments.folder);
  const fs::path path = fs::path(arguments.folder) / evaluate::kJournalFile;
  auto journal = std::make_unique<Journal>(path.string(), plan.header(), arguments.restart);
  for (const PictureRecord& record : journal->records()) {
    if (record.fault) continue;  // may have been mended
    const std::string changed = evaluate::changedFile(record, plan.pairs().at(record.index));
    if (!changed.empty()) {
      throw std::runtime_error(changed + " is not what it was when " + record.name +
                               " was evaluated; --restart evaluates every picture anew, and "
                               "another --out keeps both");
    }
    totals.add(record);
    done.insert(record.index);
  }
  return journal;
}

EvalReport measure(const EvalArguments& arguments) {
  EvalPlan plan(arguments);
  const Header& header = plan.header();
  if (!arguments.folder.empty()) {
    InputFiles inputs(arguments.model);
    for (const evaluate::Pair& pair : plan.pairs())
      inputs.addAll(std::array{pair.photo, pair.label});
    for (const char* name : {kJson, kCsv, kClassCsv, evaluate::kJournalFile})
      inputs.refuse(fs::path(arguments.folder) / name);
  }
  Totals totals(header);
  std::set<std::size_t> done;
  const auto journal = openJournal(arguments, plan, totals, done);
  for (const std::string& remark : plan.remarks()) std::cerr << "mpm: " << remark << '\n';
  {
    Progress progress("evaluating");
    const auto keep = [&](const PictureRecord& record) {
      if (journal) journal->append(record);
      totals.add(record);
    };
    const auto run = [&](const Schedule& schedule, const cv::Mat& photo) {
      plan.segmenter().setSchedule(schedule);
      return plan.segmenter().segment(photo);
    };
    evaluate::measurePictures(plan.pairs(), plan.measure(), run, done, keep,
                              [&](double share) { progress.show(share); });
  }
  EvalReport report = {header, evaluate::summaryOf(totals, header), {header.notes.at("machine")}};
  if (journal && journal->notes().at("machine") != report.machines[0])
    report.machines.insert(report.machines.begin(), journal->notes().at("machine"));
  return report;
}

void evaluateModel(const EvalArguments& arguments) {
  const EvalReport report = measure(arguments);
  if (!arguments.folder.empty()) writeReport(report, arguments.folder);
  if (arguments.json) {
    std::cout << evalJson(report);
  } else if (report.summary.pictures > 0) {
    std::cout << evalTable(report);
  }
  std::cout << std::flush;
  const std::string leftOut = leftOutSentence(report.summary);
  if (!leftOut.empty()) throw std::runtime_error(leftOut);
}

}  // namespace

void addEval(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("eval", "measure how well schedules label a data set, and how fast");
  const auto arguments = std::make_shared<EvalArguments>();
  addOptions(*command, *arguments);
  command->footer(
      "Reports for each schedule: mean IoU, pixel accuracy, mean IoU within 3 pixels of an edge,\n"
      "live rows after each merge, the median time of the network and of a picture, each class's\n"
      "IoU; and, on a tenth of the pictures, how many labels agree with unmerged ones beside how\n"
      "many unmerged runs keep when the picture is moved by a pixel, the noise floor. DIR gets\n"
      "summary.json, summary.csv, per_class.csv and journal.jsonl, from which the same command\n"
      "resumes if it was stopped. Exit status 1 if pictures had to be left out.\n"
      "Example: mpm eval segmenter.onnx ADEChallengeData2016 --format ade20k --out results");
  command->callback([arguments] { evaluateModel(*arguments); });
}

}  // namespace mpm::cli
