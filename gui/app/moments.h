// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <cstddef>
#include <vector>

#include "gui/app/day_night_panel.h"
#include "gui/app/events_panel.h"
#include "gui/app/view_menu.h"
#include "gui/app/watch.h"
#include "monitor/statistics/comparison.h"

namespace mpm::gui {

/// What happens at the sources of the engine: listed, marked in the plot where figures of before
/// and behind it cannot be compared, and shown there when somebody clicks it.
class Moments : public QObject {
  Q_OBJECT

 public:
  Moments(Watch& watch, EventsPanel* events, DayNightPanel* dayNight, ViewMenu* menu,
          QMainWindow* window)
      : QObject(window),
        watch_(watch),
        events_(events),
        dayNight_(dayNight),
        menu_(menu),
        window_(window) {
    connect(&watch_.live(), &Live::happened, this, &Moments::hear);
    connect(events_, &EventsPanel::jumped, this, &Moments::show);
  }

  /// With another engine.
  void begin() {
    const Live& live = watch_.live();
    runs_.clear();
    for (std::size_t i = 0; i < live.engine()->sources(); ++i) runs_.push_back(live.run(i));
    const LiveOptions& options = watch_.settings().live;
    events_->begin(options.record, QString::fromStdString(live.engine()->source(0).name),
                   live.begunUtcMs());
  }

  /// Of a source, what its run of the record is called, with what was heard of it so far.
  const monitor::PastRun& run(std::size_t source) const { return runs_[source]; }

 private:
  void hear(int source, const monitor::Event& event) {
    const auto engine = watch_.live().engine();
    const auto index = static_cast<std::size_t>(source);
    if (index == 0) events_->hear(event, engine ? engine->latest(0) : nullptr);
    if (!engine || index >= engine->sources()) return;
    if (monitor::changesWay(event)) runs_[index].events.push_back(event);
    if (index == watch_.live().shown()) dayNight_->hear(event);
    if (index == 0) return;
    const QString address = watch_.live().options().beside.value(source - 1);
    events_->hearBeside(event, address, watch_.nameOf(address), engine->latest(index));
  }

  // In the plot of the source that it happened at.
  void show(const EventList::Entry& happened) {
    const qsizetype beside = watch_.live().options().beside.indexOf(happened.beside);
    if (beside < 0 && !happened.beside.isEmpty())
      return emit watch_.said(tr("The camera where this happened is no longer watched."), true);
    if (beside >= 0 || happened.isOfSource) watch_.show(static_cast<int>(beside) + 1);
    showBeside();
    dayNight_->tokens()->lookAt(happened.utcMs,
                                happened.name.isEmpty() ? kindWord(happened.kind) : happened.name);
  }

  // The plot, with the events still to be seen where there is room for both.
  void showBeside() {
    constexpr int kRoomForBoth = 1200;
    auto* events = window_->findChild<QDockWidget*>("Events");
    auto* plot = window_->findChild<QDockWidget*>("DayNight");
    const int width = window_->width();
    if (width >= kRoomForBoth && window_->tabifiedDockWidgets(plot).contains(events)) {
      window_->addDockWidget(Qt::BottomDockWidgetArea, events, Qt::Horizontal);
      events->show();
      plot->show();
      window_->resizeDocks({plot, events}, {2 * width / 3, width / 3}, Qt::Horizontal);
    }
    menu_->showPanel("DayNight");
  }

  Watch& watch_;
  EventsPanel* events_;
  DayNightPanel* dayNight_;
  ViewMenu* menu_;
  QMainWindow* window_;
  std::vector<monitor::PastRun> runs_;  // of each source
};

}  // namespace mpm::gui
