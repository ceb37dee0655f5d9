// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/picture_marks.h"

#include <QtWidgets>
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "gui/canvas/captions.h"
#include "gui/canvas/colour_scale.h"
#include "gui/canvas/frame_painter.h"
#include "gui/canvas/token_groups.h"
#include "gui/unbroken.h"

namespace mpm::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Captions)
};

constexpr double kGap = 6, kBetween = 14, kMargin = kCaptionMargin;
constexpr double kScaleWidth = 90, kLeastScale = 20;

double widthOf(const LegendItem& item, const QFontMetricsF& metrics) {
  const double words = metrics.horizontalAdvance(item.words);
  switch (item.mark) {
    case LegendItem::Mark::none:
      return words;
    case LegendItem::Mark::valueScale:
      return words + kScaleWidth - item.shorter + 2 * kGap + metrics.horizontalAdvance(item.atEnd);
    default:
      return words + metrics.ascent() + kGap;
  }
}

void drawItem(QPainter& painter, QPointF at, const LegendItem& item, const QFontMetricsF& metrics) {
  double x = at.x();
  const auto write = [&](const QString& words) {
    painter.setPen(Qt::white);
    painter.drawText(QPointF(x, at.y() + metrics.ascent()), words);
    x += metrics.horizontalAdvance(words) + kGap;
  };
  const double side = metrics.ascent();
  if (item.mark == LegendItem::Mark::none || item.mark == LegendItem::Mark::valueScale) {
    write(item.words);
  }
  if (item.mark == LegendItem::Mark::none) return;
  const QRectF box(x, at.y() + (metrics.height() - side) / 2,
                   item.mark == LegendItem::Mark::valueScale ? kScaleWidth - item.shorter : side,
                   side);
  painter.setPen(QPen(QColor(255, 255, 255, 120), 1));
  if (item.mark == LegendItem::Mark::valueScale) {
    QLinearGradient gradient(box.topLeft(), box.topRight());
    for (int i = 0; i <= 16; ++i) gradient.setColorAt(i / 16.0, colourAt(valueScale(), i / 16.0));
    painter.setBrush(gradient);
  } else {
    painter.setBrush(QColor::fromRgb(item.colour));
  }
  painter.drawRect(box);
  if (item.mark == LegendItem::Mark::hatched) {
    painter.fillRect(box, QBrush(QColor(32, 32, 32), Qt::BDiagPattern));
  }
  x += box.width() + kGap;
  write(item.mark == LegendItem::Mark::valueScale ? item.atEnd : item.words);
}

using Mark = LegendItem::Mark;

LegendItem tokenCount(const cv::Mat& map) {
  std::vector<char> live(map.total(), 0);
  for (const int* row = map.ptr<int>(); row != map.ptr<int>() + map.total(); ++row) {
    live[static_cast<std::size_t>(*row)] = 1;
  }
  const QLocale locale;
  const auto tokens = static_cast<qlonglong>(std::count(live.begin(), live.end(), char{1}));
  const auto places = static_cast<qlonglong>(map.total());
  return {
      Words::tr("%1 tokens for %2 places").arg(locale.toString(tokens), locale.toString(places))};
}

std::vector<LegendItem> sizes(int merges) {
  constexpr int kMostDoublings = 5;
  std::vector<int> shown{1, 2, 3, 4};
  if (merges == 1) shown = {1, 2};
  for (int i = 3; i <= std::min(merges, kMostDoublings); ++i) shown.push_back(1 << i);
  std::vector<LegendItem> items{{Words::tr("Places in a group:")}};
  for (const int size : shown) {
    const bool andMore = size == shown.back() && merges > kMostDoublings;
    const QString words = QLocale().toString(size);
    items.push_back({andMore ? Words::tr("%1 and more").arg(words) : words, Mark::colour,
                     colourAt(countScale(), sizeOnScale(size, merges))});
  }
  return items;
}

