// SPDX-License-Identifier: Apache-2.0
#include "mpm/remembering_net.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "dnn/host.h"
#include "dnn/net_memory.h"
#include "dnn/read_net.h"
#include "mpm/layers.h"
#include "onnx/graph/file.h"
#include "segment/live_scores.h"

namespace mpm {
namespace {

std::uint64_t nextNumber() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

class RowMemory::Impl {
 public:
  std::uint64_t net = 0;
  dnn::NetMemory blocks;
  cv::Mat rows;  // [S + N, K]; empty where nothing is remembered

  void forget() {
    blocks.forget();
    rows.release();
  }
};

class RememberingNet::Impl {
 public:
  Impl(const std::string& path, const ReadOptions& options, std::string output)
      : Impl(dnn::ModelReading(onnx::readModel(path), path, options), path,
             dnn::placeOf(options.device, options.precision), std::move(output)) {}

  Impl(dnn::ModelReading reading, const std::string& path, const dnn::Place& place,
       std::string output)
      : model_(reading.description()), net_(reading.makeNet(place)), output_(std::move(output)) {
    if (output_.empty()) output_ = model_.outputs.at(0).name;
    if (!model_.mergeable) throw std::runtime_error(path + ": " + model_.reason);
    const auto outputs = net_.getUnconnectedOutLayersNames();
    if (std::find(outputs.begin(), outputs.end(), output_) == outputs.end())
      throw std::invalid_argument(path + " has no output " + output_);
    const auto live = segment::findLiveScores(net_, output_);
    if (!live || live->adds > 0 || live->parts.size() > 1) {
      throw std::runtime_error(path + ": the layers after the tokens of its output " + output_ +
                               " use more than one token at once, of several depths or token "
                               "positions, so rows cannot be "
                               "remembered");
    }
    const segment::LiveScores::Part& part = live->parts[0];
    layers_ = std::make_unique<dnn::RememberingLayers>(net_, std::vector<std::string>{part.scores});
    if (!layers_->fault().empty()) throw std::runtime_error(path + ": " + layers_->fault());
    names_ = {part.scores, part.merge};
    mapOutput_ = part.mapOutput;
    patches_ = static_cast<std::size_t>(model_.gridSize.area());
    special_ = static_cast<std::size_t>(std::max(part.special, 0));
    isSpecialKnown_ = part.special >= 0;
  }

  const Description& model() const { return model_; }
  cv::dnn::Net& net() { return net_; }

  cv::Mat forward(const cv::Mat& blob, RowMemory::Impl& memory) {
    meet(memory);
    memory.blocks.expectAll(patches_);
    run(blob, memory);
    const cv::Mat& live = blobs_[0][0];
    if (!isSpecialKnown_) special_ = static_cast<std::size_t>(live.size[1]) - patches_;
    const auto columns = static_cast<std::size_t>(live.size[2]);
    cv::Mat rows(static_cast<int>(special_ + patches_), live.size[2], CV_32F);
    std::copy_n(live.ptr<float>(), special_ * columns, rows.ptr<float>());
    const float* map = blobs_[1][mapOutput_].ptr<float>();
    for (std::size_t patch = 0; patch < patches_; ++patch)
      put(live, static_cast<std::size_t>(map[patch]), rows, patch);
    memory.rows = rows;
    return rows.clone();
  }

  cv::Mat forward(const cv::Mat& blob, const std::vector<int>& fresh, RowMemory::Impl& memory) {
    if (memory.rows.empty() || memory.net != number_) {
      throw std::logic_error(
          "the memory holds nothing from this net; compute all rows of a picture first");
    }
    check(fresh);
    memory.blocks.expectFresh({fresh.begin(), fresh.end()});
    run(blob, memory);
    const cv::Mat& live = blobs_[0][0];
    std::copy_n(live.ptr<float>(), special_ * static_cast<std::size_t>(live.size[2]),
                memory.rows.ptr<float>());
    for (std::size_t i = 0; i < fresh.size(); ++i)
      put(live, i, memory.rows, static_cast<std::size_t>(fresh[i]));
    return memory.rows.clone();
  }

