// SPDX-License-Identifier: Apache-2.0
#include "segment/score_net.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dnn/token_blobs.h"
#include "mpm/layers.h"

namespace mpm::segment {
namespace {

constexpr int kMostClasses = 1 << 16;
constexpr std::size_t kMapOutput = 2;  // of mpm.MutualPairMerge

cv::Mat noise(const cv::Size& size) {
  const int dims[] = {1, 3, size.height, size.width};
  cv::Mat blob(4, dims, CV_32F);
  cv::RNG(1).fill(blob, cv::RNG::NORMAL, 0, 1);
  return blob;
}

// What merging adds to a converted file does not count.
std::string firstOutput(const Description& model, const std::string& name) {
  for (const Description::Blob& output : model.outputs) {
    if (output.name != "mpm_map" && output.name != "mpm_rows") return output.name;
  }
  throw std::runtime_error(name + ": it has no output");
}

// OpenCV's message as part of a sentence.
std::string firstLine(std::string message) {
  message = message.substr(0, message.find('\n', 1));
  const std::size_t begin = message.find_first_not_of("> \n");
  return begin == std::string::npos ? "no reason given" : message.substr(begin);
}

}  // namespace

ScoreNet::ScoreNet(cv::dnn::Net net, const Description& model, const std::string& name)
    : net_(std::move(net)) {
  output_ = firstOutput(model, name);
  const auto outputs = net_.getUnconnectedOutLayersNames();
  hasMap_ = std::find(outputs.begin(), outputs.end(), "mpm_map") != outputs.end() &&
            model.grid.area() > 0;
  try {
    probe(model, name);
  } catch (const cv::Exception& error) {
    throw std::runtime_error(name +
                             ": OpenCV " CV_VERSION " cannot run it: " + firstLine(error.err));
  }
}

cv::Mat ScoreNet::checkedOutput(const std::string& name) const {
  const cv::Mat& output = blobs_[0][0];
  const bool isScores = output.dims == 4 && output.size[0] == 1 && output.type() == CV_32F;
  if (!isScores || output.size[1] > kMostClasses) {
    throw std::runtime_error(name + ": it is no segmentation model: its first output " + output_ +
                             " is " + dnn::shapeText(cv::dnn::shape(output)) +
                             "; scores [1 x classes x height x width] are right");
  }
  return output;
}

// The grid of the live rows, restored.
cv::Mat ScoreNet::restored() const {
  const int dims[] = {1, classes_, grid_.height, grid_.width};
  cv::Mat blob(4, dims, CV_32F);
  for (int k = 0; k < classes_; ++k) {
    for (int place = 0; place < grid_.area(); ++place) {
      blob.ptr<float>(0, k)[place] = scores_.grid.scores[scores_.map[place] * classes_ + k];
    }
  }
  return blob;
}

// Where a net has layers with weights of OpenCV's own, it is asked for the same layers from the
// first forward on: OpenCV 4.6 fuses a batch norm into a deconvolution's weights anew whenever
// other layers are asked for. Behind the restore of live scores there are none.
void ScoreNet::probe(const Description& model, const std::string& name) {
  if (hasMap_) live_ = findLiveScores(net_, output_);
  const auto live = std::exchange(live_, std::nullopt);
  names_ = {output_};
  if (hasMap_) names_.emplace_back("mpm_map");
  const cv::Mat blob = noise(model.input);
  net_.setInput(blob);
  net_.forward(blobs_, names_);
  const cv::Mat output = checkedOutput(name);
  classes_ = output.size[1];
  grid_ = {output.size[3], output.size[2]};
  if (!live) return;

  const cv::Mat kept = output.clone();
  const auto outputNames = std::exchange(names_, {live->scores, live->merge});
  const cv::Size outputGrid = std::exchange(grid_, model.grid);
  live_ = live;
  keepOnHost(net_, {live->scores});
  forward(blob);
  if (scores_.grid.scores != nullptr && isUpsampled(restored(), kept)) return;
  live_.reset();
  keepOnHost(net_, {});
  names_ = outputNames;
  grid_ = outputGrid;
}

void ScoreNet::takeMap(const cv::Mat& map) {
  const float* rows = map.ptr<float>();
  scores_.map.assign(rows, rows + map.total());
}

// The grid's scores stay null where shapes do not fit.
void ScoreNet::forwardLive() {
  scores_.grid = {};
  const cv::Mat& rows = blobs_[0][0];
  if (blobs_[1].size() <= kMapOutput) return;
  const cv::Mat& map = blobs_[1][kMapOutput];
  if (rows.dims != 3 || rows.size[2] != classes_) return;
  if (map.total() != static_cast<std::size_t>(grid_.area())) return;
  const int special = rows.size[1] - grid_.area();
  if (special < 0) return;
  takeMap(map);
  scores_.grid = {rows.ptr<float>(0, special), ScoreGrid::Layout::rows, scores_.map.data()};
  const std::int32_t live = 1 + *std::max_element(scores_.map.begin(), scores_.map.end());
  scores_.values = static_cast<std::size_t>(live) * classes_;
}

void ScoreNet::forwardOutput() {
  const cv::Mat& output = blobs_[0][0];
  scores_.grid = {output.ptr<float>(), ScoreGrid::Layout::planes, nullptr};
  scores_.values = output.total();
  if (hasMap_) takeMap(blobs_[1][0]);
}

const NetScores& ScoreNet::forward(const cv::Mat& blob) {
  net_.setInput(blob);
  net_.forward(blobs_, names_);
  live_ ? forwardLive() : forwardOutput();
  return scores_;
}

}  // namespace mpm::segment
