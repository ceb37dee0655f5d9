// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/teach_worker.h"

#include <QElapsedTimer>
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>

#include "evaluate/pairs.h"
#include "gui/aside.h"

namespace mpm::gui {
namespace {

// Shares of the whole: reading the backbone, analysing the frames, training, and then finding the
// frames that it doubts.
constexpr double kRead = TeachWorker::kRead, kLooked = 0.65, kLearned = 0.93;

// The priority is just below the live view's, which rests meanwhile; other programs do not.
constexpr int kBehindTheWindow = 5;

ReadOptions readOptions(const Backbone& backbone) {
  ReadOptions read;
  read.device = backbone.device.toStdString();
  read.precision = backbone.precision.toStdString();
  read.check = true;
  return read;
}

}  // namespace

cv::Size sizeInPatches(int patches, int patch, cv::Size frame) {
  const double shape = static_cast<double>(frame.width) / frame.height;
  cv::Size most;
  for (int rows = 2; rows * patch <= frame.height; ++rows) {
    const int columns = static_cast<int>(std::lround(rows * shape));
    if (columns * rows > patches || columns * patch > frame.width) break;
    if (columns >= 2) most = {columns * patch, rows * patch};
  }
  return most;
}

InputSize inputSizeOf(const std::string& backbone, const ReadOptions& read, int wanted,
                      cv::Size frame) {
  constexpr int kUsual = 1000;
  const Description own = describe(backbone);
  InputSize input{own.input, own.gridSize.area(), true, true};
  if (wanted == kDeclaredPatches || own.patchSize < 1) return input;
  const cv::Size size =
      sizeInPatches(wanted == kSuitingPatches ? kUsual : wanted, own.patchSize, frame);
  const bool isLarger = size.area() > own.input.area();
  if (size.empty() || size == own.input || (wanted == kSuitingPatches && !isLarger)) return input;
  TeachOptions tried;
  tried.read = read;
  tried.read.inputSize = size;
  tried.classes = {"some", "others"};
  try {
    Teacher(backbone, tried);
  } catch (const std::exception&) {
    input.adapts = false;
    return input;
  }
  return {size, size.area() / (own.patchSize * own.patchSize), false, true};
}

struct TeachWorker::Task {
  Backbone backbone;
  PaintProject project;
  std::map<QString, cv::Mat> paintings;
  std::shared_ptr<std::atomic<bool>> cancelled;

