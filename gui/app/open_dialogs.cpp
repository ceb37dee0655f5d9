// SPDX-License-Identifier: Apache-2.0
#include "gui/app/open_dialogs.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStandardPaths>
#include <chrono>
#include <exception>
#include <thread>

#include "gui/app/settings.h"
#include "gui/app/shelf.h"
#include "gui/aside.h"
#include "gui/canvas/pictures.h"
#include "gui/why_not_merging.h"
#include "monitor/source/address.h"
#include "monitor/source/cameras.h"
#include "monitor/source/capture.h"
#include "mpm/net.h"
#include "segment/model_metadata.h"

namespace mpm::gui {
SourceDialog::SourceDialog(const QString& current, const QStringList& recent,
                           const QVariantMap& names, QWidget* parent, OpenCapture openCapture)
    : Dialog(tr("Open a source"), QDialogButtonBox::Open | QDialogButtonBox::Cancel, parent),
      openCapture_(std::move(openCapture)),
      names_(names),
      list_(new QListWidget),
      address_(new QLineEdit(current, this)),
      test_(new QPushButton(tr("&Test"))),
      replay_(new QCheckBox(tr("&Replay: each picture once, at the time in its name"))),
      picture_(pictureLabel(kPictureSize, tr("What it shows"))),
      kept_(plainLabel()),
      name_(new QLineEdit) {
  fillIn();
  listen();
  listSources(recent);
  checkAddress();
  settled_.stop();  // what is offered may be opening already
  address_->setFocus();
}

QString SourceDialog::address() const { return withoutBlanks(address_->text()); }

void SourceDialog::accept() {
  for (auto given = given_.cbegin(); given != given_.cend(); ++given)
    emit named(given.key(), given.value());
  QDialog::accept();
}

void SourceDialog::setWatched(const QString& address, const cv::Mat& picture, double fps) {
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

std::unique_ptr<monitor::Capture> SourceDialog::openAddress(const QString& address) {
  return std::make_unique<monitor::Capture>(monitor::parseSourceAddress(address.toStdString()),
                                            monitor::CaptureOptions{});
}

// A capture may take half a second to end, for which the GUI cannot wait.
void SourceDialog::endAside(std::unique_ptr<monitor::Capture> capture) {
  if (capture) std::thread([ending = std::move(capture)]() mutable { ending.reset(); }).detach();
}

// Lays out what describes the chosen source, next to the list.
QLayout* SourceDialog::makeCard() {
  name_->setAccessibleName(tr("Name"));
  name_->setPlaceholderText(tr("A name for it"));
  auto* nameLabel = new QLabel(tr("&Name"));
  nameLabel->setBuddy(name_);
  auto* nameLine = new QHBoxLayout;
  nameLine->addWidget(nameLabel);
  nameLine->addWidget(name_, 1);
  auto* card = new QVBoxLayout;
  card->addWidget(picture_);
  card->addWidget(toldLine());
  card->addLayout(nameLine);
  card->addWidget(kept_);
  card->addStretch();
  return card;
}

QLayout* SourceDialog::makeFileButtons() {
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

void SourceDialog::fillIn() {
  list_->setAccessibleName(tr("Cameras and earlier sources"));
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
  auto* content = new QVBoxLayout;
  content->addLayout(columns, 1);
  content->addWidget(addressLabel);
  content->addLayout(line);
  content->addLayout(makeFileButtons());
  content->addWidget(replay_);
  layOut(content, {780, 480}, false);
  setTabOrder(list_, name_);
  setTabOrder(name_, address_);
  setTabOrder(address_, test_);
}

void SourceDialog::listen() {
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

void SourceDialog::listSources(const QStringList& recent) {
  list_->addItem(
      itemOf(QString::fromLatin1(kStreet), tr("A drawn street, a day in two and a half minutes")));
  for (const QString& address : recent) {
    const QString shown = spokenName(address, {});
    if (address != QLatin1String(kStreet) && !shown.isEmpty())
      list_->addItem(itemOf(address, shown));
  }
  listCameras();
}

void SourceDialog::listCameras() {
  const QSignalBlocker quiet(list_);
  for (; cameras_ > 0; --cameras_) delete list_->takeItem(0);
  for (const monitor::CameraDevice& camera : monitor::listCameras()) {
    list_->insertItem(cameras_++, itemOf(QString::fromStdString(camera.address()),
                                         tr("%1 (%2)").arg(QString::fromStdString(camera.name),
                                                           QString::fromStdString(camera.device))));
  }
}

// `shown` is its name unless it was given one; then it appears below that.
QListWidgetItem* SourceDialog::itemOf(const QString& address, const QString& shown) const {
  auto* item = new QListWidgetItem;
  item->setData(kAddressRole, address);
  item->setData(kShownRole, shown);
  item->setToolTip(shown);
  item->setIcon(iconOf(Shelf::source(address), palette()));
  showName(*item);
  return item;
}

void SourceDialog::showName(QListWidgetItem& item) const {
  const QString shown = item.data(kShownRole).toString();
  const QString given = givenName(item.data(kAddressRole).toString(), names_);
  item.setText(given.isEmpty() ? shown : given + QLatin1Char('\n') + shown);
}

void SourceDialog::giveName(const QString& name) {
  names_[sourceName(address())] = given_[address()] = name.trimmed();
  for (int row = 0; row < list_->count(); ++row)
    if (list_->item(row)->data(kAddressRole) == address()) showName(*list_->item(row));
}

void SourceDialog::choose(const QString& address) {
  address_->setText(address);
  settled_.start(kChosenMs);
}

void SourceDialog::chooseFile() {
  const QString start = QStandardPaths::writableLocation(QStandardPaths::MoviesLocation);
  const QString file = QFileDialog::getOpenFileName(
      this, tr("Open a video or a picture"), start,
      tr("Videos and pictures (*.mp4 *.mkv *.avi *.mov *.webm *.png *.jpg *.jpeg *.bmp *.tif);;"
         "All files (*)"));
  if (!file.isEmpty()) choose(file);
}

void SourceDialog::chooseFolder() {
  const QString folder = QFileDialog::getExistingDirectory(
      this, tr("Open a folder of pictures"),
      QStandardPaths::writableLocation(QStandardPaths::PicturesLocation));
  if (!folder.isEmpty()) choose(folder);
}

void SourceDialog::test() {
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

void SourceDialog::look() {
  monitor::CaptureStatus status = tested_->status();
  if (const auto frame = tested_->next(std::chrono::milliseconds(0))) {
    showPicture(thumbnailOf(frame->picture, kPictureSize));
    status = tested_->status();  // or it may be from before the frame, and words replace it
  }
  using monitor::CaptureState;
  if (status.frames > 0 && !arriving_.isValid()) arriving_.start();
  const bool isRated = status.frames >= kFramesWanted && arriving_.elapsed() >= kRatedMs;
  if (isRated || (status.frames > 0 && status.state == CaptureState::ended)) {
    endTest(true, comesWords(status.size, status.fps));
  } else if (status.state == CaptureState::ended) {
    showPicture({}, tr("No picture"));
    endTest(false, tr("It ended before a frame arrived."));
  } else if (status.frames > 0) {
    tell(comesWords(status.size, 0), false);
  } else if (status.state == CaptureState::waiting) {  // and tries again by itself
    showPicture({}, tr("No picture; trying again."));
    tell(QString::fromStdString(status.fault), true);
  } else {
    tellOpening();
  }
}

// Seconds distinguish a slow source from one that hangs.
void SourceDialog::tellOpening() {
  const qint64 seconds = opening_.elapsed() / 1000;
  showPicture({}, seconds < kTellSecondsFrom
                      ? tr("Opening ...")
                      : tr("Still opening after %1 s").arg(QLocale().toString(seconds)));
  tell(tr("Opening %1 ...").arg(QString::fromStdString(tested_->shown())), false);
}

void SourceDialog::endTest(bool good, const QString& sentence) {
  timer_.stop();
  endAside(std::move(tested_));
  test_->setText(tr("&Test"));
  tell(sentence, !good);
}

// `fps` is 0 if unknown.
QString SourceDialog::comesWords(cv::Size size, double fps) {
  if (fps <= 0) return tr("Pictures of %1 x %2 arrive.").arg(size.width).arg(size.height);
  return tr("Pictures of %1 x %2 arrive, about %3 a second.")
      .arg(size.width)
      .arg(size.height)
      .arg(QLocale().toString(fps, 'f', 1));
}

QString SourceDialog::withoutBlanks(const QString& typed) {
  return QString::fromStdString(monitor::withoutBlanks(typed.toStdString()));
}

void SourceDialog::showWatched() {
  if (!isWatched() || tested_) return;
  const Watched& watched = watched_[address()];
  showPicture(watched.picture, tr("No picture yet"));
  tell(watched.words, false);
}

void SourceDialog::showPicture(const QImage& picture, const QString& without) {
  if (picture.isNull()) return picture_->setText(unbroken(without));
  picture_->setPixmap(QPixmap::fromImage(picture));
}

// Returns the zones and rules kept for a known address.
QString SourceDialog::keptWords() const {
  const auto [book, fault] = keptRules(address(), {});
  if (!fault.isEmpty()) return fault;
  if (book.zones.empty() && book.rules.empty()) return {};
  QStringList zones;
  for (const monitor::Zone& zone : book.zones) zones << QString::fromStdString(zone.name);
  return tr("Saved for it: zones: %1; rules: %2.")
      .arg(zones.isEmpty() ? tr("none") : zones.join(QStringLiteral(", ")))
      .arg(book.rules.size());
}

void SourceDialog::checkAddress() {
  QString fault;
  if (!address().isEmpty()) {
    try {
      monitor::parseSourceAddress(address().toStdString());
    } catch (const std::exception& refusal) {
      fault = QString::fromUtf8(refusal.what());
    }
  }
  const bool good = !address().isEmpty() && fault.isEmpty();
  buttons()->button(QDialogButtonBox::Open)->setEnabled(good);
  test_->setEnabled(good);
  replay_->setVisible(good && hasNamedTimes(address()));
  replay_->setChecked(true);
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

ModelDialog::ModelDialog(const QString& current, QStringList models, QWidget* parent)
    : Dialog(tr("Open a model"), QDialogButtonBox::Open | QDialogButtonBox::Cancel, parent),
      list_(new QListWidget),
      all_(new QCheckBox(tr("For &all cameras"))),
      picture_(pictureLabel(Shelf::kModelSize, tr("What it saw here"))),
      card_(new QFormLayout),
      open_(buttons()->button(QDialogButtonBox::Open)) {
  list_->setAccessibleName(tr("Models"));
  list_->setIconSize(kIconSize);
  list_->setWordWrap(true);
  for (const QString& name : {tr("File"), tr("Classes"), tr("Trained on"), tr("Merging"),
                              tr("Network"), tr("Speed here")}) {
    rows_ << plainLabel(name);
    rows_.back()->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* title = new QLabel(name);
    title->setAlignment(Qt::AlignTop);  // beside the first of several lines
    card_->addRow(title, rows_.back());
  }
  card_->setRowWrapPolicy(QFormLayout::WrapLongRows);
  auto* about = new QWidget;
  about->setLayout(card_);
  auto* scrolled = new QScrollArea;
  scrolled->setWidget(about);
  scrolled->setWidgetResizable(true);
  scrolled->setFrameShape(QFrame::NoFrame);
  scrolled->setAccessibleName(tr("About the model"));
  auto* right = new QVBoxLayout;
  right->addWidget(picture_, 0, Qt::AlignHCenter);
  right->addWidget(scrolled, 1);
  auto* left = new QVBoxLayout;
  left->addWidget(list_, 1);
  left->addWidget(all_);
  all_->hide();
  auto* columns = new QHBoxLayout;
  columns->addLayout(left, 2);
  columns->addLayout(right, 3);
  auto* file = buttons()->addButton(tr("&File ..."), QDialogButtonBox::ActionRole);
  layOut(columns, {780, 560});
  connect(file, &QPushButton::clicked, this, &ModelDialog::chooseFile);
  connect(list_, &QListWidget::currentItemChanged, this, &ModelDialog::showCard);
  connect(list_, &QListWidget::itemActivated, this, [this] {
    if (open_->isEnabled()) accept();
  });
  if (!current.isEmpty()) {
    models.removeAll(current);
    models.prepend(current);
  }
  for (const QString& model : models) add(model);
  list_->setCurrentRow(0);
  if (list_->count() == 0) open_->setEnabled(false);
}

QString ModelDialog::path() const {
  const QListWidgetItem* item = list_->currentItem();
  return item == nullptr ? QString() : item->data(Qt::UserRole).toString();
}

void ModelDialog::offerAll(const QString& camera) {
  setWindowTitle(tr("Open a model for %1").arg(camera));
  all_->show();
}

bool ModelDialog::isForAll() const { return all_->isChecked(); }

void ModelDialog::refresh(const QString& model) {
  for (int row = 0; row < list_->count(); ++row)
    if (list_->item(row)->data(Qt::UserRole) == model) showIcon(*list_->item(row));
  if (path() == model) showCard();
}

void ModelDialog::offer(const QString& path) {
  int row = 0;
  while (row < list_->count() && list_->item(row)->data(Qt::UserRole) != path) ++row;
  if (row == list_->count()) add(path);
  list_->setCurrentRow(row);
}

void ModelDialog::add(const QString& path) {
  auto* item = new QListWidgetItem(QFileInfo(path).completeBaseName(), list_);
  item->setData(Qt::UserRole, path);
  item->setToolTip(path);
  showIcon(*item);
}

void ModelDialog::showIcon(QListWidgetItem& item) const {
  item.setIcon(iconOf(Shelf::model(item.data(Qt::UserRole).toString()).picture, palette()));
}

void ModelDialog::chooseFile() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Open a model"), QFileInfo(this->path()).path(),
                                   tr("ONNX models (*.onnx);;All files (*)"));
  if (!path.isEmpty()) offer(path);
}

// Shows cheap facts at once; a thread reads those that need the file.
void ModelDialog::showCard() {
  const QString model = path();
  open_->setEnabled(!model.isEmpty());
  const Shelf::Model known = Shelf::model(model);
  if (known.picture.isNull()) {
    picture_->setText(tr("No picture has been kept here yet."));
  } else {
    picture_->setPixmap(QPixmap::fromImage(known.picture));
  }
  for (int row = 0; row < rows_.size(); ++row) write(row, {});
  write(0, model);
  tell({}, false);
  write(5, known.ms
               ? unbroken(
                     tr("%1 ms a frame (%2)").arg(QLocale().toString(*known.ms, 'f', 0), known.way))
               : tr("It has not run here yet."));
  computeAside(
      this, [model] { return cardOf(model); },
      [this, model](const Card& card) {
        if (path() == model) fill(card);
      });
}

// An unknown value has no row.
void ModelDialog::write(int row, const QString& words) {
  rows_[row]->setText(words);
  card_->setRowVisible(row, !words.isEmpty());
}

void ModelDialog::fill(const Card& card) {
  if (!card.fault.isEmpty()) {
    tell(card.fault, true);
    open_->setEnabled(false);
    return;
  }
  write(1, card.classes);
  write(2, card.trained);
  write(3, card.merges);
  write(4, card.encoder);
}

ModelDialog::Card ModelDialog::cardOf(const QString& model) {
  Card card;
  try {
    const mpm::Description known = mpm::describe(model.toStdString());
    QStringList classes;
    for (const std::string& name :
         segment::modelMetadata(model.toStdString(), known.metadata).classes)
      classes << QString::fromStdString(name);
    card.classes = classes.isEmpty() ? tr("Its file does not name them.")
                                     : tr("%1: %2").arg(QLocale().toString(classes.size()),
                                                        classes.join(QStringLiteral(", ")));
    card.trained = trainedOn(known.metadata);
    card.merges =
        known.mergeable
            ? tr("Tokens can merge before any of its %1 blocks.").arg(known.depth)
            : tr("It runs, but cannot merge: %1.").arg(WhyNotMerging::words(known.reason));
    card.encoder = tr("Input %1 x %2 pixels").arg(known.input.width).arg(known.input.height);
    if (known.mergeable)
      card.encoder += QStringLiteral(", ") + tr("%1 tokens of %2 features")
                                                 .arg(QLocale().toString(known.gridSize.area()))
                                                 .arg(known.embedDim);
  } catch (const std::exception& fault) {
    card.fault = QString::fromUtf8(fault.what());
  }
  return card;
}

QString ModelDialog::trainedOn(const std::map<std::string, std::string>& metadata) {
  QStringList words;
  const auto said = [&](const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? QString() : QString::fromStdString(found->second);
  };
  if (const QString data = said("mpm.data"); !data.isEmpty()) words << data + QLatin1Char('.');
  if (const QString taught = said("mpm.taught"); !taught.isEmpty())
    words << tr("Taught on %1.").arg(taught);
  if (words.isEmpty()) words << tr("Its file does not say.");
  if (const QString licence = said("mpm.licence"); !licence.isEmpty())
    words << tr("Licence: %1.").arg(licence);
  return words.join(QLatin1Char(' '));
}

}  // namespace mpm::gui
