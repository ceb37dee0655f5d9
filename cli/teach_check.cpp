// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "cli/progress.h"
#include "cli/teach_files.h"
#include "cli/wording.h"
#include "evaluate/confusion.h"
#include "evaluate/format.h"
#include "evaluate/truth.h"
#include "mpm/segmenter.h"

namespace mpm::cli {
namespace {

cv::Mat truthOf(const PaintedFrame& painted, const evaluate::Pair& pair,
                const evaluate::LabelRule& rule) {
  if (painted.labels.size() != painted.frame.size()) {
    throw std::runtime_error(pair.label + " is " + sizeText(painted.labels.size()) +
                             ", and its frame " + sizeText(painted.frame.size()) +
                             "; they must be the same size");
  }
  evaluate::Truth truth = rule.truthOf(painted.labels);
  if (truth.outside) {
    throw std::runtime_error(pair.label + " has number " + std::to_string(*truth.outside) +
                             ", which is not one of the model's classes; unpainted is 255");
  }
  return truth.classes;
}

// How the frames are labelled by each schedule.
std::vector<evaluate::Confusion> confusionsOf(Segmenter& segmenter, const PaintedFolder& folder,
                                              const std::vector<Schedule>& schedules) {
  const std::size_t classes = segmenter.classes().size();
  std::vector<evaluate::Confusion> found(schedules.size(), evaluate::Confusion(classes));
  const auto rule = evaluate::LabelRule::plain(classes, 255);
  Progress progress("checking");
  double done = 0;
  for (const evaluate::Pair& pair : folder.painted) {
    const PaintedFrame painted = readPaintedFrame(pair);
    const cv::Mat truth = truthOf(painted, pair, rule);
    for (std::size_t i = 0; i < schedules.size(); ++i) {
      if (segmenter.model().mergeable) segmenter.setSchedule(schedules[i]);
      found[i].add(truth, segmenter.segment(painted.frame).labels);
    }
    progress.show(++done / static_cast<double>(folder.painted.size()));
  }
  return found;
}

using Rows = std::vector<std::vector<std::string>>;

// A row for each class, their mean, and the share of right pixels; a column for each quality.
void addShares(const std::vector<std::string>& names,
               const std::vector<evaluate::Quality>& qualities, Rows& rows) {
  const auto add = [&](const std::string& name, const auto& shareOf) {
    rows.push_back({name});
    for (const evaluate::Quality& quality : qualities)
      rows.back().push_back(percentOrDash(shareOf(quality)));
  };
  // What no painting shows cannot be told, also where the model finds it somewhere, wrongly.
  const auto isSeen = [&](std::size_t k) { return qualities[0].pixels[k] > 0; };
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (isSeen(k)) {
      add(names[k], [&](const auto& quality) { return quality.iou[k]; });
    } else {
      rows.push_back({names[k]});
      rows.back().resize(1 + qualities.size(), "not seen");
    }
  }
  add("mean", [&](const auto& quality) {
    std::vector<double> seen;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (isSeen(k)) seen.push_back(quality.iou[k]);
    return evaluate::meanOf(seen);
  });
  add("pixels that are right", [](const auto& quality) { return quality.pixelAccuracy; });
}

}  // namespace

std::string percentOrDash(double share) {
  return std::isnan(share) ? "-" : numberText(100 * share, 1);
}

std::string checkTable(const std::string& model, const PaintedFolder& folder,
                       const std::string& labels, const ReadOptions& read) {
  SegmenterOptions options;
  options.read = read;
  options.confidence = false;
  Segmenter segmenter(model, options);
  std::vector<Schedule> schedules = {{}};
  if (segmenter.model().mergeable && !segmenter.schedule().empty())
    schedules.push_back(segmenter.schedule());
  const std::vector<std::string>& names = segmenter.classes();
  if (const std::string list = classFile("", labels); !list.empty())
    evaluate::checkOrder(list, segment::readClassList(list).names, names);
  Rows rows = {{"IoU in %"}};
  std::vector<evaluate::Quality> qualities;
  for (const Schedule& schedule : schedules)
    rows[0].push_back(schedule.empty() ? "full tokens" : schedule.text());
  for (const evaluate::Confusion& found : confusionsOf(segmenter, folder, schedules))
    qualities.push_back(evaluate::qualityOf(found));
  addShares(names, qualities, rows);
  return tableText(rows, "l" + std::string(schedules.size(), 'r'));
}

}  // namespace mpm::cli
