// SPDX-License-Identifier: Apache-2.0
#include "gui/days/day_band.h"

#include <QDateTime>
#include <QImage>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include "gui/canvas/pictures.h"
#include "gui/plot/axes.h"
#include "gui/plot/colours.h"
#include "monitor/record/record_reader.h"

namespace mpm::gui {
namespace {

constexpr double kMargin = 6, kLowest = 11, kTallest = 34;  // pixels; of a day
constexpr double kLowestOfMany = 136;                       // of days that have no room for theirs
constexpr const char* kDayFormat = "ddd d MMM";
constexpr double kTail = 0.01;  // of the values that the scale leaves out at each end

using monitor::Bucket;
using monitor::Resolution;

constexpr int kWholeDays = 92;  // as long a record keeps its minutes
constexpr int kFineParts = 144, kCoarseParts = 24;

struct Sum {
  double values = 0;
  std::uint64_t count = 0;
  double mean() const { return values / static_cast<double>(count); }
};

struct Gathered {
  std::vector<Sum> values;
  std::vector<std::array<std::uint64_t, monitor::kLightStates>> lights;
};

// Returns each of a run's ways once, without simulated nights. Settings on which the metric does
// not depend make no separate way.
std::vector<monitor::Way> waysOf(const monitor::PastRun& run, const std::string& metric) {
  const bool memoryMatters = monitor::dependsOnMemory(monitor::MetricName::parse(metric));
  std::vector<monitor::Way> ways;
  const auto add = [&](monitor::Way way) {
    if (!memoryMatters) way.memory = false;
    if (!way.filtered && std::find(ways.begin(), ways.end(), way) == ways.end())
      ways.push_back(way);
  };
  monitor::Way way = run.first;
  add(way);
  for (const monitor::Event& event : run.events) add(way = monitor::changed(way, event));
  return ways;
}

std::vector<QDate> daysUntil(const QDate& newest, int count) {
  std::vector<QDate> days;
  for (int i = 0; i < count; ++i) days.push_back(newest.addDays(-i));
  return days;
}

// Returns the cell of a moment; -1 if none.
std::ptrdiff_t placeOf(const DayGrid& grid, std::int64_t utcMs) {
  const QDateTime local = QDateTime::fromMSecsSinceEpoch(utcMs);
  const auto day = local.date().daysTo(grid.days.front());
  if (day < 0 || day >= std::ssize(grid.days)) return -1;
  return day * grid.parts + local.time().msecsSinceStartOfDay() / 60000 / grid.minutes();
}

// Gathers a metric's values in each cell, from all runs and all of their ways.
Gathered gather(const std::string& record, const std::string& source, const std::string& metric,
                const DayGrid& grid) {
  Gathered gathered;
  gathered.values.resize(grid.cells.size());
  gathered.lights.resize(grid.cells.size());
  const Resolution resolution = grid.parts == kCoarseParts ? Resolution::hour : Resolution::minute;
  const std::int64_t fromUtcMs = grid.utcMsOf(static_cast<int>(grid.days.size()) - 1, 0);
  const std::int64_t toUtcMs = grid.days.front().addDays(1).startOfDay().toMSecsSinceEpoch();
  const auto add = [&](const Bucket& bucket) {
    const std::ptrdiff_t place = placeOf(grid, bucket.startUtcMs);
    const monitor::Tally& tally = bucket.tallies.at(0);
    if (place < 0 || tally.count == 0) return;
    Sum& sum = gathered.values[static_cast<std::size_t>(place)];
    sum.values += tally.sum;
    sum.count += tally.count;
    for (std::size_t i = 0; i < bucket.frames.size(); ++i)
      gathered.lights[static_cast<std::size_t>(place)][i] += bucket.frames[i];
  };
  const monitor::RecordReader reader(record);
  for (const monitor::PastRun& run : monitor::pastRuns(reader, source)) {
    for (const monitor::Way& way : waysOf(run, metric)) {
      for (const Bucket& bucket :
           bucketsOf(reader, source, run, way, resolution, fromUtcMs, toUtcMs, metric))
        add(bucket);
    }
  }
  return gathered;
}

// Fills in means, times a factor, and the light of most frames.
void fill(DayGrid& grid, const Gathered& gathered, double factor) {
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const Sum& sum = gathered.values[i];
    if (sum.count == 0) continue;
    DayGrid::Cell& cell = grid.cells[i];
    cell.frames = sum.count;
    cell.value = factor * sum.mean();
    const auto& lights = gathered.lights[i];
    cell.light = monitor::kAllLightStates[static_cast<std::size_t>(
        std::max_element(lights.begin(), lights.end()) - lights.begin())];
  }
}

// Drops trailing days without data.
void dropEmpty(DayGrid& grid) {
  const auto isKnown = [&](int day) {
    const auto row = grid.cells.begin() + day * grid.parts;
    return std::any_of(row, row + grid.parts, [](const auto& cell) { return cell.frames > 0; });
  };
  int count = static_cast<int>(grid.days.size());
  while (count > 0 && !isKnown(count - 1)) --count;
  grid.days.resize(static_cast<std::size_t>(count));
  grid.cells.resize(static_cast<std::size_t>(count * grid.parts));
}

}  // namespace

