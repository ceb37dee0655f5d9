// SPDX-License-Identifier: Apache-2.0
// Frames: of the camera as it is now, as a model labelled it, and of its record, with what is
// painted on them at first.
#include <QDateTime>
#include <QFileInfo>
#include <QSize>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "evaluate/pairs.h"
#include "gui/teach/paint_strokes.h"
#include "gui/teach/record_frames.h"
#include "gui/teach/teach_window.h"

namespace mpm::gui {

bool TeachWindow::take(const cv::Mat& picture) {
  if (!project_) return false;
  camera_->setChecked(false);
  QString name;
  if (!attempt([&] { name = project_->take(picture, QDateTime::currentDateTime()); })) return false;
  frames_->setProject(project_.get());
  frames_->choose(name);
  canvas_->setFocus();
  lookAtBackbone();
  return true;
}

void TeachWindow::takeFrame() {
  const monitor::FrameResultPtr newest = host_.newest();
  const QStringList painted = lastPainted();
  if (!take(newest ? newest->frame.picture : cv::Mat())) return;
  carryOver(painted);
  if (project_->classes().empty()) say(tr("Begin with a new class (Ctrl+N)."));
}

void TeachWindow::correct(const monitor::FrameResult& shown, const QString& model,
                          const std::vector<std::string>& names) {
  const QStringList painted = lastPainted();
  if (!take(shown.frame.picture)) return;
  if (!project_->hasTaught(model)) {
    carryOver(painted);
    return say(tr("%1 was not taught here, so its labels cannot be corrected; paint what is right.")
                   .arg(QFileInfo(model).fileName()));
  }
  cv::Mat numbers(1, 256, CV_8U, cv::Scalar(kUnpainted));  // classes may have been moved since
  const std::vector<PaintClass>& classes = project_->classes();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const QString name = QString::fromStdString(names[k]);
    const auto own = std::find_if(classes.begin(), classes.end(),
                                  [&](const PaintClass& each) { return each.name == name; });
    if (own != classes.end())
      numbers.at<std::uint8_t>(static_cast<int>(k)) =
          static_cast<std::uint8_t>(own - classes.begin());
  }
  canvas_->edit([&](cv::Mat& painting) { cv::LUT(shown.segmentation.labels, numbers, painting); });
  say(tr("The model's own labels are the annotation; paint over what is wrong, then teach."));
}

cv::Mat TeachWindow::paintingOf(const QString& name, cv::Size size) const {
  const auto sheet = sheets_.find(name);  // which may not be written yet
  return sheet != sheets_.end() && !sheet->second.labels.empty() ? sheet->second.labels
                                                                 : project_->labels(name, size);
}

QStringList TeachWindow::lastPainted() {
  constexpr int kMost = 3;
  QStringList last;
  attempt([&] {
    const QStringList& names = project_->frames();
    for (auto name = names.rbegin(); name != names.rend() && last.size() < kMost; ++name) {
      const QSize size = project_->sizeOf(*name);
      if (paintedShare(paintingOf(*name, {size.width(), size.height()})) > 0) last << *name;
    }
  });
  return last;
}

// The camera is fixed, so most of the last annotation still holds, except where something moved.
// What an object hid there is filled from earlier annotations.
void TeachWindow::carryOver(const QStringList& painted) {
  cv::Mat labels, last;
  const bool good = attempt([&] {
    for (const QString& name : painted) {
      const cv::Mat frame = project_->frame(name);
      if (frame.size() != picture_.size()) continue;
      cv::Mat holds = paintingOf(name, frame.size()).clone();
      holds.setTo(kUnpainted, movedBetween(frame, picture_));
      if (labels.empty()) {
        labels = holds;
        last = frame;
      } else {
        cv::Mat left = movedBetween(frame, last);
        cv::dilate(left, left, {}, {-1, -1}, 2 + frame.rows / 100);  // rims are never quite alike
        holds.copyTo(labels, left & (labels == kUnpainted));
      }
    }
  });
  if (!good || paintedShare(labels) == 0) return;
  canvas_->edit([&](cv::Mat& painting) { labels.copyTo(painting); });
  say(tr("The last annotation was carried over, except where something moved; undo removes it."));
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

}  // namespace mpm::gui
