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

/// What is remembered of models that ran here and of sources that were watched, in folders of the
/// user's data: how long a frame took a model, a small picture with its labels, and one of each
/// source. Pictures are kept only where they may be (Live::keepsPictures), and removed elsewhere.
/// Of a model's file that is another one since nothing is remembered. Written in a thread of its
/// own.
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
  /// Null: none is kept, or the address is none.
  static QImage source(const QString& address);

  /// What runs and is watched now. How long a frame takes is of the way in which the model is
  /// computed now, as soon as that is known. Simulated nights do not count.
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
