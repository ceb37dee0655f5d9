// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStatusBar>
#include <QString>

#include "gui/app/session.h"
#include "gui/canvas/inspection.h"

class QLabel;

namespace mpm::gui {

/// How things stand: sentences, what lies under the cursor, how far merged and full tokens agree,
/// what merging saves, what is wrong, whether the picture is live. What has no room ends with an
/// ellipsis, instead of making the window wider.
class StatusLine : public QStatusBar {
  Q_OBJECT

 public:
  explicit StatusLine(Session& session);

  /// A bad one stays until the next.
  void say(const QString& sentence, bool bad);
  void inspect(const Inspection& inspection);
  void endInspection();
  void setComparing(bool on);
  /// Whether all that are watched are on the screen, so that the word is of all of them.
  void setOnWall(bool on) { onWall_ = on; }
  /// Whether something stands here that no view says of itself: a bad sentence, or that the record
  /// cannot be written or has no new backup.
  bool isWrong() const { return saidBad_ || recordFails_; }
  /// Where a sentence stands: from the left to what always stands there.
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
