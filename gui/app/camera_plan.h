// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <cstddef>
#include <map>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gui/app/settings.h"
#include "monitor/service/prepared_camera.h"

namespace mpm::gui {

/// Device and precision that compute a net's layers. If the requested device is missing, the
/// processor computes them, in a precision that it has.
struct Computing {
  QString device, precision;                 ///< as in LiveOptions
  QString name;                              ///< "NVIDIA H200", "cpu"
  QString fault;                             ///< why it is not what was asked for; empty: it is
  std::vector<TunedPrecision> precisions{};  ///< where one was chosen from them
};

/// Returns what computes for a request, "" included. May take seconds the first time.
Computing computingOf(const QString& device, const QString& precision);

/// A camera that is wanted. It begins again if anything differs but its schedule and memory, which
/// can change while it goes on.
struct WantedCamera {
  QString address;
  std::string name;  ///< in the record
  QString model, precision, device;
  Fit fit = Fit::stretch;
  std::optional<Schedule> schedule;
  bool replay = false, areTimed = false;
  std::optional<cv::Vec2d> location;
  double mostFps = 0;
  bool memory = true;
  KeptRules kept;

  /// `timed`: all sources have times in their names.
  WantedCamera(const LiveOptions& options, const QString& source, bool timed);

  bool hasNetworkOf(const WantedCamera& other) const;
  bool isAs(const WantedCamera& other) const;
  monitor::NetworkOptions network(const Computing& computing) const;
  monitor::EngineOptions engine() const;
};

/// Cameras that are wanted, compared with those that run.
struct CameraPlan {
  struct Runs {
    WantedCamera wanted;
    monitor::LoadedNetworkPtr loaded;
    bool isAlive = false;  ///< with an engine
    cv::Mat newest;        ///< its picture
  };
  struct Next {
    WantedCamera wanted;
    std::optional<std::size_t> kept{};  ///< its place among those that run, if it goes on
    Computing computing{};              ///< else, and so the next one
    monitor::PreparedCamera prepared{};
  };
  LiveOptions options;
  QStringList anew;            ///< addresses that begin again in any case
  bool isOtherRecord = false;  ///< so all do
  std::vector<Runs> runs;
  std::vector<Next> next{};

  bool isKept(std::size_t place) const;
  /// Finds out which go on, and prepares the others, which may take seconds. Throws what models,
  /// sources and rules throw, in a sentence.
  void prepare();

 private:
  bool isReplaced(const monitor::LoadedNetworkPtr& loaded);
  monitor::LoadedNetworkPtr loadedFor(const WantedCamera& wanted);
  std::vector<cv::Mat> picturesFor(const WantedCamera& wanted) const;

  std::map<const monitor::LoadedNetwork*, bool> replaced_{};  // what was asked already
};

}  // namespace mpm::gui
