// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/app/session.h"
#include "gui/explain/merge_heat.h"
#include "monitor/record/record_reader.h"

namespace mpm::gui {

class DaysWindow;
class MergeWindow;
class RecordHeat;
class TeachWindow;

/// Returns the heat in the record's merge maps for a source and a model whose hash matches exactly:
/// one entry per schedule and grid size. It covers the newest 4000 maps of the last month. Throws
/// as RecordReader does.
std::vector<MergeHeat> heatOf(const monitor::RecordReader& record, const std::string& source,
                              const std::string& modelHash, std::int64_t nowUtcMs);

/// The windows next to the main one, each created on first use: Teach, the days of the record, and
/// how merging works. They follow the source that is shown.
class WindowsBeside : public QObject {
  Q_OBJECT

 public:
  WindowsBeside(Session& session, QWidget* window);

  TeachWindow* teach() const { return teach_; }  ///< null: none yet
  DaysWindow* days() const { return days_; }     ///< the same

  /// Opens Teach for the shown camera with its newest frame added; a window already open for it
  /// comes to the front. Each camera has a folder in the app's data. A folder that the user chose
  /// replaces it until another camera is shown.
  void openTeach() { bringTeach(false); }
  /// Opens it on the frame that is shown, with its labels to be corrected.
  void correct() { bringTeach(true); }
  void openDays();
  void openMerging();

 private:
  void follow();
  void bringTeach(bool corrects);
  void makeTeach();
  bool openFolder();
  std::shared_ptr<monitor::Engine> taughtEngine() const;
  void bringDays();
  void beginMerging();

  Session& session_;
  QWidget* window_;
  TeachWindow* teach_ = nullptr;
  DaysWindow* days_ = nullptr;
  QPointer<MergeWindow> merging_;
  RecordHeat* recorded_;
  QString taught_, shownBefore_;  // addresses: of teach_'s frames, and what was shown
};

}  // namespace mpm::gui
