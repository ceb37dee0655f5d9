// SPDX-License-Identifier: Apache-2.0
#include "gui/app/tune_panel.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QVBoxLayout>
#include <utility>

#include "gui/app/options.h"

namespace mpm::gui {
namespace {

constexpr double kAgreementWanted = 0.99;

ParetoPoint pointOf(const TunedSchedule& schedule, const TunedSchedule& pick) {
  ParetoPoint point;
  point.label = blocksText(schedule.schedule);
  point.ms = schedule.ms;
  point.agreement = schedule.agreement * 100;
  point.onFront = schedule.onFront;
  point.full = schedule.schedule.empty();
  point.pick = schedule.schedule == pick.schedule;
  return point;
}

}  // namespace

TunePanel::TunePanel(QWidget* parent)
    : QWidget(parent),
      button_(new QPushButton(tr("&Tune"))),
      progress_(new QProgressBar),
      told_(new QLabel),
      plot_(new ParetoPlot) {
  plot_->setAccessibleName(tr("Schedules: milliseconds against agreement"));
  progress_->setRange(0, 1000);
  progress_->setVisible(false);
  progress_->setAccessibleName(tr("Measuring"));
  told_->setWordWrap(true);
  told_->setText(
      tr("Measures every schedule on the frames that were seen last. The picture stands "
         "still meanwhile."));
  auto* line = new QHBoxLayout;
  line->addWidget(button_);
  line->addWidget(progress_, 1);
  line->addWidget(told_, 3);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(line);
  layout->addWidget(plot_, 1);
  connect(button_, &QPushButton::clicked, this, [this] {
    if (tuner_.isRunning()) {
      tuner_.cancel();
    } else {
      emit wanted();
    }
  });
  connect(&tuner_, &Tuner::progressed, this,
          [this](double share) { progress_->setValue(static_cast<int>(share * 1000)); });
  connect(&tuner_, &Tuner::ended, this, &TunePanel::ended);
  connect(plot_, &ParetoPlot::scheduleChosen, this, &TunePanel::scheduleChosen);
}

void TunePanel::begin(Tuner::Task task) {
  if (task.frames.empty()) {
    told_->setText(tr("No frame was seen yet to measure with."));
    return;
  }
  button_->setText(tr("&Cancel"));
  progress_->setValue(0);
  progress_->setVisible(true);
  told_->setText(tr("Measuring ..."));
  tuner_.begin(std::move(task));
}

void TunePanel::clear() { plot_->setPoints({}); }

void TunePanel::ended(const std::shared_ptr<const Tuning>& tuning, const QString& fault) {
  button_->setText(tr("&Tune"));
  progress_->setVisible(false);
  if (!tuning) {
    told_->setText(fault.isEmpty() ? tr("Cancelled.") : fault);
    return;
  }
  const TunedSchedule& pick = fastestThatAgrees(*tuning, kAgreementWanted);
  std::vector<ParetoPoint> points{pointOf(tuning->full, pick)};
  for (const TunedSchedule& schedule : tuning->schedules) {
    if (schedule.close && !schedule.schedule.empty()) points.push_back(pointOf(schedule, pick));
  }
  plot_->setPoints(std::move(points));
  const QLocale locale;
  told_->setText(
      !tuning->pays ? tr("Merging does not pay with this model on this machine.")
      : pick.schedule.empty()
          ? tr("No schedule labels 99 % of the pixels as full tokens do; the plot shows what "
               "each keeps.")
          : tr("Merging before %1 is the fastest that labels 99 % of the pixels as full tokens do: "
               "%2 of the time. A click on a point uses its schedule.")
                .arg(blocksText(pick.schedule), locale.toString(pick.ratio, 'f', 2)));
}

}  // namespace mpm::gui