  double costOf(std::size_t fresh, const RowMemory::Impl& memory) const {
    const double all = memory.blocks.costOfAll();
    return all > 0 ? memory.blocks.costOf(std::min(fresh, patches_)) / all : 1;
  }

 private:
  void meet(RowMemory::Impl& memory) const {
    if (memory.net == 0) memory.net = number_;
    if (memory.net != number_) {
      throw std::logic_error("the memory belongs to another net; give each net and camera its own");
    }
  }

  void check(const std::vector<int>& fresh) const {
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      const bool isAscending = i == 0 || fresh[i - 1] < fresh[i];
      if (isAscending && fresh[i] >= 0 && static_cast<std::size_t>(fresh[i]) < patches_) continue;
      throw std::invalid_argument(
          cv::format("fresh patches must be ascending places from 0 to %d; number %d of them is %d",
                     static_cast<int>(patches_) - 1, static_cast<int>(i), fresh[i]));
    }
  }

  // Forgets after an exception, since the blocks then hold a mixture of frames.
  void run(const cv::Mat& blob, RowMemory::Impl& memory) {
    if (blob.dims != 4 || blob.size[0] != 1)
      throw std::invalid_argument("a memory serves one camera: give one picture, [1, 3, H, W]");
    struct Use {
      const dnn::RememberingLayers& layers;
      ~Use() { layers.use(nullptr); }
    };
    try {
      const Use use{*layers_};
      layers_->use(&memory.blocks);
      net_.setInput(blob);
      dnn::forwardTo(net_, names_, blobs_);
    } catch (...) {
      memory.forget();
      throw;
    }
  }

  void put(const cv::Mat& live, std::size_t row, cv::Mat& rows, std::size_t patch) const {
    const auto columns = static_cast<std::size_t>(rows.cols);
    std::copy_n(live.ptr<float>() + (special_ + row) * columns, columns,
                rows.ptr<float>(static_cast<int>(special_ + patch)));
  }

  std::uint64_t number_ = nextNumber();
  Description model_;
  cv::dnn::Net net_;
  std::string output_;
  std::unique_ptr<dnn::RememberingLayers> layers_;
  std::vector<cv::String> names_;
  std::vector<std::vector<cv::Mat>> blobs_;
  std::size_t patches_ = 0, special_ = 0, mapOutput_ = 0;
  bool isSpecialKnown_ = true;
};

RowMemory::RowMemory() : impl_(std::make_unique<Impl>()) {}
RowMemory::RowMemory(RowMemory&&) noexcept = default;
RowMemory& RowMemory::operator=(RowMemory&&) noexcept = default;
RowMemory::~RowMemory() = default;

void RowMemory::forget() { impl_->forget(); }
bool RowMemory::isEmpty() const { return impl_->rows.empty(); }
std::size_t RowMemory::bytes() const {
  return impl_->blocks.bytes() + impl_->rows.total() * sizeof(float);
}

RememberingNet::RememberingNet(const std::string& model, const ReadOptions& options,
                               const std::string& output)
    : impl_(std::make_unique<Impl>(model, options, output)) {}
RememberingNet::RememberingNet(RememberingNet&&) noexcept = default;
RememberingNet& RememberingNet::operator=(RememberingNet&&) noexcept = default;
RememberingNet::~RememberingNet() = default;

const Description& RememberingNet::model() const { return impl_->model(); }
cv::dnn::Net& RememberingNet::net() { return impl_->net(); }
cv::Mat RememberingNet::forward(const cv::Mat& blob, RowMemory& memory) {
  return impl_->forward(blob, *memory.impl_);
}
cv::Mat RememberingNet::forward(const cv::Mat& blob, const std::vector<int>& fresh,
                                RowMemory& memory) {
  return impl_->forward(blob, fresh, *memory.impl_);
}
double RememberingNet::costOf(std::size_t fresh, const RowMemory& memory) const {
  return impl_->costOf(fresh, *memory.impl_);
}

}  // namespace mpm
