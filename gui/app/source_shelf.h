// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>

#include "gui/app/session.h"
#include "gui/canvas/pictures.h"

namespace mpm::gui {

/// A small picture of each source that was watched, in a folder of the user's data: only where
/// pictures may be kept (Live::keepsPictures).
class SourceShelf : public QObject {
  Q_OBJECT

 public:
  static constexpr QSize kPictureSize{160, 120};

  explicit SourceShelf(Session& session, QObject* parent = nullptr)
      : QObject(parent), session_(session) {
    writing_.setMaxThreadCount(1);
    first_.setSingleShot(true);
    connect(&first_, &QTimer::timeout, this, &SourceShelf::note);
    connect(&again_, &QTimer::timeout, this, &SourceShelf::note);
    connect(&session.live(), &Live::opened, this, [this] {
      first_.start(kFirstMs);
      again_.start(kAgainMs);
    });
    connect(&session.live(), &Live::closing, this, [this] {
      first_.stop();
      again_.stop();
    });
  }

  /// Null: none is kept, or the address is none.
  static QImage pictureOf(const QString& address) {
    const QString file = fileOf(address, sourceName);
    return QImage(QFileInfo::exists(file) ? file : fileOf(address, earlierSourceName));
  }

  /// Of each source that is watched, as it is now; written in a thread of its own.
  void note() {
    const Live& live = session_.live();
    const auto engine = live.engine();
    if (!engine) return;
    const QStringList addresses = QStringList{live.options().source} + live.options().beside;
    for (qsizetype i = 0; i < addresses.size(); ++i) {
      const QString file = fileOf(addresses[i], sourceName),
                    earlier = fileOf(addresses[i], earlierSourceName);
      const monitor::FrameResultPtr newest = engine->latest(static_cast<std::size_t>(i));
      if (!live.keepsPictures()) {
        writing_.start([file, earlier] {
          for (const QString& kept : {file, earlier}) QFile::remove(kept);
        });
      } else if (newest && !newest->filtered) {
        writing_.start([file, picture = newest->frame.picture] {
          QDir().mkpath(QFileInfo(file).path());
          thumbnailOf(picture, kPictureSize).save(file);
        });
      }
    }
  }

  void finish() { writing_.waitForDone(); }  ///< what is being written

 private:
  static constexpr int kFirstMs = 10'000, kAgainMs = 600'000;

  static QString fileOf(const QString& address, QString (*name)(const QString&)) {
    try {
      return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
             QStringLiteral("/sources/") + fileNameOf(name(address)) + QStringLiteral(".png");
    } catch (const std::exception&) {
      return {};
    }
  }

  Session& session_;
  QTimer first_, again_;
  QThreadPool writing_;
};

}  // namespace mpm::gui
