// SPDX-License-Identifier: Apache-2.0
#include "gui/app/camera_plan.h"

#include <algorithm>
#include <utility>

#include "mpm/net.h"

namespace mpm::gui {
Computing computingOf(const QString& device, const QString& precision) {
  Computing computing{device, precision, "cpu",
                      QString::fromStdString(deviceFault(device.toStdString()))};
  if (computing.fault.isEmpty()) {
    computing.name = QString::fromStdString(deviceName(device.toStdString()));
    return computing;
  }
  computing.device = "cpu";
  // This also holds if the environment asks for one of the device's precisions.
  if (precision != kAutoPrecision && !hasPrecision(precisionName(precision.toStdString())))
    computing.precision = "fp32";
  return computing;
}

WantedCamera::WantedCamera(const LiveOptions& options, const QString& source, bool timed)
    : address(source),
      name(nameInRecord(source, options.record).toStdString()),
      model(options.modelOf(source)),
      precision(options.precision),
      device(options.device),
      fit(options.fit),
      schedule(options.scheduleOf(source)),
      replay(options.replay),
      areTimed(timed),
      location(options.location),
      mostFps(options.mostFps),
      memory(options.memory),
      kept(keptRules(source, options)) {}

bool WantedCamera::hasNetworkOf(const WantedCamera& other) const {
  return model == other.model && precision == other.precision && device == other.device &&
         fit == other.fit;
}

bool WantedCamera::isAs(const WantedCamera& other) const {
  return hasNetworkOf(other) && address == other.address && name == other.name &&
         replay == other.replay && areTimed == other.areTimed && location == other.location &&
         mostFps == other.mostFps && kept.book == other.kept.book;
}

monitor::NetworkOptions WantedCamera::network(const Computing& computing) const {
  monitor::NetworkOptions network;
  network.model = model.toStdString();
  network.segmenter.read.check = true;
  network.segmenter.read.schedule = schedule;
  network.choosePrecision = computing.precision == kAutoPrecision;
  if (!network.choosePrecision)
    network.segmenter.read.precision = computing.precision.toStdString();
  network.segmenter.read.device = computing.device.toStdString();
  network.segmenter.fit = fit;
  network.segmenter.stages = true;
  return network;
}

monitor::EngineOptions WantedCamera::engine() const {
  monitor::EngineOptions engine;
  engine.source.name = name;
  engine.source.address = monitor::parseSourceAddress(address.toStdString());
  engine.source.book = kept.book;
  engine.capture.everyFrame = replay;
  engine.capture.reader.timesInNames = replay && areTimed;
  engine.capture.reader.loop = !replay;
  // The times of other files are unknown.
  if (!replay || areTimed) engine.light.location = location;
  engine.mostFps = mostFps;
  engine.memory = memory;
  engine.schedule = schedule;
  return engine;
}

bool CameraPlan::isKept(std::size_t place) const {
  return std::any_of(next.begin(), next.end(), [&](const Next& one) { return one.kept == place; });
}

bool CameraPlan::isReplaced(const monitor::LoadedNetworkPtr& loaded) {
  const auto [place, isFirst] = replaced_.try_emplace(loaded.get(), false);
  if (isFirst) place->second = loaded->isReplaced();
  return place->second;
}

// Returns the model in memory if it is the same, else null. One whose precision was chosen serves
// other cameras only next to those that it was chosen for.
monitor::LoadedNetworkPtr CameraPlan::loadedFor(const WantedCamera& wanted) {
  for (const Next& one : next)
    if (one.prepared.loaded && one.wanted.hasNetworkOf(wanted)) return one.prepared.loaded;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Runs& one = runs[i];
    const bool mayServe =
        wanted.precision != kAutoPrecision || one.wanted.address == wanted.address || isKept(i);
    if (one.wanted.hasNetworkOf(wanted) && mayServe && !isReplaced(one.loaded)) return one.loaded;
  }
  return nullptr;
}

// Returns pictures to choose a precision with. An open camera cannot be opened again, so its newest
// frame is one.
std::vector<cv::Mat> CameraPlan::picturesFor(const WantedCamera& wanted) const {
  std::vector<cv::Mat> pictures;
  std::vector<monitor::EngineOptions> cameras;
  for (const Next& other : next) {
    if (other.wanted.model != wanted.model) continue;
    const auto running = std::find_if(runs.begin(), runs.end(), [&](const Runs& one) {
      return one.wanted.address == other.wanted.address && !one.newest.empty();
    });
    if (running != runs.end()) pictures.push_back(running->newest);
    cameras.push_back(other.wanted.engine());
  }
  return pictures.empty() ? monitor::firstPictures(cameras) : pictures;
}

void CameraPlan::prepare() {
  const QStringList sources = options.sources();
  const bool areTimed = std::all_of(sources.begin(), sources.end(), hasNamedTimes);
  for (const QString& source : sources) next.push_back({WantedCamera(options, source, areTimed)});
  for (Next& one : next) {
    for (std::size_t place = 0; place < runs.size() && !isOtherRecord; ++place) {
      const Runs& running = runs[place];
      if (running.isAlive && one.wanted.isAs(running.wanted) &&
          !anew.contains(one.wanted.address) && !isReplaced(running.loaded))
        one.kept = place;
    }
  }
  for (Next& one : next) {
    if (one.kept) continue;
    one.computing = computingOf(one.wanted.device, one.wanted.precision);
    monitor::LoadedNetworkPtr loaded = loadedFor(one.wanted);
    if (!loaded)
      loaded = monitor::loadNetwork(one.wanted.network(one.computing),
                                    [&] { return picturesFor(one.wanted); });
    one.computing.precision = QString::fromStdString(loaded->options.segmenter.read.precision);
    one.computing.precisions = loaded->precisions;
    one.prepared = monitor::prepareCamera(one.wanted.engine(), std::move(loaded), false);
  }
}

}  // namespace mpm::gui