  void stopIfCancelled() const {
    if (*cancelled) throw TeachStopped();
  }
};

TeachWorker::TeachWorker(QObject* parent) : QObject(parent) { thread_.setMaxThreadCount(1); }

TeachWorker::~TeachWorker() {
  cancel();
  thread_.clear();
  thread_.waitForDone();
}

template <typename Work, typename Next>
void TeachWorker::inThread(Work work, Next next) {
  thread_.start([this, work, next] {
    standBehindTheWindow(kBehindTheWindow);
    QString fault;
    try {
      work();
    } catch (const TeachStopped&) {
    } catch (const std::exception& failure) {
      fault = QString::fromUtf8(failure.what());
    }
    QMetaObject::invokeMethod(this, [next, fault] { next(fault); });
  });
}

// Remembers the answer for the same question.
InputSize TeachWorker::sizeOf(const Backbone& backbone, cv::Size frame) {
  if (const std::pair asked(backbone, frame); size_.size.empty() || asked != asked_) {
    size_ = {};
    size_ =
        inputSizeOf(backbone.model.toStdString(), readOptions(backbone), backbone.patches, frame);
    asked_ = asked;
  }
  return size_;
}

void TeachWorker::size(const Backbone& backbone, cv::Size frame) {
  const auto size = std::make_shared<InputSize>();
  inThread([this, size, backbone, frame] { *size = sizeOf(backbone, frame); },
           [this, size](const QString& /*fault*/) { emit sized(*size); });
}

void TeachWorker::teach(const Backbone& backbone, const PaintProject& project,
                        std::map<QString, cv::Mat> paintings) {
  if (teaching_) return;
  teaching_ = true;
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  const auto task =
      std::make_shared<const Task>(Task{backbone, project, std::move(paintings), cancelled_});
  const auto taught = std::make_shared<Taught>();
  const auto teacher = std::make_shared<std::shared_ptr<Teacher>>();
  inThread([this, task, taught, teacher] { *teacher = taughtBy(*task, *taught); },
           [this, task, taught, teacher](const QString& fault) {
             teaching_ = false;
             const bool good = *teacher && !*task->cancelled;  // also where it came too late
             if (good) teacher_ = *teacher;
             emit this->taught(good ? taught : nullptr, fault);
           });
}

std::shared_ptr<Teacher> TeachWorker::taughtBy(const Task& task, Taught& taught) {
  QElapsedTimer since;
  since.start();
  const QStringList& names = task.project.frames();
  TeachOptions options;
  options.read = readOptions(task.backbone);
  if (!names.isEmpty()) {
    const QSize frame = task.project.sizeOf(names.back());
    const InputSize input = sizeOf(task.backbone, {frame.width(), frame.height()});
    if (!input.isOwn) options.read.inputSize = input.size;
  }
  options.keep = task.project.keptFolder().toStdString();
  for (const PaintClass& each : task.project.classes()) {
    options.classes.push_back(each.name.toStdString());
    const auto byte = [](int value) { return static_cast<unsigned char>(value); };
    options.palette.emplace_back(byte(each.colour.blue()), byte(each.colour.green()),
                                 byte(each.colour.red()));
  }
  options.progress = [this, cancelled = task.cancelled](double share) {
    emit progressed(kLooked + share * (kLearned - kLooked), kLearned);
    return !*cancelled;
  };
  const auto teacher = std::make_shared<Teacher>(task.backbone.model.toStdString(), options);
  double done = 0;
  const double look = (kLooked - kRead) / static_cast<double>(names.size());
  for (const QString& name : names) {
    task.stopIfCancelled();
    emit progressed(kRead + done * look, kRead + (done + 1) * look);
    ++done;
    const cv::Mat frame = task.project.frame(name);
    const auto painting = task.paintings.find(name);
    try {
      teacher->add(frame, painting != task.paintings.end()
                              ? painting->second
                              : task.project.labels(name, frame.size()));
    } catch (const std::invalid_argument& fault) {
      throw std::runtime_error(name.toStdString() + ": " + fault.what());
    }
  }
  taught.lesson = teacher->teach();
  for (const QString& name : names) {
    task.stopIfCancelled();
    taught.doubts.emplace_back(name, teacher->doubt(task.project.frame(name)));
    const double each = (1 - kLearned) / static_cast<double>(names.size());
    const double share = kLearned + each * static_cast<double>(taught.doubts.size());
    emit progressed(share, share + each);
  }
  std::stable_sort(taught.doubts.begin(), taught.doubts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  taught.seconds = static_cast<double>(since.elapsed()) / 1000;
  return teacher;
}

void TeachWorker::look(const QString& name, const cv::Mat& picture, double least) {
  if (!teacher_) return;
  const auto labels = std::make_shared<cv::Mat>();
  inThread(
      [labels, teacher = teacher_, picture, least] { *labels = teacher->labels(picture, least); },
      [this, labels, name, least, teacher = teacher_](const QString& fault) {
        if (teacher == teacher_) emit found(name, *labels, fault, least);
      });
}

void TeachWorker::doubt(std::vector<std::string> paths, std::shared_ptr<std::atomic<bool>> stop,
                        Doubted next) {
  if (!teacher_) return;
  const auto doubts = std::make_shared<std::vector<double>>();
  inThread(
      [doubts, teacher = teacher_, stop, paths = std::move(paths)] {
        for (const std::string& path : paths) {
          if (*stop) return;
          const cv::Mat picture = evaluate::readPhotoFile(path);
          doubts->push_back(picture.empty() ? std::numeric_limits<double>::quiet_NaN()
                                            : teacher->doubt(picture));
        }
      },
      [doubts, stop, next = std::move(next)](const QString& fault) {
        if (!*stop) next(*doubts, fault);
      });
}

void TeachWorker::write(const PaintProject& project) {
  if (!teacher_) return;
  const auto path = std::make_shared<QString>();
  inThread(
      [path, teacher = teacher_, project] {
        *path = project.freshModel(QDateTime::currentDateTime());  // behind one that was asked for
        teacher->write(path->toStdString());
      },
      [this, path](const QString& fault) { emit wrote(*path, fault); });
}

}  // namespace mpm::gui
