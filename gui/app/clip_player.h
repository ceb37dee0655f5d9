// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <memory>

class QLabel;
class QPushButton;
class QSlider;

namespace mpm::gui {

/// Shows what was kept of an event: plays a clip, or shows a picture. A window of its own, which
/// Escape closes.
class ClipPlayer : public QWidget {
  Q_OBJECT

 public:
  explicit ClipPlayer(QWidget* parent);
  ~ClipPlayer() override;

  /// Begins to play a clip, or shows a picture, in place of what was there.
  void play(const QString& file, const QString& title);
  void showPicture(const QString& file, const QString& title);

  const QString& file() const { return file_; }
  bool isPlaying() const { return ticking_.isActive(); }
  int frames() const;    ///< of the clip; 0: there is none, or it cannot be played
  int position() const;  ///< of the frame that is shown, from 0
  QImage picture() const;
  QString fault() const;  ///< why nothing is shown; empty: something is

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  class Screen;
  struct Clip;
  void open(const QString& file, const QString& title, bool isClip);
  void setPlaying(bool playing);
  void seek(int frame);
  bool showNext();
  void tellPlace();

  Screen* screen_;
  QPushButton *play_, *folder_;
  QSlider* place_;
  QLabel* time_;
  QString file_;
  std::unique_ptr<Clip> clip_;  // null: there is none
  double fps_ = 10;
  QTimer ticking_;
};

}  // namespace mpm::gui
