// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/trace.h"

#include <QImage>
#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "gui/plot/colours.h"

namespace mpm::gui {
namespace {

constexpr double kFarAway = 20'000;  // pixels that QPainter can still draw to
constexpr int kBandAlpha = 70;
constexpr double kDenseColumns = 3;
// Points of a line that are drawn at once: QPainter's time for a stroke grows faster than its
// length.
constexpr std::size_t kPiece = 32;

double yOf(double value, const QRect& plot, const ValueAxis& axis) {
  return std::clamp(plot.bottom() - axis.share(value) * plot.height(), -kFarAway, kFarAway);
}

struct Look {
  QColor colour;
  double ratio = 1;  // columns in a pixel
  double width = 1;  // of a point's bucket, in columns; at least one

  // Outlines of so many points take QPainter longer than a picture may; columns do not.
  bool dense() const { return width < kDenseColumns; }
};

double xOf(const TracePoint& point, const QRect& plot, const Look& look) {
  return plot.left() + point.column / look.ratio;
}

QColor veilOf(const Look& look) {
  QColor veil = look.colour;
  veil.setAlpha(kBandAlpha);
  return veil;
}

void drawAlone(QPainter& painter, const TracePoint& point, const QRect& plot, const ValueAxis& axis,
               const Look& look) {
  const double x = xOf(point, plot, look);
  painter.setPen(QPen(veilOf(look), 3, Qt::SolidLine, Qt::FlatCap));
  painter.drawLine(QPointF(x, yOf(point.largest, plot, axis)),
                   QPointF(x, yOf(point.smallest, plot, axis)));
  painter.setPen(QPen(look.colour, 4, Qt::SolidLine, Qt::RoundCap));
  painter.drawPoint(QPointF(x, yOf(point.mean, plot, axis)));
}

void drawBand(QPainter& painter, const TraceStretch& stretch, const QRect& plot,
              const ValueAxis& axis, const Look& look) {
  QPolygonF band;
  for (const TracePoint& point : stretch)
    band.append({xOf(point, plot, look), yOf(point.largest, plot, axis)});
  for (auto point = stretch.rbegin(); point != stretch.rend(); ++point)
    band.append({xOf(*point, plot, look), yOf(point->smallest, plot, axis)});
  painter.setPen(Qt::NoPen);
  painter.setBrush(veilOf(look));
  painter.drawPolygon(band);
}

void drawMeans(QPainter& painter, const TraceStretch& stretch, const QRect& plot,
               const ValueAxis& axis, const Look& look) {
  QPolygonF line;
  line.reserve(static_cast<qsizetype>(stretch.size()));
  for (const TracePoint& point : stretch)
    line.append({xOf(point, plot, look), yOf(point.mean, plot, axis)});
  // Where points are dense a pen of one pixel of the device, which QPainter is quick with.
  painter.setPen(look.dense() ? QPen(look.colour, 0)
                              : QPen(look.colour, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::BevelJoin));
  for (std::size_t from = 0; from + 1 < stretch.size(); from += kPiece)
    painter.drawPolyline(line.constData() + from,
                         static_cast<int>(std::min(kPiece + 1, stretch.size() - from)));
}

/// One column of `image` from `top` to `bottom`, with the shares of pixels that they cut.
void fillColumn(QImage& image, int column, double top, double bottom, QRgb veil) {
  const int first = std::max(0, static_cast<int>(std::floor(top)));
  const int last = std::min(image.height() - 1, static_cast<int>(std::ceil(bottom)) - 1);
  auto* pixel = reinterpret_cast<QRgb*>(image.bits()) + column;
  const qsizetype stride = image.bytesPerLine() / 4;
  for (int y = first; y <= last; ++y) {
    const double covered = std::min<double>(bottom, y + 1) - std::max<double>(top, y);
    const int alpha = static_cast<int>(std::lround(qAlpha(veil) * std::clamp(covered, 0.0, 1.0)));
    pixel[y * stride] = qPremultiply((veil & 0xffffffU) | static_cast<QRgb>(alpha) << 24U);
  }
}

/// The bands of all stretches in one picture: a thousand polygons' corners, or strokes of a column
/// each, take QPainter much longer.
void drawBands(QPainter& painter, const std::vector<TraceStretch>& stretches, const QRect& plot,
               const ValueAxis& axis, const Look& look) {
  const int columns = static_cast<int>(std::lround(plot.width() * look.ratio));
  QImage image(columns, static_cast<int>(std::lround(plot.height() * look.ratio)),
               QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  const QRgb veil = veilOf(look).rgba();
  const auto rowOf = [&](double value) {
    return (yOf(value, plot, axis) - plot.top()) * look.ratio;
  };
  for (const TraceStretch& stretch : stretches)
    for (const TracePoint& point : stretch) {
      const auto edge = [&](double side) {
        return static_cast<int>(std::lround(point.column + side * look.width / 2));
      };
      for (int column = std::max(0, edge(-1)); column < std::min(columns, edge(1)); ++column)
        fillColumn(image, column, rowOf(point.largest), rowOf(point.smallest), veil);
    }
  painter.drawImage(QRectF(plot), image, QRectF(image.rect()));
}

QColor blended(const LightShares& shares, const QPalette& palette) {
  QColor colour = palette.color(QPalette::Base);
  double red = 0, green = 0, blue = 0, all = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const QColor state = lightColour(monitor::kAllLightStates[i], palette);
    red += shares[i] * state.redF();
    green += shares[i] * state.greenF();
    blue += shares[i] * state.blueF();
    all += shares[i];
  }
  const double rest = std::max(0.0, 1 - all);
  const auto part = [rest](double sum, double under) {
    return static_cast<float>(std::clamp(sum + rest * under, 0.0, 1.0));
  };
  colour.setRgbF(part(red, colour.redF()), part(green, colour.greenF()),
                 part(blue, colour.blueF()));
  return colour;
}

/// The state that most of a column was spent in; kLightStates where there is none.
std::size_t mainState(const LightShares& shares) {
  return static_cast<std::size_t>(
      std::find_if(shares.begin(), shares.end(), [](float share) { return share > 0.5F; }) -
      shares.begin());
}

}  // namespace

void drawLight(QPainter& painter, const std::vector<LightSpan>& spans, const QRect& plot,
               const TimeScale& scale, const QPalette& palette) {
  const auto shares = lightByColumn(spans, scale);
  const double wide = static_cast<double>(plot.width()) / scale.columns;
  const auto place = [&](std::size_t begin, std::size_t end) {
    return QRectF(plot.left() + static_cast<double>(begin) * wide, plot.top(),
                  static_cast<double>(end - begin) * wide, plot.height());
  };
  for (std::size_t begin = 0, end = 0; begin < shares.size(); begin = end) {
    while (end < shares.size() && shares[end] == shares[begin]) ++end;
    painter.fillRect(place(begin, end), blended(shares[begin], palette));
  }
  for (std::size_t begin = 0, end = 0; begin < shares.size(); begin = end) {
    const std::size_t state = mainState(shares[begin]);
    while (end < shares.size() && mainState(shares[end]) == state) ++end;
    if (state == monitor::kLightStates) continue;
    const QBrush pattern = lightPattern(monitor::kAllLightStates[state], palette);
    if (pattern.style() != Qt::NoBrush) painter.fillRect(place(begin, end), pattern);
  }
}

void drawTrace(QPainter& painter, const GroupedSeries& series, const QRect& plot,
               const TimeScale& scale, const ValueAxis& axis, const QColor& colour) {
  const Look look{colour, static_cast<double>(scale.columns) / plot.width(),
                  std::max(1.0, static_cast<double>(series.lengthMs()) / scale.msPerColumn())};
  const auto stretches = traceOf(series, scale);
  if (look.dense()) drawBands(painter, stretches, plot, axis, look);
  for (const TraceStretch& stretch : stretches) {
    if (stretch.size() == 1) {
      drawAlone(painter, stretch.front(), plot, axis, look);
      continue;
    }
    if (!look.dense()) drawBand(painter, stretch, plot, axis, look);
    drawMeans(painter, stretch, plot, axis, look);
  }
}

}  // namespace mpm::gui
