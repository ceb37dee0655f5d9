// SPDX-License-Identifier: Apache-2.0
// What people have who watch a place: what is there in words, what to do where the model does not
// know it, and shares of classes over today.
#include <QApplication>
#include <QCoreApplication>
#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gui/app/history.h"
#include "gui/app/panels.h"
#include "gui/plot/colours.h"
#include "gui/plot/time_plot.h"
#include "gui/unbroken.h"

namespace mpm::gui {
namespace {

constexpr int kMostLines = 8, kChooseEveryMs = 5000;
constexpr qint64 kMinuteMs = 60'000;
// The plot spans the figures' time, rounded up to one of these.
constexpr std::array<qint64, 5> kSpans{kMinuteMs, 10 * kMinuteMs, 60 * kMinuteMs, 360 * kMinuteMs,
                                       1440 * kMinuteMs};

class Headline : public Strip {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Headline)

 public:
  explicit Headline(Session& session) : Strip(kHeight), session_(session) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->setSpacing(6);
    there_ = addTile(*layout, tr("What is there?"), 4);
    live_ = addTile(*layout, tr("How live is it?"), 3);
    knows_ = addTile(*layout, tr("Does it know this place?"), 4);
    enlargeWords();
    setAccessibleName(tr("At a glance"));
    connect(&session_, &Session::looked, this, [this](const Liveness& stands) {
      const auto engine = session_.live().engine();
      if (engine && isVisible()) show(*engine, stands);
    });
    connect(&session_, &Session::frameTold, this, [this] { asked_ = 0; });
    connect(&session_, &Session::ended, this, [this] {
      asked_ = 0;
      say(there_, QStringLiteral("–"), tr("nothing is watched"));
      for (const Tile* tile : {&live_, &knows_}) say(*tile, QStringLiteral("–"), {});
    });
  }

 protected:
  void changeEvent(QEvent* event) override {
    Strip::changeEvent(event);
    if (event->type() == QEvent::FontChange) enlargeWords();
  }

 private:
  static constexpr int kHeight = 76, kEvery = 4;  // words that change more often cannot be read
  static constexpr std::size_t kMostNamed = 3;

  struct Tile {
    QFrame* box = nullptr;
    QLabel *words = nullptr, *note = nullptr;
  };

  static Tile addTile(QHBoxLayout& row, const QString& name, int stretch) {
    auto* title = new QLabel(name);
    Tile tile{new QFrame, new QLabel, new QLabel};
    tile.box->setFrameShape(QFrame::StyledPanel);
    tile.box->setAccessibleName(name);
    auto* column = new QVBoxLayout(tile.box);
    column->setContentsMargins(10, 4, 10, 4);
    column->setSpacing(0);
    for (QLabel* label : {title, tile.words, tile.note}) {
      label->setTextFormat(Qt::PlainText);
      label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
      column->addWidget(label);
      if (label == tile.words) continue;
      QPalette quiet = label->palette();
      quiet.setColor(QPalette::WindowText, quietTextColour(quiet));
      label->setPalette(quiet);
    }
    row.addWidget(tile.box, stretch);
    return tile;
  }

  void enlargeWords() {
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.35);
    large.setBold(true);
    for (const Tile* tile : {&there_, &live_, &knows_})
      if (tile->words != nullptr) tile->words->setFont(large);
  }

  static void say(const Tile& tile, const QString& words, const QString& note) {
    for (const auto& [label, text] : {std::pair(tile.words, words), std::pair(tile.note, note)}) {
      label->setText(label->fontMetrics().elidedText(text, Qt::ElideRight, label->width()));
      label->setToolTip(text);
    }
    tile.box->setAccessibleDescription(words + QStringLiteral(". ") + note);
  }

  void show(const monitor::Engine& engine, const Liveness& stands) {
    sayPlace();  // at once, as the banner does
    if (asked_++ % kEvery != 0) return;
    const QLocale locale;
    const auto& told = session_.told();
    const SeenLately seen = told ? seenLately(engine, *told, session_.classes()) : SeenLately();
    ThereWords there{QStringLiteral("–"), {}};
    for (std::size_t named = told ? kMostNamed : 0; named > 0; --named) {
      there = thereWords(seen.shares, locale, named);
      if (there_.words->fontMetrics().horizontalAdvance(there.words) <= there_.words->width())
        break;
    }
    const bool isGuess = session_.sceneWatch().place() == SceneWatch::Place::strange;
    say(there_, there.words, isGuess ? tr("a guess: an unknown place") : there.note);
    if (!stands.isLive) return say(live_, stands.state, stands.reason);
    const QString rate = rateWords(seen.perSecond, locale);
    say(live_, rate.isEmpty() ? stands.state : rate, lateWords(seen.lateMs, locale));
  }

  static QString rateWords(double perSecond, const QLocale& locale) {
    if (perSecond <= 0) return {};
    if (perSecond >= 0.95)
      return tr("%1 frames/s").arg(locale.toString(perSecond, 'f', perSecond < 9.95 ? 1 : 0));
    return tr("a frame every %1 s").arg(locale.toString(1 / perSecond, 'f', 0));
  }

  static QString lateWords(double lateMs, const QLocale& locale) {
    constexpr double kLeastMs = 50;
    if (!std::isfinite(lateMs)) return {};
    return lateMs < kLeastMs ? tr("less than %1 s late").arg(locale.toString(0.1))
                             : tr("%1 s late").arg(locale.toString(lateMs / 1000, 'f', 1));
  }

  void sayPlace() {
    const SceneWatch& scene = session_.sceneWatch();
    switch (scene.place()) {
      case SceneWatch::Place::known:
        return say(knows_, tr("Yes"), scene.sureWords());
      case SceneWatch::Place::strange:
        return say(knows_, tr("No"), scene.sureWords());
      case SceneWatch::Place::untold:
        return say(knows_, tr("Unknown"), tr("its file does not say"));
      case SceneWatch::Place::notYet:
        break;
    }
    say(knows_, tr("Looking ..."), tr("known in half a minute"));
  }

  Session& session_;
  Tile there_, live_, knows_;
  int asked_ = 0;
};

