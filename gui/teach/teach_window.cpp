// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/teach_window.h"

#include <QAction>
#include <QCloseEvent>
#include <QColor>
#include <QDialog>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QMessageBox>
#include <QPalette>
#include <QProgressBar>
#include <QPushButton>
#include <QSizePolicy>
#include <QSpinBox>
#include <QStatusBar>
#include <QStringList>
#include <QWidget>
#include <algorithm>
#include <chrono>
#include <exception>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "gui/aside.h"
#include "gui/room_on_screen.h"
#include "gui/teach/paint_strokes.h"

namespace mpm::gui {
namespace {

constexpr int kLookPauseMs = 60, kWaitMs = 200;
constexpr double kGoodIou = 0.7;
// During training the live view gets the rest of each second.
constexpr std::chrono::milliseconds kRest{800}, kRestEvery{1000};

}  // namespace

TeachWindow::TeachWindow(TeachHost host, QWidget* parent)
    : QMainWindow(parent),
      host_(std::move(host)),
      canvas_(new PaintCanvas),
      frames_(new FrameList),
      classes_(new ClassList),
      lesson_(new LessonPanel),
      backbone_(new BackbonePanel(host_.backbone)),
      message_(new QLabel),
      busy_(new QProgressBar),
      brush_(new QSpinBox) {
  setObjectName("TeachWindow");
  setWindowTitle(tr("Teach"));
  setCentralWidget(makeSides());
  makeActions();
  message_->setWordWrap(true);
  message_->setFixedHeight(2 * fontMetrics().height() + 2);
  message_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  busy_->setRange(0, 0);
  busy_->setMaximumWidth(120);
  busy_->setAccessibleName(tr("Busy"));
  busy_->hide();
  statusBar()->addWidget(message_, 1);
  statusBar()->addPermanentWidget(busy_);
  statusBar()->setSizeGripEnabled(false);
  connectParts();
  setTaught(false);
  resizeOnScreen(this, {1100, 720});
}

void TeachWindow::connectParts() {
  restTimer_.setInterval(kRestEvery);
  connect(&restTimer_, &QTimer::timeout, this, &TeachWindow::restEngine);
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
    if (!project_) return;
    const std::vector<PaintClass> before = project_->classes();
    attempt([&] { project_->setClasses(classes); });
    for (std::size_t k = 0; k < std::min(before.size(), project_->classes().size()); ++k)
      if (project_->classes()[k].colour != before[k].colour) proposed_.erase(static_cast<int>(k));
    classes_->setClasses(project_->classes());
    canvas_->setClasses(project_->classes());
  });
  cameraTimer_.setSingleShot(true);
  connect(&cameraTimer_, &QTimer::timeout, this, &TeachWindow::lookAtCamera);
  connect(classes_, &ClassList::removalWanted, this, &TeachWindow::removeClass);
  connect(backbone_, &BackbonePanel::changed, this, &TeachWindow::lookAtBackbone);
  connect(&worker_, &TeachWorker::sized, backbone_, &BackbonePanel::showSize);
  connect(&worker_, &TeachWorker::progressed, lesson_, &LessonPanel::showProgress);
  connect(&worker_, &TeachWorker::taught, this, &TeachWindow::taught);
  connect(&worker_, &TeachWorker::found, this, &TeachWindow::found);
  connect(&worker_, &TeachWorker::wrote, this, [this](const QString& path, const QString& fault) {
    --writing_;
    showBusy();
    if (!fault.isEmpty()) return say(fault, true);
    say(tr("Saved %1; the app is opening it.").arg(path));
    emit modelTaught(path);
  });
  connect(&writer_, &PaintWriter::written, this, &TeachWindow::saved);
}

TeachWindow::~TeachWindow() {
  if (restTimer_.isActive()) awake_.set_value();
  canvas_->show(nullptr, nullptr, nullptr);  // it outlives what it paints on
  saveAll();
  frames_->setProject(nullptr);
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
  proposed_.clear();
  frames_->setProject(project.get());
  project_ = std::move(project);
  classes_->setClasses(project_->classes());
  canvas_->setClasses(project_->classes());
  lesson_->clear();
  worker_.forget();
  setTaught(false);
  findsLittle_ = false;
  lookAtBackbone();
  setWindowTitle(tr("Teach – %1").arg(QDir::toNativeSeparators(project_->folder())));
  if (!project_->frames().isEmpty()) frames_->choose(project_->frames().back());
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
  findAreas();
  showPreview();
}

