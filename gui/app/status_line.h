// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QLocale>
#include <QStatusBar>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gui/app/frame_time.h"
#include "gui/app/live.h"
#include "gui/app/scene_watch.h"
#include "gui/app/view_deck.h"
#include "gui/plot/axes.h"
#include "mpm/tune.h"

namespace mpm::gui {

/// How things stand: sentences, what lies under the cursor, how far merged and full tokens agree,
/// what is wrong, whether the picture is live. Tells the views where theirs is old.
class StatusLine : public QStatusBar {
  Q_OBJECT

 public:
  explicit StatusLine(ViewDeck* deck, QWidget* parent = nullptr)
      : QStatusBar(parent),
        deck_(deck),
        underCursor_(new QLabel),
        agreement_(new QLabel),
        fault_(new QLabel),
        state_(new QLabel) {
    agreement_->setVisible(false);
    fault_->setVisible(false);
    fault_->setTextFormat(Qt::PlainText);
    for (QLabel* label : {underCursor_, agreement_, fault_, state_}) addPermanentWidget(label);
    connect(deck_, &ViewDeck::inspected, this,
            [this](const Inspection& inspection) { underCursor_->setText(describe(inspection)); });
    connect(deck_, &ViewDeck::inspectionEnded, underCursor_, &QLabel::clear);
  }

  /// A bad one stays until the next.
  void say(const QString& sentence, bool bad) {
    if (sentence.isEmpty()) return clearMessage();
    showMessage(sentence, bad ? 0 : 15000);
  }

  void setComparing(bool on) {
    agreement_->clear();
    agreement_->setVisible(on);
  }

  /// Nothing without full tokens.
  void showAgreement(const monitor::FrameResult& result) {
    if (!result.full) return;
    const double agreement = agreementOf(result.full->labels, result.segmentation.labels) * 100;
    const QLocale locale;
    const QString words =
        result.remembers ? tr("This frame: %1 of pixels agree; with the memory %2 ms, full %3 ms")
                         : tr("This frame: %1 of pixels agree; merged %2 ms, full %3 ms");
    agreement_->setText(words.arg(percentText(agreement, 1, locale),
                                  locale.toString(frameMs(result.segmentation.times), 'f', 1),
                                  locale.toString(frameMs(result.full->times), 'f', 1)));
  }

  /// Whether what is shown is live: of the source that is.
  bool showState(const Live& live, bool paused, bool measuring) {
    const monitor::Engine& engine = *live.engine();
    const std::size_t source = live.shown();
    deck_->setLitZones(litZones(engine, source, live.books()[source]));
    QString fault = QString::fromStdString(engine.fault(source));
    if (fault.isEmpty()) fault = live.recordFault();
    QString explanation;
    if (fault.isEmpty() && !paused && !measuring) {
      fault = scenes_.words(engine, live.usualConfidence(), source);
      if (!fault.isEmpty()) explanation = scenes_.explanation();
    }
    fault_->setText(fault);
    fault_->setToolTip(explanation);
    fault_->setVisible(!fault.isEmpty());
    const monitor::CaptureStatus status = engine.capture(source);
    using monitor::CaptureState;
    QString text, reason;
    switch (status.state) {
      case CaptureState::opening:
        text = tr("Opening");
        break;
      case CaptureState::live:
        text = tr("Live");
        break;
      case CaptureState::stale:
        text = tr("No new picture");
        reason = tr("The source is open, but sends nothing.");
        break;
      case CaptureState::waiting:
        text = tr("Lost");
        reason = tr("%1 Next try in %2 s.")
                     .arg(asSentence(status.fault))
                     .arg(QLocale().toString((status.msToNextTry + 999) / 1000));
        break;
      case CaptureState::ended:
        text = tr("At its end");
        break;
    }
    const monitor::FrameResultPtr newest = engine.latest(source);
    const bool old = newest && !paused && status.state != CaptureState::ended && isOld(*newest);
    if (old && status.state == CaptureState::live) text = tr("Behind");
    if (newest && newest->filtered) text = tr("%1, simulated night").arg(text);
    if (paused) text = tr("Paused");
    if (measuring) text = tr("Measuring");
    state_->setText(text);
    if (reason.isEmpty()) reason = asSentence(engine.fault(source));
    if (!newest) deck_->setEmptyText(reason.isEmpty() ? tr("%1 ...").arg(text) : reason);
    if (old && status.state == CaptureState::live && reason.isEmpty()) {
      reason = tr("The source sends pictures, but the model is still busy with an earlier one.");
    }
    if (old) deck_->setStale(ageOf(*newest), reason.isEmpty() ? text : reason);
    return newest && !paused && !old && status.state == CaptureState::live;
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

  static std::int64_t ageOf(const monitor::FrameResult& result) {
    return monitor::systemClock().now().steadyMs - result.frame.taken.steadyMs;
  }

  /// Of what is shown, not of what the camera gave: a net that fails makes a picture old as well.
  static bool isOld(const monitor::FrameResult& result) {
    double networkMs = result.segmentation.times.networkMs;
    if (result.full) networkMs += result.full->times.networkMs;
    return static_cast<double>(ageOf(result)) > kStaleMs + 3 * networkMs;
  }

 private:
  static constexpr std::int64_t kStaleMs = 2000;  // from here on a picture is no longer called live

  // What the engine says of a fault, as a sentence of its own.
  static QString asSentence(const std::string& fault) {
    QString sentence = QString::fromStdString(fault);
    if (sentence.isEmpty()) return sentence;
    sentence[0] = sentence[0].toUpper();
    return sentence.endsWith(QLatin1Char('.')) ? sentence : sentence + QLatin1Char('.');
  }

  ViewDeck* deck_;
  SceneWatch scenes_;
  QLabel *underCursor_, *agreement_, *fault_, *state_;
};

}  // namespace mpm::gui
