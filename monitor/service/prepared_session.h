// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/engine/engine.h"
#include "monitor/publish/http_server.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/record/record.h"
#include "monitor/record/record_reader.h"
#include "monitor/service/recorder.h"
#include "mpm/segmenter.h"
#include "mpm/tune.h"

namespace mpm::monitor {

/// What a session watches, with which model, and what becomes of it.
struct SessionOptions {
  std::string model;  ///< an ONNX file
  SegmenterOptions segmenter;
  /// Whether segmenter.read.precision is chosen, for each model once: the fastest that labels
  /// pictures of the sources as float32 does; float32 where no picture comes.
  bool choosePrecision = false;
  std::string chosenFor{};  ///< the model, by its hash, that it was chosen for; empty: not yet
  EngineOptions engine;
  std::string record;  ///< a file; empty: none
  RecordOptions recordOptions;
  DayPictures pictures;
  bool knowsCameras = true;  ///< from the record: false where they were put up anew
  bool mustRecord = true;    ///< false: where the record cannot be opened it watches without one
  bool mustFit = true;       ///< false: rules that the model does not fit are left out
  std::optional<HttpOptions> http;
  std::optional<MqttOptions> mqtt;
  std::string version;  ///< of the program, for the record and for who asks
};

/// A model that was loaded for rules that fit it. What may be refused is refused before the engine
/// that runs is given up for another one: a camera opens once, and a record has one writer.
struct PreparedSession {
  SessionOptions options;
  std::unique_ptr<Network> network;
  std::string modelHash;                          ///< SHA-256
  std::map<std::string, std::string> modelFiles;  ///< the same of all that belongs to the model
  std::vector<TunedPrecision> precisions;         ///< where one was chosen from them just now
  std::vector<std::string> leftOut{};             ///< why, a sentence for each such rule
};

/// May take seconds. Throws what its parts throw, each one sentence. `pictures` of the sources,
/// where somebody has some, to choose a precision on: else sources are opened for them, and closed.
PreparedSession prepare(SessionOptions options, std::vector<cv::Mat> pictures = {});

/// What a source's run is called in the record, with what it was made with.
RunFacts runFacts(const PreparedSession& prepared, const NamedSource& source, const Moment& begun);

/// Whether the newest run of the record had zones and ground elsewhere.
bool hasOtherPlaces(const RecordReader& reader, const NamedSource& source);

}  // namespace mpm::monitor
