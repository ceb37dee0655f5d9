// SPDX-License-Identifier: Apache-2.0
#include "gui/days/days_window.h"

#include <QComboBox>
#include <QDateTime>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "gui/aside.h"
#include "gui/days/day_band.h"
#include "gui/plot/axes.h"
#include "gui/plot/colours.h"
#include "gui/room_on_screen.h"
#include "gui/unbroken.h"
#include "monitor/statistics/metrics.h"

namespace mpm::gui {
namespace {

constexpr int kWidth = 1180, kHeight = 760, kAgainMs = 60'000, kMostPerHour = 60;
constexpr int kColumns = 3, kTilesShare = 5;  // of pictures; of the height, the band's is 1
constexpr std::array kSpans{7, 31, 366};      // days

struct Titled {
  QString title, unit;
};

Titled titleOf(const QString& metric) {
  const auto parsed = monitor::MetricName::parse(metric.toStdString());
  using enum monitor::MetricKind;
  switch (parsed.kind) {
    case mergedShare:
      return {DaysWindow::tr("Fewer tokens"), "%"};
    case step:
      return {DaysWindow::tr("Network"), "ms"};
    case luma:
      return {DaysWindow::tr("Brightness"), "%"};
    case confidence:
      return {DaysWindow::tr("Confidence"), "%"};
    case flicker:
      return {DaysWindow::tr("Label flicker"), "%"};
    default:
      break;
  }
  const QString name = QString::fromStdString(parsed.part);
  return {parsed.zone.empty()
              ? DaysWindow::tr("Area of %1").arg(name)
              : DaysWindow::tr("Area of %1 in %2").arg(name, QString::fromStdString(parsed.zone)),
          "%"};
}

// Rich text may break a line at any space but this one.
QString percent(double share) {
  constexpr char16_t kNarrowSpace = 0x202f, kSpace = 0xa0;
  return percentText(share * 100, 1, QLocale()).replace(QChar(kNarrowSpace), QChar(kSpace));
}

}  // namespace

struct DaysWindow::Reading {
  std::vector<monitor::DayPicture> pictures;
  QStringList metrics;
  QString metric;  // of the grid
  DayGrid grid;
  QString fault;
  bool isRead = false;  // false: nothing is known yet
};

DaysWindow::DaysWindow(QWidget* parent)
    : QDialog(parent, Qt::Window),
      noon_(new QPushButton(tr("&Noon and midnight"))),
      lights_(new QPushButton(tr("&Day and night"))),
      metric_(new QComboBox),
      span_(new QComboBox),
      perHour_(new QSpinBox),
      classes_(new PictureTile(tr("Where classes differ"))),
      merging_(new PictureTile(tr("Where merging differs"))),
      tiles_(new QGridLayout),
      classesWords_(new QLabel),
      told_(new QLabel),
      band_(new DayBand) {
  setObjectName("DaysWindow");
  setWindowTitle(tr("Days"));
  told_->setMinimumHeight(told_->fontMetrics().lineSpacing());
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(makeTop());
  layout->addLayout(makeTiles(), kTilesShare);
  layout->addWidget(band_, 1);
  layout->addWidget(told_);
  connect(band_, &DayBand::pointed, told_, &QLabel::setText);
  connect(band_, &DayBand::chosen, this,
          [this](std::int64_t utcMs) { choose(active_, nearest(utcMs)); });
  again_.setInterval(kAgainMs);
  connect(&again_, &QTimer::timeout, this, [this] {
    if (isVisible()) refresh();
  });
  again_.start();
  activate(kLeft);
  resizeOnScreen(this, {kWidth, kHeight});
}

QLayout* DaysWindow::makeTop() {
  metric_->setAccessibleName(tr("Metric to show"));
  metric_->setToolTip(tr("What the colours of the days below mean"));
  metric_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  metric_->setMinimumContentsLength(14);
  span_->addItems({tr("A week"), tr("A month"), tr("A year")});
  span_->setAccessibleName(tr("How many days"));
  perHour_->setRange(0, kMostPerHour);
  perHour_->setAccessibleName(tr("Pictures kept per hour"));
  perHour_->setToolTip(
      tr("Anyone who can read the record can see them. 0: none are kept from now on."));
  perHour_->setSpecialValueText(tr("none", "pictures"));
  perHour_->setKeyboardTracking(false);
  auto* perHour = new QLabel(tr("&Pictures per hour"));
  perHour->setBuddy(perHour_);
  auto* top = new QHBoxLayout;
  for (QPushButton* button : {noon_, lights_}) {
    button->setAutoDefault(false);
    top->addWidget(button);
  }
  top->addStretch();
  for (QWidget* each : {static_cast<QWidget*>(metric_), static_cast<QWidget*>(span_),
                        static_cast<QWidget*>(perHour), static_cast<QWidget*>(perHour_)})
    top->addWidget(each);
  connect(noon_, &QPushButton::clicked, this, &DaysWindow::noonAndMidnight);
  connect(lights_, &QPushButton::clicked, this, &DaysWindow::dayAndNight);
  connect(metric_, &QComboBox::activated, this,
          [this] { wanted_ = metric_->currentData().toString(); });
  for (const QComboBox* box : {metric_, span_}) {
    connect(box, &QComboBox::activated, this, [this] {
      refresh();
      emit chose(wanted_, span_->currentIndex());
    });
  }
  connect(perHour_, &QSpinBox::valueChanged, this, &DaysWindow::picturesWanted);
  return top;
}

QLayout* DaysWindow::makeTiles() {
  tiles_->setSpacing(4);
  makeSide(kLeft, tr("left"));
  makeSide(kRight, tr("right"));
  for (const Side side : {kLeft, kRight}) {
    tiles_->addWidget(sides_[side].slider, 2, side);
    tiles_->addWidget(sides_[side].words, 3, side);
  }
  const QStringList titles{tr("Where classes differ"), tr("Where merging differs"), tr("Left"),
                           tr("Right"), tr("Merge map")};
  for (PictureTile* tile : tiles()) {
    tile->setPeers(titles);
    connect(tile, &PictureTile::clicked, this,
            [this, tile] { enlarge(large_ == tile ? nullptr : tile); });
  }
  enlarge(nullptr);
  // Words get two lines, or three next to the sliders: a label would prefer as many as five.
  for (QLabel* words : {sides_[kLeft].words, sides_[kRight].words, classesWords_}) {
    words->setWordWrap(true);
    words->setAlignment(Qt::AlignTop);
    words->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);
  }
  tiles_->setRowMinimumHeight(3, 2 * fontMetrics().lineSpacing());
  tiles_->addWidget(classesWords_, 2, 2, 2, 1);
  for (int column = 0; column < kColumns; ++column) tiles_->setColumnStretch(column, 1);
  tiles_->setRowStretch(0, 1);
  tiles_->setRowStretch(1, 1);
  return tiles_;
}

