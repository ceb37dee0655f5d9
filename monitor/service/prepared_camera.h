// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/engine/engine.h"
#include "monitor/engine/network.h"
#include "monitor/record/record.h"
#include "monitor/record/record_reader.h"
#include "mpm/schedule.h"
#include "mpm/segmenter.h"
#include "mpm/tune.h"

namespace mpm::monitor {

/// Says which model is loaded, and how.
struct NetworkOptions {
  std::string model;  ///< an ONNX file
  SegmenterOptions segmenter;
  /// Chooses segmenter.read.precision, once for each model: the fastest that labels pictures of the
  /// cameras as float32 does. Without pictures it is float32.
  bool choosePrecision = false;
  std::string chosenFor{};  ///< the model, by its hash, that it was chosen for; empty: not yet
};

/// A model in memory, for as many cameras as want it.
struct LoadedNetwork {
  NetworkOptions options;  ///< with the precision that was chosen
  std::shared_ptr<Network> network;
  Schedule schedule;                         ///< as it was loaded
  std::string hash;                          ///< SHA-256
  std::map<std::string, std::string> files;  ///< the same of all that belongs to the model
  std::vector<TunedPrecision> precisions{};  ///< where one was chosen from them just now

  /// Tells whether the files have other contents now. Files that cannot be read do not count as
  /// others: the network continues.
  bool isReplaced() const;
};
using LoadedNetworkPtr = std::shared_ptr<const LoadedNetwork>;

/// May take seconds. Throws what its parts throw, each in one sentence. It asks for `pictures` of
/// the cameras only if a precision is to be chosen.
LoadedNetworkPtr loadNetwork(NetworkOptions options,
                             const std::function<std::vector<cv::Mat>()>& pictures);

/// A camera that can begin: everything that may fail is tried before the running one is replaced,
/// since it opens once.
struct PreparedCamera {
  EngineOptions engine;
  LoadedNetworkPtr loaded;
  std::vector<std::string> leftOut{};  ///< why, a sentence for each rule that cannot act

  Schedule schedule() const { return engine.schedule.value_or(loaded->schedule); }
};

/// Throws as Schedule::check does, and as checkRules does if rules do not fit the model; with
/// `mustFit` false they are left out.
PreparedCamera prepareCamera(EngineOptions engine, LoadedNetworkPtr loaded, bool mustFit = true);

/// Describes a camera's run for the record, with its settings.
RunFacts runFacts(const PreparedCamera& camera, const std::string& version, const Moment& begun);

/// Tells whether the newest run of the record had zones and ground elsewhere.
bool hasOtherPlaces(const RecordReader& reader, const NamedSource& source);

}  // namespace mpm::monitor
