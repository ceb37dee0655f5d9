// SPDX-License-Identifier: Apache-2.0
// What the window says by itself of how an engine was opened.
#include <QtWidgets>
#include <cmath>
#include <utility>

#include "gui/app/main_window.h"
#include "gui/app/wording.h"
#include "gui/why_not_merging.h"

namespace mpm::gui {
namespace {

// What was chosen where any precision was fine, and why; empty: it was asked for.
QString choiceOf(const Live& live) {
  if (live.options().precision != kAutoPrecision) return {};
  const Computing& computing = live.computing();
  if (computing.precisions.empty())
    return MainWindow::tr(
        "Computing in float32: no picture arrived to compare other precisions on.");
  const TunedPrecision* chosen = &computing.precisions[0];
  for (const TunedPrecision& one : computing.precisions) {
    if (one.precision == computing.precision.toStdString()) chosen = &one;
  }
  if (chosen->precision == "fp32")
    return MainWindow::tr("Computing in float32: nothing faster labels the pixels as it does.");
  const QLocale locale;
  return MainWindow::tr(
             "Computing in %1: %2% of pixels are labelled as in float32, in %3% of its time.")
      .arg(precisionTitle(computing.precision),
           locale.toString(std::floor(chosen->agreement * 1000) / 10, 'f', 1),
           locale.toString(chosen->ratio * 100, 'f', 0));
}

}  // namespace

void MainWindow::tellOpened() {
  const auto engine = live().engine();
  const QString model = QFileInfo(settings_.live.model).fileName();
  if (engine->blocks() == 0) {
    say(tr("%1 runs, but cannot merge: %2.").arg(model, WhyNotMerging::words(engine->reason())),
        false);
  } else if (const QString fault = live().computing().fault; !fault.isEmpty()) {
    say(tr("%1; the processor computes.").arg(fault), false);
  } else if (settings_.live.memory && !engine->memoryFault().empty()) {
    say(tr("%1 runs without a scene memory: %2.")
            .arg(model, QString::fromStdString(engine->memoryFault())),
        false);
  } else {
    say(choiceOf(live()), false);
  }
  QStringList faults = live().ruleFaults();
  if (const QString gone = std::exchange(settings_.goneModel, {}); !gone.isEmpty())
    faults.prepend(
        tr("The model %1 is no longer there; the street model runs in its place.").arg(gone));
  if (!faults.isEmpty()) say(faults.join(QStringLiteral("  •  ")), true);
}

void MainWindow::say(const QString& sentence, bool bad) {
  status_->say(sentence, bad);
  if (bad) events_->list().add({"app", {}, sentence, monitor::systemClock().now().utcMs});
}

}  // namespace mpm::gui
