// SPDX-License-Identifier: Apache-2.0
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "gui/app/frame_figures.h"
#include "gui/app/history.h"
#include "gui/app/panels.h"
#include "gui/canvas/captions.h"
#include "gui/plot/day_night_sentence.h"
#include "gui/plot/figure_tile.h"
#include "mpm/tune.h"
#include "tune/median.h"

namespace mpm::gui {
namespace {

/// Recent savings by merging and the memory in one source's frames. It restarts when the schedule,
/// the memory or a simulated night changes.
class GlanceFigures {
 public:
  using Line = std::deque<double>;

  /// Adds a new frame. `compared` is the newest one that also ran unmerged, or null. While
  /// `measuring` times schedules at the same time, the frame's duration does not count.
  void add(const monitor::FrameResult& newest, const monitor::FrameResultPtr& compared,
           bool measuring = false) {
    if (newest.schedule != schedule_ || newest.remembers != remembers_ ||
        newest.filtered != filtered_) {
      *this = {};
      schedule_ = newest.schedule;
      remembers_ = newest.remembers;
      filtered_ = newest.filtered;
    }
    any_ = true;
    if (remembers_) {
      memory_ = newest.segmentation.memory;
      keep(fresh_, 100.0 * memory_.fresh / memory_.rows, kFrames);
    }
    if (merges()) addTokens(newest);
    if (!merges() && !remembers_) return;
    if (!measuring) keep(ms_, frameMs(newest.segmentation.times), kFrames);
    if (!compared || !compared->full || !monitor::computedAlike(*compared, newest) ||
        compared == compared_.lock())
      return;
    compared_ = compared;
    if (!measuring) addPair(*compared);
    keep(same_, agreementOf(compared->full->labels, compared->segmentation.labels) * 100, kFrames);
    if (compared->floor) keep(floor_, *compared->floor * 100, kComparisons);
  }

  /// Returns the percentage of tokens that merging saves.
  static double fewerOf(const LiveTokens& count) { return (1 - count.live / count.all) * 100; }

  bool any() const { return any_; }  ///< whether a frame came at all
  bool merges() const { return !schedule_.empty(); }
  bool remembers() const { return remembers_; }
  const MemoryReport& memory() const { return memory_; }  ///< of the newest frame
  const std::optional<LiveTokens>& tokens() const { return tokens_; }
  /// Tells whether frames also ran unmerged; all functions below need that.
  bool compares() const { return !less_.empty(); }
  /// Returns a frame's time: with a memory the mean of recent ones but the first, else of those
  /// that were compared.
  double nowMs() const {
    if (!remembers_) return medianOf(full_) * shareOfTime();
    return std::accumulate(ms_.begin() + 1, ms_.end(), 0.0) / static_cast<double>(ms_.size() - 1);
  }
  double fullMs() const { return nowMs() / shareOfTime(); }
  /// Median percentage of the time that is saved, and the range that holds it about 19 times in 20.
  /// Each comparison measures both sides under the same load.
  double lessTime() const { return medianOf(less_); }
  tune::MedianRange lessTimeRange() const {
    return tune::medianRange({less_.begin(), less_.end()});
  }

  /// Percentage of tokens that merging saves and percentage computed; of compared frames,
  /// percentage of time saved and label agreement.
  const Line& fewer() const { return fewer_; }
  const Line& fresh() const { return fresh_; }
  const Line& less() const { return less_; }
  const Line& same() const { return same_; }
  /// Returns the label agreement of unmerged frames under a shift by one pixel; std::nullopt if not
  /// known yet.
  std::optional<double> floor() const {
    return floor_.empty() ? std::nullopt : std::optional(medianOf(floor_));
  }

 private:
  static constexpr std::size_t kFrames = kFramesLately, kComparisons = 9, kAround = 8;

  static void keep(Line& values, double value, std::size_t most) {
    values.push_back(value);
    if (values.size() > most) values.pop_front();
  }

  static double medianOf(const Line& values) {
    return tune::median({values.begin(), values.end()});
  }

  double shareOfTime() const { return 1 - medianOf(less_) / 100; }

  // Adds a comparison, except the first, which also allocates buffers. With a memory frames differ
  // by how much moves. Their time is then the mean of the last few, without the source's first, a
  // full frame.
  void addPair(const monitor::FrameResult& compared) {
    if (std::exchange(pairs_, pairs_ + 1) == 0) return;
    const double full = frameMs(compared.full->times);
    double now = frameMs(compared.segmentation.times);
    if (remembers_ && ms_.size() > 1) {
      const std::size_t frames = std::min(kAround, ms_.size() - 1);
      const auto first = ms_.end() - static_cast<std::ptrdiff_t>(frames);
      now = std::accumulate(first, ms_.end(), 0.0) / static_cast<double>(frames);
    }
    keep(full_, full, kComparisons);
    keep(less_, (1 - now / full) * 100, kComparisons);
  }

