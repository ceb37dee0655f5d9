// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gui/app/settings.h"

namespace mpm::gui {

/// What is watched: source, model, schedule, and the rules and zones of each source; with what the
/// settings remember of them. Knows no widget.
class Watch : public QObject {
  Q_OBJECT

 public:
  explicit Watch(Settings& settings);

  Live& live() { return live_; }
  const Settings& settings() const { return settings_; }

  void open();                              ///< what the settings say
  void openSource(const QString& address);  ///< with the rules and zones that are kept for it
  void openModel(const QString& path);
  void setSchedule(const QString& blocks);  ///< acts on the living net
  /// Rules and zones from now on, written to their file. Where zones stay, nothing begins anew.
  void setBook(const monitor::RuleBook& book);
  /// The same for zones alone; refused where a rule looks at one that would be gone.
  void changeZones(const std::vector<monitor::Zone>& zones);

 signals:
  void opening();  ///< the engine is to end: whoever keeps it busy stops
  void scheduleSet();
  void zonesSet(const std::vector<mpm::monitor::Zone>& zones);  ///< or back to what they were
  void said(const QString& sentence, bool bad);                 ///< empty: nothing any more

 private:
  void opened();
  void failed(const QString& sentence);
  void complain(const std::exception& fault);
  void bringBook();

  Settings& settings_;
  Live live_;
};

}  // namespace mpm::gui
