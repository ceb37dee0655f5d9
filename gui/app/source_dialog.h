// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "gui/app/settings.h"
#include "gui/app/source_shelf.h"
#include "gui/canvas/pictures.h"
#include "gui/plot/colours.h"
#include "gui/room_on_screen.h"
#include "gui/unbroken.h"
#include "monitor/source/address.h"
#include "monitor/source/cameras.h"
#include "monitor/source/capture.h"

namespace mpm::gui {

/// Chooses what is watched: a camera that is plugged in, what was watched before, a file, or an
/// address. Beside them what the chosen one shows, before it is opened, or why it shows nothing;
/// its name, and which zones and rules are kept for it. An address that is typed is tried when
/// nothing has been typed for a second. Names are given with what is opened, and not where the
/// dialog is cancelled.
class SourceDialog : public QDialog {
  Q_OBJECT

 public:
  /// What reads an address that is tried; throws where it is none.
  using OpenCapture = std::function<std::unique_ptr<monitor::Capture>(const QString& address)>;

  SourceDialog(const QString& current, const QStringList& recent, const QVariantMap& names = {},
               QWidget* parent = nullptr, OpenCapture openCapture = openAddress)
      : QDialog(parent),
        openCapture_(std::move(openCapture)),
        names_(names),
        list_(new QListWidget),
        address_(new QLineEdit(current, this)),
        buttons_(new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel)),
        test_(new QPushButton(tr("&Test"))),
        told_(new QLabel),
        picture_(new QLabel),
        kept_(new QLabel),
        name_(new QLineEdit) {
    resizeOnScreen(this, {780, 480});
    layOut();
    listen();
    listSources(recent);
    checkAddress();
    settled_.stop();  // what is offered may be opening already
    address_->setFocus();
  }

  ~SourceDialog() override { endAside(std::move(tested_)); }

  QString address() const { return withoutBlanks(address_->text()); }

  void accept() override {
    for (auto given = given_.cbegin(); given != given_.cend(); ++given)
      emit named(given.key(), given.value());
    QDialog::accept();
  }

  /// What is watched now: its newest picture (empty: none yet) is shown without opening it once
  /// more, which a camera would refuse.
  void setWatched(const QString& address, const cv::Mat& picture, double fps) {
    if (picture.empty()) {
      watched_[withoutBlanks(address)] = {
          {}, tr("It is being watched; its first picture has not arrived yet.")};
    } else {
      watched_[withoutBlanks(address)] = {
          thumbnailOf(picture, kPictureSize),
          tr("It is being watched. %1").arg(comesWords(picture.size(), fps))};
    }
    showWatched();
  }

 signals:
  /// With the dialog's end; empty: no more.
  void named(const QString& address, const QString& name);

 private:
  static constexpr int kLookEveryMs = 100, kTellSecondsFrom = 2;
  static constexpr int kChosenMs = 300, kTypedMs = 1000;
  static constexpr QSize kPictureSize{320, 240}, kIconSize{64, 48};
  static constexpr std::uint64_t kFramesWanted = 3;
  static constexpr int kRatedMs = 3000;  // from the first picture on: its rate is known by then

  enum Role { kAddressRole = Qt::UserRole, kShownRole };

  struct Watched {
    QImage picture;  // null: none yet
    QString words;
  };

  static std::unique_ptr<monitor::Capture> openAddress(const QString& address) {
    return std::make_unique<monitor::Capture>(monitor::parseSourceAddress(address.toStdString()),
                                              monitor::CaptureOptions{});
  }

  // A capture may take half a second to end, which the GUI cannot wait for.
  static void endAside(std::unique_ptr<monitor::Capture> capture) {
    if (capture) std::thread([ending = std::move(capture)]() mutable { ending.reset(); }).detach();
  }