std::vector<LegendItem> similarities() {
  std::vector<LegendItem> items;
  for (const auto& [value, digits] :
       {std::pair{0.0, 0}, std::pair{0.9, 1}, std::pair{0.99, 2}, std::pair{0.999, 3}}) {
    items.push_back({QLocale().toString(value, 'f', digits), Mark::colour,
                     colourAt(valueScale(), similarityOnScale(value))});
  }
  items.push_back({Words::tr("no partner"), Mark::hatched, kUnknownColour});
  return items;
}

std::vector<LegendItem> difference(double agreement, qint64 ageMs) {
  const QLocale locale;
  std::vector<LegendItem> items{
      {Words::tr("%1% alike").arg(locale.toString(agreement * 100, 'f', 2))},
      {Words::tr("another class"), Mark::colour, kDifferenceColour}};
  if (ageMs >= 1000) {
    items.push_back({Words::tr("compared %1 s ago").arg(locale.toString(ageMs / 1000))});
  }
  return items;
}

std::vector<LegendItem> computed(const cv::Mat& ages) {
  const int* begin = ages.ptr<int>();
  const int* end = begin + ages.total();
  const QLocale locale;
  const auto places = static_cast<qlonglong>(ages.total());
  std::vector<LegendItem> items{
      {Words::tr("%1 of %2 places computed")
           .arg(locale.toString(static_cast<qlonglong>(std::count(begin, end, 0))),
                locale.toString(places))}};
  const int oldest = *std::max_element(begin, end);
  if (oldest > 0) {
    items.push_back({oldest == 1 ? Words::tr("remembered from the previous frame")
                                 : Words::tr("remembered for up to %n frames", nullptr, oldest),
                     Mark::colour, kRememberedColour});
  }
  return items;
}

std::vector<LegendItem> itemsOf(const Segmentation& found, const Painting& painting,
                                double agreement, qint64 ageMs) {
  switch (painting.kind) {
    case ViewKind::camera:
    case ViewKind::segmentation:
      return {};
    case ViewKind::mergeMap:
      return {tokenCount(*mapBehind(found, painting.stage))};
    case ViewKind::groupSize:
      return sizes(mergesUpTo(found, painting.stage));
    case ViewKind::similarity:
      return similarities();
    case ViewKind::groups:
      return {tokenCount(*mapBehind(found, painting.stage)),
              {Words::tr("grey: a token of its own")}};
    case ViewKind::confidence:
      return {{Words::tr("0%"), Mark::valueScale, 0, Words::tr("100%")}};
    case ViewKind::difference:
      return difference(agreement, ageMs);
    case ViewKind::computed:
      return computed(found.patchAges);
  }
  return {};
}

// Where the items of a legend stand that is so wide at most; nothing where one is wider.
struct LegendLayout {
  std::vector<QPointF> places;
  QSizeF size;  // of its plate
};

LegendLayout layoutOf(const std::vector<LegendItem>& items, const QFontMetricsF& metrics,
                      double most) {
  LegendLayout made;
  double x = 0, y = 0, widest = 0;
  for (const LegendItem& item : items) {
    const double width = widthOf(item, metrics);
    if (width > most) return {};
    if (x > 0 && x + width > most) {
      x = 0;
      y += metrics.height() + 4;
    }
    made.places.emplace_back(x, y);
    widest = std::max(widest, x + width);
    x += width + kBetween;
  }
  made.size = {widest + 2 * kMargin, y + metrics.height() + kMargin};
  return made;
}

// A scale that is so wide at most: a shorter one, else between the lines of its words.
std::vector<LegendItem> shortened(LegendItem scale, double most, const QFontMetricsF& metrics) {
  const double tooWide = widthOf(scale, metrics) - most;
  if (tooWide <= kScaleWidth - kLeastScale) {
    scale.shorter = std::max(0.0, tooWide);
    return {scale};
  }
  LegendItem bar{{}, LegendItem::Mark::valueScale};
  bar.shorter = std::clamp(widthOf(bar, metrics) - most, 0.0, kScaleWidth - kLeastScale);
  return {{scale.words}, bar, {scale.atEnd}};
}

