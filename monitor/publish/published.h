// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "monitor/light/light_state.h"
#include "monitor/record/record.h"
#include "monitor/rules/commands.h"
#include "monitor/source/capture.h"
#include "monitor/statistics/metrics.h"

namespace mpm::monitor {

struct MqttStatus {
  bool connected = false;
  std::uint64_t messages = 0, bytes = 0;  ///< handed to a broker
  std::uint64_t lost = 0;                 ///< events that were given up
  std::uint64_t waiting = 0;              ///< events that no broker acknowledged yet
  std::string fault;                      ///< why it is not connected; no secrets
};

/// Time for which a source's values are published as current, after its last frame and its last
/// values.
constexpr std::int64_t kFiguresLastMs = 60000;

struct PublishedRule {
  std::string name;
  bool holds = false;
  bool toBroker = true;  ///< Rule::publish
  bool stale = false;    ///< Rule::stale
};

/// Published state of one source at one moment: a copy.
struct PublishedSource {
  std::string name;   ///< [A-Za-z0-9_-]+: a label, and a topic's part
  std::string shown;  ///< its address without secrets
  std::vector<MetricName> metrics;
  std::optional<Figures> latest;  ///< of the newest frame: FrameResult::known
  CaptureStatus capture;
  std::string netFault;      ///< why the net fails on its frames now; empty: it does not
  std::uint64_t frames = 0;  ///< segmented
  std::array<std::uint64_t, kLightStates> lightFrames{};  ///< of these in each state
  std::vector<PublishedRule> rules;
  /// Age of `latest`, less the time that the source has to wait for its turn.
  std::int64_t latestAgeMs = 0;

  bool hasFreshFigures() const {
    return latest && latestAgeMs <= kFiguresLastMs && capture.msSinceFrame <= kFiguresLastMs;
  }
};

struct PublishedState {
  std::string version, model;
  std::int64_t upMs = 0;
  std::int64_t netStillMs = 0;  ///< for so long the net has been at one frame, or nobody at any
  std::optional<RecordStatus> record;
  std::optional<MqttStatus> mqtt;
  std::optional<Commands::Status> commands;
  std::optional<std::uint64_t> tokensRefused;  ///< requests without the right one, where it is
                                               ///< asked for
  std::vector<PublishedSource> sources;
};

/// Returns the text format of Prometheus, version 0.0.4. Metric names begin with mpm_; each source
/// is a label. docs/fleet.md and docs/metrics.md have tables of all names.
std::string prometheusText(const PublishedState& state);

struct Health {
  bool healthy = true;
  std::string text;  ///< a line for each source, the model and the record: what is wrong, or "ok"
};
/// Reports whether every source delivers frames (or is at its end) and the model labels them. The
/// record must also be written, and be readable.
Health healthOf(const PublishedState& state);

/// Content of pages. Functions can be called from any thread.
struct PageContent {
  std::function<PublishedState()> state;
  std::function<std::vector<unsigned char>(const std::string& source)> picture;  ///< JPEG; empty:
                                                                                 ///< none yet
};

struct Page {
  int status = 200;
  std::string text;
  const char* type = "text/plain; charset=utf-8";
  std::pair<const char*, const char*> header = {nullptr, nullptr};  ///< one more
};

/// Returns the page at a path. `token` goes into links; empty if it came in a header or there is
/// none.
Page pageAt(const std::string& path, const std::string& token, const PageContent& content);

}  // namespace mpm::monitor
