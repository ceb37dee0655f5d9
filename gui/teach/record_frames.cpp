// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/record_frames.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QDateTime>
#include <QImageReader>
#include <QLabel>
#include <QListWidget>
#include <QLocale>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "gui/aside.h"
#include "gui/canvas/pictures.h"

namespace mpm::gui {
namespace {

constexpr int kIconWidth = 150, kIconHeight = 100, kPlace = Qt::UserRole;

const cv::Size kGrid(16, 9), kSmall(8 * 16, 8 * 9);
constexpr float kRough = 2;  // drops and flakes are small and faint beside what light does

float distance(const std::vector<float>& one, const std::vector<float>& other) {
  double squares = 0;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
    squares += (one[i] - other[i]) * static_cast<double>(one[i] - other[i]);
  return static_cast<float>(
      std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, one.size()))));
}

int mostOrdinary(const std::vector<std::vector<float>>& looks) {
  int found = -1;
  double least = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < looks.size(); ++i) {
    double sum = 0;
    for (const auto& other : looks) sum += distance(looks[i], other);
    if (sum >= least) continue;
    least = sum;
    found = static_cast<int>(i);
  }
  return found;
}

// Reads a JPEG at a reduced size, which takes a fraction of the time.
QImage smallOf(const std::string& path) {
  QImageReader reader(QString::fromStdString(path));
  const QSize whole = reader.size();
  if (whole.isValid()) reader.setScaledSize(whole.scaled(320, 240, Qt::KeepAspectRatio));
  return reader.read().convertToFormat(QImage::Format_RGB32);
}

cv::Mat bgrOf(QImage image) {
  cv::Mat bgr;
  cv::cvtColor(pixelsOf(image), bgr, cv::COLOR_BGRA2BGR);
  return bgr;
}

// Samples the whole record, not only its newest week.
template <typename Thing>
std::vector<Thing> evenly(std::vector<Thing> all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<Thing> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(std::move(all[i * all.size() / most]));
  return some;
}

}  // namespace

std::vector<float> lookOf(const cv::Mat& picture) {
  cv::Mat small, lab, means;
  cv::resize(picture, small, kSmall, 0, 0, cv::INTER_AREA);
  small.convertTo(small, CV_32F, 1 / 255.0);
  cv::cvtColor(small, lab, cv::COLOR_BGR2Lab);
  cv::resize(lab, means, kGrid, 0, 0, cv::INTER_AREA);
  cv::Mat light, smooth, rough;
  cv::extractChannel(lab, light, 0);
  cv::GaussianBlur(light, smooth, {3, 3}, 0);
  cv::absdiff(light, smooth, rough);
  cv::resize(rough, rough, kGrid, 0, 0, cv::INTER_AREA);
  std::vector<float> look;
  look.reserve(static_cast<std::size_t>(kGrid.area()) * 4);
  for (int y = 0; y < kGrid.height; ++y) {
    for (int x = 0; x < kGrid.width; ++x) {
      const auto& mean = means.at<cv::Vec3f>(y, x);
      look.insert(look.end(), {mean[0], mean[1], mean[2], kRough * rough.at<float>(y, x)});
    }
  }
  return look;
}

std::vector<int> proposeFrames(const std::vector<std::vector<float>>& looks, int count,
                               const std::vector<std::vector<float>>& known) {
  constexpr float kAlike = 0.5F;  // of Lab's units: what nobody sees
  std::vector<int> chosen;
  if (looks.empty() || count <= 0) return chosen;
  std::vector<float> nearest(looks.size(), std::numeric_limits<float>::max());
  const auto meet = [&](const std::vector<float>& other) {
    for (std::size_t i = 0; i < looks.size(); ++i)
      nearest[i] = std::min(nearest[i], distance(looks[i], other));
  };
  for (const auto& other : known) meet(other);
  if (known.empty()) {
    chosen.push_back(mostOrdinary(looks));
    meet(looks[static_cast<std::size_t>(chosen.back())]);
  }
  while (static_cast<int>(chosen.size()) < count) {
    const auto farthest = std::max_element(nearest.begin(), nearest.end());
    if (*farthest <= kAlike) break;
    chosen.push_back(static_cast<int>(farthest - nearest.begin()));
    meet(looks[static_cast<std::size_t>(chosen.back())]);
  }
  return chosen;
}

struct RecordFrames::Reading {
  std::vector<monitor::DayPicture> pictures;
  std::vector<QImage> images;
  std::vector<std::vector<float>> looks, known;
  QString fault;
};