std::int64_t DayGrid::utcMsOf(int day, int part) const {
  return QDateTime(days[static_cast<std::size_t>(day)], timeOf(part)).toMSecsSinceEpoch();
}

QTime DayGrid::timeOf(int part) const { return QTime(0, 0).addSecs(part * minutes() * 60); }

QStringList dayMetrics(const std::string& record, const std::string& source) {
  const monitor::RecordReader reader(record);
  const auto runs = reader.runs(source);
  QStringList found;
  if (runs.empty()) return found;
  for (const std::string& name : runs.back().facts.metrics) {
    const auto metric = monitor::MetricName::parse(name);
    using enum monitor::MetricKind;
    const bool says = metric.kind == mergedShare || metric.kind == area ||
                      metric.kind == confidence || metric.kind == flicker || metric.kind == luma ||
                      (metric.kind == step && metric.part == "network");
    if (says) found << QString::fromStdString(name);
  }
  return found;
}

DayGrid readDays(const std::string& record, const std::string& source, const QString& metric,
                 int days, std::int64_t nowUtcMs) {
  DayGrid grid;
  grid.days = daysUntil(QDateTime::fromMSecsSinceEpoch(nowUtcMs).date(), days);
  grid.parts = days > kWholeDays ? kCoarseParts : kFineParts;
  grid.cells.resize(grid.days.size() * static_cast<std::size_t>(grid.parts));
  const std::string name = metric.toStdString();
  using enum monitor::MetricKind;
  const auto kind = monitor::MetricName::parse(name).kind;
  const bool isShare =
      kind == mergedShare || kind == area || kind == luma || kind == confidence || kind == flicker;
  fill(grid, gather(record, source, name, grid), isShare ? 100 : 1);
  dropEmpty(grid);
  return grid;
}

DayBand::DayBand(QWidget* parent) : Plot({700, 200}, {300, 90}, parent) {
  setAccessibleName(tr("Days, one above the other"));
  setMouseTracking(true);
  changed();
}

void DayBand::setGrid(DayGrid grid, const QString& metric, const QString& unit) {
  // The cursor keeps its time of day, although the number of parts may differ.
  if (cursor_ && grid_.parts > 0) cursor_->setX(cursor_->x() * grid.parts / grid_.parts);
  grid_ = std::move(grid);
  metric_ = metric;
  unit_ = unit;
  std::vector<double> values;
  for (const DayGrid::Cell& cell : grid_.cells)
    if (cell.frames > 0) values.push_back(cell.value);
  std::sort(values.begin(), values.end());
  if (!values.empty()) {
    const auto tail = static_cast<std::size_t>(kTail * static_cast<double>(values.size()));
    least_ = values[tail];
    most_ = values[values.size() - 1 - tail];
  }
  // The height follows from the number of days.
  const double axes = 2 * (QFontMetricsF(font()).height() + kMargin);
  const double days = static_cast<double>(std::max<std::size_t>(1, grid_.days.size()));
  setMinimumHeight(qCeil(axes + std::min(days * kLowest, kLowestOfMany)));
  setMaximumHeight(qCeil(axes + days * kTallest));
  if (cursor_ && cursor_->y() >= static_cast<int>(grid_.days.size())) cursor_.reset();
  point(cursor_);
  changed();
}

