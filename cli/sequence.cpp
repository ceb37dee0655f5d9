// SPDX-License-Identifier: Apache-2.0
#include "cli/sequence.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <opencv2/core.hpp>
#include <set>
#include <stdexcept>
#include <string>

#include "cli/commands.h"
#include "cli/frames.h"
#include "cli/options.h"
#include "cli/wording.h"
#include "evaluate/confusion.h"
#include "evaluate/pairs.h"
#include "evaluate/truth.h"
#include "models/scenes/camera.h"
#include "models/scenes/classes.h"
#include "mpm/flicker.h"

namespace mpm::cli {

namespace {

namespace fs = std::filesystem;
using evaluate::Confusion;

constexpr float kSure = 0.8F;
// Last frame of each age group of a memory, counted from its last full frame.
constexpr std::array<int, 6> kAges = {0, 12, 24, 48, 96, std::numeric_limits<int>::max()};

// Reads a camera's pictures, with their true labels if known (else empty).
class Frames {
 public:
  Frames(const SequencePlan& plan, const std::string& camera) : plan_(plan) {
    if (scenes::isSceneAddress(camera)) {
      options_ = scenes::parseSceneAddress(camera);
      camera_ = std::make_unique<scenes::Camera>(options_);
      return;
    }
    const fs::path images = fs::path(camera) / "images";
    labels_ = fs::is_directory(images) ? (fs::path(camera) / "labels").string() : "";
    files_ = std::make_unique<InputFrames>(
        std::vector<std::string>{labels_.empty() ? camera : images.string()});
  }

  bool next(cv::Mat& picture, cv::Mat& truth) {
    if (index_ == plan_.most) return false;
    truth = cv::Mat();
    const int index = index_++;
    if (camera_) {
      cv::Mat labels;
      camera_->shoot(options_.start + index * plan_.everySeconds, picture, labels);
      labels.convertTo(truth, CV_16U);
      return true;
    }
    InputFrame frame;
    const bool isThere = files_->next(frame);
    const std::string leftOut = files_->leftOut();
    if (!leftOut.empty()) throw std::runtime_error(leftOut);  // a sequence has no gaps
    if (!isThere) return false;
    picture = frame.picture;
    if (labels_.empty()) return true;
    const std::string path = labelsOf(frame.source);
    truth = evaluate::readLabelNumbers(path);
    if (truth.size() != picture.size())
      throw std::runtime_error(path + " differs in size from its picture");
    truth.setTo(evaluate::LabelRule::kIgnored, truth == 255);
    return true;
  }

  bool isScene() const { return camera_ != nullptr; }

 private:
  // Uses the picture's name: the frame's is made for files that are written.
  std::string labelsOf(const std::string& picture) {
    const std::string name = fs::path(picture).stem().string();
    if (!names_.insert(name).second) {
      throw std::runtime_error(picture + ": two pictures are called " + name +
                               ", and labels are found by this name; rename one");
    }
    return (fs::path(labels_) / (name + ".png")).string();
  }

  const SequencePlan& plan_;
  scenes::CameraOptions options_;
  std::unique_ptr<scenes::Camera> camera_;
  std::unique_ptr<InputFrames> files_;
  std::string labels_;
  std::set<std::string> names_;  // of the pictures so far
  int index_ = 0;
};

// Counts over frames of one age of a memory.
struct AgeCount {
  Confusion full, found;
  double pixels = 0, agreed = 0;
  int frames = 0;

  explicit AgeCount(std::size_t classes) : full(classes), found(classes) {}
};

struct Way {
  SequenceRow row;
  Segmenter segmenter;
  std::optional<SceneMemory> memory;
  Confusion confusion;
  std::vector<double> ms;      // of each timed frame
  std::vector<double> agreed;  // of each frame, pixels with the unmerged label
  std::vector<double> fresh;   // of each timed frame, the share of its patches that was computed
  double agreedSure = 0, told = 0;
  int tellings = 0;
  std::array<std::optional<AgeCount>, kAges.size()> ages{};
  int sinceFull = 0;
  Segmentation found{};
  Flicker flicker, steadied;
  LabelVote vote;
  cv::Mat labels, steady;  // of the frame before