RecordFrames::RecordFrames(const QString& record, const QString& source, std::vector<cv::Mat> known,
                           Doubt doubt, QWidget* parent)
    : Dialog(tr("Frames from the record"), QDialogButtonBox::Cancel, parent),
      list_(new QListWidget),
      light_(new QComboBox),
      from_(new QSpinBox),
      to_(new QSpinBox),
      propose_(new QPushButton(tr("Suggest &different frames"))),
      doubted_(new QPushButton(tr("Suggest &uncertain frames"))),
      doubt_(std::move(doubt)) {
  tell(tr("Looking through the pictures in the record ..."), false);
  makeList();
  makeProposals();
  take_ = buttons()->addButton(tr("&Take them"), QDialogButtonBox::AcceptRole);
  connect(list_, &QListWidget::itemSelectionChanged, this,
          [this] { take_->setEnabled(!list_->selectedItems().isEmpty()); });
  take_->setEnabled(false);
  makeFilters();
  auto* content = new QVBoxLayout;
  content->addLayout(filterLine());
  content->addWidget(list_, 1);
  layOut(content, {860, 560});
  begin(record, source, std::move(known));
}

RecordFrames::~RecordFrames() { *stop_ = true; }

void RecordFrames::makeList() {
  list_->setViewMode(QListView::IconMode);
  list_->setResizeMode(QListView::Adjust);
  list_->setMovement(QListView::Static);
  list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  list_->setIconSize({kIconWidth, kIconHeight});
  list_->setSpacing(4);
  list_->setAccessibleName(tr("Pictures from the record"));
}

void RecordFrames::makeProposals() {
  for (QPushButton* each : {propose_, doubted_}) {
    each->setEnabled(false);
    each->setAutoDefault(false);
  }
  connect(propose_, &QPushButton::clicked, this, &RecordFrames::propose);
  connect(doubted_, &QPushButton::clicked, this, &RecordFrames::askDoubts);
  doubted_->setToolTip(
      doubt_
          ? tr("The frames it is least sure of, among %1 spread evenly over the list.").arg(kAsked)
          : tr("Teach first; then it can say what it is unsure of."));
}

QLayout* RecordFrames::filterLine() {
  auto* filters = new QHBoxLayout;
  auto* hours = new QLabel(tr("&Hours"));
  hours->setBuddy(from_);
  auto* dash = new QLabel(QStringLiteral("\u2013"));
  for (QWidget* each :
       {static_cast<QWidget*>(light_), static_cast<QWidget*>(hours), static_cast<QWidget*>(from_),
        static_cast<QWidget*>(dash), static_cast<QWidget*>(to_)})
    filters->addWidget(each);
  filters->addStretch();
  filters->addWidget(propose_);
  filters->addWidget(doubted_);
  return filters;
}

void RecordFrames::makeFilters() {
  light_->addItem(tr("Any light"), -1);
  for (const monitor::LightState state : monitor::kAllLightStates)
    light_->addItem(lightTitle(state), static_cast<int>(state));
  light_->setAccessibleName(tr("Light of the pictures"));
  for (QSpinBox* hour : {from_, to_}) {
    hour->setRange(0, 24);
    hour->setSuffix(QStringLiteral(":00"));
    connect(hour, &QSpinBox::valueChanged, this, &RecordFrames::filter);
  }
  to_->setValue(24);
  from_->setAccessibleName(tr("From this hour on"));
  to_->setAccessibleName(tr("Up to this hour"));
  connect(light_, &QComboBox::currentIndexChanged, this, &RecordFrames::filter);
}

void RecordFrames::begin(const QString& record, const QString& source, std::vector<cv::Mat> known) {
  const auto read = [stop = stop_, known, record = record.toStdString(),
                     source = source.toStdString()] {
    const auto reading = std::make_shared<Reading>();
    try {
      auto found = monitor::dayPictures(monitor::RecordReader(record), source, 0,
                                        std::numeric_limits<std::int64_t>::max());
      std::erase_if(found, [](const auto& each) { return each.frame.empty(); });
      for (monitor::DayPicture& each : evenly(std::move(found), kMost)) {
        if (*stop) return reading;
        QImage image = smallOf(each.frame);
        if (image.isNull()) continue;  // its file is gone
        reading->looks.push_back(lookOf(bgrOf(image)));
        reading->images.push_back(
            image.scaled(kIconWidth, kIconHeight, Qt::KeepAspectRatio, Qt::SmoothTransformation));
        reading->pictures.push_back(std::move(each));
      }
      for (const cv::Mat& frame : known) reading->known.push_back(lookOf(frame));
    } catch (const std::exception& fault) {
      reading->fault = QString::fromUtf8(fault.what());
    }
    return reading;
  };
  computeAside(this, read, [this](const std::shared_ptr<Reading>& reading) { take(reading); });
}

