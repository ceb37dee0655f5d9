// SPDX-License-Identifier: Apache-2.0
#include "gui/app/headline.h"

#include <QtWidgets>
#include <algorithm>
#include <cstdint>
#include <utility>

#include "gui/plot/colours.h"
#include "gui/unbroken.h"

namespace mpm::gui {
namespace {

constexpr std::int64_t kLatelyMs = 5000, kLongerMs = 60'000;
constexpr std::size_t kLeastMinutes = 10;  // to say what is usual
// A share is unusual that is so far from the usual one, and twice or half of it.
constexpr double kLeastStep = 0.01, kDeviations = 3;
constexpr double kWorthNaming = 0.005;
constexpr std::size_t kMostNamed = 3;
constexpr int kEvery = 4;  // words that change more often cannot be read
constexpr int kHeight = 76, kWindowHeight = 800;

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Headline)
};

QString percent(double share, const QLocale& locale) {
  const double value = 100 * share;
  return Words::tr("%1%").arg(locale.toString(value, 'f', value < 9.95 ? 1 : 0));
}

// The newest buckets that begin after `back` before the last one.
template <typename Visit>
void eachSecond(const monitor::Series& series, std::int64_t back, const Visit& visit) {
  const auto& seconds = series.buckets(monitor::Resolution::second);
  if (seconds.empty()) return;
  const std::int64_t from = seconds.back().startUtcMs - back;
  for (auto second = seconds.rbegin(); second != seconds.rend(); ++second) {
    if (second->era != seconds.back().era || second->startUtcMs <= from) break;
    visit(*second);
  }
}

std::uint32_t framesOf(const monitor::Bucket& bucket) {
  std::uint32_t frames = 0;
  for (const std::uint32_t one : bucket.frames) frames += one;
  return frames;
}

// A share of one metric in these buckets, and what is usual: of minutes that are over.
ClassShare shareIn(const monitor::Series& series, std::int64_t back, std::size_t metric) {
  ClassShare share;
  monitor::Tally now, usual;
  eachSecond(series, back, [&](const monitor::Bucket& second) { now.add(second.tallies[metric]); });
  share.now = now.count > 0 ? now.mean() : ClassShare::kUnknown;
  const auto& minutes = series.buckets(monitor::Resolution::minute);
  for (std::size_t i = 0; i + 2 < minutes.size(); ++i)
    if (minutes[i].tallies[metric].count > 0) usual.add(minutes[i].tallies[metric].mean());
  if (usual.count < kLeastMinutes) return share;
  share.usual = usual.mean();
  share.deviation = usual.deviation();
  return share;
}

double stepOf(const ClassShare& share) {
  const double step = std::abs(share.now - share.usual);
  const bool isFar = step >= std::max(kLeastStep, kDeviations * share.deviation);
  const bool isOther = std::max(share.now, share.usual) >= 2 * std::min(share.now, share.usual);
  return isFar && isOther ? step / std::max(kLeastStep, share.deviation) : 0;
}

QString rateWords(double perSecond, const QLocale& locale) {
  if (perSecond <= 0) return {};
  if (perSecond >= 0.95)
    return Words::tr("%1 frames a second")
        .arg(locale.toString(perSecond, 'f', perSecond < 9.95 ? 1 : 0));
  return Words::tr("a frame every %1 s").arg(locale.toString(1 / perSecond, 'f', 0));
}

}  // namespace

SeenLately seenLately(const monitor::Engine& engine, std::size_t source,
                      const ClassSettings& classes) {
  SeenLately seen;
  const auto& names = engine.metrics(source).parsed();
  const auto age = engine.metrics(source).find("frame_age_ms");
  engine.readStatistics(source, [&](const monitor::Statistics& statistics) {
    const monitor::Series& series = statistics.series();
    std::uint32_t frames = 0;
    const auto count = [&](const monitor::Bucket& second) { frames += framesOf(second); };
    std::int64_t back = kLatelyMs;
    eachSecond(series, back, count);
    if (frames < 2) {
      frames = 0;
      eachSecond(series, back = kLongerMs, count);
    }
    const auto& seconds = series.buckets(monitor::Resolution::second);
    if (seconds.empty()) return;
    // The last second is not over, and there may have been fewer.
    const monitor::Bucket& open = seconds.back();
    const std::int64_t lasted = std::min(back - 1000, open.startUtcMs - seconds.front().startUtcMs);
    if (lasted > 0)
      seen.perSecond = 1000.0 * (frames - framesOf(open)) / static_cast<double>(lasted);
    if (age) {
      monitor::Tally late;
      eachSecond(series, back,
                 [&](const monitor::Bucket& second) { late.add(second.tallies[*age]); });
      if (late.count > 0) seen.lateMs = late.mean();
    }
    int index = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].kind != monitor::MetricKind::area) continue;
      const bool isOfPicture = names[i].zone.empty();
      const int label = isOfPicture ? index++ : -1;
      if (isOfPicture && !classes.shows(label)) continue;
      ClassShare share = shareIn(series, back, i);
      share.name = isOfPicture ? classes.name(label)
                               : Words::tr("%1 in %2")
                                     .arg(QString::fromStdString(names[i].part),
                                          QString::fromStdString(names[i].zone));
      if (std::isfinite(share.now)) seen.shares.push_back(std::move(share));
    }
  });
  return seen;
}

