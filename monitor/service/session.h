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

#include "monitor/engine/engine.h"
#include "monitor/publish/http_server.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/record/record.h"
#include "monitor/service/actions.h"
#include "monitor/service/prepared_session.h"
#include "monitor/service/recorder.h"
#include "mpm/tune.h"

namespace mpm::monitor {

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
  /// with others, or where another model lies in the model's file, an engine begins anew, and true
  /// is returned. Where they are faulty: throws, and everything goes on as it was.
  bool setBooks(std::vector<RuleBook> books);

  void publish();  ///< to the broker; about once a second
  /// The engine, and what rules' commands still run, which is told: what was seen can still be
  /// asked for. Nothing begins anew then.
  void stop();
  /// The last thing that is done with the record: what waits is written, for at most so long. What
  /// still waits then is lost. Nothing: there is none.
  std::optional<RecordStatus> endRecord(std::int64_t patienceMs);

  /// Null: setBooks failed half-way.
  const std::shared_ptr<Engine>& engine() const { return engine_; }
  /// What a source's run is called in the record, or would be without one.
  const RunFacts& facts(std::size_t source) const { return facts_.at(source); }
  const std::string& modelHash() const { return modelHash_; }
  const std::string& precision() const { return options_.segmenter.read.precision; }
  /// What the precision was chosen from as the engine began, empty where no picture came. Nothing:
  /// it was given, or had been chosen for this model before.
  const std::optional<std::vector<TunedPrecision>>& chosenFrom() const { return chosenFrom_; }
  /// Of the newest frame, into the record; false without one or without a frame.
  bool snapshot(std::size_t source, const std::string& reason);
  /// As Recorder does it, from the next frame on.
  void setPicturesPerHour(int perHour);
  /// What is told of all this, as a copy. While an engine is replaced its sources are as they were
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
