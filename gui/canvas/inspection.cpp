// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/inspection.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "gui/canvas/captions.h"
#include "gui/canvas/token_groups.h"

namespace mpm::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Inspection)
};

cv::Point pixelAt(QPointF position, cv::Size size) {
  return {std::clamp(static_cast<int>(position.x() * size.width), 0, size.width - 1),
          std::clamp(static_cast<int>(position.y() * size.height), 0, size.height - 1)};
}

std::optional<int> labelAt(const cv::Mat& labels, QPointF position) {
  if (labels.empty()) return std::nullopt;
  const cv::Point pixel = pixelAt(position, labels.size());
  if (labels.type() == CV_8U) return labels.at<std::uint8_t>(pixel);
  if (labels.type() == CV_16U) return labels.at<std::uint16_t>(pixel);
  return std::nullopt;
}

std::optional<double> valueOf(const cv::Mat* values, int place) {
  if (!values || place < 0 || static_cast<std::size_t>(place) >= values->total())
    return std::nullopt;
  const double value = static_cast<double>(values->ptr<float>()[place]);
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

// One other place is a sentence of its own, so that English needs no translation.
QString sharingWords(int others, const std::optional<int>& mergedAt) {
  if (!mergedAt) {
    return others == 1 ? Words::tr("shares its token with one other place")
                       : Words::tr("shares its token with %Ln other places", nullptr, others);
  }
  return (others == 1
              ? Words::tr("shares its token with one other place since merge %1")
              : Words::tr("shares its token with %Ln other places since merge %1", nullptr, others))
      .arg(*mergedAt);
}

QStringList classWords(const Inspection& seen) {
  QStringList parts;
  if (!seen.label) return parts;
  parts << (seen.confidence
                ? Words::tr("%1, %2% sure")
                      .arg(seen.className, QLocale().toString(*seen.confidence * 100, 'f', 0))
                : seen.className);
  if (seen.fullLabel && *seen.fullLabel != *seen.label)
    parts << Words::tr("%1 with full tokens").arg(seen.fullClassName);
  return parts;
}

// The classes in the middle of each place, the most frequent first, where they are several.
QString classesOf(const TokenGroup& group, const cv::Mat& labels, const ClassSettings& classes,
                  const QRectF& area) {
  std::map<int, int> counts;
  for (const int place : group.places) {
    const auto label = labelAt(labels, placeArea(place, group.grid, area).center());
    if (label) ++counts[*label];
  }
  if (counts.size() < 2) return {};
  std::vector<std::pair<int, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kMost = 3;
  QStringList parts;
  for (std::size_t i = 0; i < std::min(kMost, sorted.size()); ++i)
    parts << Words::tr("%1 %2").arg(QLocale().toString(sorted[i].second),
                                    classes.name(sorted[i].first));
  if (sorted.size() > kMost) parts << QStringLiteral("...");
  return Words::tr("Places: %1").arg(parts.join(QStringLiteral(", ")));
}

void lookAtMerges(const Segmentation& found, int stage, Inspection& seen) {
  const int last = stage > 0 ? stage : static_cast<int>(found.stages.size());
  for (int merge = 1; merge <= last && !seen.mergedAt; ++merge) {
    const cv::Mat* map = mapBehind(found, merge);
    if (!map || map->size() != seen.group.grid) continue;
    const int* rows = map->ptr<int>();
    if (std::count(rows, rows + map->total(), rows[seen.group.place]) > 1) seen.mergedAt = merge;
  }
  seen.similarity =
      valueOf(similarityBefore(found, seen.mergedAt.value_or(stage)), seen.group.place);
}

}  // namespace

TokenGroup groupAt(const Segmentation& found, int stage, QPointF position, const QRectF& area) {
  TokenGroup group;
  const cv::Mat* map = mapBehind(found, stage);
  if (!map) return group;
  group.grid = map->size();
  constexpr double kLast = 1 - 1e-9;  // the picture's far borders belong to its last places
  const QPointF inside(qBound(0.0, position.x(), kLast), qBound(0.0, position.y(), kLast));
  group.place = placeAt(inside, group.grid, area);
  if (group.place < 0) return group;
  const int* rows = map->ptr<int>();
  for (int place = 0; place < group.grid.area(); ++place) {
    if (rows[place] == rows[group.place]) group.places.push_back(place);
  }
  return group;
}

