// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QLocale>
#include <QString>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "monitor/engine/engine.h"

namespace mpm::gui {

/// How a source that is watched stands. Whoever shows one says what stands here, so that no two
/// places of the window contradict each other.
class Liveness {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Liveness)

 public:
  QString state;   ///< in a word or two: "Live", "Lost"
  QString reason;  ///< why it is not live, in sentences; empty: there is nothing more to say
  /// How old its newest picture is, where that is too old to be called live, or where the model
  /// failed on one since.
  std::optional<std::int64_t> oldMs;
  bool hasPicture = false;
  bool isLive = false;

  static Liveness of(const monitor::Engine& engine, std::size_t source, bool paused) {
    const monitor::CaptureStatus status = engine.capture(source);
    const monitor::FrameResultPtr newest = engine.latest(source);
    Liveness live;
    live.state = wordFor(status.state);
    live.reason = reasonOf(status);
    live.hasPicture = newest != nullptr;
    const bool sends = status.state == monitor::CaptureState::live;
    const bool old = newest && !paused && status.state != monitor::CaptureState::ended &&
                     isOld(*newest, engine.sources());
    if (live.reason.isEmpty()) live.reason = asSentence(engine.fault(source));
    const bool fails = sends && !live.reason.isEmpty();
    if (old || (newest && fails && !paused)) live.oldMs = ageOf(*newest);
    if (old && sends && !fails) {
      live.state = tr("Behind");
      live.reason =
          tr("The source sends pictures, but the model is still busy with an earlier one.");
    }
    if (sends && !newest) live.state = tr("Opening");  // the first one is on its way
    if (fails) live.state = tr("Model fails");
    if (paused) live.state = tr("Paused");
    live.isLive = newest && !live.oldMs && !paused && sends;
    return live;
  }

  /// Between two engines, with the last picture of the one that ended; null: none.
  static Liveness between(const monitor::FrameResultPtr& last, bool paused) {
    Liveness live;
    live.state = tr("Opening");
    live.hasPicture = last != nullptr;
    if (last && !paused && ageOf(*last) > kStaleMs) live.oldMs = ageOf(*last);
    return live;
  }

  /// Of all that are watched: what is said of each of them, or how many are live.
  static QString ofAll(const monitor::Engine& engine, bool paused) {
    const QString first = of(engine, 0, paused).state;
    bool alike = true;
    int count = 0;
    for (std::size_t source = 0; source < engine.sources(); ++source) {
      const Liveness each = of(engine, source, paused);
      alike = alike && each.state == first;
      count += each.isLive ? 1 : 0;
    }
    return alike ? first : tr("%1 of %2 live").arg(count).arg(engine.sources());
  }

  /// What stands where there is no picture.
  QString instead() const { return reason.isEmpty() ? tr("%1 ...").arg(state) : reason; }
  /// What stands beside a picture's age.
  QString why() const { return reason.isEmpty() ? state : reason; }

 private:
  static QString wordFor(monitor::CaptureState state) {
    switch (state) {
      case monitor::CaptureState::opening:
        return tr("Opening");
      case monitor::CaptureState::live:
        return tr("Live");
      case monitor::CaptureState::stale:
        return tr("No new picture");
      case monitor::CaptureState::waiting:
        return tr("Lost");
      case monitor::CaptureState::ended:
        return tr("Ended");
    }
    return {};
  }

  static QString reasonOf(const monitor::CaptureStatus& status) {
    if (status.state == monitor::CaptureState::stale)
      return tr("The source is open, but sends nothing.");
    if (status.state != monitor::CaptureState::waiting) return {};
    return tr("%1 Next try in %2 s.")
        .arg(asSentence(status.fault))
        .arg(QLocale().toString((status.msToNextTry + 999) / 1000));
  }

  static constexpr std::int64_t kStaleMs = 2000;  // from here on a picture is no longer called live

  static std::int64_t ageOf(const monitor::FrameResult& result) {
    return monitor::systemClock().now().steadyMs - result.frame.taken.steadyMs;
  }

  // Of what is shown, not of what the camera gave: a net that fails makes a picture old as well.
  // Sources wait for each other's frames.
  static bool isOld(const monitor::FrameResult& result, std::size_t sources) {
    double networkMs = result.segmentation.times.networkMs;
    if (result.full) networkMs += result.full->times.networkMs;
    return static_cast<double>(ageOf(result)) >
           kStaleMs + (2 + static_cast<double>(sources)) * networkMs;
  }

  // What the engine says of a fault, as a sentence of its own.
  static QString asSentence(const std::string& fault) {
    QString sentence = QString::fromStdString(fault);
    if (sentence.isEmpty()) return sentence;
    // Not the name of a layer or a file.
    const QString first = sentence.section(QLatin1Char(' '), 0, 0);
    const bool isWord =
        std::all_of(first.begin(), first.end(), [](QChar one) { return one.isLetter(); });
    if (isWord) sentence[0] = sentence[0].toUpper();
    return sentence.endsWith(QLatin1Char('.')) ? sentence : sentence + QLatin1Char('.');
  }
};

}  // namespace mpm::gui
