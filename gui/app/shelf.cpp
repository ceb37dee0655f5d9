// SPDX-License-Identifier: Apache-2.0
#include "gui/app/shelf.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMetaObject>
#include <QSettings>
#include <QStandardPaths>
#include <exception>
#include <vector>

#include "gui/app/wording.h"
#include "gui/canvas/pictures.h"
#include "monitor/statistics/comparison.h"
#include "segment/pictures.h"

namespace mpm::gui {
namespace {

constexpr int kFirstMs = 20'000, kAgainMs = 600'000;
constexpr std::int64_t kBackMs = 60'000;

QString folder(const char* name) {
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + '/' +
         QString::fromLatin1(name) + '/';
}

QString fileOf(const QString& model, const char* ending) {
  const QByteArray path = QFileInfo(model).absoluteFilePath().toUtf8();
  return folder("models") +
         QCryptographicHash::hash(path, QCryptographicHash::Sha1).toHex().left(16) + ending;
}

// `nameOf` is sourceName, or earlierSourceName for images of earlier versions.
QString pictureOf(const QString& address, QString (*nameOf)(const QString&) = sourceName) {
  return folder("sources") + fileNameOf(nameOf(address)) + QStringLiteral(".png");
}

// Identifies the file without reading it.
QString stampOf(const QString& model) {
  const QFileInfo file(model);
  return QStringLiteral("%1 %2").arg(file.size()).arg(file.lastModified().toMSecsSinceEpoch());
}

void savePicture(const cv::Mat& picture, QSize size, const QString& file) {
  QDir().mkpath(QFileInfo(file).path());
  thumbnailOf(picture, size).save(file);
}

}  // namespace

Shelf::Shelf(Session& session) : session_(session) {
  writing_.setMaxThreadCount(1);
  first_.setSingleShot(true);
  connect(&first_, &QTimer::timeout, this, &Shelf::note);
  connect(&again_, &QTimer::timeout, this, &Shelf::note);
  connect(&session, &Session::shownChanged, this, [this] {
    begin();
    again_.start(kAgainMs);
  });
  connect(&session, &Session::happened, this, [this](std::size_t, const monitor::Event& event) {
    if (monitor::changesWay(event)) begin();
  });
  connect(&session.live(), &Live::closing, this, [this] {
    first_.stop();
    again_.stop();
  });
}

Shelf::Model Shelf::model(const QString& file) {
  const QSettings kept(fileOf(file, ".ini"), QSettings::IniFormat);
  if (kept.value("stamp").toString() != stampOf(file)) return {};
  Model found{{}, kept.value("way").toString(), QImage(fileOf(file, ".png"))};
  if (kept.contains("ms")) found.ms = kept.value("ms").toDouble();
  return found;
}

QImage Shelf::source(const QString& address) {
  try {
    const QString file = pictureOf(address);
    return QImage(QFileInfo::exists(file) ? file : pictureOf(address, earlierSourceName));
  } catch (const std::exception&) {
    return {};
  }
}

void Shelf::note() {
  if (!session_.live().engine()) return;
  noteModel();
  noteSources();
}

void Shelf::noteModel() {
  const auto engine = session_.live().engine();
  const monitor::FrameResultPtr newest = engine->latest();
  if (!newest || newest->filtered) return;
  if (way_ != way()) begin();
  const bool keeps = session_.live().keepsPictures();
  writing_.start([this, model = session_.live().model(), way = way_, ms = msLately(),
                  frame = keeps ? newest : nullptr, palette = engine->palette()] {
    QDir().mkpath(folder("models"));
    {
      QSettings kept(fileOf(model, ".ini"), QSettings::IniFormat);
      if (kept.value("stamp").toString() != stampOf(model)) kept.clear();
      kept.setValue("stamp", stampOf(model));
      if (ms) {
        kept.setValue("ms", *ms);
        kept.setValue("way", way);
      }
    }
    if (frame) {
      savePicture(drawOverlay(frame->frame.picture, frame->segmentation.labels, palette),
                  kModelSize, fileOf(model, ".png"));
    } else {
      QFile::remove(fileOf(model, ".png"));
    }
    QMetaObject::invokeMethod(this, [this, model] { emit noted(model); });
  });
}

void Shelf::noteSources() {
  const QStringList addresses = session_.live().options().sources();
  for (qsizetype i = 0; i < addresses.size(); ++i) {
    const QString file = pictureOf(addresses[i]);
    const monitor::FrameResultPtr newest = session_.live().newest(static_cast<std::size_t>(i));
    if (!session_.live().keepsPictures()) {
      writing_.start([file, earlier = pictureOf(addresses[i], earlierSourceName)] {
        for (const QString& kept : {file, earlier}) QFile::remove(kept);
      });
    } else if (newest && !newest->filtered) {
      writing_.start(
          [file, picture = newest->frame.picture] { savePicture(picture, kSourceSize, file); });
    }
  }
}

QString Shelf::way() const {
  const Computing& computing = session_.live().computing();
  const auto engine = session_.live().engine();
  QStringList words{
      precisionTitle(QString::fromStdString(precisionName(computing.precision.toStdString())))};
  if (computing.name != "cpu") words << computing.name;
  if (engine->blocks() > 0)
    words << (engine->schedule().empty()
                  ? tr("unmerged")
                  : tr("merged before %1").arg(blocksText(engine->schedule())));
  if (engine->remembers()) words << tr("with the scene memory");
  return words.join(QStringLiteral(", "));
}

// Frames are computed in a different way from here on.
void Shelf::begin() {
  way_ = session_.live().engine() ? way() : QString();
  sinceUtcMs_ = monitor::systemClock().now().utcMs;
  first_.start(kFirstMs);
}

// Returns the mean over whole seconds of the last minute, since the way last changed.
std::optional<double> Shelf::msLately() const {
  double ms = 0;
  bool known = true;
  session_.live().engine()->readStatistics([&](const monitor::Statistics& statistics) {
    const auto& seconds = statistics.series().buckets(monitor::Resolution::second);
    for (const char* step : {"ms.prepare", "ms.network", "ms.labels"}) {
      const auto place = statistics.metrics().find(step);
      monitor::Tally all;
      for (auto second = seconds.rbegin(); place && second != seconds.rend(); ++second) {
        if (second->startUtcMs < sinceUtcMs_ || second->era != seconds.back().era ||
            second->startUtcMs <= seconds.back().startUtcMs - kBackMs)
          break;
        all.add(second->tallies[*place]);
      }
      known = known && all.count > 0;
      ms += all.mean();
    }
  });
  return known ? std::optional(ms) : std::nullopt;
}

}  // namespace mpm::gui
