// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
#include "monitor/service/actions.h"
#include "monitor/service/prepared_camera.h"
#include "monitor/service/recorder.h"

namespace mpm::monitor {

/// Says what a session does with results.
struct SessionOptions {
  std::string record;  ///< a file; empty: none
  RecordOptions recordOptions;
  DayPictures pictures;
  bool knowsCameras = true;  ///< from the record: false where they were put up again
  bool mustRecord = true;    ///< false: where the record cannot be opened it watches without one
  std::optional<HttpOptions> http;
  std::optional<MqttOptions> mqtt;
  std::string version;  ///< of the program, for the record and for who asks
};

/// Everything that runs while cameras are watched: record, rules' actions, publishers, and an
/// engine for each camera, which compute alternately. Cameras can begin and end while the others go
/// on. For one thread unless stated otherwise.
class Session {
 public:
  /// `listeners` receive the engines' reports, failed commands, and, once for all sources, events
  /// of the record. They must outlive this. Throws what its parts throw.
  explicit Session(SessionOptions options, std::vector<PreparedCamera> cameras,
                   std::vector<EngineListener*> listeners = {}, Clock& clock = systemClock());
  ~Session();  ///< within 4 s

  /// Begins these cameras. One by the same name ends before, and its successor takes its place.
  void begin(std::vector<PreparedCamera> cameras);
  /// Ends cameras and forgets them; ignores names of none.
  void end(const std::vector<std::string>& names);
  /// Sets other rules and zones, one book per camera. With the same zones only the rules change.
  /// With others, or another model in the model's file, a new engine begins and it returns true.
  /// Faulty books throw and change nothing.
  bool setBooks(std::vector<RuleBook> books);

  void publish();  ///< to the broker; about once a second
  /// Stops the engines and, with a report, running commands of rules. Results can still be read.
  /// Nothing begins afterwards.
  void stop();
  /// Ends the record: writes what waits, for at most this long. The rest is lost. Returns
  /// std::nullopt without a record.
  std::optional<RecordStatus> endRecord(std::int64_t patienceMs);

  /// Returns the engines in the order in which their cameras began.
  Engines engines() const;
  /// Returns a camera's engine; null if there is none by this name.
  std::shared_ptr<Engine> engine(const std::string& source) const;
  /// Describes a camera's run as in the record, also without one.
  const RunFacts& facts(const std::string& source) const { return camera(source).facts; }
  const PreparedCamera& prepared(const std::string& source) const {
    return camera(source).prepared;
  }
  /// Puts the newest frame into the record; false without a record or a frame.
  bool snapshot(const std::string& source, const std::string& reason);
  /// Does the same as Recorder, from the next frame on.
  void setPicturesPerHour(int perHour);
  /// Copies the state to publish. While an engine is replaced, its camera is as it was at its end.
  /// Any thread.
  PublishedState state();
  /// Returns the newest picture of a source with its labels, as JPEG; empty if there is none yet,
  /// or no such source. It is made on demand, once for each frame. Any thread.
  std::vector<unsigned char> picture(const std::string& source);
  std::string recordFault() const;
  std::string backupFault() const;  ///< why the last backup of the record could not be made
  std::string mqttFault() const;
  int httpPort() const { return http_ ? http_->port() : 0; }

 private:
  struct Camera {
    PreparedCamera prepared;
    RunFacts facts;
    std::unique_ptr<Recorder> recorder{};  // null without a record
    std::shared_ptr<Engine> engine{};      // null while it is replaced
    PublishedSource last{};                // of the engine before, as its last turn
    std::int64_t lastTurnedMs = 0;
    FrameResultPtr encodedOf{};
    std::vector<unsigned char> encoded{};
  };
  void openRecord();
  void hearRecord(std::vector<EngineListener*> listeners);
  void recall(EngineOptions& engine, std::optional<std::int64_t>& pictured);
  void beginOne(PreparedCamera prepared);
  void endEngine(Camera& camera);
  Camera* find(const std::string& source) const;
  Camera& camera(const std::string& source) const;
  PublishedSource sourceNow(const Camera& camera) const;
  std::vector<cv::Mat> newestPictures() const;
  void tell(const std::string& source, const Event& event);

  SessionOptions options_;
  Clock& clock_;
  std::int64_t begunMs_;  // steady
  std::string recordFault_;
  std::shared_ptr<Turns> turns_ = std::make_shared<Turns>();
  std::optional<MqttPublisher> mqtt_;
  std::optional<Record> record_;            // tells the broker what befalls it, to its end
  std::vector<EngineListener*> listeners_;  // the program's
  std::optional<Actions> actions_;
  // Held by those who ask cameras from other threads, alone while cameras come, go or change.
  mutable std::shared_mutex replacing_;
  std::vector<std::unique_ptr<Camera>> cameras_;
  std::mutex encoding_;
  std::optional<HttpServer> http_;
};

}  // namespace mpm::monitor
