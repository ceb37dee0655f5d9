// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/inspection.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

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
  QStringList parts;
  if (inspection.label) {
    QString words = inspection.className;
    if (inspection.confidence) {
      words = Words::tr("%1, %2 % sure")
                  .arg(words, locale.toString(*inspection.confidence * 100, 'f', 0));
    }
    parts << words;
    if (inspection.fullLabel && *inspection.fullLabel != *inspection.label) {
      parts << Words::tr("%1 with full tokens").arg(inspection.fullClassName);
    }
  }
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

}  // namespace mpm::gui