void DayBand::setMarks(std::array<Mark, 2> marks) {
  marks_ = std::move(marks);
  update();
}

QRectF DayBand::bandIn() const {
  const QFontMetricsF text(font());
  const QString widest = QLocale().toString(QDate(2030, 9, 25), kDayFormat);
  const double left = text.horizontalAdvance(widest) + 3 * kMargin;
  const double above = text.height() + kMargin, below = above;
  const double days = static_cast<double>(std::max<std::size_t>(1, grid_.days.size()));
  const double height = std::min(this->height() - above - below, days * kTallest);
  return {left, above, std::max(1.0, width() - left - 2 * kMargin), std::max(1.0, height)};
}

QRectF DayBand::cellIn(const QRectF& band, Place place) const {
  const double width = band.width() / grid_.parts;
  const double height = band.height() / static_cast<double>(grid_.days.size());
  return {band.x() + place.x() * width, band.y() + place.y() * height, width, height};
}

QPoint DayBand::pointOf(int day, int part) const {
  return cellIn(bandIn(), {part, day}).center().toPoint();
}

std::optional<DayBand::Place> DayBand::placeAt(QPointF point) const {
  const QRectF band = bandIn();
  if (grid_.days.empty() || !band.contains(point)) return {};
  const QSizeF cell = cellIn(band, {0, 0}).size();
  return Place(std::min(grid_.parts - 1, static_cast<int>((point.x() - band.x()) / cell.width())),
               std::min(static_cast<int>(grid_.days.size()) - 1,
                        static_cast<int>((point.y() - band.y()) / cell.height())));
}

double DayBand::shareOf(double value) const {
  return most_ > least_ ? (value - least_) / (most_ - least_) : 0.5;
}

QString DayBand::valueText(double value) const {
  const int digits = std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 3;
  return withUnit(QLocale().toString(value, 'f', digits), unit_);
}

QString DayBand::words(Place place) const {
  const QLocale locale;
  // The date is not derived from a moment: parts that the clock skips have none.
  const QDate date = grid_.days[static_cast<std::size_t>(place.y())];
  const QTime from = grid_.timeOf(place.x());
  const DayGrid::Cell& cell = grid_.at(place.y(), place.x());
  const QString when =
      tr("%1, %2 to %3", "a date, from one time to another")
          .arg(locale.toString(date, QLocale::ShortFormat),
               locale.toString(from, QLocale::ShortFormat),
               locale.toString(from.addSecs(grid_.minutes() * 60), QLocale::ShortFormat));
  if (cell.frames == 0) return tr("%1: nothing was recorded").arg(when);
  return tr("%1: %2 %3; %4", "time, metric, its value, light")
      .arg(when, metric_, valueText(cell.value), lightTitle(cell.light));
}

void DayBand::point(std::optional<Place> place) {
  const QString words = place ? this->words(*place) : QString();
  update();
  if (std::exchange(told_, words) == words) return;
  emit pointed(words);
  if (hasFocus() && !words.isEmpty()) setAccessibleDescription(words);
}

void DayBand::choose(Place place) {
  emit chosen(grid_.utcMsOf(place.y(), place.x()) + grid_.minutes() * 30000);
}

void DayBand::mouseMoveEvent(QMouseEvent* event) {
  if (const auto place = placeAt(event->position())) {
    cursor_ = place;
    point(cursor_);
  }
}

void DayBand::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return Plot::mousePressEvent(event);
  if (const auto place = placeAt(event->position())) {
    cursor_ = place;
    point(cursor_);
    choose(*place);
  }
}

void DayBand::leaveEvent(QEvent* event) {
  Plot::leaveEvent(event);
  if (!hasFocus()) point(std::nullopt);
}

void DayBand::focusInEvent(QFocusEvent* event) {
  Plot::focusInEvent(event);
  if (!cursor_ && !grid_.days.empty()) cursor_ = Place(grid_.parts / 2, 0);
  point(cursor_);
}

