// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "gui/app/watch.h"
#include "gui/canvas/thumbnail.h"
#include "segment/pictures.h"

namespace mpm::gui {

/// What is remembered of models that ran here, in a folder of the user's data: how long a frame
/// took them, and a small picture with their labels, which is kept only where there is a record to
/// keep pictures in. Of a file that is another one since nothing is remembered.
class ModelShelf : public QObject {
  Q_OBJECT

 public:
  static constexpr QSize kPictureSize{320, 240};

  struct Remembered {
    std::optional<double> ms;  ///< of a frame through the net, the mean of a minute
    QString way;               ///< how it was computed: "fp32, merged before 2,5"
    QImage picture;
  };

  explicit ModelShelf(Watch& watch, QObject* parent = nullptr) : QObject(parent), watch_(watch) {
    first_.setSingleShot(true);
    connect(&first_, &QTimer::timeout, this, &ModelShelf::note);
    connect(&again_, &QTimer::timeout, this, &ModelShelf::note);
    connect(&watch.live(), &Live::opened, this, [this] {
      first_.start(kFirstMs);
      again_.start(kAgainMs);
    });
    connect(&watch.live(), &Live::closing, this, [this] {
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

  /// Of the model that runs, as things stand, on the source that is shown.
  void note() const {
    const Live& live = watch_.live();
    const auto engine = live.engine();
    const monitor::FrameResultPtr newest = engine ? engine->latest(live.shown()) : nullptr;
    if (!newest) return;
    const QString& model = live.options().model;
    const double ms = lately(*engine, live.shown());
    QDir().mkpath(folder());
    QSettings kept(fileOf(model), QSettings::IniFormat);
    kept.setValue("stamp", stampOf(model));
    kept.setValue("way", wayOf(live, *engine));
    if (std::isfinite(ms)) kept.setValue("ms", ms);
    if (live.options().record.isEmpty()) {
      QFile::remove(pictureOf(model));
    } else if (!newest->filtered) {
      thumbnailOf(
          drawOverlay(newest->frame.picture, newest->segmentation.labels, engine->palette()),
          kPictureSize)
          .save(pictureOf(model));
    }
  }

 private:
  static constexpr int kFirstMs = 20'000, kAgainMs = 600'000;

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
    QStringList words{QString::fromStdString(precisionName(computing.precision.toStdString()))};
    if (computing.name != "cpu") words << computing.name;
    if (engine.blocks() > 0)
      words << (engine.schedule().empty()
                    ? tr("full tokens")
                    : tr("merged before %1").arg(blocksText(engine.schedule())));
    if (engine.remembers()) words << tr("with the scene memory");
    return words.join(QStringLiteral(", "));
  }

  // The last whole minute's, or of the one that runs.
  static double lately(const monitor::Engine& engine, std::size_t source) {
    double ms = std::numeric_limits<double>::quiet_NaN();
    const auto place = engine.metrics(source).find("ms.network");
    engine.readStatistics(source, [&](const monitor::Statistics& statistics) {
      const auto& minutes = statistics.series().buckets(monitor::Resolution::minute);
      if (!place || minutes.empty()) return;
      const std::size_t last = minutes.size() > 1 ? minutes.size() - 2 : 0;
      ms = minutes[last].tallies[*place].mean();
    });
    return ms;
  }

  Watch& watch_;
  QTimer first_, again_;
};

}  // namespace mpm::gui