ThereWords thereWords(const std::vector<ClassShare>& shares, const QLocale& locale,
                      std::size_t mostNamed) {
  const auto unusual = std::max_element(
      shares.begin(), shares.end(),
      [](const ClassShare& a, const ClassShare& b) { return stepOf(a) < stepOf(b); });
  if (unusual != shares.end() && stepOf(*unusual) > 0) {
    return {Words::tr("%1: %2 now, usually %3", "a class; two shares of the picture")
                .arg(unusual->name, percent(unusual->now, locale), percent(unusual->usual, locale)),
            unusual->now > unusual->usual ? Words::tr("more than usual")
                                          : Words::tr("less than usual")};
  }
  std::vector<const ClassShare*> largest;
  bool isUsual = false;
  for (const ClassShare& share : shares) {
    isUsual = isUsual || std::isfinite(share.usual);
    if (share.now >= kWorthNaming) largest.push_back(&share);
  }
  std::stable_sort(largest.begin(), largest.end(),
                   [](const ClassShare* a, const ClassShare* b) { return a->now > b->now; });
  QStringList words;
  for (std::size_t i = 0; i < std::min(largest.size(), mostNamed); ++i)
    words << Words::tr("%1 %2", "a class, its share")
                 .arg(largest[i]->name, percent(largest[i]->now, locale));
  if (words.isEmpty()) return {Words::tr("nothing that is shown"), {}};
  return {words.join(QStringLiteral(", ")),
          isUsual ? Words::tr("as usual") : Words::tr("what is usual is known in ten minutes")};
}

Headline::Headline(QWidget* parent) : QWidget(parent) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->setSpacing(6);
  there_ = addTile(tr("What is there"));
  live_ = addTile(tr("How live it is"));
  knows_ = addTile(tr("Does it know this place?"));
  points_ = font().pointSizeF();
  setFixedHeight(kHeight);
  setAccessibleName(tr("At a glance"));
}

Headline::Tile Headline::addTile(const QString& title) {
  Tile tile{new QFrame, new QLabel(title), new QLabel, new QLabel};
  tile.box->setFrameShape(QFrame::StyledPanel);
  tile.box->setAccessibleName(title);
  auto* column = new QVBoxLayout(tile.box);
  column->setContentsMargins(10, 4, 10, 4);
  column->setSpacing(0);
  for (QLabel* label : {tile.title, tile.words, tile.note}) {
    label->setTextFormat(Qt::PlainText);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    column->addWidget(label);
  }
  for (QLabel* label : {tile.title, tile.note}) {
    QPalette quiet = label->palette();
    quiet.setColor(QPalette::WindowText, quietTextColour(quiet));
    label->setPalette(quiet);
  }
  QFont large = tile.words->font();
  large.setPointSizeF(large.pointSizeF() * 1.35);
  large.setBold(true);
  tile.words->setFont(large);
  auto* row = static_cast<QHBoxLayout*>(layout());
  row->addWidget(tile.box, row->count() == 0 ? 3 : 2);
  return tile;
}

void Headline::say(const Tile& tile, const QString& words, const QString& note) {
  tile.words->setText(
      tile.words->fontMetrics().elidedText(words, Qt::ElideRight, tile.words->width()));
  tile.words->setToolTip(words);
  tile.note->setText(tile.note->fontMetrics().elidedText(note, Qt::ElideRight, tile.note->width()));
  tile.note->setToolTip(note);
  tile.box->setAccessibleDescription(words + QStringLiteral(". ") + note);
}

