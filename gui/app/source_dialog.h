// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

#include "gui/app/live.h"
#include "gui/plot/colours.h"
#include "monitor/source/address.h"
#include "monitor/source/cameras.h"
#include "monitor/source/capture.h"

namespace mpm::gui {

/// Chooses what is watched: a camera that is plugged in, what was watched before, a file, or an
/// address, which can be tried first.
class SourceDialog : public QDialog {
  Q_OBJECT

 public:
  SourceDialog(const QString& current, const QStringList& recent, QWidget* parent = nullptr)
      : QDialog(parent),
        list_(new QListWidget),
        address_(new QLineEdit(current)),
        open_(nullptr),
        test_(new QPushButton(tr("&Test"))),
        told_(new QLabel) {
    setWindowTitle(tr("Open a source"));
    setMinimumWidth(520);
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
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(list_, 1);
    layout->addWidget(addressLabel);
    layout->addLayout(line);
    layout->addLayout(files);
    layout->addWidget(told_);
    layout->addWidget(buttons);

    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(file, &QPushButton::clicked, this, &SourceDialog::chooseFile);
    connect(folder, &QPushButton::clicked, this, &SourceDialog::chooseFolder);
    connect(test_, &QPushButton::clicked, this, &SourceDialog::test);
    connect(address_, &QLineEdit::textChanged, this, &SourceDialog::checkAddress);
    connect(list_, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
      if (item != nullptr) address_->setText(item->data(Qt::UserRole).toString());
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

 private:
  static constexpr int kLookEveryMs = 100, kPatienceMs = 12000;
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
    tell(tr("Opening %1 ...").arg(QString::fromStdString(tested_->shown())), false);
    looks_ = 0;
    timer_.start();
  }

  void look() {
    const monitor::CaptureStatus status = tested_->status();
    if (status.frames >= kFramesWanted ||
        (status.frames > 0 && status.state == monitor::CaptureState::ended)) {
      endTest(true, tr("Pictures of %1 x %2 come, about %3 a second.")
                        .arg(status.size.width)
                        .arg(status.size.height)
                        .arg(QLocale().toString(status.fps, 'f', 1)));
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
    tell(fault, true);
  }

  QListWidget* list_;
  QLineEdit* address_;
  QPushButton *open_, *test_;
  QLabel* told_;
  int cameras_ = 0;  // rows of the list, the first ones
  std::unique_ptr<monitor::Capture> tested_;
  QTimer timer_;
  int looks_ = 0;
  QFileSystemWatcher devices_;
};

}  // namespace mpm::gui
