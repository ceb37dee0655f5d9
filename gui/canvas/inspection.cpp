// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/inspection.h"

#include <QCoreApplication>
#include <QLineF>
#include <QLocale>
#include <QPen>
#include <QVector>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "gui/canvas/captions.h"
#include "gui/canvas/pictures.h"

namespace mpm::gui {
namespace {

const QColor kHalo(0, 0, 0, 170);

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

/// Returns the label, the unmerged one if it differs, and the age of a remembered patch.
QStringList classWords(const monitor::FrameResult& result, const ClassSettings& classes,
                       QPointF position, const QRectF& area) {
  const Segmentation& found = result.segmentation;
  QStringList words;
  const std::optional<int> label = labelAt(found.labels, position);
  if (!label) return words;
  QString own = classes.name(*label);
  if (!found.confidence.empty() && found.confidence.type() == CV_32F) {
    const float sure = found.confidence.at<float>(pixelAt(position, found.confidence.size()));
    if (!std::isnan(sure))
      own = Words::tr("%1, %2% sure")
                .arg(own, QLocale().toString(static_cast<double>(sure) * 100, 'f', 0));
  }
  words << own;
  const auto full = result.full ? labelAt(result.full->labels, position) : std::nullopt;
  if (full && *full != *label) words << Words::tr("Unmerged: %1").arg(classes.name(*full));
  const int place = placeAt(position, found.patchAges.size(), area);
  const int age = place < 0 ? 0 : found.patchAges.ptr<int>()[place];
  if (age == 1) words << Words::tr("Computed one frame ago");
  if (age > 1) words << Words::tr("Computed %n frames ago", nullptr, age);
  return words;
}

// Returns the classes in the middle of each patch, the most frequent first, if there are several.
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
  return Words::tr("Patches: %1").arg(parts.join(QStringLiteral(", ")));
}

/// Returns the merge since which a group shares its token and its similarity before it. A patch
/// without a group gets its similarity before the shown merge.
QStringList mergeWords(const Segmentation& found, int stage, const TokenGroup& group) {
  const int last = stage > 0 ? stage : static_cast<int>(found.stages.size());
  const QLocale locale;
  int mergedAt = 0;
  for (int merge = 1; merge <= last && mergedAt == 0; ++merge) {
    const cv::Mat* map = mapBehind(found, merge);
    if (!map || map->size() != group.grid) continue;
    const int* rows = map->ptr<int>();
    if (std::count(rows, rows + map->total(), rows[group.place]) > 1) mergedAt = merge;
  }
  QStringList words;
  if (mergedAt > 0) words << Words::tr("Together since merge %1").arg(locale.toString(mergedAt));
  const cv::Mat* similarity = similarityBefore(found, mergedAt > 0 ? mergedAt : stage);
  if (!similarity || similarity->size() != group.grid) return words;
  const float alike = similarity->ptr<float>()[group.place];
  if (std::isnan(alike)) return words;
  const QString text = locale.toString(static_cast<double>(alike), 'f', 3);
  return words << (mergedAt > 0 ? Words::tr("Similarity then: %1").arg(text)
                                : Words::tr("Best match: %1").arg(text));
}

constexpr std::size_t kMostLinks = 400;  // more cannot be told apart, and cost milliseconds

void drawCross(QPainter& painter, QPointF at, const QColor& colour) {
  constexpr double kArm = 7;
  const QVector<QLineF> lines{{at - QPointF(kArm, 0), at + QPointF(kArm, 0)},
                              {at - QPointF(0, kArm), at + QPointF(0, kArm)}};
  painter.setPen(QPen(kHalo, 4));
  painter.drawLines(lines);
  painter.setPen(QPen(colour, 2));
  painter.drawLines(lines);
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
  position = {qBound(0.0, position.x(), 1.0), qBound(0.0, position.y(), 1.0)};
  const Segmentation& found = result.segmentation;
  const monitor::FrameResult& told = result.merged ? *result.merged : result;
  Inspection seen;
  seen.lines = classWords(result, classes, position, area);
  if (const auto label = labelAt(found.labels, position)) seen.className = classes.name(*label);
  seen.group = groupAt(told.segmentation, stage, position, area);
  const auto places = static_cast<int>(seen.group.places.size());
  if (places == 0) return seen;
  seen.lines << (places == 1 ? Words::tr("A token of one patch")
                             : Words::tr("A token of %Ln patches", nullptr, places));
  const double share = places * area.width() * area.height() / seen.group.grid.area();
  seen.lines << Words::tr("%1% of the picture").arg(QLocale().toString(share * 100, 'f', 1));
  seen.lines << mergeWords(told.segmentation, stage, seen.group);
  const QString mixed = classesOf(seen.group, found.labels, classes, area);
  if (!mixed.isEmpty()) seen.lines << mixed;
  const std::int64_t ageMs = result.frame.taken.steadyMs - told.frame.taken.steadyMs;
  if (ageMs >= 1000)
    seen.lines << Words::tr("Tokens from a frame %1 earlier").arg(spokenAge(ageMs));
  return seen;
}

QString describe(const Inspection& inspection) {
  return inspection.lines.join(QStringLiteral(". "));
}

void drawLinks(QPainter& painter, const ViewGeometry& geometry, const TokenGroup& group,
               QPointF position, const QRectF& gridArea, LinkKind kind, double wider) {
  const QColor colour = kind == LinkKind::hovered ? QColor(255, 221, 51) : QColor(kPinnedColour);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  if (group.place < 0) {
    drawCross(painter, geometry.toView(position), colour);
    painter.restore();
    return;
  }
  QVector<QRectF> places;
  QVector<QLineF> lines;
  const QRectF own = geometry.toView(placeArea(group.place, group.grid, gridArea));
  const std::size_t count = std::min(group.places.size(), kMostLinks);
  for (std::size_t i = 0; i < count; ++i) {
    const QRectF place = geometry.toView(placeArea(group.places[i], group.grid, gridArea));
    if (group.places[i] == group.place) continue;
    places.push_back(place);
    lines.push_back({own.center(), place.center()});
  }
  for (const auto& [pen, ownPen] :
       {std::pair{QPen(kHalo, 3.5 * wider), QPen(kHalo, 5 * wider)},
        std::pair{QPen(colour, 1.5 * wider), QPen(colour, 2.5 * wider)}}) {
    painter.setPen(pen);
    painter.drawLines(lines);
    painter.drawRects(places);
    painter.setPen(ownPen);
    painter.drawRect(own);
  }
  painter.restore();
}

}  // namespace mpm::gui