  // What is chosen, beside the list.
  QLayout* makeCard() {
    picture_->setFixedSize(kPictureSize);
    picture_->setAlignment(Qt::AlignCenter);
    picture_->setFrameShape(QFrame::StyledPanel);
    picture_->setWordWrap(true);
    picture_->setAccessibleName(tr("What it shows"));
    told_->setWordWrap(true);
    told_->setMinimumHeight(fontMetrics().height() * 2);
    told_->setTextFormat(Qt::PlainText);
    kept_->setWordWrap(true);
    kept_->setTextFormat(Qt::PlainText);
    name_->setAccessibleName(tr("Name"));
    name_->setPlaceholderText(tr("A name for it"));
    auto* nameLabel = new QLabel(tr("&Name"));
    nameLabel->setBuddy(name_);
    auto* nameLine = new QHBoxLayout;
    nameLine->addWidget(nameLabel);
    nameLine->addWidget(name_, 1);
    auto* card = new QVBoxLayout;
    card->addWidget(picture_);
    card->addWidget(told_);
    card->addLayout(nameLine);
    card->addWidget(kept_);
    card->addStretch();
    return card;
  }

  QLayout* makeFileButtons() {
    auto* file = new QPushButton(tr("&File ..."));
    auto* folder = new QPushButton(tr("F&older ..."));
    connect(file, &QPushButton::clicked, this, &SourceDialog::chooseFile);
    connect(folder, &QPushButton::clicked, this, &SourceDialog::chooseFolder);
    auto* files = new QHBoxLayout;
    files->addWidget(file);
    files->addWidget(folder);
    files->addStretch();
    return files;
  }

  void layOut() {
    list_->setAccessibleName(tr("Cameras and what was watched before"));
    list_->setIconSize(kIconSize);
    list_->setWordWrap(true);
    address_->setAccessibleName(tr("Address"));
    address_->setPlaceholderText(tr("rtsp://camera/stream, /dev/video0, a file or a folder"));
    address_->setClearButtonEnabled(true);
    auto* addressLabel = new QLabel(tr("&Address"));
    addressLabel->setBuddy(address_);
    auto* columns = new QHBoxLayout;
    columns->addWidget(list_, 1);
    columns->addLayout(makeCard());
    auto* line = new QHBoxLayout;
    line->addWidget(address_, 1);
    line->addWidget(test_);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(columns, 1);
    layout->addWidget(addressLabel);
    layout->addLayout(line);
    layout->addLayout(makeFileButtons());
    layout->addWidget(buttons_);
    setTabOrder(list_, name_);
    setTabOrder(name_, address_);
    setTabOrder(address_, test_);
  }

