// SPDX-License-Identifier: Apache-2.0
// What the window has of elsewhere: frames of the record, and the camera that goes on; and classes
// that go.
#include <QtWidgets>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "evaluate/pairs.h"
#include "gui/teach/record_frames.h"
#include "gui/teach/teach_window.h"

namespace mpm::gui {
namespace {

constexpr int kLookPauseMs = 60, kWaitMs = 200;

}  // namespace

void TeachWindow::takeFrame() {
  if (!project_) return;
  camera_->setChecked(false);
  const monitor::FrameResultPtr newest = host_.newest();
  QString name;
  const bool taken = attempt([&] {
    name = project_->take(newest ? newest->frame.picture : cv::Mat(), QDateTime::currentDateTime());
  });
  if (!taken) return;
  frames_->setProject(project_.get());
  frames_->choose(name);
  canvas_->setFocus();
  if (project_->classes().empty()) say(tr("Begin with a new class (Ctrl+N)."));
}

void TeachWindow::takeOfRecord() {
  if (!project_) return;
  const auto [record, source] = host_.record ? host_.record() : std::pair<QString, QString>();
  if (record.isEmpty()) return say(tr("Nothing is recorded, so there are no earlier frames."));
  constexpr int kMostKnown = 40;
  std::vector<cv::Mat> known;
  const bool good = attempt([&] {
    for (const QString& name : project_->frames().mid(0, kMostKnown))
      known.push_back(project_->frame(name));
  });
  if (!good) return;
  RecordFrames::Doubt doubt;
  if (worker_.hasTaught()) {
    doubt = [this](std::vector<std::string> paths, std::shared_ptr<std::atomic<bool>> stop,
                   TeachWorker::Doubted next) {
      worker_.doubt(std::move(paths), std::move(stop), std::move(next));
    };
  }
  RecordFrames dialog(record, source, std::move(known), std::move(doubt), this);
  if (dialog.exec() == QDialog::Accepted) takeKept(dialog.chosen());
}

void TeachWindow::takeKept(const std::vector<monitor::DayPicture>& pictures) {
  camera_->setChecked(false);
  QString name;
  int taken = 0;
  const bool good = attempt([&] {
    for (const monitor::DayPicture& each : pictures) {
      const cv::Mat picture = evaluate::readPhotoFile(each.frame);
      name = project_->take(picture, QDateTime::fromMSecsSinceEpoch(each.taken.utcMs));
      ++taken;
    }
  });
  frames_->setProject(project_.get());
  if (!name.isEmpty()) frames_->choose(name);
  if (good && taken > 0) say(tr("Took %Ln frames from the record.", nullptr, taken));
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

// One frame after the other, as fast as they are looked at.
void TeachWindow::lookAtCamera() {
  if (!camera_->isChecked()) return;
  const monitor::FrameResultPtr newest = host_.newest();
  if (!newest || newest == looked_) return cameraTimer_.start(kWaitMs);
  looked_ = newest;
  look_ = kOnCamera + QString::number(++looks_);
  worker_.look(look_, newest->frame.picture, leastSure());
}

// Of the last one that was asked for: others are of frames that are gone, and may be of other size.
void TeachWindow::foundOnCamera(const QString& look, const cv::Mat& labels, const QString& fault) {
  if (!camera_->isChecked() || !looked_ || look != look_) return;
  if (!fault.isEmpty()) {
    camera_->setChecked(false);
    return say(fault, true);
  }
  seenPicture_ = looked_->frame.picture;
  seen_.labels = labels.clone();
  canvas_->show(&seenPicture_, &seen_.labels, &seen_.history);
  canvas_->setPreview(labels, tr("What was taught, on the camera as it is now"));
  cameraTimer_.start(kLookPauseMs);
}

}  // namespace mpm::gui