// The tiles are ordered by rows.
std::array<PictureTile*, 6> DaysWindow::tiles() const {
  const Column &left = sides_[kLeft], &right = sides_[kRight];
  return {left.picture, right.picture, classes_, left.mergeMap, right.mergeMap, merging_};
}

void DaysWindow::enlarge(PictureTile* tile) {
  large_ = tile;
  int place = 0;
  for (PictureTile* each : tiles()) {
    const bool isLarge = each == tile;
    each->setVisible(tile == nullptr || isLarge);
    tiles_->addWidget(each, isLarge ? 0 : place / kColumns, isLarge ? 0 : place % kColumns,
                      isLarge ? 2 : 1, isLarge ? kColumns : 1);
    ++place;
  }
  if (tile != nullptr) tile->setFocus();
}

void DaysWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && large_ != nullptr) return enlarge(nullptr);
  QDialog::keyPressEvent(event);
}

void DaysWindow::makeSide(Side side, const QString& name) {
  Column& column = sides_[side];
  column.picture = new PictureTile(side == kLeft ? tr("Left") : tr("Right"));
  column.mergeMap = new PictureTile(tr("Merge map"));
  column.slider = new QSlider(Qt::Horizontal);
  column.slider->setAccessibleName(tr("Picture from the record, %1").arg(name));
  column.slider->setToolTip(tr("Steps through all pictures in the record"));
  column.slider->setEnabled(false);
  column.words = new QLabel;
  connect(column.slider, &QSlider::valueChanged, this,
          [this, side](int picture) { choose(side, picture); });
  connect(column.slider, &QSlider::sliderPressed, this, [this, side] { activate(side); });
  connect(column.slider, &QSlider::actionTriggered, this, [this, side] { activate(side); });
  for (PictureTile* tile : {column.picture, column.mergeMap})
    connect(tile, &PictureTile::clicked, this, [this, side] { activate(side); });
}