void TeachWindow::painted() {
  Sheet& sheet = sheets_[shown_];
  fitColours(sheet.labels);
  sheet.unsaved = true;
  frames_->setShare(shown_, paintedShare(sheet.labels));
  say({});
  save(shown_);
}

void TeachWindow::addClass(const QString& name) {
  if (!project_) return;
  const std::size_t before = project_->classes().size();
  classes_->addClass(project_->freshColour(), name);
  if (project_->classes().size() > before) proposed_.insert(static_cast<int>(before));
}

// A class that is painted for the first time takes the colour of its pixels, if they have a
// distinct one and nobody chose a colour.
void TeachWindow::fitColours(const cv::Mat& labels) {
  for (auto number = proposed_.begin(); number != proposed_.end();) {
    const cv::Mat there = labels == *number;
    if (cv::countNonZero(there) == 0) {
      ++number;
      continue;
    }
    std::vector<PaintClass> classes = project_->classes();
    PaintClass& fitted = classes[static_cast<std::size_t>(*number)];
    fitted.colour = project_->fittingColour(*number, cv::mean(picture_, there));
    number = proposed_.erase(number);
    emit classes_->wanted(classes);
  }
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

void TeachWindow::findAreas() {
  if (const auto& known = sheets_[shown_].areas) return canvas_->setAreas(known);
  computeAside(
      this, [picture = picture_] { return std::make_shared<const Areas>(picture); },
      [this, name = shown_, of = project_->folder()](const std::shared_ptr<const Areas>& areas) {
        if (name != shown_ || of != project_->folder() || camera_->isChecked()) return;
        sheets_[name].areas = areas;
        canvas_->setAreas(areas);
      });
}

void TeachWindow::offerBackbone() {
  const bool isBuiltIn = backbone_->backbone().model == host_.builtIn;
  const bool isStrange = host_.isStrange && host_.isStrange();
  backbone_->offerPublic(!isBuiltIn     ? QString()
                         : findsLittle_ ? tr("The built-in backbone finds too little here.")
                         : isStrange    ? tr("The built-in backbone knows only drawn streets.")
                                        : QString());
}

void TeachWindow::lookAtBackbone() {
  offerBackbone();
  if (!project_ || project_->frames().isEmpty()) return;
  const QSize frame = project_->sizeOf(project_->frames().back());
  worker_.size(backbone_->backbone(), {frame.width(), frame.height()});
}

void TeachWindow::chooseFolder() {
  const QString folder = QFileDialog::getExistingDirectory(
      this, tr("A folder for frames and annotations"), project_ ? project_->folder() : QString());
  if (!folder.isEmpty() && openProject(folder)) emit folderChosen(project_->folder());
}

void TeachWindow::teach() {
  if (worker_.isTeaching()) return worker_.cancel();
  if (!project_) return;
  if (project_->classes().size() < 2)
    return say(tr("There must be two classes; add one (Ctrl+N)."), true);
  canvas_->edit([](cv::Mat&) {});
  saveAll();
  std::map<QString, cv::Mat> paintings;
  for (const auto& [name, sheet] : sheets_)
    if (!sheet.labels.empty()) paintings[name] = sheet.labels.clone();
  backbone_->keep();
  lesson_->begin();
  teachButton_->setText(tr("Canc&el"));
  worker_.teach(backbone_->backbone(), *project_, std::move(paintings));
  awake_ = {};
  awoken_ = awake_.get_future().share();
  restTimer_.start();
  restEngine();
}

// A live view at full speed would make training take minutes.
void TeachWindow::restEngine() {
  if (!worker_.isTeaching()) {
    restTimer_.stop();
    return awake_.set_value();
  }
  const auto engine = host_.engine();
  if (!engine ||
      (rests_.valid() && rests_.wait_for(std::chrono::seconds(0)) != std::future_status::ready))
    return;
  rests_ = engine->withNetwork([awake = awoken_](monitor::Network&) { awake.wait_for(kRest); });
}

void TeachWindow::taught(const TeachWorker::TaughtPtr& taught, const QString& fault) {
  teachButton_->setText(tr("T&each"));
  restEngine();
  lesson_->end(taught, fault);
  if (!taught) return;
  findsLittle_ = taught->lesson.meanIou < kGoodIou;
  lookAtBackbone();
  for (auto& each : sheets_) each.second.found = cv::Mat();
  setTaught(true);
  showPreview();
  if (camera_->isChecked()) showCamera(true);  // by what was taught now
}

void TeachWindow::setTaught(bool taught) {
  fillWhenFound_ = false;
  looking_ = 0;  // by what was taught before: nobody is told any more
  showBusy();
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
  if (wanted && sheet.found.empty()) {
    worker_.look(shown_, picture_, leastSure());
    ++looking_;
    showBusy(tr("Looking at the frame with the taught model ..."));
  }
  canvas_->setPreview(preview_->isChecked() ? sheet.found : cv::Mat());
  canvas_->setSuggestion(sheet.found);
}

// Earlier results used the other setting.
void TeachWindow::showSure() {
  for (auto& each : sheets_) each.second.found = cv::Mat();
  showPreview();
}

void TeachWindow::found(const QString& name, const cv::Mat& labels, const QString& fault,
                        double least) {
  if (name.startsWith(kOnCamera)) return foundOnCamera(name, labels, fault);
  --looking_;
  showBusy();
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
  say(tr("Filled as taught; correct what is wrong, or undo."));
}

void TeachWindow::useModel() {
  if (!project_ || !worker_.hasTaught()) return;
  worker_.write(*project_);
  ++writing_;
  showBusy(tr("Writing the model ..."));
}

// Shows what begins; when all is done, clears it if it is still visible.
void TeachWindow::showBusy(const QString& doing) {
  busy_->setVisible(looking_ + writing_ > 0);
  if (busy_->isHidden() && said() == doing_) say({});
  if (doing.isEmpty()) return;
  doing_ = doing;
  say(doing);
}

void TeachWindow::removeClass(int number) {
  if (!project_ || number >= static_cast<int>(project_->classes().size())) return;
  camera_->setChecked(false);
  canvas_->edit([](cv::Mat&) {});
  saveAll();
  for (const auto& each : sheets_)
    if (each.second.unsaved) return;  // what could not be written was said
  int frames = 0;
  if (!attempt([&] { frames = project_->framesWith(number); })) return;
  const QString name = project_->classes()[static_cast<std::size_t>(number)].name;
  const QString question =
      frames == 0 ? tr("Remove the class %1? Nothing is painted with it.").arg(name)
                  : tr("Remove the class %1? What is painted with it on %Ln frames becomes "
                       "unpainted. This cannot be undone.",
                       nullptr, frames)
                        .arg(name);
  const auto wanted = QMessageBox::question(this, tr("Remove a class"), question,
                                            QMessageBox::Yes | QMessageBox::No, QMessageBox::No);
  if (wanted != QMessageBox::Yes) return;
  canvas_->show(nullptr, nullptr, nullptr);
  const QString shown = std::exchange(shown_, {});
  if (attempt([&] { project_->removeClass(number); })) {
    proposed_.clear();
    sheets_.clear();  // with what could be undone: it was done with other numbers
    worker_.forget();
    setTaught(false);
    lesson_->clear();
    frames_->readAgain();
  }
  classes_->setClasses(project_->classes());
  canvas_->setClasses(project_->classes());
  const QString fault = said();
  showFrame(shown);
  if (!fault.isEmpty()) say(fault, true);
}

void TeachWindow::showCamera(bool on) {
  looked_.reset();
  if (on) return lookAtCamera();
  canvas_->show(nullptr, nullptr, nullptr);
  seen_ = {};
  const QString name = frames_->nameAt(frames_->currentRow());
  shown_.clear();
  if (!name.isEmpty()) showFrame(name);
}

// Looks at one frame after the other, as fast as possible.
void TeachWindow::lookAtCamera() {
  if (!camera_->isChecked()) return;
  const monitor::FrameResultPtr newest = host_.newest();
  if (!newest || newest == looked_) return cameraTimer_.start(kWaitMs);
  looked_ = newest;
  look_ = kOnCamera + QString::number(++looks_);
  worker_.look(look_, newest->frame.picture, leastSure());
}

// Uses only the newest request: other results belong to old frames, maybe of another size.
void TeachWindow::foundOnCamera(const QString& look, const cv::Mat& labels, const QString& fault) {
  if (!camera_->isChecked() || !looked_ || look != look_) return;
  if (!fault.isEmpty()) {
    camera_->setChecked(false);
    return say(fault, true);
  }
  seenPicture_ = looked_->frame.picture;
  seen_.labels = labels.clone();
  canvas_->show(&seenPicture_, &seen_.labels, &seen_.history);
  canvas_->setPreview(labels, tr("What was taught, on the live picture"));
  cameraTimer_.start(kLookPauseMs);
}

}  // namespace mpm::gui