Inspection inspect(const monitor::FrameResult& result, const ClassSettings& classes, int stage,
                   QPointF position, const QRectF& area) {
  Inspection seen;
  seen.position = {qBound(0.0, position.x(), 1.0), qBound(0.0, position.y(), 1.0)};
  seen.pixel = pixelAt(seen.position, result.frame.picture.size());
  const Segmentation& found = result.segmentation;
  seen.label = labelAt(found.labels, seen.position);
  if (seen.label) seen.className = classes.name(*seen.label);
  if (!found.confidence.empty() && found.confidence.type() == CV_32F) {
    const float value = found.confidence.at<float>(pixelAt(seen.position, found.confidence.size()));
    if (!std::isnan(value)) seen.confidence = static_cast<double>(value);
  }
  if (result.full) seen.fullLabel = labelAt(result.full->labels, seen.position);
  if (seen.fullLabel) seen.fullClassName = classes.name(*seen.fullLabel);
  if (const int place = placeAt(seen.position, found.patchAges.size(), area); place >= 0)
    seen.age = found.patchAges.ptr<int>()[place];
  const Segmentation& tokens = result.merged ? result.merged->segmentation : found;
  seen.group = groupAt(tokens, stage, seen.position, area);
  if (seen.group.place >= 0) lookAtMerges(tokens, stage, seen);
  return seen;
}

QString describe(const Inspection& inspection) {
  const QLocale locale;
  QStringList parts = classWords(inspection);
  if (inspection.age.value_or(0) > 0) {
    parts << (*inspection.age == 1 ? Words::tr("computed one frame ago")
                                   : Words::tr("computed %n frames ago", nullptr, *inspection.age));
  }
  const auto sharing = inspection.group.places.size();
  if (sharing == 1) parts << Words::tr("has a token of its own");
  if (sharing > 1) {
    parts << sharingWords(static_cast<int>(sharing - 1), inspection.mergedAt);
  }
  if (inspection.similarity) {
    parts << Words::tr("similarity %1").arg(locale.toString(*inspection.similarity, 'f', 2));
  }
  return parts.join(Words::tr("; "));
}

QStringList cardOf(const monitor::FrameResult& result, const ClassSettings& classes, int stage,
                   QPointF position, const QRectF& area) {
  const Inspection seen = inspect(result, classes, stage, position, area);
  const QLocale locale;
  QStringList lines = classWords(seen);
  const auto places = static_cast<int>(seen.group.places.size());
  if (places == 0) return lines;
  lines.prepend(places == 1 ? Words::tr("A token of its own")
                            : Words::tr("A token of %Ln places", nullptr, places));
  const double share = places * area.width() * area.height() / seen.group.grid.area();
  lines << Words::tr("%1% of the picture").arg(locale.toString(share * 100, 'f', 1));
  if (seen.mergedAt)
    lines << Words::tr("Together since merge %1").arg(locale.toString(*seen.mergedAt));
  if (seen.similarity) {
    const QString similarity = locale.toString(*seen.similarity, 'f', 3);
    lines << (seen.mergedAt ? Words::tr("Similarity then: %1").arg(similarity)
                            : Words::tr("Most alike: %1").arg(similarity));
  }
  const QString mixed = classesOf(seen.group, result.segmentation.labels, classes, area);
  if (!mixed.isEmpty()) lines << mixed;
  const monitor::FrameResult& told = result.merged ? *result.merged : result;
  const std::int64_t ageMs = result.frame.taken.steadyMs - told.frame.taken.steadyMs;
  if (ageMs >= 1000)
    lines << Words::tr("Tokens from a picture taken %1 earlier").arg(spokenAge(ageMs));
  return lines;
}

}  // namespace mpm::gui
