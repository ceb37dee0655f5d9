// SPDX-License-Identifier: Apache-2.0
#include <QCheckBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gui/app/history.h"
#include "gui/app/panels.h"
#include "gui/plot/day_night_sentence.h"
#include "gui/plot/histogram_plot.h"
#include "gui/plot/time_plot.h"
#include "gui/unbroken.h"
#include "gui/why_not_merging.h"
#include "models/scenes/sensor.h"
#include "monitor/engine/engine.h"

namespace mpm::gui {
namespace {

class DayNightPanel : public QWidget {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::DayNightPanel)

 public:
  explicit DayNightPanel(Session& session)
      : session_(session),
        sentence_(new QLabel),
        tokens_(new TimePlot),
        distributions_(new HistogramPlot) {
    QFont large = sentence_->font();
    large.setPointSizeF(large.pointSizeF() * 1.15);
    sentence_->setFont(large);
    sentence_->setWordWrap(true);
    sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    sentence_->setAccessibleName(tr("Day and night"));
    tokens_->setObjectName("Tokens");
    tokens_->setAccessibleName(tr("Tokens over time"));
    tokens_->setClock([this] { return session_.nowUtcMs(); });
    tokens_->setSource(&series_);
    distributions_->setAccessibleName(tr("Tokens and latency by light"));

    auto* plots = new QSplitter(Qt::Horizontal);
    plots->addWidget(tokens_);
    plots->addWidget(distributions_);
    plots->setStretchFactor(0, 3);
    plots->setStretchFactor(1, 2);
    plots->setChildrenCollapsible(false);
    auto* controls = new QHBoxLayout;
    controls->addWidget(spanButtons());
    controls->addStretch(1);  // labels stay beside their sliders
    controls->addWidget(nightBox());
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(sentence_);
    layout->addWidget(plots, 1);
    layout->addLayout(controls);

    connect(&history_, &DayNightHistory::changed, this, [this] {
      showLines();
      refresh();
    });
    timer_.setInterval(2000);
    connect(&timer_, &QTimer::timeout, this, [this] {
      if (isVisible() || ++hiddenFor_ % kSeldom == 0) refresh();
    });
    timer_.start();
    tokens_->setSpan(session_.settings().plotSpanMs);
    connect(tokens_, &TimePlot::spanChanged, this,
            [this](qint64 spanMs) { session_.settings().plotSpanMs = spanMs; });
    connect(&session_, &Session::shownChanged, this, &DayNightPanel::begin);
    connect(&session_.live(), &Live::closing, this, [this] { watch(nullptr, {}, {}, {}); });
    connect(&session_, &Session::happened, this,
            [this](std::size_t source, const monitor::Event& event) {
              if (source == session_.live().shown()) history_.hear(event);
            });
    connect(&session_, &Session::looked, this,
            [this](const Liveness& stands) { tokens_->setComing(stands.isLive); });
    connect(&session_, &Session::momentWanted, tokens_, &TimePlot::lookAt);
    refresh();
  }

 protected:
  void showEvent(QShowEvent* event) override {
    QWidget::showEvent(event);
    refresh();  // or it says for two seconds that nothing was measured
  }

 private:
  static constexpr std::int64_t kMinuteMs = 60000, kDayMs = 86400000;
  static constexpr int kAroundWord = 16;
  static constexpr int kSeldom = 5;  // one in so many refreshes, for who asks while it is hidden

  // Another camera begins live and without the night of the one before, which gets its day back.
  void begin() {
    const auto engine = session_.live().engine();
    const QString source = session_.recordedAs();
    const bool isOther = engine_ != engine;
    if (isOther && engine_) engine_->setFilter({});
    if (source_ != source) {
      source_ = source;
      setNight({});
      tokens_->goLive();
    }
    watch(engine, session_.settings().live.record, source, session_.run());
    if (isOther) engine->setFilter(nightFilter(night_));
  }