  // Uses the newest frame that has counts, with its age, if there is a memory.
  void addTokens(const monitor::FrameResult& newest) {
    const auto count = countTokens(newest);
    if (!count) return;
    const monitor::FrameResult& told = newest.merged ? *newest.merged : newest;
    const std::pair number(told.frame.number, told.frame.taken.steadyMs);
    if (!remembers_ || counted_ != number) keep(fewer_, fewerOf(*count), kFrames);
    counted_ = number;
    tokens_ = count;
  }

  bool any_ = false, remembers_ = false, filtered_ = false;
  Schedule schedule_;
  MemoryReport memory_{};
  std::optional<LiveTokens> tokens_;
  std::pair<std::uint64_t, std::int64_t> counted_;      // the frame whose tokens were counted last
  std::weak_ptr<const monitor::FrameResult> compared_;  // the newest that was
  int pairs_ = 0;
  Line fewer_, fresh_, ms_, full_, less_, same_, floor_;  // of ms_ and full_: milliseconds
};

class GlanceStrip : public Strip {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::GlanceStrip)

 public:
  explicit GlanceStrip(Session& session)
      : Strip(kHeight),
        session_(session),
        tokens_(new FigureTile(tr("Fewer tokens"))),
        computed_(new FigureTile(tr("Recomputed"))),
        time_(new FigureTile(tr("Less time"))),
        labels_(new FigureTile(tr("Label agreement"))),
        night_(new FigureTile(tr("Tokens at night"))) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->setSpacing(6);
    for (FigureTile* tile : tiles()) {
      layout->addWidget(tile);
      connect(tile, &FigureTile::followed, &session, &Session::panelWanted);
    }
    explain();
    setAccessibleName(tr("What merging and the scene memory save"));
    connect(&session, &Session::began, this, &GlanceStrip::begin);
    connect(&session, &Session::shownChanged, this, &GlanceStrip::showChosen);
    connect(&session, &Session::ended, this, &GlanceStrip::end);
    connect(&session, &Session::came, this, &GlanceStrip::add);
    connect(&session, &Session::nightsKnown, this, &GlanceStrip::showNights);
    connect(&session, &Session::looked, this, [this](const Liveness& stands) {
      setOld(stands.oldMs.has_value());
      emit session_.savingKnown(saving());
    });
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QWidget::resizeEvent(event);
    layout()->activate();
    makeAlikeAnew();
  }

 private:
  static constexpr int kHeight = 84;
  static constexpr double kSameRange = 2;  // percent: a tenth of one is no fall
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  // Figures of a camera begin again with another engine.
  void begin(const monitor::Engines& engines) {
    std::vector<Camera> cameras;
    for (const auto& engine : engines) {
      const auto before = std::find_if(cameras_.begin(), cameras_.end(), [&](const Camera& camera) {
        return camera.engine.lock() == engine;
      });
      cameras.push_back(before == cameras_.end()
                            ? Camera{engine, engine->blocks() > 0, engine->memoryFault().empty()}
                            : *before);
    }
    cameras_ = std::move(cameras);
    showChosen();
  }

  void showChosen() {
    shown_ = session_.live().shown();
    const auto& [engine, merges, canRemember, figures] = cameras_[shown_];
    merges_ = merges;
    canRemember_ = canRemember;
    setOld(false);
    const QString waiting = tr("waiting for a frame"), cannot = tr("this model cannot merge");
    showNothing(merges_ ? waiting : cannot);
    showNothing(*computed_, canRemember_ ? waiting : tr("this model cannot remember"));
    showNothing(*night_, merges_ ? tr("nothing measured yet") : cannot);
    if (figures.any()) show();
    makeAlikeAnew();
  }

  // Ends the display: no source is watched.
  void end() {
    setOld(false);
    for (FigureTile* tile : tiles()) showNothing(*tile, tr("nothing is watched"));
    makeAlikeAnew();
  }

  // Figures of a frame that is no longer live are marked old as well. The age of its token counts
  // is left out, as it was measured against that frame and not against the present.
  void setOld(bool old) {
    for (FigureTile* tile : {tokens_, computed_, time_, labels_})
      tile->setState(old ? FigureTile::State::old : FigureTile::State::plain);
    if (std::exchange(old_, old) == old || shown_ >= cameras_.size()) return;
    if (cameras_[shown_].figures.any()) show();
  }

