// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/engine/engine.h"
#include "monitor/publish/http_server.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/record/record.h"
#include "monitor/record/record_reader.h"
#include "monitor/service/actions.h"
#include "monitor/service/recorder.h"
#include "mpm/segmenter.h"
#include "mpm/tune.h"

namespace mpm::monitor {

/// Says what a session watches, with which model, and what it does with the results.
struct SessionOptions {
  std::string model;  ///< an ONNX file
  SegmenterOptions segmenter;
  /// Chooses segmenter.read.precision, once for each model: the fastest that labels pictures of the
  /// sources as float32 does. Without pictures it is float32.
  bool choosePrecision = false;
  std::string chosenFor{};  ///< the model, by its hash, that it was chosen for; empty: not yet
  EngineOptions engine;
  std::string record;  ///< a file; empty: none
  RecordOptions recordOptions;
  DayPictures pictures;
  bool knowsCameras = true;  ///< from the record: false where they were put up again
  bool mustRecord = true;    ///< false: where the record cannot be opened it watches without one
  bool mustFit = true;       ///< false: rules that the model does not fit are left out
  std::optional<HttpOptions> http;
  std::optional<MqttOptions> mqtt;
  std::string version;  ///< of the program, for the record and for who asks
};

/// A model loaded for rules that fit it. Everything that may fail is tried before the running
/// engine is replaced: a camera opens once, and a record has one writer.
struct PreparedSession {
  SessionOptions options;
  std::unique_ptr<Network> network;
  std::string modelHash;                          ///< SHA-256
  std::map<std::string, std::string> modelFiles;  ///< the same of all that belongs to the model
  std::vector<TunedPrecision> precisions;         ///< where one was chosen from them just now
  std::vector<std::string> leftOut{};             ///< why, a sentence for each such rule
};

/// May take seconds. Throws what its parts throw, each in one sentence. `pictures` of the sources
/// serve to choose a precision; without them, sources are opened and closed again.
PreparedSession prepare(SessionOptions options, std::vector<cv::Mat> pictures = {});

/// Describes a source's run for the record, with its settings.
RunFacts runFacts(const PreparedSession& prepared, const NamedSource& source, const Moment& begun);

/// Tells whether the newest run of the record had zones and ground elsewhere.
bool hasOtherPlaces(const RecordReader& reader, const NamedSource& source);

/// Everything that runs while something is watched: record, rules' actions, publishers, and an
/// engine that can be replaced while the others stay. For one thread unless stated otherwise.
class Session {
 public:
  /// `listeners` receive the engine's reports, failed commands, and, once for all sources, events
  /// of the record. They must outlive this. Throws what its parts throw.
  explicit Session(PreparedSession prepared, std::vector<EngineListener*> listeners = {},
                   Clock& clock = systemClock());
  ~Session();  ///< within 4 s

  /// Sets other rules and zones, one book per source. With the same zones only the rules change.
  /// With others, or another model in the model's file, a new engine begins and it returns true.
  /// Faulty books throw and change nothing.
  bool setBooks(std::vector<RuleBook> books);

  void publish();  ///< to the broker; about once a second
  /// Stops the engine and, with a report, running commands of rules. Results can still be read.
  /// Nothing begins afterwards.
  void stop();
  /// Ends the record: writes what waits, for at most this long. The rest is lost. Returns
  /// std::nullopt without a record.
  std::optional<RecordStatus> endRecord(std::int64_t patienceMs);

  /// Null if setBooks failed half-way.
  const std::shared_ptr<Engine>& engine() const { return engine_; }
  /// Describes a source's run as in the record, also without one.
  const RunFacts& facts(std::size_t source) const { return facts_.at(source); }
  const std::string& modelHash() const { return modelHash_; }
  const std::string& precision() const { return options_.segmenter.read.precision; }
  /// Candidates for the precision when the engine began, empty if no picture arrived. std::nullopt
  /// if it was given, or chosen for this model before.
  const std::optional<std::vector<TunedPrecision>>& chosenFrom() const { return chosenFrom_; }
  /// Puts the newest frame into the record; false without a record or a frame.
  bool snapshot(std::size_t source, const std::string& reason);
  /// Does the same as Recorder, from the next frame on.
  void setPicturesPerHour(int perHour);
  /// Copies the state to publish. While an engine is replaced, its sources are as they were at its
  /// end. Any thread.
  PublishedState state();
  /// Returns the newest picture of a source with its labels, as JPEG; empty if there is none yet,
  /// or no such source. It is made on demand, once for each frame. Any thread.
  std::vector<unsigned char> picture(const std::string& source);
  std::string recordFault() const;
  std::string backupFault() const;  ///< why the last backup of the record could not be made
  std::string mqttFault() const;
  int httpPort() const { return http_ ? http_->port() : 0; }

 private:
  void openRecord();
  void hearRecord(std::vector<EngineListener*> listeners);
  void recall();
  void stopEngine();
  void endEngine();
  void begin(PreparedSession prepared);
  std::vector<PublishedSource> sourcesNow() const;
  void tell(std::size_t source, const Event& event);
  bool hasZonesOf(const std::vector<RuleBook>& books) const;
  bool hasOtherModel() const;
  std::vector<cv::Mat> newestPictures() const;

  SessionOptions options_;
  Clock& clock_;
  std::int64_t begunMs_;  // steady
  std::string modelHash_, recordFault_;
  std::map<std::string, std::string> modelFiles_;
  std::vector<RunFacts> facts_;  // by source, of the engine that runs
  std::optional<std::vector<TunedPrecision>> chosenFrom_;
  std::optional<MqttPublisher> mqtt_;
  std::optional<Record> record_;  // tells the broker what befalls it, to its end
  std::optional<Recorder> recorder_;
  std::map<std::string, std::int64_t> pictured_;  // by source: as Recorder::begin takes it
  std::mutex telling_;                      // held while listeners change, or hear of commands
  std::vector<EngineListener*> listeners_;  // the program's, and the recorder
  std::optional<Actions> actions_;
  std::shared_mutex replacing_;  // held by those who ask the engine from other threads
  std::shared_ptr<Engine> engine_;
  std::vector<PublishedSource> lastSources_;  // of the engine before, as its last turn
  std::int64_t lastTurnedMs_;
  struct Encoded {
    FrameResultPtr of;
    std::vector<unsigned char> bytes;
  };
  std::mutex encoding_;
  std::map<std::size_t, Encoded> encoded_;  // by source
  std::optional<HttpServer> http_;
};

}  // namespace mpm::monitor