  void watch(const std::shared_ptr<monitor::Engine>& engine, const QString& record,
             const QString& source, const monitor::PastRun& run) {
    engine_ = engine;
    series_.setEngine(engine_, record, source, run.begunUtcMs);
    history_.setEngine(engine_, record, source, run);
    showLines();
    refresh();
  }

  void setNight(const NightSettings& night) {
    night_ = night;
    const QSignalBlocker quietOn(nightOn_), quietLight(luminosity_), quietNoise(noise_);
    nightOn_->setChecked(night.on);
    luminosity_->setValue(static_cast<int>(std::lround(night.luminosity * 100)));
    noise_->setValue(static_cast<int>(std::lround(night.noise * 100)));
    luminosity_->setEnabled(night.on);
    noise_->setEnabled(night.on);
  }

  // The sentence and the distributions follow every two seconds while they are visible. Hidden, the
  // sentence and the known nights follow every ten.
  void refresh() {
    if (!engine_) {
      sentence_->setText(tr("No source is open."));
      distributions_->setPanels({}, monitor::Resolution::second);
      return;
    }
    if (engine_->blocks() == 0) {
      sentence_->setText(
          tr("This model cannot merge: %1.").arg(WhyNotMerging::words(engine_->reason())));
    }
    const bool merges = engine_->blocks() > 0;
    const KnownNights known = history_.known();
    emit session_.nightsKnown(known);
    if (merges) {
      const QString sentence =
          unbroken(dayNightSentence(known.tokens, known.tokensBefore, QLocale()));
      sentence_->setText(history_.way().filtered
                             ? tr("A simulated night is shown; it is not counted. %1").arg(sentence)
                             : sentence);
    }
    if (!isVisible()) return;
    std::vector<HistogramPlot::Panel> panels;
    if (merges)
      panels.push_back(
          panelOf(known, KnownNights::kTokens, {tr("Tokens"), tr("tokens"), "live_tokens", {}}));
    if (!session_.live().options().replay)  // which tells no times
      panels.push_back(
          panelOf(known, KnownNights::kNetworkMs, {tr("Network"), tr("ms"), "ms.network", {}}));
    distributions_->setPanels(std::move(panels), known.resolution);
  }

  static HistogramPlot::Panel panelOf(const KnownNights& known, KnownNights::Metric metric,
                                      HistogramPlot::Panel panel) {
    for (const monitor::LightState light : monitor::kAllLightStates) {
      if (auto shape = shapeOf(light, known.means[metric][static_cast<std::size_t>(light)]))
        panel.shapes.push_back(std::move(*shape));
    }
    return panel;
  }

  // Shows the lines that the current schedule has.
  void showLines() {
    std::vector<TimePlot::Line> lines;
    const bool merges = engine_ && engine_->blocks() > 0;
    if (merges) {
      lines.push_back({QStringLiteral("live_tokens"), tr("After all merges")});
      if (engine_->schedule().size() > 1)
        lines.push_back({QStringLiteral("tokens.1"), tr("After the first")});
      lines.push_back({QStringLiteral("tokens.0"), tr("Before")});
      if (engine_->memoryFault().empty())
        lines.push_back({QStringLiteral("fresh_rows"), tr("Recomputed")});
    } else if (engine_) {
      lines.push_back({QStringLiteral("ms.network"), tr("Network")});
    }
    tokens_->setLines(std::move(lines), engine_ && !merges ? tr("ms") : tr("tokens"));
    tokens_->setMarks(history_.marks());
  }

