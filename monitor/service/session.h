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

/// Says what a session watches, with which model, and what becomes of it.
struct SessionOptions {
  std::string model;  ///< an ONNX file
  SegmenterOptions segmenter;
  /// Has segmenter.read.precision chosen, for each model once: the fastest that labels
  /// pictures of the sources as float32 does; float32 where no picture comes.
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

/// Says what a source's run is called in the record, with what it was made with.
RunFacts runFacts(const PreparedSession& prepared, const NamedSource& source, const Moment& begun);

/// Says whether the newest run of the record had zones and ground elsewhere.
bool hasOtherPlaces(const RecordReader& reader, const NamedSource& source);

/// Everything that runs while something is watched: record, rules' actions, publishers, and an
/// engine that can be replaced while the others stay. From one thread where nothing else is said.
class Session {
 public:
  /// `listeners` hear what the engine tells, which commands fail, and what befalls the record, of
  /// all sources once; they outlive this. Throws what its parts throw.
  explicit Session(PreparedSession prepared, std::vector<EngineListener*> listeners = {},
                   Clock& clock = systemClock());
  ~Session();  ///< within 4 s

  /// Other rules and zones, of each source in turn. With the same zones all goes on but the rules;
  /// with others, or where another model lies in the model's file, another engine begins, and true
  /// is returned. Where they are faulty: throws, and everything goes on as it was.
  bool setBooks(std::vector<RuleBook> books);

  void publish();  ///< to the broker; about once a second
  /// The engine, and what rules' commands still run, which is told: what was seen can still be
  /// asked for. Nothing begins then.
  void stop();
  /// The last thing that is done with the record: what waits is written, for at most so long. What
  /// still waits then is lost. Nothing: there is none.
  std::optional<RecordStatus> endRecord(std::int64_t patienceMs);

  /// Null: setBooks failed half-way.
  const std::shared_ptr<Engine>& engine() const { return engine_; }
  /// Says what a source's run is called in the record, or would be without one.
  const RunFacts& facts(std::size_t source) const { return facts_.at(source); }
  const std::string& modelHash() const { return modelHash_; }
  const std::string& precision() const { return options_.segmenter.read.precision; }
  /// Has what the precision was chosen from as the engine began, empty where no picture came. None:
  /// it was given, or had been chosen for this model before.
  const std::optional<std::vector<TunedPrecision>>& chosenFrom() const { return chosenFrom_; }
  /// Puts the newest frame into the record; false without one or without a frame.
  bool snapshot(std::size_t source, const std::string& reason);
  /// Does it as Recorder does, from the next frame on.
  void setPicturesPerHour(int perHour);
  /// Copies what is told of all this. While an engine is replaced its sources are as they were
  /// at its end. Any thread.
  PublishedState state();
  /// The newest picture of a source with its labels over it, as JPEG; empty: none yet, or no such
  /// source. It is made when it is asked for, once for each frame. Any thread.
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
