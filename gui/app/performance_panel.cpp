// SPDX-License-Identifier: Apache-2.0
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QLocale>
#include <QVBoxLayout>
#include <cstdint>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "gui/app/frame_figures.h"
#include "gui/app/panels.h"
#include "gui/app/report.h"
#include "gui/plot/figure_tile.h"
#include "gui/plot/step_plot.h"
#include "monitor/engine/engine.h"

namespace mpm::gui {
namespace {

class PerformancePanel : public QWidget {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::PerformancePanel)

 public:
  explicit PerformancePanel(Session& session)
      : session_(session),
        fps_(new FigureTile(tr("Frames per second"))),
        age_(new FigureTile(tr("Frame age"))),
        tokens_(new FigureTile(tr("Tokens"))),
        share_(new FigureTile(tr("Merged"))),
        drops_(new FigureTile(tr("Dropped"))),
        memory_(new FigureTile(tr("Memory"))),
        processor_(new FigureTile(tr("Processor"))),
        steps_(new StepPlot({tr("Frame"), tr("Views"), tr("No frame has been timed yet."), false})),
        layers_(new StepPlot(
            {tr("Network"), tr("Merges"), tr("Nothing is known about the network's layers.")})) {
    steps_->setAccessibleName(tr("Where a frame's time goes"));
    layers_->setAccessibleName(tr("Where the network's time goes"));
    auto* tiles = new QHBoxLayout;
    tiles->setSpacing(6);
    for (FigureTile* tile : {fps_, age_, tokens_, share_, drops_, memory_, processor_}) {
      tiles->addWidget(tile);
    }
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(tiles, 2);
    auto* plots = new QHBoxLayout;
    plots->setSpacing(6);
    plots->addWidget(steps_, 2);
    plots->addWidget(layers_, 3);
    layout->addLayout(plots, 3);
    clock_.start();
    since_.start();
    before_ = processUse();
    connect(&session, &Session::shownChanged, this, &PerformancePanel::begin);
    connect(&session, &Session::ended, this, &PerformancePanel::begin);
    connect(&session, &Session::painted, this,
            [this](const monitor::FrameResultPtr& frame, double viewsMs) {
              newest_ = frame;
              times_.add(*frame, viewsMs);
            });
    connect(&session, &Session::looked, this, &PerformancePanel::look);
  }

 private:
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  static constexpr double kRateSeconds = 6;  // over which frames a second are counted
  static constexpr double kLateMs = 500;     // from here on a frame's age is told as a warning
  using Step = StepPlot::Step;

  void begin() {
    newest_.reset();
    looks_.clear();
    times_.clear();
    steps_->setSteps({});
    layers_->setSteps({});
    for (FigureTile* tile : {fps_, age_, tokens_, share_, drops_}) {
      tile->setValue(kUnknown, 0);
      tile->setNote({});
      tile->setState(FigureTile::State::plain);
    }
  }

  // Figures of a frame that is no longer live are marked old as well.
  void look(const Liveness& stands) {
    old_ = stands.oldMs.has_value();
    if (old_ || age_->state() == FigureTile::State::old) age_->setState(stateOf(false));
    for (FigureTile* tile : {tokens_, share_}) tile->setState(stateOf(false));
    if (const auto engine = session_.live().engine()) showFigures(*engine);
  }

  void showFigures(const monitor::Engine& engine) {
    const monitor::CaptureStatus capture = engine.capture();
    showRate(capture.fps, engine.frames());
    const bool any = capture.frames > 0;
    drops_->setValue(any ? static_cast<double>(capture.drops) : kUnknown, 0);
    drops_->setNote(
        any ? tr("of %1").arg(QLocale().toString(static_cast<qulonglong>(capture.frames)))
            : QString());
    showProcess();
    if (!newest_) return;
    const auto tokens = countTokens(*newest_);
    tokens_->setValue(tokens ? tokens->live : kUnknown, 0);
    tokens_->setNote(engine.blocks() == 0 ? tr("cannot merge")
                     : tokens             ? tr("of %1").arg(QLocale().toString(tokens->all, 'f', 0))
                                          : QString());
    share_->setValue(tokens ? (1 - tokens->live / tokens->all) * 100 : kUnknown, 1,
                     QStringLiteral("%"));
    if (!times_.empty()) showTimes(times_.means());
  }

  FigureTile::State stateOf(bool late) const {
    return old_   ? FigureTile::State::old
           : late ? FigureTile::State::warning
                  : FigureTile::State::plain;
  }

