// SPDX-License-Identifier: Apache-2.0
#include "evaluate/picture.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "digest/sha256.h"
#include "evaluate/pairs.h"
#include "evaluate/truth.h"
#include "mpm/tune.h"

namespace mpm::evaluate {
namespace {

// Thrown if a picture has to be left out.
struct Faulty {
  Fault fault;
};

struct LoadedPair {
  cv::Mat photo;
  cv::Mat truth;  // CV_16U
  std::string photoSha256, labelSha256;
};

// Returns an empty text if it cannot be read.
std::string sha256Of(const std::string& path) {
  try {
    return digest::fileSha256(path);
  } catch (const std::runtime_error&) {
    return {};
  }
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

std::string sizeText(const cv::Size& size) {
  return std::to_string(size.width) + " x " + std::to_string(size.height);
}

LoadedPair load(const Pair& pair, const Classes& classes) {
  if (!exists(pair.photo))
    throw Faulty{{FaultKind::missingPhoto, pair.photo + ": there is no such photo"}};
  if (!exists(pair.label))
    throw Faulty{
        {FaultKind::missingLabel, pair.photo + ": its label " + pair.label + " is missing"}};
  LoadedPair loaded;
  // Hashes files before reading them: if they change in between, the results match no file.
  loaded.photoSha256 = sha256Of(pair.photo);
  loaded.labelSha256 = sha256Of(pair.label);
  loaded.photo = readPhotoFile(pair.photo);
  if (loaded.photo.empty()) {
    throw Faulty{{FaultKind::unreadablePhoto, pair.photo + ": it cannot be read as a picture"}};
  }
  cv::Mat numbers;
  try {
    numbers = readLabelNumbers(pair.label);
  } catch (const std::runtime_error& error) {
    throw Faulty{{FaultKind::unreadableLabel, error.what()}};
  }
  if (numbers.size() != loaded.photo.size()) {
    throw Faulty{{FaultKind::otherSize, pair.label + ": it is " + sizeText(numbers.size()) +
                                            ", and its photo " + sizeText(loaded.photo.size())}};
  }
  const Truth truth = classes.rule.truthOf(numbers);
  if (truth.outside) {
    throw Faulty{{FaultKind::outsideClass, pair.label + ": it has the number " +
                                               std::to_string(*truth.outside) +
                                               ", which is not one of its " +
                                               std::to_string(classes.names.size()) + " classes"}};
  }
  loaded.truth = truth.classes;
  return loaded;
}

ScheduleRecord scheduleRecord(const Segmentation& found, const cv::Mat& truth, const cv::Mat& near,
                              std::size_t classes) {
  Confusion all(classes), edges(classes);
  all.add(truth, found.labels);
  edges.add(truth, found.labels, near);
  return {all.counts(),          edges.counts(),        found.rows,  found.windows,
          found.times.networkMs, found.times.wholeMs(), std::nullopt};
}

// Computes the label agreement of each schedule with the unmerged run. Computes that of the
// unmerged run with itself, too, when the picture moves by one pixel.
void compareWithFull(const std::vector<cv::Mat>& labels, const cv::Mat& photo,
                     const Measure& measure, const RunSchedule& run, PictureRecord& record) {
  const std::vector<Schedule>& schedules = measure.schedules;
  const auto full = std::find(schedules.begin(), schedules.end(), Schedule());
  if (full == schedules.end() || schedules.size() == 1) return;
  const cv::Mat& fullLabels = labels[static_cast<std::size_t>(full - schedules.begin())];
  for (std::size_t i = 0; i < labels.size(); ++i)
    record.schedules[i].agreement = agreementOf(fullLabels, labels[i]);
  record.floor = noiseFloor(photo, fullLabels, measure.input,
                            [&](const cv::Mat& moved) { return run({}, moved).labels; });
}

}  // namespace

PictureRecord measurePicture(const Pair& pair, std::size_t index, const Measure& measure,
                             const RunSchedule& run) {
  PictureRecord record;
  record.index = index;
  record.name = pair.name;
  try {
    LoadedPair loaded = load(pair, measure.classes);
    record.photoSha256 = loaded.photoSha256;
    record.labelSha256 = loaded.labelSha256;
    if (measure.before) loaded.photo = measure.before(loaded.photo, index);
    const cv::Mat near = nearEdges(loaded.truth, measure.edgeDistance);
    const std::size_t count = measure.schedules.size();
    record.schedules.resize(count);
    std::vector<cv::Mat> labels(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t turn = (index + i) % count;
      const Segmentation found = run(measure.schedules[turn], loaded.photo);
      record.schedules[turn] =
          scheduleRecord(found, loaded.truth, near, measure.classes.names.size());
      labels[turn] = found.labels;
    }
    if (measure.compareEvery > 0 && index % measure.compareEvery == 0)
      compareWithFull(labels, loaded.photo, measure, run, record);
  } catch (const Faulty& faulty) {
    record.fault = faulty.fault;
  }
  return record;
}

std::string changedFile(const PictureRecord& record, const Pair& pair) {
  if (sha256Of(pair.photo) != record.photoSha256) return pair.photo;
  return sha256Of(pair.label) == record.labelSha256 ? "" : pair.label;
}

std::size_t compareEvery(std::size_t pictures) {
  constexpr std::size_t kLeast = 8, kEvery = 10;
  return std::clamp<std::size_t>(pictures / kLeast, 1, kEvery);
}

void measurePictures(const std::vector<Pair>& pairs, const Measure& measure, const RunSchedule& run,
                     const std::set<std::size_t>& done,
                     const std::function<void(const PictureRecord&)>& keep,
                     const std::function<void(double)>& progress) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!done.contains(i)) left.push_back(i);
  }
  // Runs once to prepare weights, which is no schedule's time.
  bool isWarm = false;
  const RunSchedule runWarm = [&](const Schedule& schedule, const cv::Mat& photo) {
    if (!std::exchange(isWarm, true)) run(schedule, photo);
    return run(schedule, photo);
  };
  for (std::size_t i = 0; i < left.size(); ++i) {
    keep(measurePicture(pairs[left[i]], left[i], measure, runWarm));
    progress(static_cast<double>(i + 1) / static_cast<double>(left.size()));
  }
}

std::vector<Pair> spreadPairs(const std::vector<Pair>& pairs, std::size_t count) {
  if (count == 0 || count >= pairs.size()) return pairs;
  std::vector<Pair> some;
  for (std::size_t i = 0; i < count; ++i)
    some.push_back(pairs[(2 * i + 1) * pairs.size() / (2 * count)]);
  return some;
}

}  // namespace mpm::evaluate