  Way(const SequencePlan& plan, bool merges, bool remembers)
      : segmenter(plan.model, optionsOf(plan, merges)), confusion(segmenter.classes().size()) {
    if (remembers) memory.emplace();
    row.name = (remembers ? "memory, " : "") + mergingText(segmenter.schedule());
  }

  static SegmenterOptions optionsOf(const SequencePlan& plan, bool merges) {
    SegmenterOptions options;
    options.read = plan.read;
    options.read.schedule = merges ? plan.schedule : Schedule();
    return options;
  }

  // Starts another camera's frames.
  void meet() {
    if (memory) memory.emplace();
    labels.release();
    steady.release();
  }

  void run(const cv::Mat& picture) {
    found = memory ? segmenter.segment(picture, *memory) : segmenter.segment(picture);
    sinceFull = found.memory.fresh == found.memory.rows ? 0 : sinceFull + 1;
  }

  void countFlicker(const cv::Mat& still) {
    flicker.add(still, labels, found.labels);
    labels = found.labels;
    if (memory) return;
    const cv::Mat now = vote.update(still, found.labels);
    steadied.add(still, steady, now);
    steady = now;
  }

  void countAge(const cv::Mat& truth, const Segmentation& full, double agreedHere) {
    std::size_t age = 0;
    while (sinceFull > kAges[age]) ++age;
    if (!ages[age]) ages[age].emplace(segmenter.classes().size());
    AgeCount& count = *ages[age];
    ++count.frames;
    count.pixels += static_cast<double>(full.labels.total());
    count.agreed += agreedHere;
    if (truth.empty()) return;
    count.full.add(truth, full.labels);
    count.found.add(truth, found.labels);
  }

  std::vector<AgeRow> ageRows(bool hasTruth) const {
    std::vector<AgeRow> lines;
    for (std::size_t age = 0; age < ages.size(); ++age) {
      if (!ages[age]) continue;
      const AgeCount& count = *ages[age];
      AgeRow line{age == 0 ? 0 : kAges[age - 1] + 1, kAges[age], count.frames,
                  count.agreed / count.pixels,       {},         {}};
      if (hasTruth) {
        line.meanIou = evaluate::qualityOf(count.found).meanIou;
        line.fullIou = evaluate::qualityOf(count.full).meanIou;
      }
      lines.push_back(line);
    }
    return lines;
  }
};

// Counts over frames that all ways have labelled.
class FrameCount {
 public:
  explicit FrameCount(std::vector<Way>& ways) : ways_(ways) {}

  // `still` comes from StillPlaces. `isTimed` is false for a camera's first frame.
  void add(const cv::Mat& truth, const cv::Mat& still, bool isTimed) {
    const Segmentation& full = ways_[0].found;
    const cv::Mat sure = full.confidence > kSure;
    sure_ += cv::countNonZero(sure);
    pixels_.push_back(static_cast<double>(full.labels.total()));
    for (Way& way : ways_) {
      const cv::Mat same = way.found.labels == full.labels;
      const int agreed = cv::countNonZero(same);
      way.agreed.push_back(agreed);
      if (way.memory) way.countAge(truth, full, agreed);
      way.countFlicker(still);
      way.agreedSure += cv::countNonZero(same & sure);
      if (!truth.empty()) way.confusion.add(truth, way.found.labels);
      const MemoryReport& memory = way.found.memory;
      way.row.oldest = std::max(way.row.oldest, memory.age);
      if (memory.agreement) way.told += *memory.agreement, ++way.tellings;
      if (!isTimed) continue;
      way.fresh.push_back(memory.rows == 0 ? 1 : static_cast<double>(memory.fresh) / memory.rows);
    }
    hasTruth_ = hasTruth_ && !truth.empty();
    ++frames_;
    if (isTimed) ++timed_;
  }

  int frames() const { return frames_; }

