// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/publishing.h"

#include <opencv2/imgcodecs.hpp>
#include <utility>

#include "segment/pictures.h"

namespace mpm::monitor {

Publishing::Publishing(std::string version, std::string model, const Record* record,
                       const MqttPublisher* mqtt, Clock& clock)
    : version_(std::move(version)),
      model_(std::move(model)),
      record_(record),
      mqtt_(mqtt),
      clock_(clock),
      begunMs_(clock.now().steadyMs) {}

void Publishing::onResult(std::size_t source, const FrameResultPtr& result) {
  const std::lock_guard lock(mutex_);
  if (counted_.size() <= source) counted_.resize(source + 1);
  ++counted_[source].frames;
  ++counted_[source].lightFrames[static_cast<std::size_t>(result->light.state)];
}

PublishedState Publishing::state(const Engine& engine) const {
  PublishedState state;
  state.version = version_;
  state.model = model_;
  state.upMs = clock_.now().steadyMs - begunMs_;
  if (record_ != nullptr) state.record = record_->status();
  if (mqtt_ != nullptr) state.mqtt = mqtt_->status();
  for (std::size_t i = 0; i < engine.sources(); ++i) {
    PublishedSource source;
    source.name = engine.source(i).name;
    source.shown = engine.source(i).address.shown;
    source.metrics = engine.metrics(i).names();
    if (const FrameResultPtr newest = engine.latest(i)) source.latest = newest->figures;
    source.capture = engine.capture(i);
    source.rules = engine.rules(i);
    {
      const std::lock_guard lock(mutex_);
      if (i < counted_.size()) {
        source.frames = counted_[i].frames;
        source.lightFrames = counted_[i].lightFrames;
      }
    }
    state.sources.push_back(std::move(source));
  }
  return state;
}

std::vector<unsigned char> Publishing::picture(const Engine& engine, const std::string& source) {
  for (std::size_t i = 0; i < engine.sources(); ++i) {
    if (engine.source(i).name != source) continue;
    const FrameResultPtr newest = engine.latest(i);
    if (!newest) return {};
    const std::lock_guard lock(encoding_);
    Encoded& kept = encoded_[source];
    if (kept.number != newest->frame.number || kept.bytes.empty()) {
      kept.number = newest->frame.number;
      cv::imencode(
          ".jpg", drawOverlay(newest->frame.picture, newest->segmentation.labels, engine.palette()),
          kept.bytes, {cv::IMWRITE_JPEG_QUALITY, 85});
    }
    return kept.bytes;
  }
  return {};
}

}  // namespace mpm::monitor
