// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QImage>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "gui/app/session.h"

namespace mpm::gui {

/// Remembers models that ran and sources that were watched, in folders of the user's data: a
/// model's frame time and a thumbnail with labels, and a thumbnail of each source. Thumbnails are
/// kept only if allowed (Live::keepsPictures), and removed otherwise. A model's file that has
/// changed loses its entries. Writing happens in a separate thread.
class Shelf : public QObject {
  Q_OBJECT

 public:
  static constexpr QSize kModelSize{320, 240}, kSourceSize{160, 120};

  struct Model {
    std::optional<double> ms;  ///< of a frame (frameMs), the mean of a minute at most
    QString way;               ///< how it was computed meanwhile: "float32, merged before 2,5"
    QImage picture;
  };

  explicit Shelf(Session& session);

  static Model model(const QString& file);
  /// Returns null if no image is kept, or the address is invalid.
  static QImage source(const QString& address);

  /// Notes what runs and is watched. The frame time is that of the current way of computing, as
  /// soon as it is known. Simulated nights do not count.
  void note();
  void finish() { writing_.waitForDone(); }  ///< what is being written

 signals:
  void noted(const QString& model);  ///< it is written

 private:
  QString way() const;
  void begin();
  void noteModel();
  void noteSources();
  std::optional<double> msLately() const;

  Session& session_;
  QTimer first_, again_;
  QString way_;
  std::int64_t sinceUtcMs_ = 0;  // frames are computed in that way
  QThreadPool writing_;
};

}  // namespace mpm::gui