  void finish() {
    const auto sumOf = [](const Way& way) { return sum(way.ms, 0, way.ms.size()); };
    for (Way& way : ways_) {
      SequenceRow& row = way.row;
      row.meanMs = sumOf(way) / timed_;
      row.ratio = sumOf(way) / sumOf(ways_[0]);
      for (std::size_t i = 0; i < way.ms.size(); ++i)
        row.worst = std::max(row.worst, way.ms[i] / ways_[1].ms[i]);
      row.fresh = sum(way.fresh, 0, way.fresh.size()) / timed_;
      row.agreement = sum(way.agreed, 0, pixels_.size()) / sum(pixels_, 0, pixels_.size());
      row.sure = sure_ > 0 ? way.agreedSure / sure_ : 1;
      row.flicker = way.flicker.share();
      row.steadied = way.steadied.share();
      if (way.tellings > 0) row.told = way.told / way.tellings;
      if (hasTruth_) row.meanIou = evaluate::qualityOf(way.confusion).meanIou;
      if (way.memory) row.bytes = way.memory->bytes();
      if (way.memory) row.ages = way.ageRows(hasTruth_);
      if (!way.memory || way.ms.size() < 2 * kHundred) continue;
      row.first = hundredOf(way, 0, 0);
      row.last = hundredOf(way, way.ms.size() - kHundred, way.agreed.size() - kHundred);
    }
  }

 private:
  static constexpr std::size_t kHundred = 100;
  static double sum(const std::vector<double>& numbers, std::size_t from, std::size_t count) {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(from);
    return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(count), 0.0);
  }
  // Sums a hundred frames from a timed frame and a frame on.
  HundredRow hundredOf(const Way& way, std::size_t timed, std::size_t frame) const {
    return {sum(way.ms, timed, kHundred) / sum(ways_[0].ms, timed, kHundred),
            sum(way.fresh, timed, kHundred) / kHundred,
            sum(way.agreed, frame, kHundred) / sum(pixels_, frame, kHundred)};
  }

  std::vector<Way>& ways_;
  int frames_ = 0, timed_ = 0;
  std::vector<double> pixels_;  // of each frame
  double sure_ = 0;
  bool hasTruth_ = true;
};

// Rejects labels of another data set, which would be silently left out.
void checkClasses(const cv::Mat& truth, std::size_t classes, const std::string& frames) {
  if (truth.empty()) return;
  double largest = 0;
  cv::minMaxLoc(truth, nullptr, &largest, nullptr, nullptr, truth != evaluate::LabelRule::kIgnored);
  if (largest < static_cast<double>(classes)) return;
  throw std::runtime_error(frames + ": its labels go up to " + numberText(largest, 0) +
                           ", but the model has " + std::to_string(classes) +
                           " classes, counted from 0; only 255 is ignored");
}

// Segments a camera's frames. `onProgress` covers this camera.
void watch(const SequencePlan& plan, const std::string& camera, std::vector<Way>& ways,
           FrameCount& count, const std::function<void(double)>& onProgress) {
  Frames frames(plan, camera);
  StillPlaces places;
  for (Way& way : ways) way.meet();
  int index = 0;
  for (cv::Mat picture, truth; frames.next(picture, truth); ++index) {
    if (frames.isScene() && !scenes::areOfTheStreet(ways[0].segmenter.classes())) truth = cv::Mat();
    checkClasses(truth, ways[0].segmenter.classes().size(), camera);
    for (Way& way : ways) {
      way.run(picture);
      if (index > 0) way.ms.push_back(way.found.times.wholeMs());
    }
    count.add(truth, places.look(picture), index > 0);
    onProgress((index + 1.0) / plan.most);
  }
  if (index < 2)
    throw std::runtime_error(camera + " has " + countText(index, "frame") +
                             "; a sequence needs at least two");
}

}  // namespace