  QWidget* spanButtons() {
    auto* box = new QWidget;
    auto* layout = new QHBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    const std::array<std::pair<QString, std::int64_t>, 6> spans{{{tr("Minute"), kMinuteMs},
                                                                 {tr("10 minutes"), 10 * kMinuteMs},
                                                                 {tr("Day"), kDayMs},
                                                                 {tr("Week"), 7 * kDayMs},
                                                                 {tr("Month"), 31 * kDayMs},
                                                                 {tr("Year"), 366 * kDayMs}}};
    for (const auto& [text, spanMs] : spans) {
      auto* button = new QPushButton(text);
      button->setAccessibleDescription(tr("Shows this much time up to now"));
      // A button is at least as wide as its word: in German all of them fill a small window.
      button->setMinimumWidth(button->fontMetrics().horizontalAdvance(text) + kAroundWord);
      button->setCheckable(true);
      connect(button, &QPushButton::clicked, this, [this, button, span = spanMs] {
        button->setChecked(true);  // a second click unchecks it, and changes no span
        tokens_->goLive();
        tokens_->setSpan(span);
      });
      connect(tokens_, &TimePlot::spanChanged, button,
              [button, span = spanMs](qint64 shownMs) { button->setChecked(shownMs == span); });
      layout->addWidget(button);
    }
    return box;
  }

  QWidget* nightBox() {
    auto* box = new QWidget;
    auto* layout = new QHBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    nightOn_ = new QCheckBox(tr("Simulate &night"));
    nightOn_->setToolTip(
        tr("Less light and more noise, as in the paper, on any source. Rules wait meanwhile."));
    luminosity_ = new QSlider(Qt::Horizontal);
    luminosity_->setRange(1, 100);
    luminosity_->setAccessibleName(tr("Remaining light"));
    noise_ = new QSlider(Qt::Horizontal);
    noise_->setRange(0, 100);
    noise_->setAccessibleName(tr("Noise"));
    layout->addWidget(nightOn_);
    for (const auto& [text, slider] :
         {std::pair{tr("Light"), luminosity_}, {tr("Noise"), noise_}}) {
      slider->setMinimumWidth(50);  // in a narrow window before words are cut
      slider->setMaximumWidth(70);  // nor are buttons narrower than theirs for it
      layout->addWidget(new QLabel(text));
      layout->addWidget(slider);
      connect(slider, &QSlider::valueChanged, this, &DayNightPanel::nightMoved);
    }
    connect(nightOn_, &QCheckBox::toggled, this, &DayNightPanel::nightMoved);
    setNight({});
    return box;
  }

  void nightMoved() {
    night_ = {nightOn_->isChecked(), luminosity_->value() / 100.0, noise_->value() / 100.0};
    luminosity_->setEnabled(night_.on);
    noise_->setEnabled(night_.on);
    if (engine_) engine_->setFilter(nightFilter(night_));
  }

  Session& session_;
  std::shared_ptr<monitor::Engine> engine_;
  QString source_;  // that was watched last
  EngineSeries series_;
  DayNightHistory history_;
  QLabel* sentence_;
  TimePlot* tokens_;
  HistogramPlot* distributions_;
  QCheckBox* nightOn_ = nullptr;
  QSlider *luminosity_ = nullptr, *noise_ = nullptr;
  NightSettings night_;
  QTimer timer_;
  int hiddenFor_ = 0;  // of its turns
};

}  // namespace

std::function<cv::Mat(const cv::Mat&)> nightFilter(const NightSettings& settings) {
  if (!settings.on) return {};
  scenes::NightOptions options;
  const double noise = std::clamp(settings.noise, 0.0, 1.0);
  options.luminosity = std::clamp(settings.luminosity, 0.01, 1.0);
  options.thermal = 0.012 * noise;
  options.electrons = 20000 * std::pow(0.005, noise);  // 20 000 down to 100
  const auto night = std::make_shared<const scenes::PaperNight>(options);
  const auto frame = std::make_shared<std::uint64_t>(0);
  return [night, frame](const cv::Mat& picture) {
    cv::Mat dark = picture.clone();
    night->darken(dark, (*frame)++);
    return dark;
  };
}

QWidget* newDayNightPanel(Session& session) { return new DayNightPanel(session); }

}  // namespace mpm::gui
