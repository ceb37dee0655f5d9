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

/// What the merge maps of a record's pictures tell of a source and a model, the same to the byte:
/// one for each schedule and size of the grid. Of the last month, the newest 4000 maps. Throws as
/// RecordReader does.
std::vector<MergeHeat> heatOf(const monitor::RecordReader& record, const std::string& source,
                              const std::string& modelHash, std::int64_t nowUtcMs);

/// The windows beside the main one, each made when it is asked for first: to teach in, the days of
/// the record, and how merging works. They follow the source that is shown.
class WindowsBeside : public QObject {
  Q_OBJECT

 public:
  WindowsBeside(Session& session, QWidget* window);

  TeachWindow* teach() const { return teach_; }  ///< null: none yet
  DaysWindow* days() const { return days_; }     ///< the same

  /// Of the camera that is shown, with one more frame, the newest; one that is open on it comes to
  /// the front. Each camera has a folder of its own for it among the app's data; one that somebody
  /// chose instead counts until another camera is shown.
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
  std::optional<std::size_t> taughtPlace() const;
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