// Activates the side that a click on a day below changes; its words are bold.
void DaysWindow::activate(Side side) {
  active_ = side;
  for (const Side each : {kLeft, kRight}) {
    QFont words = font();
    words.setBold(each == side);
    sides_[each].words->setFont(words);
  }
}

void DaysWindow::setRecord(const QString& record, const QString& source, int perHour) {
  const QSignalBlocker quiet(perHour_);
  perHour_->setValue(perHour);
  perHour_->setEnabled(!record.isEmpty());
  if (record == record_ && source == source_) return;
  record_ = record;
  source_ = source;
  ++readings_;  // one that goes on is of the other
  pictures_.clear();
  for (Column& column : sides_) {
    column.chosen = -1;
    ++*column.loading;
    column.frame.reset();
  }
  take(std::make_shared<Reading>());
  if (isVisible()) refresh();
}

void DaysWindow::choose(const QString& metric, int span) {
  wanted_ = metric;
  span_->setCurrentIndex(std::clamp(span, 0, span_->count() - 1));
  if (isVisible()) refresh();
}

void DaysWindow::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  refresh();
}

void DaysWindow::refresh() {
  const auto reading = std::make_shared<Reading>();
  const int number = ++readings_;
  if (record_.isEmpty()) return take(reading);
  const int days = kSpans.at(static_cast<std::size_t>(span_->currentIndex()));
  computeAside(
      this,
      [reading, days, now = clock_(), metric = wanted_, record = record_.toStdString(),
       source = source_.toStdString()] {
        try {
          reading->pictures = monitor::dayPictures(monitor::RecordReader(record), source, 0,
                                                   std::numeric_limits<std::int64_t>::max());
          reading->metrics = dayMetrics(record, source);
          const bool isThere = reading->metrics.contains(metric);
          if (isThere || !reading->metrics.isEmpty()) {
            reading->metric = isThere ? metric : reading->metrics.front();
            reading->grid = readDays(record, source, reading->metric, days, now);
          }
        } catch (const std::exception& fault) {
          reading->fault = QString::fromUtf8(fault.what());
        }
        reading->isRead = true;
        return reading;
      },
      [this, number](const std::shared_ptr<Reading>& done) {
        if (readings_ != number) return;
        take(done);
        emit read();
      });
}

void DaysWindow::fillMetrics(const QStringList& metrics) {
  QStringList before;
  for (int i = 0; i < metric_->count(); ++i) before << metric_->itemData(i).toString();
  if (before == metrics) return;
  metric_->clear();
  for (const QString& metric : metrics) metric_->addItem(titleOf(metric).title, metric);
}

