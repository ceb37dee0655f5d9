// SPDX-License-Identifier: Apache-2.0
#include "gui/explain/merge_window.h"

#include <QComboBox>
#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QShortcut>
#include <QSlider>
#include <QStyle>
#include <QVBoxLayout>
#include <QVariantAnimation>
#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include "gui/explain/story_view.h"
#include "gui/unbroken.h"
#include "gui/why_not_merging.h"

namespace mpm::gui {
namespace {

constexpr int kAroundMs = 100, kPlayMs = 2500, kMovement = 1000;
constexpr int kWidth = 1000, kHeight = 760, kLines = 3;
constexpr int kByHour = MergeHeat::kFirstHour, kChoices = kByHour + 1;

QString percent(double share, int decimals) {
  return QLocale().toString(share * 100, 'f', decimals);
}

}  // namespace

MergeWindow::MergeWindow(const MergeHeat& heat, const ClassSettings& classes, QWidget* parent)
    : QDialog(parent, Qt::Window),
      heat_(heat),
      classes_(classes),
      title_(new QLabel),
      words_(new QLabel),
      place_(new QLabel),
      view_(new StoryView),
      movement_(new QSlider(Qt::Horizontal)),
      hour_(new QSlider(Qt::Horizontal)),
      light_(new QComboBox),
      back_(new QPushButton(tr("&Back"))),
      next_(new QPushButton(tr("&Next"))),
      again_(new QPushButton(tr("&Play again"))),
      other_(new QPushButton(tr("Newest &frame"))),
      playing_(new QVariantAnimation(this)) {
  setWindowTitle(tr("How merging works"));
  makeWords();
  makeControls();
  layOut();
  connectControls();
  connectKeys();
  connect(&around_, &QTimer::timeout, this, &MergeWindow::lookAround);
  around_.start(kAroundMs);
  showNothing(tr("Waiting for a frame ..."));
  const QSize room = parent ? parent->size() - QSize(40, 60) : QSize(kWidth, kHeight);
  resize(QSize(kWidth, kHeight).boundedTo(room));
}

void MergeWindow::makeWords() {
  QFont large = font();
  large.setBold(true);
  large.setPointSizeF(large.pointSizeF() * 1.4);
  title_->setFont(large);
  words_->setWordWrap(true);
  words_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  words_->setMinimumHeight(kLines * words_->fontMetrics().lineSpacing());
}

void MergeWindow::makeControls() {
  movement_->setRange(0, kMovement);
  movement_->setPageStep(kMovement / 10);
  movement_->setSingleStep(kMovement / 20);
  movement_->setAccessibleName(tr("How far the pairs have moved"));
  movement_->setToolTip(tr("From before the merge to after it"));
  light_->addItems({tr("Day and night"), tr("By day"), tr("At night"), tr("Hour by hour"),
                    tr("Record: day and night"), tr("Record: by day"), tr("Record: at night"),
                    tr("Record: hour by hour")});
  light_->setAccessibleName(tr("Light of the frames counted"));
  hour_->setRange(0, MergeHeat::kHours - 1);
  hour_->setPageStep(1);
  hour_->setTickPosition(QSlider::TicksBelow);
  hour_->setTickInterval(6);
  hour_->setValue(QTime::currentTime().hour());
  hour_->setAccessibleName(tr("Hour of the day"));
  next_->setDefault(true);
}

void MergeWindow::layOut() {
  auto* controls = new QHBoxLayout;
  controls->addWidget(back_);
  controls->addWidget(place_);
  controls->addWidget(next_);
  controls->addWidget(again_);
  controls->addWidget(movement_, 1);
  controls->addWidget(light_);
  controls->addWidget(hour_, 1);
  controls->addStretch();
  controls->addWidget(other_);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(title_);
  layout->addWidget(words_);
  layout->addWidget(view_, 1);
  layout->addLayout(controls);
}

void MergeWindow::connectControls() {
  connect(back_, &QPushButton::clicked, this, [this] { goTo(step_ - 1); });
  connect(next_, &QPushButton::clicked, this, [this] { goTo(step_ + 1); });
  connect(again_, &QPushButton::clicked, this, &MergeWindow::play);
  connect(other_, &QPushButton::clicked, this, [this] { wanted_ = true; });
  connect(light_, &QComboBox::currentIndexChanged, this, &MergeWindow::showStep);
  connect(hour_, &QSlider::valueChanged, this, &MergeWindow::showHeat);
  connect(movement_, &QSlider::actionTriggered, playing_, &QVariantAnimation::stop);
  connect(movement_, &QSlider::valueChanged, this, [this](int value) {
    view_->showMerge(static_cast<std::size_t>(step_ - 1), value / static_cast<double>(kMovement));
  });
  playing_->setStartValue(0);
  playing_->setEndValue(kMovement);
  connect(playing_, &QVariantAnimation::valueChanged, movement_,
          [this](const QVariant& value) { movement_->setValue(value.toInt()); });
}

void MergeWindow::connectKeys() {
  const auto key = [this](Qt::Key pressed, auto&& where) {
    connect(new QShortcut(pressed, this), &QShortcut::activated, this,
            [this, where] { goTo(where()); });
  };
  key(Qt::Key_Left, [this] { return step_ - 1; });
  key(Qt::Key_Right, [this] { return step_ + 1; });
  key(Qt::Key_Home, [] { return 0; });
  key(Qt::Key_End, [this] { return steps() - 1; });
}

void MergeWindow::begin(const std::shared_ptr<monitor::Engine>& engine) {
  engine_ = engine;
  pending_ = {};
  wanted_ = true;
  recorded_.clear();
  showNothing(tr("Waiting for a frame ..."));
}

void MergeWindow::setRecorded(std::vector<MergeHeat> recorded) {
  recorded_ = std::move(recorded);
  if (light_->isVisible()) showHeat();
}

const MergeHeat* MergeWindow::recorded() const {
  const auto found = std::find_if(recorded_.begin(), recorded_.end(), [this](const auto& one) {
    return one.schedule() == story_->frame->schedule && one.grid() == story_->grid;
  });
  return found == recorded_.end() ? nullptr : &*found;
}

int MergeWindow::steps() const {
  if (!story_) return 0;
  const int merges = static_cast<int>(story_->merges.size());
  return merges == 0 ? 1 : merges + 3;
}

void MergeWindow::goTo(int step) {
  if (steps() == 0) return;
  step_ = std::clamp(step, 0, steps() - 1);
  showStep();
}

void MergeWindow::lookAround() {
  if (pending_.valid() && pending_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    return take();
  }
  if (story_ && story_->merges.size() + 2 == static_cast<std::size_t>(step_)) showHeat();
  const auto engine = engine_.lock();
  if (!wanted_ || pending_.valid() || !engine) return;
  if (engine->blocks() == 0) {
    wanted_ = false;
    return showNothing(
        tr("This model cannot merge: %1.").arg(WhyNotMerging::words(engine->reason())));
  }
  if (const monitor::FrameResultPtr newest = engine->latest()) ask(*engine, *newest);
}

void MergeWindow::ask(monitor::Engine& engine, const monitor::FrameResult& newest) {
  wanted_ = false;
  asked_ = std::make_shared<monitor::FrameResult>();
  asked_->frame = newest.frame;
  asked_->filtered = newest.filtered;
  pending_ = engine.withNetwork([asked = asked_](monitor::Network& network) {
    asked->schedule = network.schedule();
    asked->segmentation = network.segment(asked->frame.picture);
    asked->full = network.segmentFull(asked->frame.picture);
  });
}

void MergeWindow::take() {
  try {
    pending_.get();
  } catch (const std::future_error&) {
    return;  // the engine ended; the next one begins anew
  } catch (const std::exception& fault) {
    return showNothing(QString::fromUtf8(fault.what()));
  }
  story_ = std::make_shared<const MergeStory>(tellStory(std::exchange(asked_, nullptr)));
  view_->setStory(story_);
  goTo(step_);
}

void MergeWindow::showNothing(const QString& reason) {
  story_.reset();
  step_ = 0;
  playing_->stop();
  view_->setStory(nullptr, reason);
  tell(windowTitle(), {});
  for (QWidget* widget : {static_cast<QWidget*>(back_), static_cast<QWidget*>(next_),
                          static_cast<QWidget*>(other_)}) {
    widget->setEnabled(false);
  }
  for (QWidget* widget : {static_cast<QWidget*>(movement_), static_cast<QWidget*>(again_),
                          static_cast<QWidget*>(light_), static_cast<QWidget*>(hour_)}) {
    widget->hide();
  }
  place_->clear();
}

void MergeWindow::showStep() {
  if (!story_) return;
  const int merges = static_cast<int>(story_->merges.size());
  const bool isMerge = step_ >= 1 && step_ <= merges;
  playing_->stop();
  back_->setEnabled(step_ > 0);
  next_->setEnabled(step_ + 1 < steps());
  other_->setEnabled(true);
  movement_->setVisible(isMerge);
  again_->setVisible(isMerge);
  light_->setVisible(merges > 0 && step_ == merges + 2);
  hour_->setVisible(!light_->isHidden() && light_->currentIndex() % kChoices == kByHour);
  const QLocale locale;
  place_->setText(tr("%1 of %2").arg(locale.toString(step_ + 1), locale.toString(steps())));
  if (step_ == 0) {
    showPatchWords();
  } else if (isMerge) {
    showMerge(step_ - 1);
  } else if (step_ == merges + 1) {
    showCost();
  } else {
    showHeat();
  }
}

void MergeWindow::tell(const QString& title, const QString& words) {
  title_->setText(title);
  if (words_->text() == words) return;
  words_->setText(unbroken(words));
  view_->setAccessibleDescription(words);
}

void MergeWindow::showPatchWords() {
  view_->showPatches();
  const QLocale locale;
  const cv::Size grid = story_->grid;
  QString words =
      tr("The model cuts the picture into %1 x %2 patches. Each becomes a token, a list of "
         "numbers, and each block of the network compares every token with all others.")
          .arg(locale.toString(grid.width), locale.toString(grid.height));
  if (story_->frame->segmentation.windows > 1)
    words += QLatin1Char(' ') + tr("Several windows slide over the picture: these are the tokens "
                                   "of the first.");
  if (story_->merges.empty())
    words += QLatin1Char(' ') + tr("Merging is off: all of them pass through every block. In the "
                                   "tool bar, enter the blocks to merge before, such as 2,5.");
  tell(tr("%Ln tokens", nullptr, grid.area()), words);
}

void MergeWindow::showMerge(int merge) {
  const MergeScene& scene = story_->merges[static_cast<std::size_t>(merge)];
  const QLocale locale;
  QString words = tr("Each token looks for the one that is most like it. Where two choose each "
                     "other they become one, their mean: %1 pairs here. The others stay as "
                     "they are.")
                      .arg(locale.toString(scene.before - scene.behind));
  if (scene.mostAlike && scene.leastAlike) {
    words += QLatin1Char(' ') +
             tr("Of the pairs, the most alike have a similarity of %1, the least alike of %2.")
                 .arg(locale.toString(scene.mostAlike->similarity, 'f', 3),
                      locale.toString(scene.leastAlike->similarity, 'f', 3));
  }
  tell(tr("Merge %1, before block %2: %3 tokens become %4")
           .arg(locale.toString(merge + 1), locale.toString(scene.block),
                locale.toString(scene.before), locale.toString(scene.behind)),
       words);
  play();
}

void MergeWindow::play() {
  playing_->stop();
  playing_->setDuration(style()->styleHint(QStyle::SH_Widget_Animate, nullptr, this) ? kPlayMs : 0);
  movement_->setValue(0);
  view_->showMerge(static_cast<std::size_t>(step_ - 1), 0);
  playing_->start();
}

void MergeWindow::showCost() {
  view_->showDifference();
  QString words = tr("In colour: where the same picture, unmerged, has another class.");
  if (story_->swaps.empty()) {
    words = tr("The same picture, unmerged, has the same class everywhere.");
  } else {
    constexpr std::size_t kMost = 3;
    QStringList swaps;
    for (std::size_t i = 0; i < std::min(kMost, story_->swaps.size()); ++i) {
      const LabelSwap& swap = story_->swaps[i];
      swaps << tr("%1 instead of %2 (%3%)")
                   .arg(classes_.name(swap.merged), classes_.name(swap.full),
                        percent(swap.share, 2));
    }
    words += QLatin1Char(' ') + tr("Most often: %1.").arg(swaps.join(QStringLiteral(", ")));
  }
  tell(tr("What it costs: %1% of the pixels change their class").arg(percent(1 - story_->same, 2)),
       words);
}

void MergeWindow::showHeat() {
  const int choice = light_->currentIndex() % kChoices, hour = hour_->value();
  const bool isRecorded = light_->currentIndex() >= kChoices, byHour = choice == kByHour;
  const MergeHeat* heat = isRecorded ? recorded() : &heat_;
  const int which = byHour ? MergeHeat::kFirstHour + hour : choice;
  const std::uint32_t frames = heat == nullptr ? 0 : heat->frames(which);
  std::vector<double> shares;
  if (frames > 0 && heat->grid() == story_->grid) {
    for (int place = 0; place < story_->grid.area(); ++place)
      shares.push_back(heat->share(which, place));
  }
  view_->showHeat(std::move(shares));
  const QLocale locale;
  const auto clock = [&](int at) {
    return locale.toString(QTime(at % MergeHeat::kHours, 0), QLocale::ShortFormat);
  };
  tell(byHour ? tr("Where tokens merge from %1 to %2").arg(clock(hour), clock(hour + 1))
              : tr("Where tokens merge"),
       heatWords(heat, frames));
}

QString MergeWindow::heatWords(const MergeHeat* heat, std::uint32_t frames) const {
  const bool isRecorded = light_->currentIndex() >= kChoices;
  const QLocale locale;
  if (frames == 0)
    return isRecorded ? tr("The record has no such picture for this model and schedule.")
                      : tr("No such frame has been counted yet.");
  const QDateTime since = QDateTime::fromMSecsSinceEpoch(heat->sinceUtcMs());
  const QString sentence = isRecorded ? tr("How often each patch shared its token with others, in "
                                           "%1 pictures of the record since %2, merged before %3.")
                                      : tr("How often each patch shared its token with others, in "
                                           "%1 frames since %2, merged before %3.");
  const bool isToday = since.date() == QDate::currentDate();
  return sentence.arg(locale.toString(frames),
                      isRecorded ? locale.toString(since.date(), QLocale::ShortFormat)
                      : isToday  ? locale.toString(since.time(), QLocale::ShortFormat)
                                 : locale.toString(since, QLocale::ShortFormat),
                      QString::fromStdString(heat->schedule().text()));
}

}  // namespace mpm::gui
