// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStatusBar>
#include <QString>

#include "gui/app/session.h"
#include "gui/canvas/inspection.h"

class QLabel;

namespace mpm::gui {

/// Shows the state: sentences, what is under the cursor, label agreement, what merging saves,
/// errors, and whether the frame is live. Text without room ends with an ellipsis instead of
/// widening the window.
class StatusLine : public QStatusBar {
  Q_OBJECT

 public:
  explicit StatusLine(Session& session);

  /// Shows a sentence; a bad one stays until the next.
  void say(const QString& sentence, bool bad);
  void inspect(const Inspection& inspection);
  void endInspection();
  void setComparing(bool on);
  /// Sets whether all sources are on the screen, so that the word covers all of them.
  void setOnWall(bool on) { onWall_ = on; }
  /// Tells whether it shows what no view does: a bad sentence, or a record that cannot be written
  /// or has no new backup.
  bool isWrong() const { return saidBad_ || recordFails_; }
  /// Returns the room of a sentence: from the left to the permanent widgets.
  QRect placeOfSentence() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void look(const Liveness& stands);
  void showAgreement(const monitor::FrameResult& shown);
  void showFault(const monitor::Engine& engine, bool quiet);

  Session& session_;
  bool saidBad_ = false, recordFails_ = false, onWall_ = false, compares_ = false;
  QLabel *underCursor_, *agreement_, *saving_, *fault_, *state_;
};

}  // namespace mpm::gui
