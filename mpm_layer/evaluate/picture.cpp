// SPDX-License-Identifier: Apache-2.0
#include "evaluate/picture.h"

#include <filesystem>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "digest/sha256.h"
#include "evaluate/pair_files.h"
#include "evaluate/truth.h"

namespace mpm::evaluate {
namespace {

// Thrown where a picture has to be left out.
struct Faulty {
  Fault fault;
};

struct LoadedPair {
  cv::Mat photo;
  cv::Mat truth;  // CV_16U
  std::string photoSha256, labelSha256;
};

// Empty where it cannot be read.
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
  // Before they are read: of files that change meanwhile, nobody takes the results for theirs.
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

ScheduleRecord recordOutcome(const Outcome& outcome, const cv::Mat& truth, const cv::Mat& near,
                             std::size_t classes) {
  Confusion all(classes), edges(classes);
  all.add(truth, outcome.labels);
  edges.add(truth, outcome.labels, near);
  ScheduleRecord record;
  record.counts = all.counts();
  record.edgeCounts = edges.counts();
  record.rows = outcome.rows;
  record.windows = outcome.windows;
  record.networkMs = outcome.networkMs;
  record.ms = outcome.ms;
  return record;
}

// A map behind each merge is the map of the schedule that ends there: what a merge does depends on
// what stands before it alone.
class MergeMaps {
 public:
  MergeMaps(const RunSchedule& run, const cv::Mat& photo) : run_(run), photo_(photo) {}

  void keep(const Schedule& schedule, const cv::Mat& map) { maps_[schedule] = map.clone(); }

  std::vector<Distances> distancesOf(const Schedule& schedule) {
    std::vector<Distances> distances;
    cv::Mat before;
    for (std::size_t merges = 1; merges <= schedule.size(); ++merges) {
      const auto end = schedule.begin() + static_cast<std::ptrdiff_t>(merges);
      const cv::Mat& after = mapOf(std::vector<int>(schedule.begin(), end));
      distances.push_back(pairDistances(before, after));
      before = after;
    }
    return distances;
  }

 private:
  const cv::Mat& mapOf(const Schedule& schedule) {
    const auto known = maps_.find(schedule);
    if (known != maps_.end()) return known->second;
    return maps_[schedule] = run_(schedule, photo_).mergeMap.clone();
  }

  const RunSchedule& run_;
  const cv::Mat& photo_;
  std::map<Schedule, cv::Mat> maps_;
};

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
    MergeMaps maps(run, loaded.photo);
    record.schedules.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t turn = (index + i) % count;
      const Outcome outcome = run(measure.schedules[turn], loaded.photo);
      record.schedules[turn] =
          recordOutcome(outcome, loaded.truth, near, measure.classes.names.size());
      maps.keep(measure.schedules[turn], outcome.mergeMap);
    }
    if (measure.distancesEvery > 0 &&
        index % static_cast<std::size_t>(measure.distancesEvery) == 0) {
      for (std::size_t i = 0; i < count; ++i)
        record.schedules[i].distances = maps.distancesOf(measure.schedules[i]);
    }
  } catch (const Faulty& faulty) {
    record.fault = faulty.fault;
  }
  return record;
}

std::string changedFile(const PictureRecord& record, const Pair& pair) {
  if (sha256Of(pair.photo) != record.photoSha256) return pair.photo;
  return sha256Of(pair.label) == record.labelSha256 ? "" : pair.label;
}

RunSchedule runnerOf(Segmenter& segmenter) {
  return [&segmenter](const Schedule& schedule, const cv::Mat& photo) {
    segmenter.setSchedule(schedule);
    Segmentation found = segmenter.segment(photo);
    const SegmenterTimes& times = found.times;
    Outcome outcome;
    outcome.labels = std::move(found.labels);
    outcome.rows = std::move(found.rows);
    outcome.windows = found.windows;
    outcome.networkMs = times.networkMs;
    outcome.ms = times.prepareMs + times.networkMs + times.labelsMs;
    outcome.mergeMap = std::move(found.mergeMap);
    return outcome;
  };
}

void measureShard(const std::vector<Pair>& pairs, const Shard& shard, const Measure& measure,
                  const RunSchedule& run, const std::set<std::size_t>& done,
                  const std::function<void(const PictureRecord&)>& keep,
                  const std::function<void(double)>& progress) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (shard.has(i) && !done.contains(i)) left.push_back(i);
  }
  // The first forward prepares weights; that is no schedule's time.
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
