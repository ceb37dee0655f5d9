// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/app/session.h"
#include "gui/app/wording.h"
#include "gui/canvas/pictures.h"
#include "monitor/statistics/comparison.h"
#include "segment/pictures.h"

namespace mpm::gui {

/// What is remembered of models that ran here, in a folder of the user's data: how long a frame
/// took them, and a small picture with their labels, which is kept only where pictures may be
/// (Live::keepsPictures). Of a file that is another one since nothing is remembered.
class ModelShelf : public QObject {
  Q_OBJECT

 public:
  static constexpr QSize kPictureSize{320, 240};

  struct Remembered {
    std::optional<double> ms;  ///< of a frame (frameMs), the mean of a minute at most
    QString way;               ///< how it was computed meanwhile: "float32, merged before 2,5"
    QImage picture;
  };

  explicit ModelShelf(Session& session, QObject* parent = nullptr)
      : QObject(parent), session_(session) {
    writing_.setMaxThreadCount(1);
    first_.setSingleShot(true);
    connect(&first_, &QTimer::timeout, this, &ModelShelf::note);
    connect(&again_, &QTimer::timeout, this, &ModelShelf::note);
    connect(&session.live(), &Live::opened, this, [this] {
      begin();
      again_.start(kAgainMs);
    });
    connect(&session.live(), &Live::happened, this, [this](int, const monitor::Event& event) {
      if (monitor::changesWay(event)) begin();
    });
    connect(&session.live(), &Live::closing, this, [this] {
      first_.stop();
      again_.stop();
    });
  }

  static Remembered of(const QString& model) {
    const QSettings kept(fileOf(model), QSettings::IniFormat);
    if (kept.value("stamp").toString() != stampOf(model)) return {};
    Remembered found{{}, kept.value("way").toString(), QImage(pictureOf(model))};
    if (kept.contains("ms")) found.ms = kept.value("ms").toDouble();
    return found;
  }

  /// Of the model that runs, on the source that is shown: how long a frame takes it in the way that
  /// it is computed now, as soon as that is known. Simulated nights do not count. Written in a
  /// thread of its own.
  void note() {
    const Live& live = session_.live();
    const auto engine = live.engine();
    const monitor::FrameResultPtr newest = engine ? engine->latest(live.shown()) : nullptr;
    if (!newest || newest->filtered) return;
    if (way_ != wayOf(live, *engine)) begin();
    const Noted seen{live.options().model, way_, lately(*engine, live.shown()),
                     live.keepsPictures() ? newest : nullptr, engine->palette()};
    writing_.start([this, seen] {
      write(seen);
      QMetaObject::invokeMethod(this, [this, model = seen.model] { emit noted(model); });
    });
  }

  void finish() { writing_.waitForDone(); }  ///< what is being written

 signals:
  void noted(const QString& model);  ///< it is written

 private:
  static constexpr int kFirstMs = 20'000, kAgainMs = 600'000;
  static constexpr std::int64_t kBackMs = 60'000;

  struct Noted {
    QString model, way;
    std::optional<double> ms;
    monitor::FrameResultPtr frame;  // null: no picture is to be kept
    std::vector<cv::Vec3b> palette;
  };

  static void write(const Noted& seen) {
    QDir().mkpath(folder());
    QSettings kept(fileOf(seen.model), QSettings::IniFormat);
    if (kept.value("stamp").toString() != stampOf(seen.model)) kept.clear();
    kept.setValue("stamp", stampOf(seen.model));
    if (seen.ms) {
      kept.setValue("ms", *seen.ms);
      kept.setValue("way", seen.way);
    }
    if (!seen.frame) {
      QFile::remove(pictureOf(seen.model));
      return;
    }
    thumbnailOf(
        drawOverlay(seen.frame->frame.picture, seen.frame->segmentation.labels, seen.palette),
        kPictureSize)
        .save(pictureOf(seen.model));
  }

  static QString folder() {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
           QStringLiteral("/models");
  }

  static QString pathOf(const QString& model, const QString& ending) {
    const QByteArray path = QFileInfo(model).absoluteFilePath().toUtf8();
    return folder() + '/' +
           QCryptographicHash::hash(path, QCryptographicHash::Sha1).toHex().left(16) + ending;
  }
  static QString fileOf(const QString& model) { return pathOf(model, QStringLiteral(".ini")); }
  static QString pictureOf(const QString& model) { return pathOf(model, QStringLiteral(".png")); }

  // Which file it is, without reading it.
  static QString stampOf(const QString& model) {
    const QFileInfo file(model);
    return QStringLiteral("%1 %2").arg(file.size()).arg(file.lastModified().toMSecsSinceEpoch());
  }

  QString wayOf(const Live& live, const monitor::Engine& engine) const {
    const Computing& computing = live.computing();
    QStringList words{
        precisionTitle(QString::fromStdString(precisionName(computing.precision.toStdString())))};
    if (computing.name != "cpu") words << computing.name;
    if (engine.blocks() > 0)
      words << (engine.schedule().empty()
                    ? tr("full tokens")
                    : tr("merged before %1").arg(blocksText(engine.schedule())));
    if (engine.remembers()) words << tr("with the scene memory");
    return words.join(QStringLiteral(", "));
  }

  // From here on frames are computed in another way.
  void begin() {
    const auto engine = session_.live().engine();
    way_ = engine ? wayOf(session_.live(), *engine) : QString();
    sinceUtcMs_ = monitor::systemClock().now().utcMs;
    first_.start(kFirstMs);
  }

  // Of whole seconds of the last minute, since the way is this one.
  std::optional<double> lately(const monitor::Engine& engine, std::size_t source) const {
    double ms = 0;
    bool known = true;
    engine.readStatistics(source, [&](const monitor::Statistics& statistics) {
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

  Session& session_;
  QTimer first_, again_;
  QString way_;
  std::int64_t sinceUtcMs_ = 0;  // frames are computed in that way
  QThreadPool writing_;
};

}  // namespace mpm::gui