  void add(const monitor::FrameResultPtr& newest, const monitor::FrameResultPtr& compared,
           std::size_t source) {
    if (!cameras_[source].merges && !newest->remembers) return;
    cameras_[source].figures.add(*newest, compared, session_.isMeasuring());
    if (source == shown_) show();
    makeAlike();
  }

  // Shows what is known of days and nights.
  void showNights(const KnownNights& known) {
    if (!merges_) return;
    const auto meanOf = [](const monitor::Running& shown) {
      return shown.count() > 0 ? shown.mean() : kUnknown;
    };
    const double day = meanOf(shownDay(known.tokens)), night = meanOf(shownNight(known.tokens));
    night_->setValue(night, 0);
    night_->setTrend(known.atNight);
    const QString byDay =
        std::isnan(day) ? tr("none by day yet") : tr("%1 by day").arg(number(day));
    night_->setNote(!std::isnan(night) ? byDay
                    : std::isnan(day)  ? tr("none by day or night yet")
                                       : tr("none at night yet; %1").arg(byDay));
    makeAlike();
  }

  // Returns the share of time that merging and memory save, in words; empty if not known yet.
  QString saving() const {
    if (shown_ >= cameras_.size() || !cameras_[shown_].figures.compares()) return {};
    const GlanceFigures& figures = cameras_[shown_].figures;
    constexpr double kNoticed = 1.05;
    const double times = figures.fullMs() / figures.nowMs();
    if (!(times >= kNoticed)) return tr("merging saves no time here");
    const QString words = !figures.remembers() ? tr("merging: %1 times as fast")
                          : !figures.merges()  ? tr("memory: %1 times as fast")
                                               : tr("merging and memory: %1 times as fast");
    return words.arg(number(times, 1));
  }

  std::array<FigureTile*, 5> tiles() const { return {tokens_, computed_, time_, labels_, night_}; }

  // Aligns the digits of all tiles and makes them as high as the smallest room allows. They never
  // grow in a strip of the same size, as notes change their length all the time.
  void makeAlike() {
    for (const FigureTile* tile : tiles()) lines_ = std::max(lines_, tile->noteLines());
    for (FigureTile* tile : tiles()) tile->setLeastLines(lines_);
    for (const FigureTile* tile : tiles()) {
      const int fits = tile->fittingPixels();
      if (fits > 0) digits_ = digits_ > 0 ? std::min(digits_, fits) : fits;
    }
    for (FigureTile* tile : tiles()) tile->setMostPixels(digits_);
  }

  // Restarts the alignment after the size or the source changed.
  void makeAlikeAnew() {
    digits_ = 0;
    lines_ = 1;
    makeAlike();
  }

  static void showNothing(FigureTile& tile, const QString& note) {
    tile.setValue(kUnknown, 0);
    tile.setNote(note);
    tile.setTrend({});
  }

  void showNothing(const QString& note) {
    for (FigureTile* tile : {tokens_, time_, labels_}) showNothing(*tile, note);
  }

  // Shows a percentage and its trend.
  static void show(FigureTile& tile, double percent, int decimals, const QString& note,
                   const GlanceFigures::Line& line, double range = 0) {
    tile.setValue(percent, decimals, QStringLiteral("%"));
    tile.setNote(note);
    tile.setTrend({line.begin(), line.end()}, range);
  }

  void show() {
    const GlanceFigures& figures = cameras_[shown_].figures;
    showComputed(figures);
    if (!figures.merges()) showNothing(*tokens_, tr("merging is off"));
    if (!figures.merges() && !figures.remembers()) return showNothing(tr("merging is off"));
    if (figures.merges() && figures.tokens()) showTokens(figures);
    if (figures.compares()) return showComparisons(figures);
    for (FigureTile* tile : {time_, labels_}) showNothing(*tile, tr("comparing with unmerged ..."));
  }

  static QString number(double value, int decimals = 0) {
    return QLocale().toString(value, 'f', decimals);
  }

  void showComputed(const GlanceFigures& figures) {
    if (!canRemember_) return;
    if (!figures.remembers()) return showNothing(*computed_, tr("the scene memory is off"));
    const MemoryReport& memory = figures.memory();
    show(*computed_, figures.fresh().back(), 0,
         tr("%1 of %2").arg(number(memory.fresh), number(memory.rows)), figures.fresh());
  }

