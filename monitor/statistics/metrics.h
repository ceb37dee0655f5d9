// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/light/light_state.h"

namespace mpm::monitor {

/// Lists what is measured in every frame. Records, rules and exports use MetricName's text:
enum class MetricKind {
  liveRows,     ///< live_rows: live rows after the last merge, special ones included
  rows,         ///< rows.<stage>: the same before all merges (0), after the first (1), ...
  mergedShare,  ///< merged_share: of the image tokens, those that no longer stand for themselves
  similarity,   ///< similarity.<stage>, from 1: mean best similarity at each merge
  confidence,   ///< confidence: mean
  flicker,      ///< flicker: of the pixels that stand still, those whose label is another than in
                ///< the frame before
  area,         ///< area.<class>: share of the picture, 0 to 1; zone.<zone>.area.<class>: of a zone
  luma,         ///< luma, saturation: of the light meter
  saturation,
  cameraFaults,  ///< camera_faults: how many faults of the camera hold, 0 none
  step,          ///< ms.<step>: prepare, network, labels
  frameAge,      ///< frame_age_ms
  drops,         ///< drops, reconnects: since the frame before; their sums are counts
  reconnects,
  // Only with a scene memory:
  freshRows,        ///< fresh_rows: patches that were computed for this frame
  freshShare,       ///< fresh_share: of all patches
  memoryAgreement,  ///< memory_agreement: of a frame that was computed in full to compare, the
                    ///< share of remembered patches whose label is the same
  memoryAge,        ///< memory_age: so many frames ago the oldest patch was computed
  // Only on request:
  gcc,           ///< gcc: greenness of the picture, G / (R + G + B); zone.<zone>.gcc: of a zone
  squareMetres,  ///< m2.<class>: of the ground within its four points; zone.<zone>.m2.<class>
  other          ///< a name of elsewhere
};

struct MetricName {
  MetricKind kind = MetricKind::other;
  std::string zone;  ///< none: the whole picture
  std::string part;  ///< what stands in <> above, or all that is left of another name

  static MetricName parse(std::string_view text);
  std::string text() const;  ///< of parse(text): text itself, whatever it was
  bool operator==(const MetricName&) const = default;
};

/// Returns a class's or zone's name for use in a metric's. Every character except letters (also
/// beyond ASCII), digits, '_' and '-' becomes '_'. Never empty.
std::string metricPart(std::string_view name);

/// Tells whether it differs between a scene memory and none: values of the scene do not.
bool dependsOnMemory(const MetricName& name);

/// Replaces each byte that belongs to no UTF-8 character by U+FFFD. One such byte in a label makes
/// Prometheus reject a whole answer and brokers close connections.
std::string validUtf8(std::string_view text);

/// Metrics of every frame of one source, fixed for a run.
class Metrics {
 public:
  Metrics() = default;
  /// Throws std::invalid_argument for a repeated one.
  explicit Metrics(std::span<const MetricName> parsed);
  explicit Metrics(std::vector<std::string> names);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<MetricName>& parsed() const { return parsed_; }  ///< the same, taken apart
  std::size_t size() const { return names_.size(); }
  std::optional<std::size_t> find(std::string_view name) const;

 private:
  void placeNames();

  std::vector<MetricName> parsed_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// Values measured in one frame.
struct Figures {
  Moment taken;
  LightState light = LightState::transition;
  std::vector<double> values;  ///< one for each of Metrics; NaN where it is not known
};

}  // namespace mpm::monitor
