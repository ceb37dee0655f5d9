// SPDX-License-Identifier: Apache-2.0
#include "gui/app/clips.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QMetaObject>
#include <QPaintEvent>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSizePolicy>
#include <QSlider>
#include <QStringList>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <opencv2/videoio.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "files/new_file.h"
#include "gui/room_on_screen.h"
#include "gui/unbroken.h"
#include "monitor/service/clips.h"
#include "segment/pictures.h"
#include "tune/median.h"

namespace mpm::gui {
int ClipPace::framesUntil(std::int64_t takenMs) {
  constexpr std::int64_t kLongestMs = 5000;
  if (lastMs_) atMs_ += std::clamp<std::int64_t>(takenMs - *lastMs_, 0, kLongestMs);
  lastMs_ = takenMs;
  const std::int64_t frame = std::llround(fps_ * static_cast<double>(atMs_) / 1000);
  return static_cast<int>(frame - std::exchange(frame_, frame));
}

// A video that is being written, which takes its place when it is whole.
struct ClipRecorder::Clip {
  Clip(const QString& at, double fps)
      : path(at.toStdString()),
        file(beside(path)),
        writer(std::make_unique<monitor::ClipWriter>(file.path().string(), fps)) {}

  static files::NewFile beside(const std::filesystem::path& path) {
    try {
      return files::NewFile(path.parent_path() / ".clip-", ".avi");
    } catch (const std::system_error& error) {
      throw std::runtime_error("cannot write " + path.string() + ": " + error.code().message());
    }
  }

  // Waits for what is left to write. Returns false if there is nothing or no place for it.
  bool takeItsPlace() {
    writer.reset();
    std::error_code fault;
    if (std::filesystem::file_size(file.path(), fault) == 0 || fault) return false;
    try {
      file.moveTo(path);
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  std::filesystem::path path;
  files::NewFile file;
  std::unique_ptr<monitor::ClipWriter> writer;
};

ClipRecorder::ClipRecorder(Session& session) : session_(session) {
  connect(&session, &Session::came, this,
          [this](const monitor::FrameResultPtr& newest, const auto& /*compared*/,
                 std::size_t source) { see(*newest, source); });
  connect(&session, &Session::began, this, [this] {
    if (clip_ && !session_.live().options().sources().contains(address_))
      end(tr("%1 is no longer watched.").arg(session_.nameOf(address_)));
  });
}

ClipRecorder::~ClipRecorder() {
  if (clip_) ending_.push_back(std::move(clip_));
  for (const auto& clip : ending_) clip->takeItsPlace();
}

void ClipRecorder::begin(const QString& path) {
  follow(session_.live().shownAddress());
  const double fps = intervalsMs_.empty()
                         ? kUsualFps
                         : 1000 / tune::median({intervalsMs_.begin(), intervalsMs_.end()});
  const double rate = std::clamp(fps, 1.0, kMostFps);
  clip_ = std::make_unique<Clip>(path, rate);
  pace_ = ClipPace(rate);
}

void ClipRecorder::end(const QString& why) {
  if (!clip_) return;
  if (!waiting_.empty()) clip_->writer->add(std::exchange(waiting_, {}), 1);
  Clip* clip = clip_.get();
  ending_.push_back(std::move(clip_));
  clip->writer->finish([this, clip, why](const monitor::ClipWriter::Status&) {
    QMetaObject::invokeMethod(
        this, [this, clip, why] { told(*clip, why); }, Qt::QueuedConnection);
  });
}

void ClipRecorder::see(const monitor::FrameResult& newest, std::size_t source) {
  if (!clip_) follow(session_.live().shownAddress());
  const QStringList watched = session_.live().options().sources();
  if (watched.value(static_cast<qsizetype>(source)) != address_ || newest.readyMs == readyMs_)
    return;
  const std::int64_t beforeMs = std::exchange(takenMs_, newest.frame.taken.steadyMs);
  if (std::exchange(readyMs_, newest.readyMs) != 0 && takenMs_ > beforeMs) {
    intervalsMs_.push_back(static_cast<double>(takenMs_ - beforeMs));
    if (intervalsMs_.size() > kIntervals) intervalsMs_.pop_front();
  }
  const auto engine = session_.live().engine(source);
  if (clip_ && engine) add(newest, engine->palette());
}

// The source's rate is measured from here on.
void ClipRecorder::follow(const QString& address) {
  if (std::exchange(address_, address) == address) return;
  intervalsMs_.clear();
  readyMs_ = 0;
}

// A frame is held until the next one comes, which decides for how long it is shown.
void ClipRecorder::add(const monitor::FrameResult& result, const std::vector<cv::Vec3b>& palette) {
  const int frames = pace_.framesUntil(result.frame.taken.steadyMs);
  if (!waiting_.empty() && frames == 0) return;
  if (!waiting_.empty()) clip_->writer->add(waiting_, frames);
  waiting_ = drawOverlay(result.frame.picture, result.segmentation.labels, palette);
}

void ClipRecorder::told(Clip& clip, const QString& why) {
  const monitor::ClipWriter::Status status = clip.writer->status();
  const bool isThere = status.written > 0 && status.isWhole && clip.takeItsPlace();
  const QLocale locale;
  QStringList sentences;
  if (!why.isEmpty()) sentences << why;
  if (isThere) {
    sentences << tr("Clip saved; frames: %1, left out: %2.")
                     .arg(locale.toString(static_cast<qulonglong>(status.written)),
                          locale.toString(static_cast<qulonglong>(status.leftOut)));
  } else {
    sentences << tr("No clip saved: no frame arrived, or none could be written to %1.")
                     .arg(QString::fromStdString(clip.path.string()));
  }
  ending_.erase(std::find_if(ending_.begin(), ending_.end(),
                             [&](const auto& one) { return one.get() == &clip; }));
  emit ended(sentences.join(' '), !isThere);
}

/// Shows a frame as large as there is room for, or a sentence if there is none.
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
  screen_->setAccessibleName(tr("Clip or picture"));
  place_->setAccessibleName(tr("Position in the clip"));
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
                          : tr("This clip is gone: old clips make way for new ones."));
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
  if (picture.isNull()) return screen_->complain(tr("This picture is gone or cannot be read."));
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

// Shows the clip's next frame; returns false if there is none.
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
