// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <chrono>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

#include "gui/app/settings.h"
#include "gui/canvas/thumbnail.h"
#include "gui/plot/colours.h"
#include "monitor/source/address.h"
#include "monitor/source/cameras.h"
#include "monitor/source/capture.h"

namespace mpm::gui {

/// Chooses what is watched: a camera that is plugged in, what was watched before, a file, or an
/// address. Beside them what the chosen one shows, before it is opened, or why it shows nothing;
/// and which zones and rules are kept for it. An address that is typed is tried when asked.
class SourceDialog : public QDialog {
  Q_OBJECT

 public:
  SourceDialog(const QString& current, const QStringList& recent, QWidget* parent = nullptr)
      : QDialog(parent),
        list_(new QListWidget),
        address_(new QLineEdit(current)),
        open_(nullptr),
        test_(new QPushButton(tr("&Test"))),
        told_(new QLabel),
        picture_(new QLabel),
        kept_(new QLabel),
        current_(current.trimmed()) {
    setWindowTitle(tr("Open a source"));
    resize(780, 480);
    picture_->setFixedSize(kPictureSize);
    picture_->setAlignment(Qt::AlignCenter);
    picture_->setFrameShape(QFrame::StyledPanel);
    picture_->setWordWrap(true);
    picture_->setAccessibleName(tr("What it shows"));
    kept_->setWordWrap(true);
    kept_->setTextFormat(Qt::PlainText);
    list_->setAccessibleName(tr("Cameras and what was watched before"));
    address_->setAccessibleName(tr("Address"));
    address_->setPlaceholderText(tr("rtsp://camera/stream, /dev/video0, a file or a folder"));
    address_->setClearButtonEnabled(true);
    told_->setWordWrap(true);
    told_->setMinimumHeight(fontMetrics().height() * 2);
    told_->setTextFormat(Qt::PlainText);

    auto* file = new QPushButton(tr("&File ..."));
    auto* folder = new QPushButton(tr("F&older ..."));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel);
    open_ = buttons->button(QDialogButtonBox::Open);
    auto* line = new QHBoxLayout;
    line->addWidget(address_, 1);
    line->addWidget(test_);
    auto* files = new QHBoxLayout;
    files->addWidget(file);
    files->addWidget(folder);
    files->addStretch();
    auto* addressLabel = new QLabel(tr("&Address"));
    addressLabel->setBuddy(address_);
    auto* card = new QVBoxLayout;
    card->addWidget(picture_);
    card->addWidget(told_);
    card->addWidget(kept_);
    card->addStretch();
    auto* columns = new QHBoxLayout;
    columns->addWidget(list_, 1);
    columns->addLayout(card);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(columns, 1);
    layout->addWidget(addressLabel);
    layout->addLayout(line);
    layout->addLayout(files);
    layout->addWidget(buttons);

    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(file, &QPushButton::clicked, this, &SourceDialog::chooseFile);
    connect(folder, &QPushButton::clicked, this, &SourceDialog::chooseFolder);
    connect(test_, &QPushButton::clicked, this, &SourceDialog::test);
    connect(address_, &QLineEdit::textChanged, this, &SourceDialog::checkAddress);
    connect(list_, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
      if (item == nullptr) return;
      address_->setText(item->data(Qt::UserRole).toString());
      settled_.start(kSettleMs);
    });
    settled_.setSingleShot(true);
    connect(&settled_, &QTimer::timeout, this, [this] {
      if (!tested_ && test_->isEnabled() && !isWatched()) test();
    });
    connect(list_, &QListWidget::itemActivated, this, &QDialog::accept);
    timer_.setInterval(kLookEveryMs);
    connect(&timer_, &QTimer::timeout, this, &SourceDialog::look);
    // Cameras come and go while the dialog is open.
    devices_.addPath(QStringLiteral("/dev"));
    connect(&devices_, &QFileSystemWatcher::directoryChanged, this, &SourceDialog::listCameras);
    listSources(recent);
    checkAddress();
    address_->setFocus();
  }

  ~SourceDialog() override { endAside(std::move(tested_)); }

  QString address() const { return address_->text().trimmed(); }

  /// What is watched now: its newest picture is shown without opening it once more, which a camera
  /// would refuse.
  void setWatched(const cv::Mat& picture, double fps) {
    watched_ = thumbnailOf(picture, kPictureSize);
    watchedWords_ = comesWords(picture.size(), fps);
    showWatched();
  }

 private:
  static constexpr int kLookEveryMs = 100, kPatienceMs = 12000, kSettleMs = 300;
  static constexpr QSize kPictureSize{320, 240};
  static constexpr std::uint64_t kFramesWanted = 3;

  // A capture may take half a second to end, which the GUI cannot wait for.
  static void endAside(std::unique_ptr<monitor::Capture> capture) {
    if (capture) std::thread([ending = std::move(capture)]() mutable { ending.reset(); }).detach();
  }

  void listSources(const QStringList& recent) {
    auto* street = new QListWidgetItem(tr("A drawn street, a day in two minutes"), list_);
    street->setData(Qt::UserRole, QString::fromLatin1(kStreet));
    for (const QString& address : recent) {
      if (address == QLatin1String(kStreet)) continue;
      QString shown = address;
      try {
        shown = QString::fromStdString(monitor::parseSourceAddress(address.toStdString()).shown);
      } catch (const std::exception&) {
        continue;
      }
      auto* item = new QListWidgetItem(shown, list_);
      item->setData(Qt::UserRole, address);
    }
    listCameras();
  }

  void listCameras() {
    const QSignalBlocker quiet(list_);
    for (; cameras_ > 0; --cameras_) delete list_->takeItem(0);
    for (const monitor::CameraDevice& camera : monitor::listCameras()) {
      auto* item = new QListWidgetItem(tr("%1 (%2)").arg(QString::fromStdString(camera.name),
                                                         QString::fromStdString(camera.device)));
      item->setData(Qt::UserRole, QString::fromStdString(camera.address()));
      list_->insertItem(cameras_++, item);
    }
  }

  void chooseFile() {
    const QString start = QStandardPaths::writableLocation(QStandardPaths::MoviesLocation);
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Open a video or a picture"), start,
        tr("Videos and pictures (*.mp4 *.mkv *.avi *.mov *.webm *.png *.jpg *.jpeg *.bmp *.tif);;"
           "All files (*)"));
    if (!file.isEmpty()) address_->setText(file);
  }

  void chooseFolder() {
    const QString folder = QFileDialog::getExistingDirectory(
        this, tr("Open a folder of pictures"),
        QStandardPaths::writableLocation(QStandardPaths::PicturesLocation));
    if (!folder.isEmpty()) address_->setText(folder);
  }

  /// Opens the address on the side, to see whether pictures come; again: stops.
  void test() {
    if (tested_) return endTest(true, tr("Stopped."));
    try {
      tested_ = std::make_unique<monitor::Capture>(
          monitor::parseSourceAddress(address().toStdString()), monitor::CaptureOptions{});
    } catch (const std::exception& fault) {
      return endTest(false, QString::fromUtf8(fault.what()));
    }
    test_->setText(tr("&Stop"));
    showPicture({});
    tell(tr("Opening %1 ...").arg(QString::fromStdString(tested_->shown())), false);
    looks_ = 0;
    timer_.start();
  }

  void look() {
    const monitor::CaptureStatus status = tested_->status();
    if (const auto frame = tested_->next(std::chrono::milliseconds(0)))
      showPicture(thumbnailOf(frame->picture, kPictureSize));
    if (status.frames >= kFramesWanted ||
        (status.frames > 0 && status.state == monitor::CaptureState::ended)) {
      endTest(true, comesWords(status.size, status.fps));
    } else if (status.state == monitor::CaptureState::waiting) {
      endTest(false, QString::fromStdString(status.fault));
    } else if (status.state == monitor::CaptureState::ended) {
      endTest(false, tr("It ended before a picture came."));
    } else if (++looks_ * kLookEveryMs >= kPatienceMs) {
      endTest(false, tr("No picture came within %1 seconds.").arg(kPatienceMs / 1000));
    }
  }

  void endTest(bool good, const QString& sentence) {
    timer_.stop();
    endAside(std::move(tested_));
    test_->setText(tr("&Test"));
    tell(sentence, !good);
  }

  static QString comesWords(cv::Size size, double fps) {
    return tr("Pictures of %1 x %2 come, about %3 a second.")
        .arg(size.width)
        .arg(size.height)
        .arg(QLocale().toString(fps, 'f', 1));
  }

  bool isWatched() const { return !watched_.isNull() && address() == current_; }

  void showWatched() {
    if (!isWatched()) return;
    showPicture(watched_);
    tell(tr("It is watched now. %1").arg(watchedWords_), false);
  }

  void showPicture(const QImage& picture) {
    if (picture.isNull()) return picture_->setText(tr("No picture yet"));
    picture_->setPixmap(QPixmap::fromImage(picture));
  }

  // Zones and rules of an address that was watched before.
  QString keptWords() const {
    try {
      const monitor::RuleBook book = readBook(rulesFileOf(address()));
      if (book.zones.empty() && book.rules.empty()) return {};
      QStringList zones;
      for (const monitor::Zone& zone : book.zones) zones << QString::fromStdString(zone.name);
      return tr("Kept for it: zones: %1; rules: %2.")
          .arg(zones.isEmpty() ? tr("none") : zones.join(QStringLiteral(", ")))
          .arg(book.rules.size());
    } catch (const std::exception& fault) {
      return QString::fromUtf8(fault.what());
    }
  }

  void tell(const QString& sentence, bool bad) {
    told_->setText(sentence);
    told_->setPalette(bad ? faultPalette(palette()) : palette());
  }

  void checkAddress() {
    QString fault;
    if (!address().isEmpty()) {
      try {
        monitor::parseSourceAddress(address().toStdString());
      } catch (const std::exception& refusal) {
        fault = QString::fromUtf8(refusal.what());
      }
    }
    const bool good = !address().isEmpty() && fault.isEmpty();
    open_->setEnabled(good);
    test_->setEnabled(good);
    timer_.stop();  // what is tried is another one
    endAside(std::move(tested_));
    test_->setText(tr("&Test"));
    showPicture({});
    tell(fault, true);
    kept_->setText(good ? keptWords() : QString());
    showWatched();
  }

  QListWidget* list_;
  QLineEdit* address_;
  QPushButton *open_, *test_;
  QLabel *told_, *picture_, *kept_;
  QString current_, watchedWords_;
  QImage watched_;   // of `current_`
  int cameras_ = 0;  // rows of the list, the first ones
  std::unique_ptr<monitor::Capture> tested_;
  QTimer timer_, settled_;  // settled_: a choice that stays for a moment is tried
  int looks_ = 0;
  QFileSystemWatcher devices_;
};

}  // namespace mpm::gui