  void showTokens(const GlanceFigures& figures) {
    const LiveTokens& count = *figures.tokens();
    const QString note = tr("%1 of %2").arg(number(count.live), number(count.all));
    show(*tokens_, GlanceFigures::fewerOf(count), 1,
         count.ageMs < 1000 || old_ ? note : tr("%1 ago: %2").arg(spokenAge(count.ageMs), note),
         figures.fewer());
  }

  void showComparisons(const GlanceFigures& figures) {
    const int decimals = figures.fullMs() < 10 ? 1 : 0;
    const QString now = number(figures.nowMs(), decimals),
                  full = number(figures.fullMs(), decimals);
    const auto [low, high] = figures.lessTimeRange();
    const QString unit = QChar(QChar::Nbsp) + tr("ms");  // no line ends within
    show(*time_, figures.lessTime(), 0,
         number(low) == number(high)
             ? tr("%1 instead of %2", "a time, another time").arg(now + unit, full + unit)
             : tr("%1 to %2%; %3 of %4 ms", "percent that were saved; times")
                   .arg(number(low), number(high), now, full),
         figures.less());
    show(*labels_, figures.same().back(), 1,
         figures.floor() ? tr("noise floor: %1%").arg(number(*figures.floor(), 1))
                         : tr("with unmerged labels"),
         figures.same(), kSameRange);
  }

  void explain() {
    const QString more = QStringLiteral("<p>%1</p><p><a href='%2'>%3</a></p>");
    const QString now =
        tr("Now and then a frame is also segmented unmerged, which takes at most 3% of the time.");
    tokens_->setExplanation(
        more.arg(tr("Tokens that are each other's nearest neighbours are averaged before the "
                    "blocks of the schedule. This is how many fewer are left after the last merge. "
                    "With the scene memory it is known only for full frames, and the tile says how "
                    "old the newest one is. The line shows earlier frames."),
                 QStringLiteral("DayNight"), tr("Tokens over time")));
    computed_->setExplanation(more.arg(
        tr("The scene memory keeps what was computed for each patch until the patch looks "
           "different or is due again. This is how much of the picture was recomputed for the "
           "newest frame. Now and then a full frame is computed, to count how tokens merge and to "
           "compare. The line shows earlier frames. The view Recomputed shows the patches."),
        QStringLiteral("DayNight"), tr("Recomputed patches over time")));
    time_->setExplanation(more.arg(
        tr("How much less time a frame takes than unmerged: the median of the latest comparisons, "
           "and the range in which it lies. Each compares a frame, or with the scene memory the "
           "mean of a few, with an unmerged run made at the same time, so that other programs slow "
           "down both. %1 The line shows the comparisons.")
            .arg(now),
        QStringLiteral("Performance"), tr("Where the time goes")));
    labels_->setExplanation(
        more.arg(tr("The share of pixels with the same class as in the unmerged run, in the latest "
                    "frame compared. The figure below is the noise floor: how far the unmerged run "
                    "agrees with itself when the picture moves by one pixel. Down to there little "
                    "quality is lost. %1 The line shows earlier comparisons.")
                     .arg(now),
                 QStringLiteral("Tune"), tr("Schedules: what each costs")));
    night_->setExplanation(more.arg(
        tr("Tokens after the last merge, averaged over nights and over days, for this source, "
           "model and schedule. The line shows how many were left at night over time."),
        QStringLiteral("DayNight"), tr("Day and night")));
  }

  Session& session_;
  FigureTile *tokens_, *computed_, *time_, *labels_, *night_;
  int digits_ = 0;  // how high they are, in pixels; 0: no value yet
  int lines_ = 1;   // of the longest note
  bool merges_ = false, canRemember_ = false, old_ = false;
  struct Camera {
    std::weak_ptr<monitor::Engine> engine;
    bool merges = false, canRemember = false;
    GlanceFigures figures{};
  };
  std::size_t shown_ = 0;
  std::vector<Camera> cameras_;
};

}  // namespace

Strip::Strip(int height) : height_(height), points_(font().pointSizeF()) { setFixedHeight(height); }

void Strip::suit(int windowHeight) {
  constexpr int kWindowHeight = 800;
  const int wanted = std::clamp(windowHeight * height_ / kWindowHeight, height_, 2 * height_);
  if (wanted == height()) return;
  QFont larger = font();
  larger.setPointSizeF(points_ * wanted / height_);
  setFont(larger);
  setFixedHeight(wanted);
}

Strip* newGlanceStrip(Session& session) { return new GlanceStrip(session); }

}  // namespace mpm::gui
