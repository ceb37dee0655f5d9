// SPDX-License-Identifier: Apache-2.0
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMetaObject>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <opencv2/core.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "gui/app/panels.h"
#include "gui/canvas/captions.h"
#include "gui/plot/pareto_plot.h"
#include "gui/unbroken.h"
#include "monitor/engine/engine.h"
#include "mpm/tune.h"

namespace mpm::gui {
namespace {

/// Holds an engine still while this thread measures, since whatever runs meanwhile is measured,
/// too. In between it lets the engine go on, so that its view stays alive. An ending engine waits
/// for it.
class EngineRest {
 public:
  /// Throws std::future_error if the engine ends before it rests; so does `breathe`.
  explicit EngineRest(monitor::Engine& engine) : engine_(engine) { rest(); }
  ~EngineRest() { wake(); }
  EngineRest(const EngineRest&) = delete;
  EngineRest& operator=(const EngineRest&) = delete;

  /// Called between two measurements. After a long enough rest, the camera gets a frame, if one
  /// comes soon, before the engine rests again.
  void breathe() {
    if (Clock::now() - since_ < kRest) return;
    wake();
    const std::uint64_t before = engine_.frames();
    const auto until = Clock::now() + kBreath;
    while (engine_.frames() == before && Clock::now() < until) std::this_thread::sleep_for(kLook);
    rest();  // waits for a frame that was begun
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kRest{700}, kBreath{250}, kLook{5};

  void rest() {
    wake_ = {};
    auto resting = std::make_shared<std::promise<void>>();
    std::future<void> rests = resting->get_future();
    engine_.withNetwork(
        [resting = std::move(resting), woken = wake_.get_future().share()](monitor::Network&) {
          resting->set_value();
          woken.wait();
        });
    rests.get();
    isResting_ = true;
    since_ = Clock::now();
  }

  void wake() {
    if (std::exchange(isResting_, false)) wake_.set_value();
  }

  monitor::Engine& engine_;
  std::promise<void> wake_;
  bool isResting_ = false;
  Clock::time_point since_;
};

class TunePanel : public QWidget {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::TunePanel)

 public:
  explicit TunePanel(Session& session)
      : session_(session),
        button_(new QPushButton(tr("&Tune"))),
        progress_(new QProgressBar),
        told_(new QLabel),
        plot_(new ParetoPlot) {
    plot_->setAccessibleName(tr("Schedules: milliseconds against agreement"));
    progress_->setRange(0, 1000);
    progress_->setVisible(false);
    progress_->setAccessibleName(tr("Measuring"));
    told_->setWordWrap(true);
    tellIdle();
    auto* line = new QHBoxLayout;
    line->addWidget(button_);
    line->addWidget(progress_, 2);
    line->addWidget(told_, 3);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(line);
    layout->addWidget(plot_, 1);
    connect(button_, &QPushButton::clicked, this, [this] { running_ ? cancel() : begin(); });
    connect(plot_, &ParetoPlot::scheduleChosen, &session_, &Session::setSchedule);
    connect(&session_, &Session::opening, this, &TunePanel::cancel);
    connect(&session_, &Session::scheduleSet, this,
            [this] { plot_->setRunning(blocksText(session_.live().engine()->schedule())); });
    connect(&session_, &Session::shownChanged, this, [this] {
      setEnabled(session_.live().engine()->blocks() > 0);
      clear();
    });
    connect(&session_, &Session::ended, this, [this] {
      clear();
      setEnabled(false);
    });
    connect(&session_, &Session::frameShown, this, &TunePanel::keep);
  }