void DayBand::keyPressEvent(QKeyEvent* event) {
  if (!cursor_ || grid_.days.empty()) return Plot::keyPressEvent(event);
  Place place = *cursor_;
  switch (event->key()) {
    case Qt::Key_Left:
      place.rx() -= 1;
      break;
    case Qt::Key_Right:
      place.rx() += 1;
      break;
    case Qt::Key_Up:
      place.ry() -= 1;
      break;
    case Qt::Key_Down:
      place.ry() += 1;
      break;
    case Qt::Key_Home:
      place.setX(0);
      break;
    case Qt::Key_End:
      place.setX(grid_.parts - 1);
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      return choose(place);
    default:
      return Plot::keyPressEvent(event);
  }
  cursor_ = Place(std::clamp(place.x(), 0, grid_.parts - 1),
                  std::clamp(place.y(), 0, static_cast<int>(grid_.days.size()) - 1));
  point(cursor_);
}

void DayBand::draw(QPainter& painter) const {
  const QRectF band = bandIn();
  if (grid_.days.empty()) {
    return drawSentence(painter, rect(), tr("The record has nothing from these days."), palette());
  }
  QImage cells(grid_.parts, static_cast<int>(grid_.days.size()), QImage::Format_RGB32);
  const QRgb unknown =
      mixed(palette().color(QPalette::Base), palette().color(QPalette::Text), 0.1).rgb();
  for (int day = 0; day < cells.height(); ++day) {
    for (int part = 0; part < cells.width(); ++part) {
      const DayGrid::Cell& cell = grid_.at(day, part);
      cells.setPixel(part, day,
                     cell.frames > 0 ? colourAt(valueScale(), shareOf(cell.value)) : unknown);
    }
  }
  painter.drawImage(band, cells);
  drawAxes(painter, band);
}

void DayBand::drawAxes(QPainter& painter, const QRectF& band) const {
  const QFontMetricsF text(font());
  const QLocale locale;
  const double line = text.height();
  painter.setPen(quietTextColour(palette()));
  const double wide = text.horizontalAdvance(clockText(QTime(22, 0), false, locale)) + kMargin;
  for (int hour = 0; hour <= 24; hour += band.width() < 8 * wide + wide ? 6 : 3) {
    const double x = band.x() + band.width() * hour / 24;
    const Qt::Alignment side = hour == 0    ? Qt::AlignLeft
                               : hour == 24 ? Qt::AlignRight
                                            : Qt::AlignHCenter;
    const QRectF box(hour == 0    ? x
                     : hour == 24 ? x - wide
                                  : x - wide / 2,
                     band.bottom() + 2, wide, line);
    painter.drawText(box, side, clockText(QTime(hour % 24, 0), false, locale));
  }
  const double height = cellIn(band, {0, 0}).height();
  const int every = std::max(1, static_cast<int>(std::ceil((line + 2) / height)));
  for (int day = 0; day < static_cast<int>(grid_.days.size()); day += every) {
    const QRectF row = cellIn(band, {0, day});
    painter.drawText(QRectF(0, row.center().y() - line / 2, band.x() - kMargin, line),
                     Qt::AlignRight | Qt::AlignVCenter,
                     locale.toString(grid_.days[static_cast<std::size_t>(day)], kDayFormat));
  }
  // Draws the scale in the upper right.
  const double width = std::min(160.0, band.width() / 4);
  const QString least = valueText(least_), most = valueText(most_);
  const QRectF scale(band.right() - width - text.horizontalAdvance(most) - kMargin, 3, width,
                     line - 3);
  for (int x = 0; x < static_cast<int>(width); ++x)
    painter.fillRect(QRectF(scale.x() + x, scale.y(), 1.5, scale.height()),
                     QColor(colourAt(valueScale(), x / width)));
  painter.drawText(QRectF(scale.right() + kMargin, 0, text.horizontalAdvance(most) + 2, line),
                   Qt::AlignLeft | Qt::AlignVCenter, most);
  const QString left = metric_ + QStringLiteral("  ") + least;
  painter.drawText(QRectF(0, 0, scale.x() - kMargin, line), Qt::AlignRight | Qt::AlignVCenter,
                   text.elidedText(left, Qt::ElideLeft, scale.x() - kMargin));
}