std::vector<std::string> streetsOf(const std::string& address) {
  const std::size_t part = address.find("seed="), begin = part + 5;
  const std::size_t end = std::min(address.find('&', part), address.size());
  const std::size_t dots = address.find("..", part);
  if (!scenes::isSceneAddress(address) || part == std::string::npos || dots >= end)
    return {address};
  const auto first = scenes::seedOf(address.substr(begin, dots - begin));
  const auto last = scenes::seedOf(address.substr(dots + 2, end - dots - 2));
  if (!first || !last || *last < *first || *last - *first >= 1000) {
    throw UsageError(address.substr(part, end - part) +
                     " is not a range of seeds; give at most 1000, such as seed=3000001..3000005");
  }
  std::vector<std::string> streets;
  for (std::uint64_t seed = *first; seed <= *last; ++seed)
    streets.push_back(address.substr(0, begin) + std::to_string(seed) + address.substr(end));
  return streets;
}

SequenceReport measureSequence(const SequencePlan& plan,
                               const std::function<void(double)>& onProgress) {
  SequenceReport report{plan.model,
                        usedPrecision(plan.read),
                        plan.cameras,
                        thisMachine(usedDeviceName(plan.read), plan.threads),
                        0,
                        {},
                        {}};
  std::vector<Way> ways;
  ways.reserve(4);
  ways.emplace_back(plan, false, false);
  checkCanMerge(ways[0].segmenter.model(), plan.model);
  ways.emplace_back(plan, true, false);
  report.fault = ways[0].segmenter.memoryFault();
  if (report.fault.empty()) {
    ways.emplace_back(plan, true, true);
    ways.emplace_back(plan, false, true);
  }
  FrameCount count(ways);
  for (std::size_t i = 0; i < plan.cameras.size(); ++i) {
    const auto cameras = static_cast<double>(plan.cameras.size());
    watch(plan, plan.cameras[i], ways, count,
          [&](double done) { onProgress((static_cast<double>(i) + done) / cameras); });
  }
  count.finish();
  report.count = count.frames();
  for (const Way& way : ways) report.rows.push_back(way.row);
  return report;
}

namespace {

// Formats mIoU and agreement over the age of the memories.
std::string ageTable(const SequenceReport& report) {
  std::vector<std::vector<std::string>> table = {
      {"", "frames since a full one", "frames", "agreement", "mIoU", "unmerged", ""}};
  for (const SequenceRow& row : report.rows) {
    for (const AgeRow& age : row.ages) {
      const bool isLast = age.to == std::numeric_limits<int>::max();
      const std::string from = std::to_string(age.from), to = std::to_string(age.to);
      const std::string span = isLast               ? from + " and more"
                               : age.from == age.to ? to
                                                    : from + " to " + to;
      table.push_back({&age == row.ages.data() ? row.name : "", span, std::to_string(age.frames),
                       shareText(age.agreement, 2),
                       age.meanIou ? numberText(100 * *age.meanIou, 2) : "-",
                       age.fullIou ? numberText(100 * *age.fullIou, 2) : "-",
                       age.meanIou ? numberText(100 * (*age.meanIou - *age.fullIou), 2) : ""});
    }
  }
  return tableText(table, "lrrrrrr");
}

// Says whether a memory drifts; empty if there are too few frames to tell.
std::string driftTable(const SequenceReport& report) {
  std::vector<std::vector<std::string>> table = {
      {"", "frames", "of unmerged", "computed", "agreement"}};
  const auto add = [&](const std::string& name, const char* frames, const HundredRow& row) {
    table.push_back({name, frames, numberText(row.ratio, 3), shareText(row.fresh, 1),
                     shareText(row.agreement, 2)});
  };
  for (const SequenceRow& row : report.rows) {
    if (!row.first) continue;
    add(row.name, "first hundred", *row.first);
    add("", "last hundred", *row.last);
  }
  return table.size() > 1 ? '\n' + tableText(table, "llrrr") : "";
}

}  // namespace

