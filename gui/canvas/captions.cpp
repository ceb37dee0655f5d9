// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/captions.h"

#include <QCoreApplication>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QLinearGradient>
#include <QLocale>
#include <algorithm>
#include <cstddef>
#include <utility>

#include "gui/canvas/frame_painter.h"
#include "gui/canvas/pictures.h"
#include "gui/unbroken.h"

namespace mpm::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Captions)
};

constexpr double kMargin = kCaptionMargin;
constexpr double kNarrowest = 75;  // picture that a title stands in

QFont titleFont(QFont font) {
  font.setBold(true);
  return font;
}

QString shownTitle(const QFont& font, const QRectF& bounds, const QString& title) {
  return QFontMetricsF(font).elidedText(title, Qt::ElideRight, bounds.width() - 4 * kMargin);
}

// Layout of a notice in the middle of `bounds`.
struct Notice {
  static constexpr int kFlags = Qt::AlignHCenter | Qt::TextWordWrap;

  Notice(const QFont& font, const QRectF& bounds, const QString& large, const QString& small)
      : largeFont(font), smallFont(font) {
    constexpr double kLeastPixels = 13;
    const double most = bounds.width() - 6 * kMargin;
    double pixels = std::max(kLeastPixels, bounds.height() / 10);
    largeFont.setBold(true);
    largeFont.setPixelSize(static_cast<int>(pixels));
    while (pixels > kLeastPixels && QFontMetricsF(largeFont).horizontalAdvance(large) > most) {
      largeFont.setPixelSize(static_cast<int>(--pixels));
    }
    smallFont.setPixelSize(static_cast<int>(std::max(kLeastPixels, pixels * 0.36)));
    const QRectF room(0, 0, most, bounds.height());
    above = QFontMetricsF(largeFont).boundingRect(room, kFlags, large);
    if (!small.isEmpty()) below = QFontMetricsF(smallFont).boundingRect(room, kFlags, small);
    const double height = above.height() + below.height();
    above.moveCenter({bounds.center().x(), 0});
    above.moveTop(bounds.center().y() - height / 2);
    below.moveCenter({bounds.center().x(), 0});
    below.moveTop(above.bottom());
  }

  QRectF plate() const {
    const QRectF both = below.isEmpty() ? above : above.united(below);
    return both.adjusted(-2 * kMargin, -kMargin, 2 * kMargin, kMargin);
  }

  /// Tells whether it fits and leaves some of the frame visible.
  bool isWithin(const QRectF& picture) const {
    constexpr double kMost = 0.7;
    return picture.contains(plate()) && plate().height() <= kMost * picture.height();
  }

  QFont largeFont, smallFont;
  QRectF above, below;
};

constexpr double kGap = 6, kBetween = 14;
constexpr double kScaleWidth = 72;

double widthOf(const LegendItem& item, const QFontMetricsF& metrics) {
  const double words = metrics.horizontalAdvance(item.words);
  switch (item.mark) {
    case LegendItem::Mark::none:
      return words;
    case LegendItem::Mark::valueScale:
      return words + kScaleWidth + 2 * kGap + metrics.horizontalAdvance(item.atEnd);
    default:
      return words + metrics.ascent() + kGap;
  }
}