void RecordFrames::take(const std::shared_ptr<Reading>& reading) {
  reading_ = reading;
  const QLocale locale;
  for (std::size_t i = 0; i < reading->pictures.size(); ++i) {
    const monitor::DayPicture& each = reading->pictures[i];
    const QDateTime at = QDateTime::fromMSecsSinceEpoch(each.taken.utcMs);
    auto* item = new QListWidgetItem(
        QPixmap::fromImage(reading->images[i]),
        locale.toString(at, QLocale::ShortFormat) + QLatin1Char('\n') + lightTitle(each.light));
    item->setData(kPlace, static_cast<int>(i));
    list_->addItem(item);
  }
  reading_->images.clear();
  if (reading_->pictures.empty()) {
    tell(reading->fault.isEmpty() ? tr("The record has no frames of this source yet. They come "
                                       "with time if it keeps pictures (View, Days of the record).")
                                  : reading->fault,
         !reading->fault.isEmpty());
  } else {
    propose();
  }
  emit read();
}

bool RecordFrames::fits(const monitor::DayPicture& picture) const {
  const int light = light_->currentData().toInt();
  if (light >= 0 && picture.light != static_cast<monitor::LightState>(light)) return false;
  const int hour = QDateTime::fromMSecsSinceEpoch(picture.taken.utcMs).time().hour();
  const int from = from_->value(), to = to_->value();
  return from <= to ? hour >= from && hour < to : hour >= from || hour < to;  // over midnight
}

void RecordFrames::filter() {
  if (!reading_) return;
  for (int row = 0; row < list_->count(); ++row) {
    QListWidgetItem* item = list_->item(row);
    const auto place = static_cast<std::size_t>(item->data(kPlace).toInt());
    item->setHidden(!fits(reading_->pictures[place]));
    if (item->isHidden()) item->setSelected(false);
  }
  const bool any = std::any_of(reading_->pictures.begin(), reading_->pictures.end(),
                               [this](const auto& each) { return fits(each); });
  propose_->setEnabled(any);
  doubted_->setEnabled(any && doubt_ && !asking_);
  tell(any ? QString() : tr("No picture in this light from these hours was kept."), false);
}

std::vector<int> RecordFrames::shownRows() const {
  std::vector<int> rows;
  for (int row = 0; row < list_->count(); ++row)
    if (!list_->item(row)->isHidden()) rows.push_back(row);
  return rows;
}

// Proposes frames that pass the filters.
void RecordFrames::propose() {
  filter();
  const std::vector<int> rows = shownRows();
  std::vector<std::vector<float>> looks;
  for (const int row : rows) looks.push_back(reading_->looks[static_cast<std::size_t>(row)]);
  list_->clearSelection();
  const std::vector<int> chosen = proposeFrames(looks, kProposed, reading_->known);
  for (const int place : chosen)
    list_->item(rows[static_cast<std::size_t>(place)])->setSelected(true);
  if (!chosen.empty())
    list_->scrollToItem(list_->item(rows[static_cast<std::size_t>(chosen.front())]));
  tell(chosen.empty() ? tr("All of these look like frames you already have.")
                      : tr("%Ln frames are suggested that differ most from each other and from "
                           "those you have; Ctrl+click changes the selection.",
                           nullptr, static_cast<int>(chosen.size())),
       false);
}

void RecordFrames::askDoubts() {
  const std::vector<int> rows = evenly(shownRows(), kAsked);
  std::vector<std::string> paths;
  for (const int row : rows)
    paths.push_back(reading_->pictures[static_cast<std::size_t>(row)].frame);
  asking_ = true;
  doubted_->setEnabled(false);
  tell(tr("Looking at them with the taught model ..."), false);
  doubt_(std::move(paths), stop_,
         [this, rows](const std::vector<double>& doubts, const QString& fault) {
           asking_ = false;
           doubted_->setEnabled(true);
           fault.isEmpty() ? chooseDoubted(rows, doubts) : tell(fault, true);
         });
}

void RecordFrames::chooseDoubted(const std::vector<int>& rows, const std::vector<double>& doubts) {
  std::vector<std::pair<double, int>> found;
  for (std::size_t i = 0; i < doubts.size(); ++i)
    if (!std::isnan(doubts[i]) && !list_->item(rows[i])->isHidden())
      found.emplace_back(doubts[i], rows[i]);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& one, const auto& other) { return one.first > other.first; });
  found.resize(std::min<std::size_t>(found.size(), kDoubted));
  list_->clearSelection();
  QStringList shares;
  for (const auto& [share, row] : found) {
    list_->item(row)->setSelected(true);
    shares << tr("%1%").arg(QLocale().toString(100 * share, 'f', 1));
  }
  if (found.empty()) return filter();
  list_->scrollToItem(list_->item(found.front().second));
  tell(tr("It is least sure of these (doubt %1); paint them next.").arg(shares.join(", ")), false);
  emit doubted();
}

std::vector<monitor::DayPicture> RecordFrames::chosen() const {
  std::vector<monitor::DayPicture> chosen;
  for (int row = 0; row < list_->count(); ++row) {
    if (list_->item(row)->isSelected())
      chosen.push_back(reading_->pictures[static_cast<std::size_t>(row)]);
  }
  return chosen;
}

}  // namespace mpm::gui