// Returns std::nullopt if the mark is on no shown day.
std::optional<DayBand::Place> DayBand::placeOf(const Mark& mark) const {
  if (!mark.utcMs) return {};
  const QDateTime local = QDateTime::fromMSecsSinceEpoch(*mark.utcMs);
  const auto day = local.date().daysTo(grid_.days.front());
  if (day < 0 || day >= static_cast<qint64>(grid_.days.size())) return {};
  return Place(local.time().msecsSinceStartOfDay() / 60000 / grid_.minutes(),
               static_cast<int>(day));
}

void DayBand::drawFrame(QPainter& painter, Place place, const QColor& colour) const {
  const QRectF cell = cellIn(bandIn(), place).adjusted(-1.5, 0, 1.5, 0);
  painter.setBrush(Qt::NoBrush);
  for (const QPen& pen : {QPen(QColor(0, 0, 0, 200), 4), QPen(colour, 2)}) {
    painter.setPen(pen);
    painter.drawRect(cell);
  }
}

void DayBand::drawMark(QPainter& painter, Place place, const QString& letters) const {
  drawFrame(painter, place, Qt::white);
  const QRectF band = bandIn(), cell = cellIn(band, place);
  const QFontMetricsF text(font());
  const QRectF beside(cell.right() + 4, cell.center().y() - text.height() / 2,
                      text.horizontalAdvance(letters) + 6, text.height());
  const QRectF inside = beside.right() > band.right()
                            ? beside.translated(-beside.width() - cell.width() - 8, 0)
                            : beside;
  painter.setPen(Qt::NoPen);
  painter.setBrush(QColor(0, 0, 0, 190));
  painter.drawRoundedRect(inside, 3, 3);
  painter.setPen(Qt::white);
  painter.drawText(inside, Qt::AlignCenter, letters);
}

void DayBand::drawOver(QPainter& painter) const {
  if (grid_.days.empty()) return;
  painter.setRenderHint(QPainter::Antialiasing);
  const std::optional<Place> first = placeOf(marks_[0]), second = placeOf(marks_[1]);
  if (first && first == second) {
    drawMark(painter, *first, marks_[0].letter + QLatin1String(", ") + marks_[1].letter);
  } else {
    if (first) drawMark(painter, *first, marks_[0].letter);
    if (second) drawMark(painter, *second, marks_[1].letter);
  }
  if (cursor_ && (hasFocus() || underMouse()))
    drawFrame(painter, *cursor_, palette().color(QPalette::Highlight));
}

QString DayBand::summary() const {
  if (grid_.days.empty()) return tr("The record has nothing from these days.");
  return tr("%1 over %Ln days, from %2 to %3.", nullptr, static_cast<int>(grid_.days.size()))
      .arg(metric_, valueText(least_), valueText(most_));
}

Plot::Contents DayBand::contents() const {
  std::vector<PlotTable::Row> rows;
  for (int day = 0; day < static_cast<int>(grid_.days.size()); ++day) {
    for (int part = 0; part < grid_.parts; ++part) {
      const DayGrid::Cell& cell = grid_.at(day, part);
      if (cell.frames == 0) continue;
      const qint64 utcMs = grid_.utcMsOf(day, part);
      const QDateTime time = QDateTime::fromMSecsSinceEpoch(utcMs);
      rows.push_back(
          {{utcMs, 0},
           {{QLocale().toString(time, QLocale::ShortFormat), time.toUTC().toString(Qt::ISODate)},
            {valueText(cell.value), cell.value},
            {{}, static_cast<qulonglong>(cell.frames)},
            {lightTitle(cell.light), QString::fromUtf8(nameOf(cell.light))}}});
    }
  }
  return PlotTable::contentsOf(
      {{tr("Time"), "time"}, {metric_, "value"}, {{}, "frames"}, {tr("Light"), "light"}},
      std::move(rows));
}

}  // namespace mpm::gui