void drawItem(QPainter& painter, QPointF at, const LegendItem& item, const QFontMetricsF& metrics) {
  const bool isScale = item.mark == LegendItem::Mark::valueScale;
  double x = at.x();
  const auto write = [&](const QString& words) {
    painter.setPen(Qt::white);
    painter.drawText(QPointF(x, at.y() + metrics.ascent()), words);
    x += metrics.horizontalAdvance(words) + kGap;
  };
  if (isScale || item.mark == LegendItem::Mark::none) write(item.words);
  if (item.mark == LegendItem::Mark::none) return;
  const double side = metrics.ascent();
  const QRectF box(x, at.y() + (metrics.height() - side) / 2, isScale ? kScaleWidth : side, side);
  painter.setPen(QPen(QColor(255, 255, 255, 120), 1));
  painter.setBrush(QColor::fromRgb(item.colour));
  if (isScale) {
    QLinearGradient gradient(box.topLeft(), box.topRight());
    for (int i = 0; i <= 16; ++i) gradient.setColorAt(i / 16.0, colourAt(valueScale(), i / 16.0));
    painter.setBrush(gradient);
  }
  painter.drawRect(box);
  if (item.mark == LegendItem::Mark::hatched)
    painter.fillRect(box, QBrush(QColor(32, 32, 32), Qt::BDiagPattern));
  x += box.width() + kGap;
  write(isScale ? item.atEnd : item.words);
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
      Words::tr("%1 tokens for %2 patches").arg(locale.toString(tokens), locale.toString(places))};
}

std::vector<LegendItem> sizes(int merges) {
  constexpr int kMostDoublings = 5;
  std::vector<int> shown{1, 2, 3, 4};
  if (merges == 1) shown = {1, 2};
  for (int i = 3; i <= std::min(merges, kMostDoublings); ++i) shown.push_back(1 << i);
  std::vector<LegendItem> items{{Words::tr("Patches per group:")}};
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
      {Words::tr("%1 of %2 patches recomputed")
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
      return {tokenCount(*mapBehind(found, painting.stage)), {Words::tr("grey: not merged")}};
    case ViewKind::confidence:
      return {{Words::tr("0%"), Mark::valueScale, 0, Words::tr("100%")}};
    case ViewKind::difference:
      return difference(agreement, ageMs);
    case ViewKind::computed:
      return computed(found.patchAges);
  }
  return {};
}

// Positions of a legend's items within a width; no layout if one item is wider.
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

