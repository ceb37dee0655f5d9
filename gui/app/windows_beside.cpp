// SPDX-License-Identifier: Apache-2.0
#include "gui/app/windows_beside.h"

#include <QScreen>
#include <QStandardPaths>
#include <QTimer>
#include <QWidget>
#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <utility>

#include "gui/aside.h"
#include "gui/days/days_window.h"
#include "gui/days/kept_frame.h"
#include "gui/explain/merge_window.h"
#include "gui/teach/teach_window.h"
#include "models/street/street_model.h"
#include "monitor/clock/clock.h"

namespace mpm::gui {
namespace {

void toFront(QWidget* window) {
  window->show();
  window->raise();
  window->activateWindow();
}

}  // namespace

std::vector<MergeHeat> heatOf(const monitor::RecordReader& record, const std::string& source,
                              const std::string& modelHash, std::int64_t nowUtcMs) {
  constexpr std::int64_t kBackMs = std::int64_t{31} * 86'400'000;
  constexpr std::size_t kMostMaps = 4000;
  std::vector<monitor::DayPicture> pictures =
      monitor::dayPictures(record, source, nowUtcMs - kBackMs, nowUtcMs);
  std::erase_if(pictures, [&](const monitor::DayPicture& one) {
    return one.modelHash != modelHash || one.mergeMap.empty() || one.schedule.empty();
  });
  if (pictures.size() > kMostMaps)
    pictures.erase(pictures.begin(), pictures.end() - static_cast<std::ptrdiff_t>(kMostMaps));
  std::vector<MergeHeat> heats;
  for (const monitor::DayPicture& picture : pictures) {
    const cv::Mat map = readMergeMap(picture);
    if (map.empty()) continue;
    auto heat = std::find_if(heats.begin(), heats.end(), [&](const MergeHeat& one) {
      return one.grid() == map.size() && one.schedule() == picture.schedule;
    });
    if (heat == heats.end()) heat = heats.insert(heat, MergeHeat());
    heat->add(map, picture.schedule, picture.light, picture.taken.utcMs);
  }
  return heats;
}

// Reads a record in a separate thread, at once and then every hour, since it grows.
class RecordHeat : public QObject {
 public:
  using Heats = std::vector<MergeHeat>;

  RecordHeat(std::function<void(const Heats&)> take, QObject* parent)
      : QObject(parent), take_(std::move(take)) {
    again_.setInterval(3'600'000);
    connect(&again_, &QTimer::timeout, this, &RecordHeat::read);
  }

  // Reads one source and model in a file; an empty path means none.
  void begin(const QString& record, const QString& source, const QString& modelHash) {
    end();
    if (record.isEmpty()) return;
    record_ = record.toStdString();
    source_ = source.toStdString();
    modelHash_ = modelHash.toStdString();
    again_.start();
    read();
  }
  void end() {
    again_.stop();
    ++begun_;
  }

 private:
  void read() {
    computeAside(
        this,
        [record = record_, source = source_, modelHash = modelHash_]() -> std::optional<Heats> {
          try {
            return heatOf(monitor::RecordReader(record), source, modelHash,
                          monitor::systemClock().now().utcMs);
          } catch (const std::exception&) {
            return {};  // the record's own fault is told elsewhere
          }
        },
        [this, begun = begun_](const std::optional<Heats>& heats) {
          if (heats && begun == begun_) take_(*heats);
        });
  }

