// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
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

}  // namespace mpm::gui