// Splits text without a swatch into items of at most this width, and a scale between its words, of
// which the last may be in a line below the scale: an arrow tells that its end is meant.
std::vector<LegendItem> brokenAt(double most, const std::vector<LegendItem>& items,
                                 const QFontMetricsF& metrics) {
  std::vector<LegendItem> broken;
  for (const LegendItem& item : items) {
    if (widthOf(item, metrics) <= most || item.mark == Mark::colour || item.mark == Mark::hatched) {
      broken.push_back(item);
      continue;
    }
    if (item.mark == Mark::valueScale) {
      const QString end = QStringLiteral("→ ") + item.atEnd;
      for (const LegendItem& part : {LegendItem{item.words}, {{}, Mark::valueScale}, {end}})
        broken.push_back(part);
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

QFont captionFont(const QFont& font, QSizeF view) {
  constexpr double kUsualSide = 640, kLargest = 2;
  const double larger =
      std::clamp(std::min(view.width(), view.height()) / kUsualSide, 1.0, kLargest);
  QFont letters = font;
  letters.setPixelSize(static_cast<int>(QFontInfo(font).pixelSize() * larger));
  return larger > 1 ? letters : font;
}

void drawPlate(QPainter& painter, const QRectF& plate) {
  const QColor ground(0, 0, 0, 165);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawRoundedRect(plate, 4, 4);
  painter.setPen(Qt::white);
}

bool crosses(const QRectF& plate, const QRectF& picture) {
  return plate.intersects(picture) && !picture.contains(plate);
}

QRectF titlePlate(const QFont& font, const QRectF& bounds, const QString& title) {
  if (title.isEmpty()) return {};
  const QFont bold = titleFont(font);
  const QFontMetricsF metrics(bold);
  const double width = metrics.horizontalAdvance(shownTitle(bold, bounds, title));
  return {bounds.topLeft() + QPointF(kMargin, kMargin),
          QSizeF(width + 2 * kMargin, metrics.height() + 6)};
}

QRectF drawTitle(QPainter& painter, const QRectF& bounds, const QString& title,
                 const QRectF& picture) {
  if (title.isEmpty()) return {};
  painter.save();
  painter.setFont(titleFont(painter.font()));
  QRectF room = bounds, plate = titlePlate(painter.font(), room, title);
  const QRectF seen = picture & bounds;
  if (crosses(plate, seen) && seen.width() >= kNarrowest) {
    room = seen;
    plate = titlePlate(painter.font(), room, title);
  }
  drawPlate(painter, plate);
  painter.drawText(plate, Qt::AlignCenter, shownTitle(painter.font(), room, title));
  painter.restore();
  return plate;
}

void drawHint(QPainter& painter, const QRectF& bounds, const QString& hint, const QRectF& picture) {
  const QString words = unbroken(hint);
  const QFontMetricsF metrics(painter.font());
  const auto textIn = [&](const QRectF& room) {
    QRectF text = metrics.boundingRect(QRectF(0, 0, room.width() - 4 * kMargin, bounds.height()),
                                       Qt::AlignHCenter | Qt::TextWordWrap, words);
    text.moveCenter({room.center().x(), 0});
    text.moveBottom(room.bottom() - 3 * kMargin - metrics.height());
    return text;
  };
  const auto plateOf = [](const QRectF& text) {
    return text.adjusted(-kMargin, -kMargin / 2, kMargin, kMargin / 2);
  };
  QRectF text = textIn(bounds);
  const QRectF seen = picture & bounds;
  if (crosses(plateOf(text), seen)) {
    const QRectF inside = textIn(seen);
    if (seen.contains(plateOf(inside))) text = inside;
  }
  painter.save();
  drawPlate(painter, plateOf(text));
  painter.drawText(text.adjusted(-1, 0, 1, 0), Qt::AlignHCenter | Qt::TextWordWrap, words);
  painter.restore();
}

void drawNotice(QPainter& painter, const QRectF& bounds, const QString& notice,
                const QString& explanation, const QRectF& picture) {
  const QString large = unbroken(notice), small = unbroken(explanation);
  Notice made(painter.font(), bounds, large, small);
  const QRectF seen = picture & bounds;
  if (crosses(made.plate(), seen)) {
    const Notice inside(painter.font(), seen, large, small);
    if (inside.isWithin(seen)) made = inside;
  }
  painter.save();
  drawPlate(painter, made.plate());
  painter.setFont(made.largeFont);
  painter.drawText(made.above.adjusted(-1, 0, 1, 0), Notice::kFlags, large);
  painter.setFont(made.smallFont);
  painter.drawText(made.below.adjusted(-1, 0, 1, 0), Notice::kFlags, small);
  painter.restore();
}

QRectF drawCard(QPainter& painter, const QRectF& bounds, const QRectF& about,
                const QStringList& lines) {
  if (lines.isEmpty()) return {};
  painter.save();
  const QFont plain = painter.font();
  QFont bold = plain;
  bold.setBold(true);
  const QFontMetricsF metrics(plain), title(bold);
  double width = title.horizontalAdvance(lines.front());
  for (const QString& line : lines) width = std::max(width, metrics.horizontalAdvance(line));
  const QSizeF size(std::min(width + 2 * kMargin, bounds.width()),
                    metrics.height() * static_cast<double>(lines.size()) + kMargin);
  const bool isRight = about.right() + kMargin + size.width() <= bounds.right();
  QRectF card(QPointF(isRight ? about.right() + kMargin : about.left() - kMargin - size.width(),
                      about.center().y() - size.height() / 2),
              size);
  if (card.left() < bounds.left()) {  // no room on either side
    const bool isBelow = about.bottom() + kMargin + size.height() <= bounds.bottom();
    card.moveTopLeft({about.center().x() - size.width() / 2,
                      isBelow ? about.bottom() + kMargin : about.top() - kMargin - size.height()});
  }
  card.moveLeft(std::clamp(card.left(), bounds.left(), bounds.right() - card.width()));
  card.moveTop(std::max(bounds.top(), std::min(card.top(), bounds.bottom() - card.height())));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(QColor(kPinnedColour), 1));
  painter.setBrush(QColor(0, 0, 0, 205));
  painter.drawRoundedRect(card, 4, 4);
  QRectF room = card.adjusted(kMargin, kMargin / 2, -kMargin, 0);
  painter.setPen(Qt::white);
  for (const QString& line : lines) {
    painter.setFont(&line == &lines.front() ? bold : plain);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignTop, line);
    room.translate(0, metrics.height());
  }
  painter.restore();
  return card;
}

QString spokenAge(qint64 ageMs) {
  const qint64 seconds = std::max<qint64>(0, ageMs) / 1000, minutes = seconds / 60,
               hours = minutes / 60;
  if (seconds < 60) return Words::tr("%1 s").arg(seconds);
  if (minutes < 60) return Words::tr("%1 min %2 s").arg(minutes).arg(seconds % 60);
  if (hours < 24) return Words::tr("%1 h %2 min").arg(hours).arg(minutes % 60);
  return Words::tr("%1 d %2 h").arg(hours / 24).arg(hours % 24);
}

void drawLegend(QPainter& painter, const QRectF& bounds, const std::vector<LegendItem>& items,
                Qt::Edge edge, const QRectF& picture) {
  constexpr double kLeastBeside = 75;  // or words stand alone in their lines
  if (items.empty()) return;
  const QFontMetricsF metrics(painter.font());
  const QRectF seen = picture.isEmpty() ? bounds : picture & bounds;
  const double beside = picture.left() - bounds.left() - 4 * kMargin, lowest = bounds.height() / 3;
  const double column = bounds.height() - metrics.height() - 5 * kMargin;  // below a title
  // Left of the frame it covers nothing; one long word may reach up to the frame. The next choice
  // is inside, if it has room: across the edge it would be on both.
  const struct {
    double left, widest, highest;
    bool breaks;
  } rooms[] = {{bounds.left(), beside, column, true},
               {bounds.left(), beside + kMargin, column, true},
               {seen.left(), seen.width() - 4 * kMargin, lowest, true},
               {bounds.left(), bounds.width() - 4 * kMargin, lowest, false}};
  for (const auto& room : rooms) {
    if (room.highest == column && beside < kLeastBeside) continue;
    const std::vector<LegendItem> shown =
        room.breaks ? brokenAt(room.widest, items, metrics) : items;
    const LegendLayout made = layoutOf(shown, metrics, room.widest);
    if (made.places.empty() || made.size.height() > room.highest) continue;
    const auto plateIn = [&](const QRectF& area) {
      const double top =
          edge == Qt::TopEdge ? area.top() + kMargin : area.bottom() - kMargin - made.size.height();
      return QRectF({room.left + kMargin, top}, made.size);
    };
    QRectF plate = plateIn(bounds);
    if (crosses(plate, picture & bounds)) plate = plateIn(picture & bounds);
    painter.save();
    drawPlate(painter, plate);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t i = 0; i < shown.size(); ++i)
      drawItem(painter, plate.topLeft() + QPointF(kMargin, kMargin / 2) + made.places[i], shown[i],
               metrics);
    painter.restore();
    return;
  }
}

std::vector<LegendItem> legendOf(const monitor::FrameResult& result, const Painting& painting,
                                 double agreement, qint64 ageMs) {
  if (!whyNot(result, painting).isEmpty()) return {};
  const Segmentation& found = result.segmentation;
  std::vector<LegendItem> items = itemsOf(found, painting, agreement, ageMs);
  if (found.windows > 1 && showsTokens(painting.kind)) {
    const QString windows = QLocale().toString(found.windows);
    items.push_back({Words::tr("tokens of window 1 of %1 only").arg(windows)});
  }
  if (showsTokens(painting.kind) && ageMs >= 1000) {
    items.push_back({Words::tr("picture and tokens from %1 ago").arg(spokenAge(ageMs))});
  }
  return items;
}

}  // namespace mpm::gui
