// SPDX-License-Identifier: Apache-2.0
#include "gui/app/status_line.h"

#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QStyleOption>
#include <algorithm>

#include "gui/app/frame_figures.h"
#include "gui/plot/axes.h"
#include "mpm/tune.h"

namespace mpm::gui {
namespace {

constexpr int kRim = 6, kLeastLetters = 12, kSaidMs = 15000;

void drawCut(QPainter& painter, const QRect& place, const QString& words) {
  painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                   painter.fontMetrics().elidedText(words, Qt::ElideRight, place.width()));
}

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
};

// A record that cannot be written has no backups either.
QString recordFaultOf(const Live& live) {
  if (const QString fault = live.recordFault(); !fault.isEmpty()) return fault;
  const QString backup = live.backupFault();
  return backup.isEmpty() ? backup
                          : StatusLine::tr("No backup of the record could be made: %1").arg(backup);
}

}  // namespace

StatusLine::StatusLine(Session& session)
    : session_(session),
      underCursor_(new Cut),
      agreement_(new Cut),
      saving_(new Cut),
      fault_(new Cut),
      state_(new QLabel) {
  agreement_->setVisible(false);
  fault_->setVisible(false);
  state_->setContentsMargins(kRim, 0, kRim, 0);  // full screen has no grip beside it
  for (QLabel* label : {underCursor_, agreement_, saving_, fault_, state_})
    addPermanentWidget(label);
  connect(this, &QStatusBar::messageChanged, this, &QWidget::setToolTip);
  connect(&session_, &Session::said, this, &StatusLine::say);
  connect(&session_, &Session::savingKnown, saving_, &QLabel::setText);
  connect(&session_, &Session::looked, this, &StatusLine::look);
  connect(&session_, &Session::shownChanged, agreement_, &QLabel::clear);
  connect(&session_, &Session::frameShown, this, [this](const monitor::FrameResultPtr& newest) {
    if (compares_) showAgreement(*newest);
  });
  connect(&session_, &Session::ended, this, [this] {
    recordFails_ = false;
    fault_->hide();
    for (QLabel* label : {underCursor_, agreement_, state_}) label->clear();
  });
}

void StatusLine::say(const QString& sentence, bool bad) {
  saidBad_ = bad && !sentence.isEmpty();
  if (sentence.isEmpty()) return clearMessage();
  showMessage(sentence, bad ? 0 : kSaidMs);
}

void StatusLine::inspect(const Inspection& inspection) {
  underCursor_->setText(describe(inspection));
}

void StatusLine::endInspection() { underCursor_->clear(); }

void StatusLine::setComparing(bool on) {
  compares_ = on;
  agreement_->clear();
  agreement_->setVisible(on);
}

void StatusLine::showAgreement(const monitor::FrameResult& shown) {
  if (!shown.full) return agreement_->clear();
  const double agreement = agreementOf(shown.full->labels, shown.segmentation.labels) * 100;
  const QLocale locale;
  const QString words =
      shown.remembers ? tr("This frame: %1 of pixels agree; with the memory %2 ms, unmerged %3 ms")
                      : tr("This frame: %1 of pixels agree; merged %2 ms, unmerged %3 ms");
  agreement_->setText(words.arg(percentText(agreement, 1, locale),
                                locale.toString(frameMs(shown.segmentation.times), 'f', 1),
                                locale.toString(frameMs(shown.full->times), 'f', 1)));
}

void StatusLine::look(const Liveness& stands) {
  saving_->setVisible(session_.face() == Face::watch);
  QString state = stands.state;
  const auto engine = session_.live().engine();
  if (!engine) {  // what was wrong with the one before is no more
    recordFails_ = false;
    fault_->hide();
    return state_->setText(state);
  }
  const bool paused = session_.isPaused(), measuring = session_.isMeasuring();
  showFault(*engine, paused || measuring || stands.oldMs.has_value());
  if (onWall_) state = session_.stateOfAll();
  const monitor::FrameResultPtr newest = engine->latest();
  if (newest && newest->filtered && !paused) state = tr("%1, simulated night").arg(state);
  state_->setText(measuring ? tr("Measuring") : state);
}

// `quiet` says nothing about the scene. Nor does Watch, where the headline does.
void StatusLine::showFault(const monitor::Engine& engine, bool quiet) {
  QString fault = QString::fromStdString(engine.fault());
  const QString record = recordFaultOf(session_.live());
  recordFails_ = !record.isEmpty();
  if (fault.isEmpty()) fault = record;
  QString told = fault;
  if (fault.isEmpty() && !quiet && session_.face() != Face::watch) {
    fault = session_.sceneWatch().words();
    told = fault + QStringLiteral("\n\n") + session_.sceneWatch().explanation();
  }
  fault_->setText(fault);
  fault_->setToolTip(told);
  fault_->setVisible(!fault.isEmpty());
}

QRect StatusLine::placeOfSentence() const {
  int right = width() - kRim;
  for (const QLabel* label : {underCursor_, agreement_, saving_, fault_, state_})
    if (label->isVisible()) right = std::min(right, label->x() - kRim);
  return {kRim, 0, std::max(0, right - kRim), height()};
}

// Paints as QStatusBar does, but with an ellipsis.
void StatusLine::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  QStyleOption panel;
  panel.initFrom(this);
  style()->drawPrimitive(QStyle::PE_PanelStatusBar, &panel, &painter, this);
  drawCut(painter, placeOfSentence(), currentMessage());
}

}  // namespace mpm::gui
