// SPDX-License-Identifier: Apache-2.0
#include "torch/runner_calls.h"

#include <ATen/Context.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "mpm/export.h"
#include "vit/late_restore.h"
#include "vit/references.h"

extern "C" MPM_API mpm::Runner* mpm_runner(int version, const char* device, std::string* why);

namespace mpm::test {
namespace {

std::size_t sizeOf(const std::vector<int>& shape) {
  std::size_t size = 1;
  for (const int side : shape) size *= static_cast<std::size_t>(side);
  return size;
}

}  // namespace

HostBlob::HostBlob(const std::vector<int>& shape_, float fill)
    : shape(shape_), values(sizeOf(shape_), fill) {}

Rows HostBlob::image(int image) {
  const auto rows = static_cast<std::size_t>(shape[1]), dim = static_cast<std::size_t>(shape[2]);
  return {values.data() + static_cast<std::size_t>(image) * rows * dim, rows, dim};
}

HostBlob normalBlob(const std::vector<int>& shape, std::uint32_t seed) {
  return {shape, normalRows(1, sizeOf(shape), seed).data};
}

Made& Made::number(const std::string& name, const std::vector<double>& values) {
  params_.numbers[name] = values;
  return *this;
}

Made& Made::word(const std::string& name, const std::string& value) {
  params_.words[name] = value;
  return *this;
}

Made& Made::constant(const std::string& name, const std::vector<int>& shape, const float* values) {
  if (values != nullptr) params_.constants.push_back({name, shape, values});
  return *this;
}

Made& Made::linear(const std::string& name, const vit::LinearWeights& weights) {
  const auto out = static_cast<int>(weights.weight.count),
             in = static_cast<int>(weights.weight.dim);
  const std::string prefix = name.empty() ? "" : name + "_";
  constant(prefix + "weight", {out, in}, weights.weight.data);
  return constant(prefix + "bias", {out}, weights.bias);
}

Made& Made::norm(const std::string& name, const vit::NormWeights& weights, int dim) {
  const std::string prefix = name.empty() ? "" : name + "_";
  constant(prefix + "scale", {dim}, weights.scale);
  return constant(prefix + "shift", {dim}, weights.shift);
}

void RunnerTest::SetUp() {
  const std::string device = GetParam();
  if (device == "cuda" && (!at::hasCUDA() || MPM_TORCH_CUDA == 0)) {
    GTEST_SKIP() << (at::hasCUDA() ? "libmpm_torch was built without CUDA"
                                   : "LibTorch finds no GPU on this machine");
  }
  std::string why;
  runner_ = mpm_runner(kRunnerVersion, GetParam(), &why);
  ASSERT_NE(runner_, nullptr) << why;
}

std::unique_ptr<RunnerLayer> RunnerTest::layer(const Made& made) {
  auto layer = runner_->layer(made.params());
  if (layer == nullptr) throw std::runtime_error("the runner knows no " + made.params().kind);
  return layer;
}

std::vector<RunnerBlob> RunnerTest::forward(RunnerLayer& layer, const Blobs& inputs,
                                            const std::vector<std::vector<int>>& shapes) {
  std::vector<RunnerBlob> outputs;
  for (const std::vector<int>& shape : shapes) outputs.push_back({shape, nullptr, nullptr});
  layer.forward(inputs, outputs);
  return outputs;
}

std::vector<RunnerBlob> RunnerTest::forward(const Made& made, const Blobs& inputs,
                                            const std::vector<std::vector<int>>& shapes) {
  return forward(*layer(made), inputs, shapes);
}

HostBlob RunnerTest::download(const RunnerBlob& blob) {
  HostBlob host(blob.shape, kPoison);
  RunnerBlob both = blob;
  both.host = host.values.data();
  runner_->download(both);
  return host;
}

std::string deviceTestName(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  return name;
}

RaggedTokens::RaggedTokens(const std::vector<int>& live_, int capacity, int dim, std::uint32_t seed)
    : live(live_),
      tokens(normalBlob({static_cast<int>(live_.size()), capacity, dim}, seed)),
      rows({static_cast<int>(live_.size()), 1}, std::vector<float>(live_.begin(), live_.end())) {
  for (std::size_t b = 0; b < live.size(); ++b) {
    const Rows all = tokens.image(static_cast<int>(b));
    std::fill(all.row(static_cast<std::size_t>(live[b])), all.row(all.count),
              std::numeric_limits<float>::quiet_NaN());
  }
}

ConstRows RaggedTokens::image(int image) {
  const Rows all = tokens.image(image);
  return Rows(all.data, static_cast<std::size_t>(live[static_cast<std::size_t>(image)]), all.dim);
}

HostBlob drawnMap(const std::vector<int>& liveImageRows, int originals, std::uint32_t seed) {
  HostBlob map({static_cast<int>(liveImageRows.size()), originals});
  std::mt19937 random(seed);
  auto to = map.values.begin();
  for (const int live : liveImageRows) {
    const auto begin = to;
    for (int i = 0; i < originals; ++i) {
      const int row = i < live ? i : static_cast<int>(random() % static_cast<unsigned>(live));
      *to++ = static_cast<float>(row);
    }
    std::shuffle(begin, to, random);
  }
  return map;
}

std::vector<std::int32_t> mapOf(const HostBlob& map, int image) {
  const auto begin = map.values.begin() + image * map.shape[1];
  return {begin, begin + map.shape[1]};
}

void expectImage(HostBlob& out, int image, ConstRows expected, double tolerance) {
  const Rows actual = out.image(image);
  ASSERT_EQ(actual.dim, expected.dim);
  ASSERT_LE(expected.count, actual.count);
  for (std::size_t i = 0; i < expected.count; ++i) {
    for (std::size_t k = 0; k < expected.dim; ++k) {
      const double wanted = expected.row(i)[k];
      ASSERT_TRUE(std::abs(actual.row(i)[k] - wanted) <=
                  tolerance * std::max(1.0, std::abs(wanted)))
          << "image " << image << ", row " << i << ", column " << k << ": " << actual.row(i)[k]
          << " instead of " << wanted;
    }
  }
  for (const float* x = actual.row(expected.count); x != actual.row(actual.count); ++x)
    ASSERT_EQ(*x, kPoison) << "image " << image << ": a row that does not live was written";
}

std::string refusal(Runner& runner, const Made& made, const Blobs& inputs) {
  try {
    const auto layer = runner.layer(made.params());
    std::vector<RunnerBlob> outputs(3);
    layer->forward(inputs, outputs);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

Made madeBlock(const vit::BlockWeights& weights, const std::string& precision) {
  const auto dim = static_cast<int>(weights.qkv.weight.dim);
  Made made("mpm.TransformerBlock");
  made.number("heads", {static_cast<double>(weights.heads)}).number("scale", {weights.scale});
  made.number("eps", {weights.norm1.eps}).number("eps2", {weights.norm2.eps});
  made.word("gelu", nameOf(weights.gelu)).word("precision", precision);
  made.norm("norm1", weights.norm1, dim).norm("norm2", weights.norm2, dim);
  made.linear("qkv", weights.qkv).linear("proj", weights.proj);
  made.linear("fc1", weights.fc1).linear("fc2", weights.fc2);
  made.constant("layer_scale1", {dim}, weights.layerScale1);
  return made.constant("layer_scale2", {dim}, weights.layerScale2);
}

OwnedRows blockReference(ConstRows rows, const vit::BlockWeights& weights, int special,
                         const std::vector<std::int32_t>& map) {
  OwnedRows out(rows.count, rows.dim);
  out.data.assign(rows.data, rows.data + rows.count * rows.dim);
  std::vector<float> keyWeights(rows.count, 0);
  if (!map.empty()) {
    vit::keyWeights(map.data(), map.size(), keyWeights.data() + special,
                    rows.count - static_cast<std::size_t>(special));
  }
  vit::transformerBlockReference(out.view(), weights, map.empty() ? nullptr : keyWeights.data());
  return out;
}

}  // namespace mpm::test
