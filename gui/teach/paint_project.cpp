// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/paint_project.h"

#include <QBuffer>
#include <QByteArray>
#include <QDir>
#include <QFileDevice>
#include <QFileInfo>
#include <QIODevice>
#include <QImage>
#include <QImageReader>
#include <QLocale>
#include <QMetaObject>
#include <QSaveFile>
#include <QSet>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <utility>

#include "evaluate/pairs.h"
#include "gui/canvas/pictures.h"
#include "mpm/teach.h"
#include "segment/class_list.h"
#include "segment/model_metadata.h"

namespace mpm::gui {
namespace {

constexpr int kFastPng = 80;  // compressed a little: a painting is written with every stroke

[[noreturn]] void refuse(const QString& sentence) {
  throw std::runtime_error(sentence.toStdString());
}

QColor colourOf(const cv::Vec3b& bgr) { return {bgr[2], bgr[1], bgr[0]}; }

cv::Vec3f labOf(const QColor& colour) {
  cv::Mat_<cv::Vec3f> lab(1, 1, cv::Vec3f(colour.blueF(), colour.greenF(), colour.redF()));
  cv::cvtColor(lab, lab, cv::COLOR_BGR2Lab);
  return lab(0);
}

// Returns the distance to the most similar colour of all classes but one, in Lab units.
double leastDistance(const QColor& colour, const std::vector<PaintClass>& classes, int but) {
  double least = 1000;
  for (int k = 0; k < static_cast<int>(classes.size()); ++k) {
    const QColor& other = classes[static_cast<std::size_t>(k)].colour;
    if (k != but) least = std::min(least, cv::norm(labOf(colour), labOf(other)));
  }
  return least;
}

// Writes next to the file and renames. Returns the error; empty if none.
QString written(const QString& path, const std::function<bool(QSaveFile&)>& write) {
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && write(file) && file.commit()) return {};
  return file.error() == QFileDevice::NoError ? PaintProject::tr("unknown error")
                                              : file.errorString();
}

QString writtenPng(const QString& path, const QImage& image) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG", kFastPng);
  return written(
      path, [&](QSaveFile& file) { return !bytes.isEmpty() && file.write(bytes) == bytes.size(); });
}

QImage greyOf(const cv::Mat& labels) {
  return {labels.data, labels.cols, labels.rows, static_cast<qsizetype>(labels.step[0]),
          QImage::Format_Grayscale8};
}

void addTo(segment::ClassList& list, const PaintClass& each) {
  const auto byte = [](int value) { return static_cast<unsigned char>(value); };
  list.names.push_back(each.name.toStdString());
  list.palette.emplace_back(byte(each.colour.blue()), byte(each.colour.green()),
                            byte(each.colour.red()));
}

void writeClasses(const QString& path, const segment::ClassList& list) {
  const auto text = QByteArray::fromStdString(segment::classListText(list));
  const QString fault =
      written(path, [&](QSaveFile& file) { return file.write(text) == text.size(); });
  if (!fault.isEmpty())
    refuse(PaintProject::tr("The classes cannot be written to %1: %2.").arg(path, fault));
}

QString freshName(const QString& stem, const std::function<bool(const QString&)>& isThere) {
  QString name = stem;
  for (int i = 2; isThere(name); ++i) name = QStringLiteral("%1-%2").arg(stem).arg(i);
  return name;
}

// A removal first prepares the annotations, then the list of classes, under these names.
const QString kNextClasses = QStringLiteral("/classes-next.txt"),
              kNextLabels = QStringLiteral("/labels-next");

void moveOver(const QString& from, const QString& to) {
  std::error_code error;
  std::filesystem::rename(from.toStdString(), to.toStdString(), error);
  if (error) {
    refuse(PaintProject::tr("%1 cannot be renamed to %2: %3.")
               .arg(from, to, QString::fromStdString(error.message())));
  }
}

QString stampOf(const QDateTime& at) { return at.toString(QStringLiteral("yyyyMMdd-HHmmss")); }

}  // namespace

PaintProject::PaintProject(const QString& folder) : folder_(QDir(folder).absolutePath()) {
  for (const char* part : {"images", "labels", "models"}) {
    if (!QDir().mkpath(folder_ + '/' + part))
      refuse(tr("The folder %1 cannot be created; choose another one.").arg(folder_ + '/' + part));
  }
  finishRemoval();
  const evaluate::Listing listing = evaluate::pairFolders((folder_ + "/images").toStdString(),
                                                          (folder_ + "/labels").toStdString());
  for (const evaluate::Pair& pair : listing.pairs) {
    frames_ << QString::fromStdString(pair.name);
    photos_ << QString::fromStdString(pair.photo);
  }
  const QString names = folder_ + "/classes.txt";
  if (!QFileInfo::exists(names)) return;
  const segment::ClassList list = segment::readClassList(names.toStdString());
  const auto colours =
      list.palette.empty() ? segment::distinctColours(list.names.size()) : list.palette;
  for (std::size_t k = 0; k < list.names.size(); ++k)
    classes_.push_back({QString::fromStdString(list.names[k]), colourOf(colours[k])});
}

