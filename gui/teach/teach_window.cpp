// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/teach_window.h"

#include <QtWidgets>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

#include "gui/canvas/token_groups.h"
#include "gui/room_on_screen.h"
#include "gui/teach/paint_strokes.h"

namespace mpm::gui {

TeachWindow::TeachWindow(TeachHost host, QWidget* parent)
    : QMainWindow(parent),
      host_(std::move(host)),
      canvas_(new PaintCanvas),
      frames_(new FrameList),
      classes_(new ClassList),
      lesson_(new LessonPanel),
      backboneName_(new QLabel),
      message_(new QLabel),
      brush_(new QSpinBox) {
  setObjectName("TeachWindow");
  setWindowTitle(tr("Teach"));
  setCentralWidget(makeSides());
  makeActions();
  message_->setWordWrap(true);
  message_->setFixedHeight(2 * fontMetrics().height() + 2);
  message_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  statusBar()->addWidget(message_, 1);
  statusBar()->setSizeGripEnabled(false);
  connectParts();
  setTaught(false);
  resizeOnScreen(this, {1100, 720});
}

void TeachWindow::connectParts() {
  groupsTimer_.setInterval(30);
  connect(&groupsTimer_, &QTimer::timeout, this, &TeachWindow::lookForGroups);
  connect(frames_, &FrameList::chosen, this, &TeachWindow::showFrame);
  connect(canvas_, &PaintCanvas::painted, this, &TeachWindow::painted);
  connect(canvas_, &PaintCanvas::said, this, [this](const QString& text) { say(text); });
  connect(canvas_, &PaintCanvas::brushChanged, brush_, &QSpinBox::setValue);
  connect(brush_, &QSpinBox::valueChanged, canvas_, &PaintCanvas::setBrush);
  connect(classes_, &ClassList::chosen, canvas_, [this](int number) {
    canvas_->setClassNumber(number);
    canvas_->update();
  });
  connect(classes_, &ClassList::wanted, this, [this](const std::vector<PaintClass>& classes) {
    if (project_) attempt([&] { project_->setClasses(classes); });
    if (!project_) return;
    classes_->setClasses(project_->classes());
    canvas_->setClasses(project_->classes());
  });
  cameraTimer_.setSingleShot(true);
  connect(&cameraTimer_, &QTimer::timeout, this, &TeachWindow::lookAtCamera);
  connect(classes_, &ClassList::removalWanted, this, &TeachWindow::removeClass);
  connect(&worker_, &TeachWorker::progressed, lesson_, &LessonPanel::showProgress);
  connect(&worker_, &TeachWorker::taught, this, &TeachWindow::taught);
  connect(&worker_, &TeachWorker::found, this, &TeachWindow::found);
  connect(&worker_, &TeachWorker::wrote, this, [this](const QString& path, const QString& fault) {
    if (!fault.isEmpty()) return say(fault, true);
    say(tr("Wrote %1; the app is opening it.").arg(path));
    emit modelTaught(path);
  });
  connect(&writer_, &PaintWriter::written, this, &TeachWindow::saved);
}

TeachWindow::~TeachWindow() {
  canvas_->show(nullptr, nullptr, nullptr);  // it outlives what it paints on
  saveAll();
  frames_->setProject(nullptr);
}

QWidget* TeachWindow::makeSides() {
  constexpr int kFramesWidth = 164, kSideWidth = 268;
  QWidget *left = makeFramesSide(), *right = makeLessonSide();
  left->setMinimumWidth(kFramesWidth);
  right->setMinimumWidth(kSideWidth);
  auto* sides = new QSplitter;
  for (QWidget* part : {left, static_cast<QWidget*>(canvas_), right}) sides->addWidget(part);
  sides->setStretchFactor(1, 1);
  sides->setSizes({kFramesWidth, 2 * kSideWidth, kSideWidth});
  sides->setChildrenCollapsible(false);
  return sides;
}

QWidget* TeachWindow::makeFramesSide() {
  auto* left = new QWidget;
  auto* frames = new QVBoxLayout(left);
  frames->setContentsMargins(4, 4, 0, 4);
  auto* take = new QPushButton(tr("Take &another frame"));
  connect(take, &QPushButton::clicked, this, &TeachWindow::takeFrame);
  frames->addWidget(frames_, 1);
  frames->addWidget(take);
  auto* kept = new QPushButton(tr("From the &record ..."));
  connect(kept, &QPushButton::clicked, this, &TeachWindow::takeOfRecord);
  frames->addWidget(kept);
  return left;
}

QWidget* TeachWindow::makeLessonSide() {
  auto* right = new QWidget;
  auto* side = new QVBoxLayout(right);
  side->setContentsMargins(0, 4, 4, 4);
  auto* add = new QPushButton(tr("&New class"));
  connect(add, &QPushButton::clicked, this, [this] {
    if (project_) classes_->addClass(project_->freshColour());
  });
  auto* colour = new QPushButton(tr("C&olour ..."));
  connect(colour, &QPushButton::clicked, classes_, &ClassList::recolour);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(add);
  buttons->addWidget(colour);
  auto* other = new QPushButton(tr("&Backbone ..."));
  connect(other, &QPushButton::clicked, this, &TeachWindow::chooseBackbone);
  auto* backbone = new QHBoxLayout;
  backbone->addWidget(backboneName_, 1);
  backbone->addWidget(other);
  teachButton_ = new QPushButton(tr("T&each"));
  fillButton_ = new QPushButton(tr("Fill what is not pa&inted"));
  useButton_ = new QPushButton(tr("&Use it"));
  connect(teachButton_, &QPushButton::clicked, this, &TeachWindow::teach);
  connect(fillButton_, &QPushButton::clicked, this, &TeachWindow::fillRest);
  connect(useButton_, &QPushButton::clicked, this, &TeachWindow::useModel);
  // All classes where there is room, which there is until a table tells how well they are found.
  classes_->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
  side->addWidget(classes_);
  side->addLayout(buttons);
  side->addLayout(backbone);
  side->addWidget(teachButton_);
  side->addWidget(lesson_, 1);
  side->addWidget(fillButton_);
  side->addWidget(useButton_);
  return right;
}

bool TeachWindow::attempt(const std::function<void()>& act) {
  try {
    act();
    say({});
    return true;
  } catch (const std::exception& fault) {
    say(QString::fromUtf8(fault.what()), true);
    return false;
  }
}

void TeachWindow::say(const QString& sentence, bool bad) {
  QPalette colours;
  if (bad) colours.setColor(QPalette::WindowText, QColor(225, 80, 60));
  message_->setPalette(colours);
  message_->setText(sentence);
  message_->setAccessibleName(sentence);
}

QString TeachWindow::said() const { return message_->text(); }

bool TeachWindow::openProject(const QString& folder) {
  if (!mayLeave()) return false;
  std::unique_ptr<PaintProject> project;
  if (!attempt([&] { project = std::make_unique<PaintProject>(folder); })) return false;
  canvas_->show(nullptr, nullptr, nullptr);
  shown_.clear();
  sheets_.clear();
  frames_->setProject(project.get());
  project_ = std::move(project);
  classes_->setClasses(project_->classes());
  canvas_->setClasses(project_->classes());
  lesson_->clear();
  worker_.forget();
  setTaught(false);
  showBackbone();
  setWindowTitle(tr("Teach - %1").arg(QDir::toNativeSeparators(project_->folder())));
  if (!project_->frames().isEmpty()) frames_->choose(project_->frames().back());
  emit folderOpened(project_->folder());
  return true;
}

void TeachWindow::showFrame(const QString& name) {
  if (camera_->isChecked()) return camera_->setChecked(false);  // which shows the one chosen
  if (!project_ || name == shown_) return;
  canvas_->show(nullptr, nullptr, nullptr);
  shown_.clear();
  fillWhenFound_ = false;  // that was wanted of the one before
  const bool good = attempt([&] {
    picture_ = project_->frame(name);
    Sheet& sheet = sheets_[name];
    if (sheet.labels.empty()) sheet.labels = project_->labels(name, picture_.size());
  });
  if (!good) return;
  shown_ = name;
  Sheet& sheet = sheets_[name];
  canvas_->show(&picture_, &sheet.labels, &sheet.history);
  for (const auto& [each, other] : sheets_)
    if (other.refused) save(each);
  findGroups();
  showPreview();
}

void TeachWindow::painted() {
  Sheet& sheet = sheets_[shown_];
  sheet.unsaved = true;
  frames_->setShare(shown_, paintedShare(sheet.labels));
  say({});
  save(shown_);
}

void TeachWindow::save(const QString& name) {
  writer_.put(name, [project = *project_, name, labels = sheets_[name].labels.clone()] {
    project.keep(name, labels);
  });
}

void TeachWindow::saved(const QString& name, const QString& fault) {
  const auto sheet = sheets_.find(name);
  if (sheet == sheets_.end()) return;
  sheet->second.unsaved = !fault.isEmpty();
  const bool wasRefused = std::exchange(sheet->second.refused, !fault.isEmpty());
  const bool isKept = std::none_of(sheets_.begin(), sheets_.end(),
                                   [](const auto& each) { return each.second.refused; });
  if (!fault.isEmpty() || (wasRefused && isKept)) say(fault, true);
}

void TeachWindow::saveAll() {
  writer_.finish();
  for (const auto& [name, sheet] : sheets_)
    if (sheet.unsaved) save(name);
  writer_.finish();
}

bool TeachWindow::mayLeave() {
  canvas_->edit([](cv::Mat&) {});  // a stroke that was begun ends
  saveAll();
  if (std::none_of(sheets_.begin(), sheets_.end(),
                   [](const auto& each) { return each.second.unsaved; }))
    return true;
  QMessageBox box(QMessageBox::Warning, tr("Teach"), said(),
                  QMessageBox::Discard | QMessageBox::Cancel, isVisible() ? this : parentWidget());
  box.setInformativeText(tr("Discard what cannot be written?"));
  box.setDefaultButton(QMessageBox::Cancel);
  return box.exec() == QMessageBox::Discard;
}

void TeachWindow::closeEvent(QCloseEvent* event) {
  camera_->setChecked(false);      // nobody sees it
  canvas_->edit([](cv::Mat&) {});  // a stroke that was begun ends
  saveAll();
  QMainWindow::closeEvent(event);
}

void TeachWindow::findGroups() {
  groups_.reset();
  groupsKnown_ = false;
  canvas_->setGroups({}, {0, 0, 1, 1});
  const auto engine = host_.engine();
  if (shown_.isEmpty() || !engine) return;
  groups_ = std::make_shared<Groups>();
  groups_->done = engine->withNetwork(
      [groups = std::weak_ptr(groups_), picture = picture_](monitor::Network& network) {
        const std::shared_ptr<Groups> wanted = groups.lock();
        if (wanted) wanted->found = network.segment(picture);
      });
  groupsTimer_.start();
}

void TeachWindow::lookForGroups() {
  if (!groups_) return groupsTimer_.stop();
  if (groups_->done.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  const std::shared_ptr<Groups> groups = std::exchange(groups_, nullptr);
  try {
    groups->done.get();
  } catch (const std::exception&) {
    return;  // the engine ended; the next one is asked when it is there
  }
  groupsKnown_ = true;
  if (const cv::Mat* map = mapBehind(groups->found, 0))
    canvas_->setGroups(*map, gridAreaOf(groups->found));
}

Backbone TeachWindow::backbone() const {
  Backbone backbone = host_.backbone();
  if (!chosenBackbone_.isEmpty()) backbone.model = chosenBackbone_;
  return backbone;
}

void TeachWindow::showBackbone() {
  constexpr int kNameWidth = 130;
  const QString path = backbone().model;
  backboneName_->setText(backboneName_->fontMetrics().elidedText(QFileInfo(path).fileName(),
                                                                 Qt::ElideMiddle, kNameWidth));
  backboneName_->setToolTip(tr("What was taught works on the patch tokens of %1.").arg(path));
}

void TeachWindow::chooseBackbone() {
  const QString path = QFileDialog::getOpenFileName(
      this, tr("A backbone: a model whose head is not used"), QFileInfo(backbone().model).path(),
      tr("ONNX models (*.onnx);;All files (*)"));
  if (path.isEmpty()) return;
  chosenBackbone_ = path;
  showBackbone();
}

void TeachWindow::chooseFolder() {
  const QString folder = QFileDialog::getExistingDirectory(
      this, tr("A folder for frames and paintings"), project_ ? project_->folder() : QString());
  if (!folder.isEmpty()) openProject(folder);
}

void TeachWindow::teach() {
  if (worker_.isTeaching()) return worker_.cancel();
  if (!project_) return;
  canvas_->edit([](cv::Mat&) {});
  saveAll();
  std::map<QString, cv::Mat> paintings;
  for (const auto& [name, sheet] : sheets_)
    if (!sheet.labels.empty()) paintings[name] = sheet.labels.clone();
  if (chosenBackbone_.isEmpty()) chosenBackbone_ = host_.backbone().model;  // used ones come and go
  showBackbone();
  lesson_->begin();
  teachButton_->setText(tr("Canc&el"));
  worker_.teach(backbone(), *project_, std::move(paintings));
}

void TeachWindow::taught(const TeachWorker::TaughtPtr& taught, const QString& fault) {
  teachButton_->setText(tr("T&each"));
  lesson_->end(taught, fault);
  if (!taught) return;
  for (auto& [name, sheet] : sheets_) sheet.found = cv::Mat();
  setTaught(true);
  showPreview();
  if (camera_->isChecked()) showCamera(true);  // by what was taught now
}

void TeachWindow::setTaught(bool taught) {
  fillWhenFound_ = false;
  for (QAction* action : {preview_, camera_})
    if (!taught) action->setChecked(false);
  for (QAction* action : {preview_, camera_, sure_, fill_, use_, accept_})
    action->setEnabled(taught);
  if (!taught && accept_->isChecked()) accept_->actionGroup()->actions().front()->trigger();
  for (QPushButton* button : {fillButton_, useButton_}) button->setEnabled(taught);
}

void TeachWindow::showPreview() {
  if (shown_.isEmpty() || camera_->isChecked()) return;
  Sheet& sheet = sheets_[shown_];
  const bool wanted = preview_->isChecked() || fillWhenFound_ || accept_->isChecked();
  if (wanted && sheet.found.empty()) worker_.look(shown_, picture_, leastSure());
  canvas_->setPreview(preview_->isChecked() ? sheet.found : cv::Mat());
  canvas_->setSuggestion(sheet.found);
}

// What was found before was found otherwise.
void TeachWindow::showSure() {
  for (auto& each : sheets_) each.second.found = cv::Mat();
  showPreview();
}

void TeachWindow::found(const QString& name, const cv::Mat& labels, const QString& fault,
                        double least) {
  if (name.startsWith(kOnCamera)) return foundOnCamera(name, labels, fault);
  if (!fault.isEmpty()) return say(fault, true);
  if (least != leastSure()) return;  // it was asked for before that changed
  sheets_[name].found = labels;
  if (name != shown_) return;
  if (std::exchange(fillWhenFound_, false)) fillRest();
  showPreview();
}

void TeachWindow::fillRest() {
  camera_->setChecked(false);
  if (shown_.isEmpty() || !worker_.hasTaught()) return;
  const cv::Mat found = sheets_[shown_].found;
  if (found.empty()) {
    fillWhenFound_ = true;
    return showPreview();
  }
  preview_->setChecked(false);
  canvas_->edit([&](cv::Mat& labels) { paintRest(labels, found); });
  say(tr("Filled as it was taught; correct what is wrong, or undo."));
}

void TeachWindow::useModel() {
  if (project_ && worker_.hasTaught()) worker_.write(*project_);
}

}  // namespace mpm::gui
