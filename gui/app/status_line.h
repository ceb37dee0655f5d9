// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QStatusBar>
#include <QStyleOption>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gui/app/frame_times.h"
#include "gui/app/live.h"
#include "gui/app/liveness.h"
#include "gui/app/scene_watch.h"
#include "gui/app/view_deck.h"
#include "gui/plot/axes.h"
#include "mpm/tune.h"

namespace mpm::gui {

/// How things stand: sentences, what lies under the cursor, how far merged and full tokens agree,
/// what is wrong, whether the picture is live. Tells the views where theirs is old.
class StatusLine : public QStatusBar {
  Q_OBJECT

  // What has no room ends with an ellipsis, instead of making the window wider.
  class Cut : public QLabel {
   public:
    Cut() { setTextFormat(Qt::PlainText); }
    QSize minimumSizeHint() const override {
      const QSize whole = QLabel::minimumSizeHint();
      return {std::min(whole.width(), fontMetrics().averageCharWidth() * kLeastLetters),
              whole.height()};
    }

   protected:
    void paintEvent(QPaintEvent*) override {
      QPainter painter(this);
      drawCut(painter, rect(), text());
    }

   private:
    static constexpr int kLeastLetters = 12;
  };

 public:
  explicit StatusLine(ViewDeck* deck, QWidget* parent = nullptr)
      : QStatusBar(parent),
        deck_(deck),
        underCursor_(new Cut),
        agreement_(new Cut),
        saving_(new Cut),
        fault_(new Cut),
        state_(new QLabel) {
    agreement_->setVisible(false);
    saving_->setVisible(false);
    fault_->setVisible(false);
    state_->setContentsMargins(kRim, 0, kRim, 0);  // full screen has no grip beside it
    for (QLabel* label : {underCursor_, agreement_, saving_, fault_, state_})
      addPermanentWidget(label);
    connect(this, &QStatusBar::messageChanged, this, &QWidget::setToolTip);
    connect(deck_, &ViewDeck::inspected, this,
            [this](const Inspection& inspection) { underCursor_->setText(describe(inspection)); });
    connect(deck_, &ViewDeck::inspectionEnded, underCursor_, &QLabel::clear);
  }

  /// A bad one stays until the next.
  void say(const QString& sentence, bool bad) {
    saidBad_ = bad && !sentence.isEmpty();
    if (sentence.isEmpty()) return clearMessage();
    showMessage(sentence, bad ? 0 : 15000);
  }

  /// In place of what others say of merging and of the place: a few words on what merging saves,
  /// and nothing of whether the model knows the place.
  void setBrief(bool on) {
    brief_ = on;
    saving_->setVisible(on);
  }
  void showSaving(const QString& words) { saving_->setText(words); }

  void setComparing(bool on) {
    agreement_->clear();
    agreement_->setVisible(on);
  }

  /// Of the frame that is shown; nothing without full tokens, or without a frame.
  void showAgreement(const monitor::FrameResult* shown) {
    if (shown == nullptr || !shown->full) return agreement_->clear();
    const monitor::FrameResult& result = *shown;
    const double agreement = agreementOf(result.full->labels, result.segmentation.labels) * 100;
    const QLocale locale;
    const QString words =
        result.remembers ? tr("This frame: %1 of pixels agree; with the memory %2 ms, full %3 ms")
                         : tr("This frame: %1 of pixels agree; merged %2 ms, full %3 ms");
    agreement_->setText(words.arg(percentText(agreement, 1, locale),
                                  locale.toString(frameMs(result.segmentation.times), 'f', 1),
                                  locale.toString(frameMs(result.full->times), 'f', 1)));
  }

  /// Gives how the source that is shown stands. `onWall`: all that are watched are on
  /// the screen, so that the word is of all of them.
  Liveness showState(const Live& live, bool paused, bool measuring, bool onWall) {
    const monitor::Engine& engine = *live.engine();
    const std::size_t source = live.shown();
    deck_->setLitZones(litZones(engine, source, live.books()[source]));
    const Liveness shown = Liveness::of(engine, source, paused);
    showFault(live, paused || measuring || shown.oldMs.has_value());
    QString text = onWall ? Liveness::ofAll(engine, paused) : shown.state;
    const monitor::FrameResultPtr newest = engine.latest(source);
    if (newest && newest->filtered && !paused) text = tr("%1, simulated night").arg(text);
    if (measuring) text = tr("Measuring");
    showState(shown, text);
    return shown;
  }