void PaintProject::setClasses(const std::vector<PaintClass>& classes) {
  if (classes.size() > kUnpainted) refuse(tr("There are already 255 classes, the maximum."));
  segment::ClassList list;
  QSet<QString> names;
  for (const PaintClass& each : classes) {
    const QString name = each.name.simplified();
    if (name.isEmpty()) refuse(tr("A class needs a name."));
    if (names.contains(name)) refuse(tr("There is already a class %1.").arg(name));
    names.insert(name);
    addTo(list, {name, each.colour});
  }
  writeClasses(folder_ + "/classes.txt", list);
  classes_ = classes;
  for (PaintClass& each : classes_) each.name = each.name.simplified();
}

int PaintProject::framesWith(int number) const {
  int frames = 0;
  for (const QString& name : frames_) {
    if (isPainted(name) && cv::countNonZero(labels(name, frame(name).size()) == number) > 0)
      ++frames;
  }
  return frames;
}

void PaintProject::removeClass(int number) {
  std::vector<PaintClass> classes = classes_;
  classes.erase(classes.begin() + number);
  cv::Mat_<std::uint8_t> table(1, 256);
  for (int k = 0; k < 256; ++k) {
    table(k) = static_cast<std::uint8_t>(k == number                    ? kUnpainted
                                         : k > number && k < kUnpainted ? k - 1
                                                                        : k);
  }
  QDir().mkpath(folder_ + kNextLabels);
  for (const QString& name : frames_) {
    if (!isPainted(name)) continue;
    cv::Mat moved;
    cv::LUT(labels(name, frame(name).size()), table, moved);
    const QString path = folder_ + kNextLabels + '/' + name + ".png";
    const QString fault = writtenPng(path, greyOf(moved));
    if (!fault.isEmpty())
      refuse(tr("The class was kept, as %1 cannot be written: %2.").arg(path, fault));
  }
  segment::ClassList list;
  for (const PaintClass& each : classes) addTo(list, each);
  writeClasses(folder_ + kNextClasses, list);
  classes_ = std::move(classes);
  finishRemoval();
}

// Once the list of classes exists the removal counts; before that it never began.
void PaintProject::finishRemoval() const {
  QDir next(folder_ + kNextLabels);
  if (QFileInfo::exists(folder_ + kNextClasses)) {
    for (const QString& file : next.entryList({"*.png"}, QDir::Files))
      moveOver(next.filePath(file), folder_ + "/labels/" + file);
    moveOver(folder_ + kNextClasses, folder_ + "/classes.txt");
  }
  next.removeRecursively();
}

QColor PaintProject::freshColour() const {
  constexpr int kHues = 24;
  QColor best;
  double most = -1;
  for (const int value : {230, 150}) {
    for (int hue = 0; hue < kHues; ++hue) {
      const QColor colour = QColor::fromHsv(hue * 360 / kHues, 215, value);
      const double apart = leastDistance(colour, classes_, -1);
      if (apart <= most) continue;
      most = apart;
      best = colour;
    }
  }
  return best;
}

QColor PaintProject::fittingColour(int number, const cv::Scalar& mean) const {
  constexpr int kLeastChroma = 24, kVivid = 190, kBright = 170;
  constexpr double kApart = 45;
  const QColor there(cvRound(mean[2]), cvRound(mean[1]), cvRound(mean[0]));
  const QColor colour =
      QColor::fromHsv(std::max(0, there.hsvHue()), std::max(kVivid, there.hsvSaturation()),
                      std::max(kBright, there.value()));
  // The hue of a grey or dark colour is arbitrary.
  const bool isColour = there.hsvSaturation() * there.value() / 255 > kLeastChroma;
  const bool fits = isColour && leastDistance(colour, classes_, number) > kApart;
  return fits ? colour : classes_[static_cast<std::size_t>(number)].colour;
}

QString PaintProject::spoken(const QString& name, QChar betweenDayAndTime) {
  const QDateTime at = QDateTime::fromString(name.left(15), QStringLiteral("yyyyMMdd-HHmmss"));
  if (!at.isValid()) return name;
  return QLocale().toString(at.date(), QLocale::ShortFormat) + betweenDayAndTime +
         at.time().toString(QStringLiteral("HH:mm:ss")) + name.mid(15);
}