// Words without a mark in as many items as it takes for each to be so wide at most, scales as well.
std::vector<LegendItem> brokenAt(double most, const std::vector<LegendItem>& items,
                                 const QFontMetricsF& metrics) {
  std::vector<LegendItem> broken;
  for (const LegendItem& item : items) {
    if (item.mark != LegendItem::Mark::none || widthOf(item, metrics) <= most) {
      if (item.mark == LegendItem::Mark::valueScale) {
        for (LegendItem& part : shortened(item, most, metrics)) broken.push_back(std::move(part));
      } else {
        broken.push_back(item);
      }
      continue;
    }
    QString line;
    for (const QString& word : unbroken(item.words).split(QLatin1Char(' '))) {
      const QString longer = line.isEmpty() ? word : line + QLatin1Char(' ') + word;
      if (!line.isEmpty() && widthOf({longer}, metrics) > most) {
        broken.push_back({line});
        line = word;
      } else {
        line = longer;
      }
    }
    broken.push_back({line});
  }
  return broken;
}

}  // namespace

void drawLegend(QPainter& painter, const QRectF& bounds, const std::vector<LegendItem>& items,
                Qt::Edge edge, const QRectF& picture) {
  constexpr double kNarrowest = 75;  // or words stand alone in their lines
  if (items.empty()) return;
  const QFontMetricsF metrics(painter.font());
  const auto fits = [&](const LegendLayout& made, double most) {
    return !made.places.empty() && made.size.height() <= most;
  };
  // Beside the picture it covers nothing, and leaves a title its line.
  const double column = bounds.height() - metrics.height() - 5 * kMargin;
  double beside = picture.left() - bounds.left() - 4 * kMargin;  // widest words there
  std::vector<LegendItem> shown = brokenAt(beside, items, metrics);
  LegendLayout made = layoutOf(shown, metrics, beside);
  if (beside >= kNarrowest && !fits(made, column)) {  // up to the picture, for one long word
    beside += kMargin;
    shown = brokenAt(beside, items, metrics);
    made = layoutOf(shown, metrics, beside);
  }
  double left = bounds.left();
  if (beside < kNarrowest || !fits(made, column)) {
    // In it, where it has room: across its edge it would be on both.
    const double lowest = bounds.height() / 3;
    const QRectF seen = picture.isEmpty() ? bounds : picture & bounds;
    shown = brokenAt(seen.width() - 4 * kMargin, items, metrics);
    made = layoutOf(shown, metrics, seen.width() - 4 * kMargin);
    left = seen.left();
    if (!fits(made, lowest)) {
      shown = items;
      made = layoutOf(shown, metrics, bounds.width() - 4 * kMargin);
      left = bounds.left();
    }
    if (!fits(made, lowest)) return;
  }
  const auto plateIn = [&](const QRectF& room) {
    const QSizeF size = made.size;
    return QRectF({left + kMargin, edge == Qt::TopEdge ? room.top() + kMargin
                                                       : room.bottom() - kMargin - size.height()},
                  size);
  };
  QRectF plate = plateIn(bounds);
  if (crosses(plate, picture & bounds)) plate = plateIn(picture & bounds);
  const QPointF corner = plate.topLeft();
  painter.save();
  drawPlate(painter, plate);
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    drawItem(painter, corner + QPointF(kMargin, kMargin / 2) + made.places[i], shown[i], metrics);
  }
  painter.restore();
}

std::vector<LegendItem> legendOf(const monitor::FrameResult& result, const Painting& painting,
                                 double agreement, qint64 ageMs) {
  if (!whyNot(result, painting).isEmpty()) return {};
  const Segmentation& found = result.segmentation;
  std::vector<LegendItem> items = itemsOf(found, painting, agreement, ageMs);
  if (found.windows > 1 && showsTokens(painting.kind)) {
    const QString windows = QLocale().toString(found.windows);
    items.push_back({Words::tr("tokens of window 1 of %1 alone").arg(windows)});
  }
  if (showsTokens(painting.kind) && ageMs >= 1000) {
    items.push_back({Words::tr("picture and tokens from %1 ago").arg(spokenAge(ageMs))});
  }
  return items;
}

}  // namespace mpm::gui