  // Returns a step's title, the text below it, and whether it is a merge.
  static Step stepOf(const NetworkStep& step) {
    switch (step.kind) {
      case NetworkStep::Kind::embedding:
        return {tr("Patch embedding"), tr("patch", "short for the embedding of patches"), step.ms,
                false};
      case NetworkStep::Kind::block:
        return {tr("Block %1").arg(step.block), QLocale().toString(step.block), step.ms, false};
      case NetworkStep::Kind::merge:
        return {tr("Merge before block %1").arg(step.block), tr("m", "a merge"), step.ms, true};
      case NetworkStep::Kind::restore:
        return {tr("Restore"), tr("restore"), step.ms, false};
      case NetworkStep::Kind::decoder:
        return {tr("Decoder"), tr("dec.", "short for decoder"), step.ms, false};
      case NetworkStep::Kind::head:
        return {tr("Head"), tr("head"), step.ms, false};
      case NetworkStep::Kind::rest:
        break;
    }
    return {tr("The rest"), tr("rest"), step.ms, false};
  }

  // Averages over some seconds, since a slow network takes a frame only now and then.
  void showRate(double given, std::uint64_t segmented) {
    const double now = static_cast<double>(clock_.elapsed()) / 1000;
    looks_.push_back({now, segmented});
    while (looks_.size() > 2 && now - looks_.front().seconds > kRateSeconds) looks_.pop_front();
    const Look& first = looks_.front();
    const Look& last = looks_.back();
    if (last.seconds <= first.seconds || last.frames < first.frames) return;
    fps_->setValue(static_cast<double>(last.frames - first.frames) / (last.seconds - first.seconds),
                   1);
    fps_->setNote(given > 0 ? tr("of %1").arg(QLocale().toString(given, 'f', 1)) : QString());
  }

  void showProcess() {
    const double seconds = static_cast<double>(since_.elapsed()) / 1000;
    if (seconds < 1) return;
    const ProcessUse now = processUse();
    memory_->setValue(now.memoryMb, 0, tr("MB"));
    processor_->setValue((now.cpuSeconds - before_.cpuSeconds) / seconds * 100, 0,
                         QStringLiteral("%"));
    processor_->setNote(tr("of a core"));
    before_ = now;
    since_.restart();
  }

  // All of them are means over the same frames. Bars that jump with every frame cannot be read. One
  // frame's age next to a mean of many could make a frame seem younger than its time.
  void showTimes(const FrameTimes::Means& means) {
    age_->setValue(means.ageMs, 0, tr("ms"));
    age_->setState(stateOf(means.ageMs > kLateMs));
    showSteps(means);
    showLayers(means.steps);
  }

  // Views are painted while the next frame is computed, so they are no part of a frame's time.
  void showSteps(const FrameTimes::Means& means) {
    const auto step = [](const QString& name, double ms, bool apart = false) {
      return Step{name, name, ms, apart};
    };
    steps_->setSteps(
        {step(tr("Prepare"), means.frame.prepareMs), step(tr("Network"), means.frame.networkMs),
         step(tr("Labels"), means.frame.labelsMs), step(tr("Views"), means.viewsMs, true)});
  }

  // Merges that are off copy their tokens; they form one column at the end.
  void showLayers(const std::vector<NetworkStep>& steps) {
    if (steps.size() < 2) return;  // nothing is known of OpenCV's own layers
    std::vector<Step> shown;
    Step off{tr("Merges that are off"), tr("off"), 0, true};
    bool anyOff = false;
    for (const NetworkStep& step : steps) {
      const bool isOff =
          step.kind == NetworkStep::Kind::merge && !times_.schedule().contains(step.block);
      if (isOff) off.ms += step.ms;
      anyOff = anyOff || isOff;
      if (!isOff) shown.push_back(stepOf(step));
    }
    if (anyOff) shown.push_back(std::move(off));
    layers_->setSteps(std::move(shown));
  }

  Session& session_;
  FigureTile *fps_, *age_, *tokens_, *share_, *drops_, *memory_, *processor_;
  StepPlot *steps_, *layers_;
  FrameTimes times_;
  monitor::FrameResultPtr newest_;  // of the source that is shown
  struct Look {
    double seconds = 0;
    std::uint64_t frames = 0;
  };

  std::deque<Look> looks_;  // at what was segmented, over the last seconds
  bool old_ = false;
  QElapsedTimer clock_, since_;
  ProcessUse before_;
};

}  // namespace

QWidget* newPerformancePanel(Session& session) { return new PerformancePanel(session); }

}  // namespace mpm::gui
