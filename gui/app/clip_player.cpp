// SPDX-License-Identifier: Apache-2.0
#include "gui/app/clip_player.h"

#include <QtWidgets>
#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/videoio.hpp>
#include <string>

#include "gui/room_on_screen.h"
#include "gui/unbroken.h"

namespace mpm::gui {

/// Shows a picture as large as there is room for, or a sentence where there is none.
class ClipPlayer::Screen : public QWidget {
 public:
  Screen() {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setMinimumSize(240, 160);
  }

  void show(const QImage& shown) {
    picture = shown;
    fault.clear();
    update();
  }
  void complain(const QString& sentence) {
    picture = {};
    fault = sentence;
    update();
  }

  QImage picture;
  QString fault;

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.fillRect(rect(), Qt::black);
    painter.setPen(Qt::white);
    const int margin = fontMetrics().height();
    if (picture.isNull())
      return painter.drawText(rect().adjusted(margin, margin, -margin, -margin),
                              Qt::AlignCenter | Qt::TextWordWrap, fault);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    QRect room(QPoint(), picture.size().scaled(size(), Qt::KeepAspectRatio));
    room.moveCenter(rect().center());
    painter.drawImage(room, picture);
  }
};

struct ClipPlayer::Clip {
  explicit Clip(const std::string& file) : video(file) {}
  cv::VideoCapture video;
};

ClipPlayer::ClipPlayer(QWidget* parent)
    : QWidget(parent, Qt::Window),
      screen_(new Screen),
      play_(new QPushButton),
      folder_(new QPushButton(tr("Show in &folder"))),
      place_(new QSlider(Qt::Horizontal)),
      time_(new QLabel) {
  screen_->setAccessibleName(tr("What was kept"));
  place_->setAccessibleName(tr("Place in the clip"));
  play_->setAutoDefault(true);
  auto* below = new QHBoxLayout;
  below->addWidget(play_);
  below->addWidget(place_, 1);
  below->addWidget(time_);
  below->addWidget(folder_);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(screen_, 1);
  layout->addLayout(below);
  connect(play_, &QPushButton::clicked, this, [this] { setPlaying(!isPlaying()); });
  connect(place_, &QSlider::valueChanged, this, &ClipPlayer::seek);
  connect(folder_, &QPushButton::clicked, this, [this] {
    QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(file_).absolutePath()));
  });
  connect(&ticking_, &QTimer::timeout, this, [this] {
    if (!showNext()) setPlaying(false);
  });
  setPlaying(false);
  resizeOnScreen(this, {820, 560});
}

ClipPlayer::~ClipPlayer() = default;

int ClipPlayer::frames() const { return clip_ ? place_->maximum() + 1 : 0; }
int ClipPlayer::position() const { return place_->value(); }
QImage ClipPlayer::picture() const { return screen_->picture; }
QString ClipPlayer::fault() const { return screen_->fault; }

void ClipPlayer::play(const QString& file, const QString& title) {
  open(file, title, true);
  clip_ = std::make_unique<Clip>(file.toStdString());
  const double count = clip_->video.isOpened() ? clip_->video.get(cv::CAP_PROP_FRAME_COUNT) : 0;
  if (!(count >= 1)) {
    clip_.reset();
    screen_->complain(QFileInfo::exists(file)
                          ? tr("This clip cannot be played.")
                          : tr("This clip is gone: the oldest ones make room for new ones."));
  } else {
    const double fps = clip_->video.get(cv::CAP_PROP_FPS);
    fps_ = fps >= 1 && fps <= 100 ? fps : 10;
    ticking_.setInterval(static_cast<int>(std::lround(1000 / fps_)));
    place_->setRange(0, static_cast<int>(std::min(count, 1e6)) - 1);
  }
  for (QWidget* widget :
       {static_cast<QWidget*>(play_), static_cast<QWidget*>(place_), static_cast<QWidget*>(time_)})
    widget->setEnabled(clip_ != nullptr);
  time_->setVisible(clip_ != nullptr);
  setPlaying(clip_ != nullptr && showNext());
  play_->setFocus();
}

void ClipPlayer::showPicture(const QString& file, const QString& title) {
  open(file, title, false);
  const QImage picture(file);
  if (picture.isNull()) return screen_->complain(tr("This picture is gone, or cannot be read."));
  screen_->show(picture);
}

void ClipPlayer::open(const QString& file, const QString& title, bool isClip) {
  setPlaying(false);
  clip_.reset();
  file_ = file;
  setWindowTitle(title);
  for (QWidget* widget :
       {static_cast<QWidget*>(play_), static_cast<QWidget*>(place_), static_cast<QWidget*>(time_)})
    widget->setVisible(isClip);
  const QSignalBlocker quiet(place_);
  place_->setRange(0, 0);
  screen_->show({});
  tellPlace();
  show();
  raise();
  activateWindow();
}

void ClipPlayer::setPlaying(bool playing) {
  const bool isAtItsEnd = place_->value() == place_->maximum();
  if (playing && isAtItsEnd) seek(0);
  playing ? ticking_.start() : ticking_.stop();
  play_->setText(playing ? tr("&Pause") : tr("&Play"));
}

void ClipPlayer::seek(int frame) {
  if (!clip_) return;
  clip_->video.set(cv::CAP_PROP_POS_FRAMES, frame);
  showNext();
}

// The frame at which the clip stands; false where it has no more.
bool ClipPlayer::showNext() {
  if (!clip_) return false;
  const int place = static_cast<int>(std::lround(clip_->video.get(cv::CAP_PROP_POS_FRAMES)));
  cv::Mat frame;
  if (!clip_->video.read(frame) || frame.type() != CV_8UC3) return false;
  screen_->show(QImage(frame.data, frame.cols, frame.rows, static_cast<qsizetype>(frame.step[0]),
                       QImage::Format_BGR888)
                    .convertToFormat(QImage::Format_RGB32));
  const QSignalBlocker quiet(place_);
  place_->setValue(place);
  tellPlace();
  return true;
}

void ClipPlayer::tellPlace() {
  const auto seconds = [this](int frame) {
    return QLocale().toString(static_cast<double>(frame) / fps_, 'f', 1);
  };
  time_->setText(
      unbroken(tr("%1 of %2 s").arg(seconds(place_->value()), seconds(place_->maximum() + 1))));
}

void ClipPlayer::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape)
    close();
  else
    QWidget::keyPressEvent(event);
}

void ClipPlayer::hideEvent(QHideEvent* event) {
  setPlaying(false);
  QWidget::hideEvent(event);
}

}  // namespace mpm::gui
