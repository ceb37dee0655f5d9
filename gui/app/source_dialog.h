// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QFileSystemWatcher>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QStringList>

#include "gui/app/source_test.h"

namespace mpm::gui {

/// Chooses what is watched: a camera that is plugged in, what was watched before, a file, or an
/// address, which can be tried first.
class SourceDialog : public QDialog {
  Q_OBJECT

 public:
  SourceDialog(const QString& current, const QStringList& recent, QWidget* parent = nullptr);

  QString address() const { return address_->text().trimmed(); }

 private:
  void listSources(const QStringList& recent);
  void listCameras();
  void chooseFile();
  void chooseFolder();
  void test();
  void tell(const QString& sentence, bool bad);
  void checkAddress();

  QListWidget* list_;
  QLineEdit* address_;
  QPushButton *open_, *test_;
  QLabel* told_;
  int cameras_ = 0;  // rows of the list, the first ones
  SourceTest sourceTest_;
  QFileSystemWatcher devices_;
};

}  // namespace mpm::gui
