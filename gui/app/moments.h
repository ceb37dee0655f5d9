// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <cstddef>
#include <vector>

#include "gui/app/day_night_panel.h"
#include "gui/app/events_panel.h"
#include "gui/app/notifier.h"
#include "gui/app/session.h"
#include "gui/app/shares_panel.h"
#include "gui/app/view_menu.h"
#include "monitor/statistics/comparison.h"

namespace mpm::gui {

/// What happens at the sources of the engine: listed, marked in the plot where figures of before
/// and behind it cannot be compared, and shown there when somebody clicks it. Alerts are reported
/// on the desktop where their rules say so.
class Moments : public QObject {
  Q_OBJECT

 public:
  Moments(Session& session, EventsPanel* events, DayNightPanel* dayNight, SharesPanel* shares,
          ViewMenu* menu, QMainWindow* window)
      : QObject(window),
        session_(session),
        events_(events),
        dayNight_(dayNight),
        shares_(shares),
        menu_(menu),
        window_(window),
        notifier_(new Notifier(window)) {
    connect(&session_.live(), &Live::happened, this, &Moments::hear);
    connect(&session_, &Session::named, this, [this] {
      if (session_.live().engine()) list();
    });
    connect(events_, &EventsPanel::jumped, this, &Moments::show);
    connect(notifier_, &Notifier::clicked, this, [this](const EventList::Entry& alert) {
      menu_->showPanel("Events");
      events_->reveal(alert);
    });
  }

  /// With another engine.
  void begin() {
    const Live& live = session_.live();
    runs_.clear();
    for (std::size_t i = 0; i < live.engine()->sources(); ++i) runs_.push_back(live.run(i));
    list();
  }

  /// A frame of a source.
  void see(const monitor::FrameResult& result, std::size_t source) {
    events_->see(result, addresses()[static_cast<qsizetype>(source)]);
  }

  /// Of a source, what its run of the record is called, with what was heard of it so far.
  const monitor::PastRun& run(std::size_t source) const { return runs_[source]; }

 private:
  void list() {
    const Live& live = session_.live();
    const QStringList addresses = this->addresses(), names = session_.names();
    QList<EventsPanel::Source> sources;
    for (qsizetype i = 0; i < addresses.size(); ++i)
      sources << EventsPanel::Source{
          addresses[i],
          QString::fromStdString(live.engine()->source(static_cast<std::size_t>(i)).name),
          names[i]};
    events_->begin(live.options().record, sources, live.begunUtcMs());
  }

  // Of the engine's sources.
  QStringList addresses() const {
    const LiveOptions& options = session_.live().options();
    return QStringList{options.source} + options.beside;
  }

  void hear(int source, const monitor::Event& event) {
    const auto engine = session_.live().engine();
    const auto index = static_cast<std::size_t>(source);
    const bool isWatched = engine && index < engine->sources();
    const QString address = addresses().value(source);
    if (!address.isEmpty())
      events_->hear(event, address, isWatched ? engine->latest(index) : nullptr);
    if (!isWatched) return;
    if (!address.isEmpty()) notify(index);
    if (monitor::changesWay(event)) runs_[index].events.push_back(event);
    if (index == session_.live().shown()) dayNight_->hear(event);
  }

  // What a source's newest event is about, where its rule asks for it.
  void notify(std::size_t source) {
    const EventList::Entry newest = events_->list().entry(0);
    if (!Notifier::wants(newest, session_.live().books()[source].rules)) return;
    const QStringList names = session_.names();
    notifier_->notify(newest, names.size() > 1 ? names[static_cast<qsizetype>(source)] : QString(),
                      newest.picture);
  }

  // In the plot of the source that it happened at.
  void show(const EventList::Entry& happened) {
    const qsizetype source = addresses().indexOf(happened.source);
    if (source < 0 && !happened.source.isEmpty())
      return emit session_.said(tr("The camera where this happened is no longer watched."), true);
    if (source >= 0) session_.show(static_cast<int>(source));
    const bool studies = session_.settings().face == Face::study;
    studies ? showBeside() : menu_->showPanel("Shares");
    const QString words = happened.name.isEmpty() ? kindWord(happened.kind) : happened.name;
    for (TimePlot* plot : {dayNight_->tokens(), shares_->plot()})
      plot->lookAt(happened.utcMs, words);
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

  Session& session_;
  EventsPanel* events_;
  DayNightPanel* dayNight_;
  SharesPanel* shares_;
  ViewMenu* menu_;
  QMainWindow* window_;
  Notifier* notifier_;
  std::vector<monitor::PastRun> runs_;  // of each source
};

}  // namespace mpm::gui