class Banner : public QFrame {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::PlaceBanner)

 public:
  explicit Banner(Session& session)
      : session_(session),
        words_(new QLabel),
        teach_(new QPushButton(tr("Teach it (5 minutes)"))),
        source_(new QPushButton(tr("Choose another source"))) {
    setAutoFillBackground(true);
    QPalette warning = palette();
    warning.setColor(QPalette::Window, QColor(0xff, 0xc8, 0x57));
    for (const auto role : {QPalette::WindowText, QPalette::Text})
      warning.setColor(role, QColor(0x20, 0x1a, 0x08));
    setPalette(warning);
    QFont large = words_->font();
    large.setBold(true);
    words_->setFont(large);
    words_->setWordWrap(true);
    words_->setTextFormat(Qt::PlainText);
    auto* model = new QPushButton(tr("Choose another model"));
    auto* close = new QToolButton;
    close->setText(QStringLiteral("×"));
    close->setAutoRaise(true);
    close->setPalette(warning);
    close->setAccessibleName(tr("Close"));
    for (QWidget* button : {teach_, source_, model}) button->setPalette(QApplication::palette());
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 6, 6);
    row->addWidget(words_, 1);
    for (QPushButton* button : {teach_, source_, model}) row->addWidget(button);
    row->addWidget(close);
    connect(teach_, &QPushButton::clicked, &session_, &Session::teachWanted);
    connect(source_, &QPushButton::clicked, &session_, &Session::sourceWanted);
    connect(model, &QPushButton::clicked, &session_, &Session::modelWanted);
    connect(close, &QToolButton::clicked, this, [this] {
      closedFor_ = about_;
      hide();
    });
    connect(&session_, &Session::looked, this, &Banner::look);
    connect(&session_, &Session::ended, this, [this](const QString& why) {
      offer(true, why, session_.settings().live.model + QLatin1Char('\n') + why);
      teach_->hide();  // nothing can be painted on
      source_->show();
    });
    hide();
  }

 private:
  void look() {
    const bool isStrange = session_.live().engine() && session_.face() == Face::watch &&
                           session_.sceneWatch().place() == SceneWatch::Place::strange;
    offer(isStrange && !window()->isFullScreen(), tr("This model does not know your place."),
          session_.live().model() + QLatin1Char('\n') + session_.live().shownAddress());
    teach_->show();
    source_->hide();
  }

  // `about`: once closed by hand, the banner stays closed for it.
  void offer(bool wanted, const QString& words, const QString& about) {
    about_ = about;
    words_->setText(breakable(words));
    setVisible(wanted && closedFor_ != about);
  }

  Session& session_;
  QLabel* words_;
  QPushButton *teach_, *source_;
  QString about_, closedFor_;
};

// Provides shares as percent.
class Percent : public SeriesSource {
 public:
  explicit Percent(EngineSeries& shares) : shares_(shares) {
    connect(&shares_, &SeriesSource::changed, this, &SeriesSource::changed);
  }
  std::vector<PlotBucket> buckets(const QString& metric, monitor::Resolution resolution,
                                  std::int64_t fromUtcMs, std::int64_t toUtcMs) override {
    std::vector<PlotBucket> list = shares_.buckets(metric, resolution, fromUtcMs, toUtcMs);
    for (PlotBucket& bucket : list)
      for (double* value : {&bucket.mean, &bucket.smallest, &bucket.largest}) *value *= 100;
    return list;
  }
  std::optional<std::int64_t> oldestUtcMs(monitor::Resolution resolution) const override {
    return shares_.oldestUtcMs(resolution);
  }