  /// No engine is there yet, or the next one; `last`: of the one before, null: nothing. What was
  /// wrong with that one is no more.
  Liveness showOpening(const monitor::FrameResultPtr& last, bool paused) {
    forgetFault();
    const Liveness between = Liveness::between(last, paused);
    showState(between, between.state);
    return between;
  }

  /// Whether something stands here that no view says of itself: a bad sentence, or that the record
  /// cannot be written or has no new backup.
  bool isWrong() const { return saidBad_ || recordFails_; }

  /// Nothing is watched.
  void showNothing() {
    forgetFault();
    for (QLabel* label : {underCursor_, state_}) label->clear();
  }

  /// Zones that rules of a source hold in, by name.
  static std::vector<std::string> litZones(const monitor::Engine& engine, std::size_t source,
                                           const monitor::RuleBook& book) {
    std::vector<std::string> lit;
    const auto holding = engine.rules(source);
    for (const monitor::Zone& zone : book.zones) {
      const std::string part = monitor::metricPart(zone.name);
      const bool holds =
          std::any_of(book.rules.begin(), book.rules.end(), [&](const monitor::Rule& rule) {
            return monitor::MetricName::parse(rule.metric).zone == part &&
                   std::find(holding.begin(), holding.end(), std::pair(rule.name, true)) !=
                       holding.end();
          });
      if (holds) lit.push_back(zone.name);
    }
    return lit;
  }

  /// Where a sentence stands: from the left to what always stands there.
  QRect placeOfSentence() const {
    int right = width() - kRim;
    for (const QLabel* label : {underCursor_, agreement_, saving_, fault_, state_})
      if (label->isVisible()) right = std::min(right, label->x() - kRim);
    return {kRim, 0, std::max(0, right - kRim), height()};
  }

 protected:
  // As QStatusBar does it, but for the ellipsis.
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    QStyleOption panel;
    panel.initFrom(this);
    style()->drawPrimitive(QStyle::PE_PanelStatusBar, &panel, &painter, this);
    drawCut(painter, placeOfSentence(), currentMessage());
  }

 private:
  static constexpr int kRim = 6;

  void showState(const Liveness& of, const QString& state) {
    state_->setText(state);
    if (!of.hasPicture) deck_->setEmptyText(of.instead());
    if (of.oldMs) {
      deck_->setStale(*of.oldMs, of.why());
    } else {
      deck_->setLive();
    }
  }

  static void drawCut(QPainter& painter, const QRect& place, const QString& words) {
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(words, Qt::ElideRight, place.width()));
  }

  // A record that cannot be written has no backups either.
  static QString recordFaultOf(const Live& live) {
    if (const QString fault = live.recordFault(); !fault.isEmpty()) return fault;
    const QString backup = live.backupFault();
    return backup.isEmpty() ? backup : tr("No backup of the record could be made: %1").arg(backup);
  }

  void forgetFault() {
    recordFails_ = false;
    fault_->hide();
  }

  // `quiet`: nothing is said of the scene.
  void showFault(const Live& live, bool quiet) {
    const monitor::Engine& engine = *live.engine();
    const std::size_t source = live.shown();
    QString fault = QString::fromStdString(engine.fault(source));
    const QString record = recordFaultOf(live);
    recordFails_ = !record.isEmpty();
    if (fault.isEmpty()) fault = record;
    QString explanation;
    if (fault.isEmpty() && !quiet && !brief_) {
      fault = scenes_.words(engine, live.usualConfidence(), source);
      if (!fault.isEmpty()) explanation = scenes_.explanation();
    }
    fault_->setText(fault);
    fault_->setToolTip(explanation.isEmpty() ? fault
                                             : fault + QStringLiteral("\n\n") + explanation);
    fault_->setVisible(!fault.isEmpty());
  }

  ViewDeck* deck_;
  SceneWatch scenes_;
  bool saidBad_ = false, recordFails_ = false, brief_ = false;
  QLabel *underCursor_, *agreement_, *saving_, *fault_, *state_;
};

}  // namespace mpm::gui