// The choice stays as long as it exists.
void DaysWindow::take(const std::shared_ptr<Reading>& reading) {
  std::array<std::int64_t, 2> times{-1, -1};
  for (const Side side : {kLeft, kRight}) {
    const int chosen = sides_[side].chosen;
    if (chosen >= 0) times[side] = pictures_[static_cast<std::size_t>(chosen)].taken.utcMs;
  }
  pictures_ = std::move(reading->pictures);
  fillMetrics(reading->metrics);
  const Titled title = titleOf(reading->metric);
  metric_->setCurrentIndex(metric_->findData(reading->metric));
  band_->setGrid(std::move(reading->grid), title.title, title.unit);
  const int last = static_cast<int>(pictures_.size()) - 1;
  for (const Side side : {kLeft, kRight}) {
    Column& column = sides_[side];
    const QSignalBlocker quiet(column.slider);
    column.slider->setEnabled(last >= 0);
    column.slider->setRange(0, std::max(0, last));
    column.slider->setPageStep(std::max(1, last / 20));
    column.chosen = -1;
    if (last < 0) {
      column.frame.reset();
      put(side, nullptr,
          !reading->fault.isEmpty() ? reading->fault
          : record_.isEmpty()       ? tr("Nothing is recorded")
          : !reading->isRead        ? tr("Reading the record ...")
                                    : tr("The record has no picture of this source yet"));
    } else if (times[side] >= 0) {
      choose(side, nearest(times[side]));
    }
  }
  noon_->setEnabled(last >= 0);
  lights_->setEnabled(last >= 0);
  if (last >= 0 && sides_[kLeft].chosen < 0) noonAndMidnight();
}

int DaysWindow::nearest(std::int64_t utcMs, const Fits& fits) const {
  int found = -1;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < static_cast<int>(pictures_.size()); ++i) {
    const monitor::DayPicture& each = pictures_[static_cast<std::size_t>(i)];
    const std::int64_t away = std::abs(each.taken.utcMs - utcMs);
    if (away >= least || (fits && !fits(each))) continue;
    least = away;
    found = i;
  }
  return found;
}

// Returns the day of the active side's image; without one the newest day with an image at noon.
QDate DaysWindow::dayShown() const {
  const auto localOf = [](const monitor::DayPicture& picture) {
    return QDateTime::fromMSecsSinceEpoch(picture.taken.utcMs);
  };
  const int chosen = sides_[active_].chosen;
  if (chosen >= 0) return localOf(pictures_[static_cast<std::size_t>(chosen)]).date();
  const auto noon = std::find_if(pictures_.rbegin(), pictures_.rend(), [&](const auto& picture) {
    return std::abs(localOf(picture).time().secsTo(QTime(12, 0))) < 5400;
  });
  return localOf(noon == pictures_.rend() ? pictures_.back() : *noon).date();
}

// Of a day's two midnights, chooses the one with the nearer image.
void DaysWindow::noonAndMidnight() {
  if (pictures_.empty()) return;
  const QDate day = dayShown();
  const auto at = [](const QDate& date, int hour) {
    return QDateTime(date, QTime(hour, 0)).toMSecsSinceEpoch();
  };
  const auto away = [&](std::int64_t midnight) {
    const auto place = static_cast<std::size_t>(nearest(midnight));
    return std::abs(pictures_[place].taken.utcMs - midnight);
  };
  const std::int64_t before = at(day, 0), behind = at(day.addDays(1), 0);
  choose(kLeft, nearest(at(day, 12)));
  choose(kRight, nearest(away(before) < away(behind) ? before : behind));
}

// Chooses by the light meter, which also suits cameras whose days are not the clock's.
void DaysWindow::dayAndNight() {
  if (pictures_.empty()) return;
  using monitor::LightState;
  const std::int64_t noon = QDateTime(dayShown(), QTime(12, 0)).toMSecsSinceEpoch();
  const int day = nearest(noon, [](const auto& each) { return each.light == LightState::day; });
  const std::int64_t from = day < 0 ? noon : pictures_[static_cast<std::size_t>(day)].taken.utcMs;
  const int night = nearest(from, [](const auto& each) {
    return each.light == LightState::night || each.light == LightState::infrared;
  });
  if (day >= 0) choose(kLeft, day);
  if (night >= 0) choose(kRight, night);
  if (day < 0) told_->setText(tr("The record has no daytime picture yet."));
  if (night < 0) told_->setText(tr("The record has no night-time picture yet."));
}

