// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <memory>

#include "monitor/source/capture.h"

namespace mpm::gui {

/// Chooses what is watched: a camera that is plugged in, what was watched before, a file, or an
/// address, which can be tried first.
class SourceDialog : public QDialog {
  Q_OBJECT

 public:
  SourceDialog(const QString& current, const QStringList& recent, QWidget* parent = nullptr);
  ~SourceDialog() override;

  QString address() const { return address_->text().trimmed(); }

 private:
  void listSources(const QStringList& recent);
  void listCameras();
  void chooseFile();
  void chooseFolder();
  void test();  ///< opens the address on the side, to see whether pictures come; again: stops
  void look();
  void endTest(bool good, const QString& sentence);
  void tell(const QString& sentence, bool bad);
  void checkAddress();

  QListWidget* list_;
  QLineEdit* address_;
  QPushButton *open_, *test_;
  QLabel* told_;
  int cameras_ = 0;  // rows of the list, the first ones
  std::unique_ptr<monitor::Capture> tested_;
  QTimer timer_;
  int looks_ = 0;
  QFileSystemWatcher devices_;
};

}  // namespace mpm::gui