void Headline::show(const monitor::Engine& engine, std::size_t source, const ClassSettings& classes,
                    const Liveness& stands, const SceneWatch& knows) {
  sayPlace(knows);  // at once, as the banner does
  if (asked_++ % kEvery != 0) return;
  const QLocale locale;
  const SeenLately seen = seenLately(engine, source, classes);
  ThereWords there;
  for (std::size_t named = kMostNamed; named > 0; --named) {
    there = thereWords(seen.shares, locale, named);
    if (there_.words->fontMetrics().horizontalAdvance(there.words) <= there_.words->width()) break;
  }
  if (seen.shares.empty() && !engine.latest(source)) there = {QStringLiteral("–"), {}};
  const bool isGuess = knows.place() == SceneWatch::Place::strange;
  say(there_, there.words,
      isGuess ? tr("a guess: the model does not know this place") : there.note);
  if (stands.isLive) {
    constexpr double kLeastMs = 50;
    QString late;
    if (std::isfinite(seen.lateMs))
      late = seen.lateMs < kLeastMs
                 ? tr("less than %1 s late").arg(locale.toString(0.1))
                 : tr("%1 s late").arg(locale.toString(seen.lateMs / 1000, 'f', 1));
    const QString rate = rateWords(seen.perSecond, locale);
    say(live_, rate.isEmpty() ? stands.state : rate, late);
  } else {
    say(live_, stands.state, stands.reason);
  }
}

void Headline::sayPlace(const SceneWatch& knows) {
  const QString sure = knows.sureWords();
  switch (knows.place()) {
    case SceneWatch::Place::known:
      return say(knows_, tr("Yes"), sure);
    case SceneWatch::Place::strange:
      return say(knows_, tr("No"), sure);
    case SceneWatch::Place::untold:
      return say(knows_, tr("Nobody can say"), tr("its file does not tell how sure it usually is"));
    case SceneWatch::Place::notYet:
      break;
  }
  say(knows_, tr("Looking ..."), tr("known in half a minute"));
}

void Headline::showNothing(const QString& why) {
  asked_ = 0;
  say(there_, QStringLiteral("–"), why);
  for (const Tile* tile : {&live_, &knows_}) say(*tile, QStringLiteral("–"), {});
}

void Headline::suit(int windowHeight) {
  const int height = std::clamp(windowHeight * kHeight / kWindowHeight, kHeight, 2 * kHeight);
  if (height == this->height()) return;
  const double points = points_ * height / kHeight;
  for (const Tile* tile : {&there_, &live_, &knows_}) {
    for (QLabel* label : {tile->title, tile->words, tile->note}) {
      QFont font = label->font();
      font.setPointSizeF(label == tile->words ? 1.35 * points : points);
      label->setFont(font);
    }
  }
  setFixedHeight(height);
}

QStringList Headline::words() const {
  return {there_.words->toolTip(), live_.words->toolTip(), knows_.words->toolTip()};
}

PlaceBanner::PlaceBanner(QWidget* parent) : QFrame(parent) {
  setAutoFillBackground(true);
  QPalette warning = palette();
  warning.setColor(QPalette::Window, QColor(0xff, 0xc8, 0x57));
  for (const auto role : {QPalette::WindowText, QPalette::Text})
    warning.setColor(role, QColor(0x20, 0x1a, 0x08));
  setPalette(warning);
  auto* words = new QLabel(tr("This model does not know your place."));
  QFont large = words->font();
  large.setBold(true);
  words->setFont(large);
  words->setWordWrap(true);
  auto* teach = new QPushButton(tr("Teach it (5 minutes)"));
  auto* model = new QPushButton(tr("Choose another model"));
  auto* close = new QToolButton;
  close->setText(QStringLiteral("×"));
  close->setAutoRaise(true);
  close->setPalette(warning);
  close->setAccessibleName(tr("Close"));
  for (QWidget* button : {static_cast<QWidget*>(teach), static_cast<QWidget*>(model)})
    button->setPalette(QApplication::palette());
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 6, 6, 6);
  row->addWidget(words, 1);
  row->addWidget(teach);
  row->addWidget(model);
  row->addWidget(close);
  connect(teach, &QPushButton::clicked, this, &PlaceBanner::teachWanted);
  connect(model, &QPushButton::clicked, this, &PlaceBanner::modelWanted);
  connect(close, &QToolButton::clicked, this, [this] {
    closedFor_ = about_;
    hide();
  });
  hide();
}

void PlaceBanner::offer(bool isStrange, const QString& about) {
  about_ = about;
  setVisible(isStrange && closedFor_ != about);
}

}  // namespace mpm::gui