  void listen() {
    connect(buttons_, &QDialogButtonBox::accepted, this, &SourceDialog::accept);
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(test_, &QPushButton::clicked, this, &SourceDialog::test);
    connect(name_, &QLineEdit::textEdited, this, &SourceDialog::giveName);
    connect(address_, &QLineEdit::textChanged, this, &SourceDialog::checkAddress);
    connect(list_, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
      if (item != nullptr) choose(item->data(kAddressRole).toString());
    });
    connect(list_, &QListWidget::itemActivated, this, &SourceDialog::accept);
    settled_.setSingleShot(true);
    connect(&settled_, &QTimer::timeout, this, [this] {
      if (!tested_ && test_->isEnabled() && !isWatched()) test();
    });
    timer_.setInterval(kLookEveryMs);
    connect(&timer_, &QTimer::timeout, this, &SourceDialog::look);
    // Cameras come and go while the dialog is open.
    devices_.addPath(QStringLiteral("/dev"));
    connect(&devices_, &QFileSystemWatcher::directoryChanged, this, &SourceDialog::listCameras);
  }

  void listSources(const QStringList& recent) {
    list_->addItem(itemOf(QString::fromLatin1(kStreet),
                          tr("A drawn street, a day in two and a half minutes")));
    for (const QString& address : recent) {
      const QString shown = spokenName(address, {});
      if (address != QLatin1String(kStreet) && !shown.isEmpty())
        list_->addItem(itemOf(address, shown));
    }
    listCameras();
  }

  void listCameras() {
    const QSignalBlocker quiet(list_);
    for (; cameras_ > 0; --cameras_) delete list_->takeItem(0);
    for (const monitor::CameraDevice& camera : monitor::listCameras()) {
      list_->insertItem(cameras_++,
                        itemOf(QString::fromStdString(camera.address()),
                               tr("%1 (%2)").arg(QString::fromStdString(camera.name),
                                                 QString::fromStdString(camera.device))));
    }
  }

  // `shown`: what it is without a name of its own, which stands below one that it was given.
  QListWidgetItem* itemOf(const QString& address, const QString& shown) const {
    auto* item = new QListWidgetItem;
    item->setData(kAddressRole, address);
    item->setData(kShownRole, shown);
    item->setToolTip(shown);
    QImage image = SourceShelf::pictureOf(address);
    if (image.isNull()) {
      image = QImage(kIconSize, QImage::Format_RGB32);
      image.fill(palette().color(QPalette::Midlight));
    }
    item->setIcon(
        QPixmap::fromImage(image.scaled(kIconSize, Qt::KeepAspectRatio, Qt::SmoothTransformation)));
    showName(*item);
    return item;
  }

  void showName(QListWidgetItem& item) const {
    const QString shown = item.data(kShownRole).toString();
    const QString given = givenName(item.data(kAddressRole).toString(), names_);
    item.setText(given.isEmpty() ? shown : given + QLatin1Char('\n') + shown);
  }

  void giveName(const QString& name) {
    names_[sourceName(address())] = given_[address()] = name.trimmed();
    for (int row = 0; row < list_->count(); ++row)
      if (list_->item(row)->data(kAddressRole) == address()) showName(*list_->item(row));
  }

  void choose(const QString& address) {
    address_->setText(address);
    settled_.start(kChosenMs);
  }

  void chooseFile() {
    const QString start = QStandardPaths::writableLocation(QStandardPaths::MoviesLocation);
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Open a video or a picture"), start,
        tr("Videos and pictures (*.mp4 *.mkv *.avi *.mov *.webm *.png *.jpg *.jpeg *.bmp *.tif);;"
           "All files (*)"));
    if (!file.isEmpty()) choose(file);
  }

  void chooseFolder() {
    const QString folder = QFileDialog::getExistingDirectory(
        this, tr("Open a folder of pictures"),
        QStandardPaths::writableLocation(QStandardPaths::PicturesLocation));
    if (!folder.isEmpty()) choose(folder);
  }

  /// Opens the address on the side, to see whether pictures come, however late; again: stops.
  void test() {
    settled_.stop();
    if (tested_) {
      showPicture({}, tr("No picture yet"));
      return endTest(true, tr("Stopped."));
    }
    try {
      tested_ = openCapture_(address());
    } catch (const std::exception& fault) {
      return endTest(false, QString::fromUtf8(fault.what()));
    }
    test_->setText(tr("&Stop"));
    arriving_.invalidate();
    opening_.start();
    tellOpening();
    timer_.start();
  }

  void look() {
    const monitor::CaptureStatus status = tested_->status();
    if (const auto frame = tested_->next(std::chrono::milliseconds(0)))
      showPicture(thumbnailOf(frame->picture, kPictureSize));
    using monitor::CaptureState;
    if (status.frames > 0 && !arriving_.isValid()) arriving_.start();
    const bool isRated = status.frames >= kFramesWanted && arriving_.elapsed() >= kRatedMs;
    if (isRated || (status.frames > 0 && status.state == CaptureState::ended)) {
      endTest(true, comesWords(status.size, status.fps));
    } else if (status.state == CaptureState::ended) {
      showPicture({}, tr("No picture"));
      endTest(false, tr("It ended before a picture came."));
    } else if (status.frames > 0) {
      tell(comesWords(status.size, 0), false);
    } else if (status.state == CaptureState::waiting) {  // and tries again by itself
      showPicture({}, tr("No picture; trying again."));
      tell(QString::fromStdString(status.fault), true);
    } else {
      tellOpening();
    }
  }

  // With the seconds, so that one that is slow is told from one that hangs.
  void tellOpening() {
    const qint64 seconds = opening_.elapsed() / 1000;
    showPicture({}, seconds < kTellSecondsFrom
                        ? tr("Opening ...")
                        : tr("Still opening after %1 s").arg(QLocale().toString(seconds)));
    tell(tr("Opening %1 ...").arg(QString::fromStdString(tested_->shown())), false);
  }

  void endTest(bool good, const QString& sentence) {
    timer_.stop();
    endAside(std::move(tested_));
    test_->setText(tr("&Test"));
    tell(sentence, !good);
  }

  // `fps`: 0 where it is not known.
  static QString comesWords(cv::Size size, double fps) {
    if (fps <= 0) return tr("Pictures of %1 x %2 arrive.").arg(size.width).arg(size.height);
    return tr("Pictures of %1 x %2 arrive, about %3 a second.")
        .arg(size.width)
        .arg(size.height)
        .arg(QLocale().toString(fps, 'f', 1));
  }

  static QString withoutBlanks(const QString& typed) {
    return QString::fromStdString(monitor::withoutBlanks(typed.toStdString()));
  }

  bool isWatched() const { return watched_.contains(address()); }

  void showWatched() {
    if (!isWatched() || tested_) return;
    const Watched& watched = watched_[address()];
    showPicture(watched.picture, tr("No picture yet"));
    tell(watched.words, false);
  }

  void showPicture(const QImage& picture, const QString& without = {}) {
    if (picture.isNull()) return picture_->setText(unbroken(without));
    picture_->setPixmap(QPixmap::fromImage(picture));
  }

  // Zones and rules of an address that was watched before.
  QString keptWords() const {
    const auto [book, fault] = keptRules(address(), {});
    if (!fault.isEmpty()) return fault;
    if (book.zones.empty() && book.rules.empty()) return {};
    QStringList zones;
    for (const monitor::Zone& zone : book.zones) zones << QString::fromStdString(zone.name);
    return tr("Kept for it: zones: %1; rules: %2.")
        .arg(zones.isEmpty() ? tr("none") : zones.join(QStringLiteral(", ")))
        .arg(book.rules.size());
  }

  void tell(const QString& sentence, bool bad) {
    told_->setText(breakable(sentence));
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
    buttons_->button(QDialogButtonBox::Open)->setEnabled(good);
    test_->setEnabled(good);
    settled_.start(kTypedMs);
    timer_.stop();  // what is tried is another one
    endAside(std::move(tested_));
    test_->setText(tr("&Test"));
    showPicture({}, tr("No picture yet"));
    tell(fault, true);
    kept_->setText(good ? breakable(keptWords()) : QString());
    name_->setEnabled(good);
    name_->setText(good ? givenName(address(), names_) : QString());
    showWatched();
  }

  OpenCapture openCapture_;
  QVariantMap names_;             // Settings::sourceNames
  QMap<QString, QString> given_;  // of them, by address: since the dialog was opened
  QListWidget* list_;
  QLineEdit* address_;
  QDialogButtonBox* buttons_;
  QPushButton* test_;
  QLabel *told_, *picture_, *kept_;
  QLineEdit* name_;
  QHash<QString, Watched> watched_;  // by address
  int cameras_ = 0;                  // rows of the list, the first ones
  std::unique_ptr<monitor::Capture> tested_;
  QTimer timer_, settled_;  // settled_: an address that stays for a moment is tried
  QElapsedTimer opening_;   // of what is tried
  QElapsedTimer arriving_;  // since its first picture
  QFileSystemWatcher devices_;
};

}  // namespace mpm::gui
