// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QFileSystemWatcher>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QObject>
#include <QPushButton>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <memory>

#include "monitor/source/capture.h"

namespace mpm::gui {

/// Opens an address on the side, to see whether pictures come.
class SourceTest : public QObject {
  Q_OBJECT

 public:
  explicit SourceTest(QObject* parent = nullptr);
  ~SourceTest() override;

  void begin(const QString& address);
  void cancel();
  bool isRunning() const { return capture_ != nullptr; }

 signals:
  void told(const QString& sentence);              ///< how it stands
  void ended(bool good, const QString& sentence);  ///< pictures came, or why not

 private:
  void look();
  void finish(bool good, const QString& sentence);

  std::unique_ptr<monitor::Capture> capture_;
  QTimer timer_;
  int looks_ = 0;
};

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