  ~TunePanel() override {
    cancelled_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  static constexpr double kShareThatTells = 0.03;  // how long the rest will take
  static constexpr qint64 kKeepEveryMs = 1000;
  static constexpr std::size_t kKept = 8;

  // Keeps a frame now and then, to measure with.
  void keep(const monitor::FrameResultPtr& result) {
    if (result->readyMs - keptMs_ < kKeepEveryMs) return;
    keptMs_ = result->readyMs;
    frames_.push_back(result->frame.picture);
    if (frames_.size() > kKept) frames_.pop_front();
  }

  // Does nothing without an engine.
  void begin() {
    const Live& live = session_.live();
    if (!live.engine()) return;
    if (frames_.empty()) {
      told_->setText(tr("There is no frame yet to measure with."));
      return;
    }
    button_->setText(tr("&Cancel"));
    progress_->setValue(0);
    progress_->setFormat(tr("%p%"));
    since_.start();
    progress_->setVisible(true);
    told_->setText(tr("Measuring ..."));
    measure({live.engine(), live.model(), tuneOptions(live), {frames_.begin(), frames_.end()}});
  }

  void cancel() { cancelled_ = true; }
  // Drops what was seen and measured; a measurement in progress is not shown.
  void clear() {
    cancel();
    frames_.clear();
    keptMs_ = -kKeepEveryMs;
    plot_->setPoints({});
    if (!running_) tellIdle();
  }

  static ParetoPoint pointOf(const TunedSchedule& schedule, const TunedSchedule& pick) {
    ParetoPoint point;
    point.label = blocksText(schedule.schedule);
    point.ms = schedule.ms;
    point.agreement = schedule.agreement * 100;
    point.onFront = schedule.onFront;
    point.full = schedule.schedule.empty();
    point.pick = schedule.schedule == pick.schedule;
    return point;
  }

  void tellIdle() {
    told_->setText(
        tr("Measures every schedule on the latest frames, without the scene memory. The live "
           "picture goes on, more slowly."));
  }

  struct Task {
    std::shared_ptr<monitor::Engine> engine;
    QString model;
    SegmenterOptions options;
    std::vector<cv::Mat> frames;
  };

  void measure(Task task) {
    if (thread_.joinable()) thread_.join();
    session_.setMeasuring(running_ = true);
    cancelled_ = false;
    thread_ = std::thread([this, task = std::move(task)]() mutable {
      std::shared_ptr<const Tuning> tuning;
      QString fault;
      try {
        tuning = std::make_shared<const Tuning>(tuned(task));
      } catch (const TuneStopped&) {
      } catch (const std::future_error&) {
        fault = tr("The source or the model changed during the measurement.");
      } catch (const std::exception& failure) {
        fault = QString::fromUtf8(failure.what());
      }
      task.engine.reset();
      QMetaObject::invokeMethod(this, [this, tuning, fault] { ended(tuning, fault); });
    });
  }

  Tuning tuned(const Task& task) {
    Segmenter segmenter(task.model.toStdString(), task.options);
    TuneOptions tune;
    tune.looks = 1;
    tune.close = 10;
    tune.rounds = 9;
    EngineRest rest(*task.engine);
    tune.progress = [this, &rest](double share) {
      if (!cancelled_) rest.breathe();
      QMetaObject::invokeMethod(progress_, [this, share] { showProgress(share); });
      return !cancelled_;
    };
    return tuneSchedules(segmenter, task.frames, tune);
  }

  void showProgress(double share) {
    progress_->setValue(static_cast<int>(share * 1000));
    if (share < kShareThatTells) return;
    const double leftMs = static_cast<double>(since_.elapsed()) * (1 - share) / share;
    progress_->setFormat(tr("%p%, about %1 left")
                             .arg(spokenAge(static_cast<qint64>(std::ceil(leftMs / 1000)) * 1000)));
  }

  void ended(const std::shared_ptr<const Tuning>& tuning, const QString& fault) {
    session_.setMeasuring(running_ = false);
    button_->setText(tr("&Tune"));
    progress_->setVisible(false);
    if (tuning && !cancelled_) return showTuning(*tuning);
    told_->setText(fault.isEmpty() ? tr("Cancelled.") : breakable(fault));
  }

  void showTuning(const Tuning& tuning) {
    const TunedSchedule& pick = fastestThatAgrees(tuning, tuning.floor);
    std::vector<ParetoPoint> points{pointOf(tuning.full, pick)};
    for (const TunedSchedule& schedule : tuning.schedules) {
      if (schedule.close && !schedule.schedule.empty()) points.push_back(pointOf(schedule, pick));
    }
    plot_->setPoints(std::move(points));
    const QLocale locale;
    const QString floor =
        tr("Unmerged, %1 of the pixels keep their label when the picture moves by one pixel.")
            .arg(percentText(tuning.floor * 100, 1, locale));
    told_->setText(unbroken(
        !tuning.pays ? tr("Merging does not pay off with this model on this machine.")
        : pick.schedule.empty()
            ? floor + ' ' +
                  tr("No clearly faster schedule agrees as well; the plot shows how well each "
                     "does.")
            : floor + ' ' +
                  tr("Merging before %1 is the fastest that agrees as well: it takes %2 of the "
                     "unmerged time, both without the scene memory. Click a point to use its "
                     "schedule.")
                      .arg(blocksText(pick.schedule), locale.toString(pick.ratio, 'f', 2))));
  }

  Session& session_;
  QPushButton* button_;
  QProgressBar* progress_;
  QLabel* told_;
  ParetoPlot* plot_;
  std::deque<cv::Mat> frames_;  // the last ones
  qint64 keptMs_ = -kKeepEveryMs;
  QElapsedTimer since_;  // it began to measure
  std::atomic<bool> cancelled_{false};
  bool running_ = false;
  std::thread thread_;
};

}  // namespace

SegmenterOptions tuneOptions(const Live& live) {
  SegmenterOptions options;
  options.read.precision = live.computing().precision.toStdString();
  options.read.device = live.computing().device.toStdString();
  options.fit = live.options().fit;
  options.confidence = false;
  return options;
}

QWidget* newTunePanel(Session& session) { return new TunePanel(session); }

}  // namespace mpm::gui
