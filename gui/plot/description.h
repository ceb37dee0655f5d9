// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <QWidget>

namespace mpm::gui {

/// A widget's accessible description that follows its data, without talking all the time: at most
/// once in kDescriptionPauseMs, then what was told last.
class Description : public QObject {
  Q_OBJECT

 public:
  explicit Description(QWidget* widget);

  void tell(const QString& sentence);

 private:
  void speak();

  QWidget* widget_;
  QString waiting_;
  QElapsedTimer since_;
  QTimer later_;
};

constexpr int kDescriptionPauseMs = 4000;

}  // namespace mpm::gui