QString DaysWindow::wordsOf(const monitor::DayPicture& picture) const {
  const QLocale locale;
  const QString when =
      locale.toString(QDateTime::fromMSecsSinceEpoch(picture.taken.utcMs), QLocale::ShortFormat);
  const QString light = lightTitle(picture.light);
  if (!std::isfinite(picture.liveTokens)) return tr("%1; %2", "when, light").arg(when, light);
  return tr("%1; %2; %3 of %4 tokens", "when, light")
      .arg(when, light, locale.toString(picture.liveTokens, 'f', 0),
           locale.toString(picture.tokens, 'f', 0));
}

// Loads in a thread; meanwhile only the newest wish is kept.
void DaysWindow::choose(Side side, int picture) {
  if (picture < 0 || picture >= static_cast<int>(pictures_.size())) return;
  Column& column = sides_[side];
  column.chosen = picture;
  const monitor::DayPicture of = pictures_[static_cast<std::size_t>(picture)];
  {
    const QSignalBlocker quiet(column.slider);
    column.slider->setValue(picture);
  }
  column.words->setText(unbroken(wordsOf(of)));
  column.slider->setAccessibleDescription(wordsOf(of));
  showMarks();
  if (column.frame && column.frame->of.picture == of.picture) return;
  const int number = ++*column.loading;
  using Loaded = std::pair<std::shared_ptr<const KeptFrame>, QString>;
  computeAside(
      this,
      [loading = column.loading, of, number]() -> Loaded {
        if (*loading != number) return {};
        try {
          return {std::make_shared<const KeptFrame>(readKept(of)), {}};
        } catch (const std::exception& failure) {
          return {nullptr, QString::fromUtf8(failure.what())};
        }
      },
      [this, loading = column.loading, side, number](const Loaded& loaded) {
        if (*loading == number) put(side, loaded.first, loaded.second);
      });
}

void DaysWindow::put(Side side, std::shared_ptr<const KeptFrame> frame, const QString& fault) {
  Column& column = sides_[side];
  column.frame = std::move(frame);
  if (!column.frame) {
    column.picture->show({}, fault);
    column.mergeMap->show({}, {});
    if (column.chosen < 0) column.words->clear();
  } else {
    const QString words = wordsOf(column.frame->of);
    column.picture->show(column.frame->shown, words);
    column.mergeMap->show(column.frame->merged,
                          column.frame->merged.isNull() ? tr("No merge map was kept") : words);
  }
  showDifference();
  emit drawn();
}

void DaysWindow::showDifference() {
  difference_ = {};
  const auto &left = sides_[kLeft].frame, &right = sides_[kRight].frame;
  if (!left || !right) {
    classes_->show({}, {});
    merging_->show({}, {});
    return classesWords_->clear();
  }
  difference_ = differenceOf(*left, *right);
  QStringList words;
  if (!difference_.classes.isNull())
    words << tr("%1 of the pixels have a different class.").arg(percent(difference_.otherClass));
  if (!difference_.merging.isNull()) {
    const auto dot = [](QRgb colour) {
      return QStringLiteral("<span style='color:%1'>&#9632;</span> ").arg(QColor(colour).name());
    };
    words << tr("Merged: %1only on the left %2, %3only on the right %4.")
                 .arg(dot(FrameDifference::kFirstColour), percent(difference_.firstAlone),
                      dot(FrameDifference::kSecondColour), percent(difference_.secondAlone));
  }
  classes_->show(difference_.classes, difference_.noClasses);
  merging_->show(difference_.merging, tr("Merge maps were not kept, or differ in size"));
  classesWords_->setText(words.join(QStringLiteral("<br>")));
  if (!difference_.classes.isNull()) classes_->setAccessibleDescription(words.front());
}

void DaysWindow::showMarks() {
  std::array<DayBand::Mark, 2> marks;
  for (const Side side : {kLeft, kRight}) {
    if (sides_[side].chosen < 0) continue;
    marks[side] = {pictures_[static_cast<std::size_t>(sides_[side].chosen)].taken.utcMs,
                   side == kLeft ? tr("L", "left") : tr("R", "right")};
  }
  band_->setMarks(marks);
}

}  // namespace mpm::gui