QString PaintProject::take(const cv::Mat& picture, const QDateTime& at) {
  if (picture.empty() || picture.type() != CV_8UC3) refuse(tr("There is no picture yet."));
  if (!frames_.isEmpty()) {
    const cv::Size size = frame(frames_.front()).size();
    if (size != picture.size()) {
      refuse(tr("The camera's picture is %1 x %2 and those in %3 are %4 x %5; use a separate "
                "folder for another camera.")
                 .arg(picture.cols)
                 .arg(picture.rows)
                 .arg(folder_)
                 .arg(size.width)
                 .arg(size.height));
    }
  }
  const QString name =
      freshName(stampOf(at), [this](const QString& taken) { return frames_.contains(taken); });
  const QString path = folder_ + "/images/" + name + ".png";
  const QImage shown(picture.data, picture.cols, picture.rows,
                     static_cast<qsizetype>(picture.step[0]), QImage::Format_BGR888);
  const QString fault = writtenPng(path, shown);
  if (!fault.isEmpty()) refuse(tr("The frame cannot be written to %1: %2.").arg(path, fault));
  frames_ << name;
  photos_ << path;
  return name;
}

QString PaintProject::photoPath(const QString& name) const {
  return photos_.value(frames_.indexOf(name));
}

QString PaintProject::labelPath(const QString& name) const {
  return folder_ + "/labels/" + name + ".png";
}

cv::Mat PaintProject::frame(const QString& name) const {
  const QString path = photoPath(name);
  const cv::Mat picture = evaluate::readPhotoFile(path.toStdString());
  if (picture.empty()) refuse(tr("%1 cannot be read as a picture.").arg(path));
  return picture;
}

QSize PaintProject::sizeOf(const QString& name) const {
  return QImageReader(photoPath(name)).size();
}

bool PaintProject::isPainted(const QString& name) const {
  return QFileInfo::exists(labelPath(name));
}

cv::Mat PaintProject::labels(const QString& name, cv::Size size) const {
  if (!isPainted(name)) return {size, CV_8U, cv::Scalar(kUnpainted)};
  const cv::Mat numbers = evaluate::readLabelNumbers(labelPath(name).toStdString());
  if (numbers.size() != size) {
    refuse(tr("%1 differs in size from its frame; move it elsewhere to paint the frame again.")
               .arg(labelPath(name)));
  }
  const cv::Mat strange = (numbers >= static_cast<int>(classes_.size())) & (numbers != kUnpainted);
  if (cv::countNonZero(strange) > 0) {
    refuse(tr("%1 has numbers that are not classes in %2.")
               .arg(labelPath(name), folder_ + "/classes.txt"));
  }
  cv::Mat labels;
  numbers.convertTo(labels, CV_8U);
  return labels;
}

void PaintProject::keep(const QString& name, const cv::Mat& labels) const {
  const QString fault = writtenPng(labelPath(name), greyOf(labels));
  if (fault.isEmpty()) return;
  refuse(tr("The annotation cannot be written to %1: %2. It is kept here; free some space, then "
            "press Ctrl+S or paint on.")
             .arg(labelPath(name), fault));
}

QString PaintProject::freshModel(const QDateTime& at) const {
  const auto path = [this](const QString& name) { return folder_ + "/models/" + name + ".onnx"; };
  const QString stem = QFileInfo(folder_).fileName() + '-' + stampOf(at);
  return path(freshName(stem, [&](const QString& name) { return QFileInfo::exists(path(name)); }));
}

bool PaintProject::hasTaught(const QString& model) const {
  return QFileInfo(model).dir() == QDir(folder_ + "/models");
}

double paintedShare(const cv::Mat& labels) {
  if (labels.empty()) return 0;
  return static_cast<double>(cv::countNonZero(labels != kUnpainted)) /
         static_cast<double>(labels.total());
}

void PaintWriter::writeNext() {
  std::unique_lock lock(mutex_);
  if (waiting_.empty()) return;  // a later one has taken its place, and was written
  const auto next = waiting_.extract(waiting_.begin());
  lock.unlock();
  QString fault;
  try {
    next.mapped()();
  } catch (const std::exception& failure) {
    fault = QString::fromUtf8(failure.what());
  }
  lock.lock();
  ended_.emplace_back(next.key(), fault);
  lock.unlock();
  QMetaObject::invokeMethod(this, &PaintWriter::tell, Qt::QueuedConnection);
}

void PaintWriter::tell() {
  std::vector<std::pair<QString, QString>> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(ended_);
  }
  for (const auto& [name, fault] : ended) emit written(name, fault);
}

}  // namespace mpm::gui
