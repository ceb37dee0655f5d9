// SPDX-License-Identifier: Apache-2.0
#include "monitor/engine/network.h"

#include <utility>

#include "files/text.h"

namespace mpm::monitor {
namespace {

class SegmenterMemory : public Network::Memory {
 public:
  explicit SegmenterMemory(Segmenter& segmenter) : segmenter_(segmenter) {}

  Segmentation segment(const cv::Mat& picture) override {
    return segmenter_.segment(picture, memory_);
  }
  void forget() override { memory_.forget(); }
  void audit() override { memory_.audit(); }

 private:
  Segmenter& segmenter_;
  SceneMemory memory_;
};

class SegmenterNetwork : public Network {
 public:
  SegmenterNetwork(const std::string& model, const SegmenterOptions& options)
      : segmenter_(model, options) {}

  Segmentation segment(const cv::Mat& picture) override { return segmenter_.segment(picture); }
  Segmentation segmentFull(const cv::Mat& picture) override {
    const Schedule merging = schedule();
    if (merging.empty()) return segment(picture);
    struct Restore {
      Segmenter& segmenter;
      const Schedule& schedule;
      ~Restore() { segmenter.setSchedule(schedule); }
    } const restore{segmenter_, merging};
    segmenter_.setSchedule({});
    return segment(picture);
  }
  std::vector<std::string> classes() const override { return segmenter_.classes(); }
  std::vector<cv::Vec3b> palette() const override { return segmenter_.palette(); }
  Schedule schedule() override { return blocks() > 0 ? segmenter_.schedule() : Schedule(); }
  void setSchedule(const Schedule& blocks) override { segmenter_.setSchedule(blocks); }
  int blocks() const override {
    return segmenter_.model().mergeable ? segmenter_.model().depth : 0;
  }
  std::string taught() const override { return said("mpm.taught"); }
  std::optional<double> usualConfidence() const override {
    double share = 0;
    const bool isNumber = files::parseWhole(said("mpm.confidence"), share);
    return isNumber && share > 0 && share < 1 ? std::optional(share) : std::nullopt;
  }
  std::string reason() const override { return segmenter_.model().reason; }
  int specialRows() const override { return segmenter_.model().numPrefixTokens; }
  cv::Size input() const override { return segmenter_.model().input; }
  std::unique_ptr<Memory> makeMemory() override {
    if (!memoryFault().empty()) return nullptr;
    return std::make_unique<SegmenterMemory>(segmenter_);
  }
  std::string memoryFault() const override { return segmenter_.memoryFault(); }

 private:
  // Reads the file's metadata; empty if it has none.
  std::string said(const std::string& key) const {
    const auto found = segmenter_.model().metadata.find(key);
    return found == segmenter_.model().metadata.end() ? std::string() : found->second;
  }

  Segmenter segmenter_;
};

}  // namespace

std::unique_ptr<Network> makeNetwork(const std::string& model, const SegmenterOptions& options) {
  return std::make_unique<SegmenterNetwork>(model, options);
}

}  // namespace mpm::monitor
