// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "contract/runner.h"
#include "mpm/rows.h"
#include "random_rows.h"
#include "vit/linear.h"
#include "vit/normalize.h"
#include "vit/transformer_block.h"

namespace mpm::test {

/// Floats of a blob on the host.
struct HostBlob {
  std::vector<int> shape;
  std::vector<float> values;

  HostBlob() = default;
  explicit HostBlob(const std::vector<int>& shape_, float fill = 0);
  HostBlob(const std::vector<int>& shape_, const std::vector<float>& values_)
      : shape(shape_), values(values_) {}
  RunnerBlob blob() { return {shape, values.data(), nullptr}; }
  /// Image `image` of [B, R, D].
  Rows image(int image);
};

/// Normal floats.
HostBlob normalBlob(const std::vector<int>& shape, std::uint32_t seed);

/// What a layer is made of. Constants stay where they are.
class Made {
 public:
  explicit Made(const std::string& kind) { params_.kind = kind, params_.name = "test"; }
  Made& number(const std::string& name, const std::vector<double>& values);
  Made& word(const std::string& name, const std::string& value);
  Made& constant(const std::string& name, const std::vector<int>& shape, const float* values);
  Made& linear(const std::string& name, const vit::LinearWeights& weights);
  Made& norm(const std::string& name, const vit::NormWeights& weights, int dim);
  const RunnerLayerParams& params() const { return params_; }

 private:
  RunnerLayerParams params_;
};

using Blobs = std::map<std::string, RunnerBlob>;

/// Tests that run on each device: the processor, the processor with folded weights, and a GPU
/// where there is one.
class RunnerTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override;

  std::unique_ptr<RunnerLayer> layer(const Made& made);
  /// One forward; outputs of these shapes, on the device.
  std::vector<RunnerBlob> forward(const Made& made, const Blobs& inputs,
                                  const std::vector<std::vector<int>>& shapes);
  std::vector<RunnerBlob> forward(RunnerLayer& layer, const Blobs& inputs,
                                  const std::vector<std::vector<int>>& shapes);
  /// On the host; what is not written is kPoison.
  HostBlob download(const RunnerBlob& blob);

  Runner* runner_ = nullptr;
};

constexpr float kPoison = 12345;

inline std::vector<const char*> runnerDevices() {
  return {"cpu-torch", "cpu-torch-folded", "cuda"};
}
std::string deviceTestName(const testing::TestParamInfo<const char*>& info);

#define MPM_ON_EACH_DEVICE(suite)                                                    \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, testing::ValuesIn(test::runnerDevices()), \
                           test::deviceTestName)

/// Tokens [B, capacity, D] of which so many rows of each image live; the others are NaN.
struct RaggedTokens {
  std::vector<int> live;
  HostBlob tokens, rows;

  RaggedTokens(const std::vector<int>& live, int capacity, int dim, std::uint32_t seed);
  ConstRows image(int image);
  Blobs inputs() { return {{"tokens", tokens.blob()}, {"rows", rows.blob()}}; }
};

/// A map [B, originals] to the live image rows of each image, each of which is hit.
HostBlob drawnMap(const std::vector<int>& liveImageRows, int originals, std::uint32_t seed);
std::vector<std::int32_t> mapOf(const HostBlob& map, int image);

/// The live rows of an image are near, and nothing was written behind them.
void expectImage(HostBlob& out, int image, ConstRows expected, double tolerance);

/// The error of making or running a layer.
std::string refusal(Runner& runner, const Made& made, const Blobs& inputs);

Made madeBlock(const vit::BlockWeights& weights, const std::string& precision);

/// Of the live rows of an image. `map`: of its original tokens, or empty.
OwnedRows blockReference(ConstRows rows, const vit::BlockWeights& weights, int special,
                         const std::vector<std::int32_t>& map);

}  // namespace mpm::test