std::string sequenceTable(const SequenceReport& report) {
  std::vector<std::vector<std::string>> table = {{"", "mean", "of unmerged", "worst", "computed",
                                                  "oldest", "agreement", "where sure", "reported",
                                                  "flicker", "steadied", "mIoU", "", "memory"}};
  const std::optional<double> full = report.rows[0].meanIou;
  for (const SequenceRow& row : report.rows) {
    const bool remembers = row.bytes > 0;
    table.push_back({row.name, msText(row.meanMs), numberText(row.ratio, 3),
                     "x " + numberText(row.worst, 2), shareText(row.fresh, 1),
                     remembers ? std::to_string(row.oldest) : "", shareText(row.agreement, 2),
                     shareText(row.sure, 2), row.told ? shareText(*row.told, 2) : "",
                     row.flicker ? shareText(*row.flicker, 2) : "-",
                     row.steadied ? shareText(*row.steadied, 2) : "",
                     row.meanIou ? numberText(100 * *row.meanIou, 2) : "-",
                     row.meanIou ? numberText(100 * (*row.meanIou - *full), 2) : "",
                     remembers ? numberText(static_cast<double>(row.bytes) / 1e6, 1) + " MB" : ""});
  }
  std::string text = report.model + " in " + report.precision + " on\n";
  for (const std::string& camera : report.cameras) text += "  " + camera + "\n";
  text +=
      countText(report.count, "frame") + ", each timed once, " + nameOf(report.machine) + "\n\n" +
      tableText(table, "lrrrrrrrrrrrrr") +
      "\nEach frame is computed each way in turn; a camera's first is not timed. worst: the "
      "slowest frame\nover the same frame with merging alone. computed: share of the patches. "
      "oldest: a patch's age, in frames.\nagreement: the label is as unmerged, of all pixels "
      "and of those that it is sure of (above 0.8).\nreported: the agreement that "
      "the memory itself measured.\nflicker: pixels whose label changed from one frame to the next "
      "where the picture did not;\nsteadied: the same after a vote over five frames.\n";
  if (report.fault.empty()) return text + '\n' + ageTable(report) + driftTable(report);
  return text + "There is no scene memory: " + report.fault + ".\n";
}

std::string sequenceJson(const SequenceReport& report) {
  using Json = nlohmann::ordered_json;
  const auto hundred = [](const std::optional<HundredRow>& row) {
    if (!row) return Json();
    return Json{{"ratio", rounded(row->ratio, 4)},
                {"fresh_share", rounded(row->fresh, 4)},
                {"agreement", rounded(row->agreement, 6)}};
  };
  const auto orNull = [](const std::optional<double>& number) {
    return number ? Json(rounded(*number, 6)) : Json();
  };
  Json ways = Json::array();
  for (const SequenceRow& row : report.rows) {
    Json ages = Json::array();
    for (const AgeRow& age : row.ages) {
      const bool isLast = age.to == std::numeric_limits<int>::max();
      ages.push_back({{"from", age.from},
                      {"to", isLast ? Json() : Json(age.to)},
                      {"frames", age.frames},
                      {"agreement", rounded(age.agreement, 6)},
                      {"mean_iou", orNull(age.meanIou)},
                      {"full_mean_iou", orNull(age.fullIou)}});
    }
    ways.push_back({{"name", row.name},
                    {"mean_ms", rounded(row.meanMs)},
                    {"ratio", rounded(row.ratio, 4)},
                    {"worst", rounded(row.worst)},
                    {"fresh_share", rounded(row.fresh, 4)},
                    {"oldest", row.oldest},
                    {"agreement", rounded(row.agreement, 6)},
                    {"agreement_sure", rounded(row.sure, 6)},
                    {"memory_agreement", orNull(row.told)},
                    {"flicker", orNull(row.flicker)},
                    {"flicker_steadied", orNull(row.steadied)},
                    {"mean_iou", orNull(row.meanIou)},
                    {"memory_bytes", row.bytes},
                    {"first_hundred", hundred(row.first)},
                    {"last_hundred", hundred(row.last)},
                    {"ages", ages}});
  }
  return jsonText(Json{{"model", report.model},
                       {"frames", report.cameras},
                       {"count", report.count},
                       {"precision", report.precision},
                       {"machine", machineJson(report.machine)},
                       {"threads", report.machine.threads},
                       {"memory_fault", report.fault},
                       {"ways", ways}});
}

}  // namespace mpm::cli