 private:
  EngineSeries& shares_;
};

class SharesPanel : public QWidget {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::SharesPanel)

 public:
  explicit SharesPanel(Session& session) : session_(session), plot_(new TimePlot) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(plot_);
    setFocusProxy(plot_);
    plot_->setAccessibleName(tr("Shares of the picture over time"));
    plot_->setClock([this] { return session_.nowUtcMs(); });
    plot_->setSource(&percent_);
    connect(&session_.classes(), &ClassSettings::changed, this, &SharesPanel::choose);
    connect(&session_.classes(), &ClassSettings::classesReset, this, &SharesPanel::choose);
    connect(&session_, &Session::shownChanged, this, [this] {
      watch(session_.live().engine(), session_.recordedAs(), session_.run().begunUtcMs);
    });
    connect(&session_.live(), &Live::closing, this, [this] { watch(nullptr, {}, 0); });
    connect(&session_, &Session::looked, this,
            [this](const Liveness& stands) { plot_->setComing(stands.isLive); });
    connect(&session_, &Session::momentWanted, plot_, &TimePlot::lookAt);
    later_.setInterval(kChooseEveryMs);
    connect(&later_, &QTimer::timeout, this, [this] {
      if (!isVisible()) return;
      choose();
      followTime();
    });
    later_.start();
  }

  ~SharesPanel() override { plot_->setSource(nullptr); }

 private:
  void watch(const std::shared_ptr<monitor::Engine>& engine, const QString& source,
             std::int64_t begunUtcMs) {
    engine_ = engine;
    series_.setEngine(engine_, session_.settings().live.record, source, begunUtcMs);
    choose();
    followTime();
  }

  // Chooses the classes that covered most lately; each keeps its place among the lines.
  void choose() {
    struct Share {
      int index;
      QString metric;
      double mean;
    };
    const ClassSettings& classes = session_.classes();
    std::vector<Share> shares;
    if (engine_) {
      const auto& names = engine_->metrics().parsed();
      engine_->readStatistics([&](const monitor::Statistics& statistics) {
        const auto& minutes = statistics.series().buckets(monitor::Resolution::minute);
        int index = 0;
        for (std::size_t i = 0; i < names.size(); ++i) {
          if (names[i].kind != monitor::MetricKind::area || !names[i].zone.empty()) continue;
          monitor::Tally all;
          for (const monitor::Bucket& minute : minutes) all.add(minute.tallies[i]);
          if (all.count > 0 && all.largest > 0 && classes.shows(index))
            shares.push_back({index, QString::fromStdString(names[i].text()), all.mean()});
          ++index;
        }
      });
    }
    std::stable_sort(shares.begin(), shares.end(),
                     [](const Share& a, const Share& b) { return a.mean > b.mean; });
    if (shares.size() > kMostLines) shares.resize(kMostLines);
    std::sort(shares.begin(), shares.end(),
              [](const Share& a, const Share& b) { return a.index < b.index; });
    std::vector<TimePlot::Line> lines;
    for (const Share& share : shares)
      lines.push_back({share.metric, classes.name(share.index), classes.colour(share.index)});
    plot_->setLines(std::move(lines), QStringLiteral("%"));
  }

  // Follows the time until the user chooses another span.
  void followTime() {
    // Seconds are kept for a shorter time.
    auto oldest = percent_.oldestUtcMs(monitor::Resolution::second);
    if (const auto minute = percent_.oldestUtcMs(monitor::Resolution::minute);
        oldest && minute && *minute < *oldest - kMinuteMs)
      oldest = minute;
    const TimeWindow& window = plot_->timeWindow();
    if (!oldest || !window.live() || (span_ != 0 && window.span() != span_)) return;
    const qint64 since = session_.nowUtcMs() - *oldest;
    const auto next =
        std::find_if(kSpans.begin(), kSpans.end() - 1, [&](qint64 span) { return span >= since; });
    span_ = *next;
    plot_->setSpan(span_);
  }

  Session& session_;
  TimePlot* plot_;
  EngineSeries series_;
  Percent percent_{series_};
  std::shared_ptr<monitor::Engine> engine_;
  qint64 span_ = 0;  // that was set here
  QTimer later_;
};

}  // namespace

Strip* newHeadline(Session& session) { return new Headline(session); }
QWidget* newBanner(Session& session) { return new Banner(session); }
QWidget* newSharesPanel(Session& session) { return new SharesPanel(session); }

}  // namespace mpm::gui
