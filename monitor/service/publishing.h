// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "monitor/engine/engine.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/publish/published.h"
#include "monitor/record/record.h"

namespace mpm::monitor {

/// What is told of an engine, as copies. Any threads.
class Publishing : public EngineListener {
 public:
  /// `version` of the program, `model` its file's name. `record` and `mqtt` may be null.
  Publishing(std::string version, std::string model, const Record* record,
             const MqttPublisher* mqtt, Clock& clock);

  /// The engine lives as long as this is asked.
  PublishedState state(const Engine& engine) const;
  /// The newest picture with its labels over it, as JPEG; empty: none yet, or no such source. It is
  /// made when it is asked for, once for each frame.
  std::vector<unsigned char> picture(const Engine& engine, const std::string& source);

  void onResult(std::size_t source, const FrameResultPtr& result) override;

 private:
  struct Counted {
    std::uint64_t frames = 0;
    std::array<std::uint64_t, kLightStates> lightFrames{};
  };
  struct Encoded {
    std::uint64_t number = 0;
    std::vector<unsigned char> bytes;
  };

  std::string version_, model_;
  const Record* record_;
  const MqttPublisher* mqtt_;
  Clock& clock_;
  std::int64_t begunMs_;
  mutable std::mutex mutex_;
  std::vector<Counted> counted_;
  std::mutex encoding_;
  std::map<std::string, Encoded> encoded_;
};

}  // namespace mpm::monitor