  std::function<void(const Heats&)> take_;
  std::string record_, source_, modelHash_;
  int begun_ = 0;  // how often
  QTimer again_;
};

WindowsBeside::WindowsBeside(Session& session, QWidget* window)
    : QObject(window),
      session_(session),
      window_(window),
      recorded_(new RecordHeat(
          [this](const RecordHeat::Heats& heats) {
            if (merging_) merging_->setRecorded(heats);
          },
          this)) {
  connect(&session_, &Session::shownChanged, this, &WindowsBeside::follow);
  connect(&session_, &Session::teachWanted, this, &WindowsBeside::openTeach);
}

void WindowsBeside::follow() {
  const QString shown = session_.shownSource();
  if (!shownBefore_.isEmpty() && shownBefore_ != shown) session_.settings().teachFolder.clear();
  shownBefore_ = shown;
  if (days_ != nullptr) bringDays();
  if (merging_) beginMerging();
}

void WindowsBeside::bringTeach(bool corrects) {
  const monitor::FrameResultPtr shown = session_.frame();  // before anything else is
  if (teach_ == nullptr) makeTeach();
  const bool isOther = teach_->project() == nullptr || taught_ != session_.shownSource();
  if (isOther && !openFolder()) return;
  const bool begins = isOther || !teach_->isVisible();
  teach_->show();
  const auto engine = session_.live().engine();
  if (corrects && shown && engine) {
    teach_->correct(*shown, session_.live().model(), engine->classes());
  } else if (begins) {
    teach_->takeFrame();
  }
  toFront(teach_);
}

void WindowsBeside::makeTeach() {
  TeachHost host;
  host.newest = [this]() -> monitor::FrameResultPtr {
    const auto engine = taughtEngine();
    return engine ? engine->latest() : nullptr;
  };
  host.engine = [this] { return session_.live().engine(); };
  host.backbone = [this] {
    const Computing& computing = session_.live().computing();
    return Backbone{session_.settings().live.modelOf(taught_), computing.device,
                    computing.precision};
  };
  host.record = [this] {
    const QString& record = session_.settings().live.record;
    const auto engine = taughtEngine();
    return std::pair(record, engine ? QString::fromStdString(engine->source().name)
                                    : nameInRecord(taught_, record));
  };
  host.builtIn = QString::fromStdString(streetModel());
  host.isStrange = [this] { return session_.sceneWatch().place() == SceneWatch::Place::strange; };
  teach_ = new TeachWindow(host, window_);
  connect(teach_, &TeachWindow::modelTaught, this, [this](const QString& model) {
    session_.openOwnModel(taught_, model);
    teach_->close();  // it lies above the picture, on which the model is seen
  });
  connect(&session_, &Session::looked, teach_, &TeachWindow::offerBackbone);
  connect(teach_, &TeachWindow::folderChosen, this,
          [this](const QString& folder) { session_.settings().teachFolder = folder; });
}

// If the chosen folder cannot be opened, opens the camera's own; the main window reports why.
bool WindowsBeside::openFolder() {
  const auto open = [this](const QString& folder) {
    const bool isOpen = teach_->openProject(folder);
    if (!isOpen) emit session_.said(teach_->said(), true);
    return isOpen;
  };
  const QString camera = session_.shownSource(), chosen = session_.settings().teachFolder;
  try {
    if ((chosen.isEmpty() || !open(chosen)) &&
        !open(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
              QStringLiteral("/teach/") + fileNameOf(sourceName(camera))))
      return false;
  } catch (const std::exception& fault) {  // it is no address
    emit session_.said(QString::fromUtf8(fault.what()), true);
    return false;
  }
  taught_ = camera;
  return true;
}

// Returns the engine of the camera whose frames are painted; null if it is not watched.
std::shared_ptr<monitor::Engine> WindowsBeside::taughtEngine() const {
  const qsizetype place = session_.live().options().sources().indexOf(taught_);
  return place < 0 ? nullptr : session_.live().engine(static_cast<std::size_t>(place));
}

void WindowsBeside::openDays() {
  if (days_ == nullptr) {
    Settings& settings = session_.settings();
    days_ = new DaysWindow(window_);
    days_->setClock([this] { return session_.nowUtcMs(); });
    connect(days_, &DaysWindow::picturesWanted, &session_, &Session::setPicturesPerHour);
    days_->choose(settings.daysMetric, settings.daysSpan);
    connect(days_, &DaysWindow::chose, this, [&settings](const QString& metric, int span) {
      settings.daysMetric = metric;
      settings.daysSpan = span;
    });
    bringDays();
    QRect place({}, days_->size());
    place.moveCenter(window_->geometry().center());
    // Its frame needs room above, as window managers let a high window's frame leave the screen.
    days_->move(place.left(), std::max(place.top(), days_->screen()->availableGeometry().top()));
  }
  toFront(days_);
}

void WindowsBeside::bringDays() {
  const LiveOptions& live = session_.settings().live;
  days_->setRecord(live.record, session_.recordedAs(), live.picturesPerHour);
}

void WindowsBeside::openMerging() {
  if (!merging_) {
    merging_ = new MergeWindow(session_.heat(), session_.classes(), window_);
    merging_->setAttribute(Qt::WA_DeleteOnClose);
    connect(merging_, &QObject::destroyed, recorded_, [this] { recorded_->end(); });
    if (session_.live().engine()) beginMerging();
  }
  toFront(merging_);
}

void WindowsBeside::beginMerging() {
  const Live& live = session_.live();
  if (!live.engine()) return;
  merging_->begin(live.engine());
  recorded_->begin(live.options().record, session_.recordedAs(), live.modelHash());
}

}  // namespace mpm::gui
