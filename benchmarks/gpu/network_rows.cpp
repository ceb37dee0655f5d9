// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>

#include <map>

#include "networks.h"
#include "tables.h"

namespace mpm::bench {
namespace {

/// Merged before full tokens, in frames a second: the goals, by precision and size.
double goalOf(const std::string& precision, const std::string& size) {
  static const std::map<std::string, std::map<std::string, double>> goals = {
      {"fp32", {{"T", 1.35}, {"S", 1.40}, {"B", 1.45}, {"L", 1.70}}},
      {"bf16", {{"B", 1.15}, {"L", 1.35}}}};
  const auto ofPrecision = goals.find(precision);
  if (ofPrecision == goals.end()) return 0;
  const auto found = ofPrecision->second.find(size);
  return found == ofPrecision->second.end() ? 0 : found->second;
}

at::ScalarType typeOf(const std::string& precision) {
  return precision == "bf16" ? at::kBFloat16 : at::kFloat;
}

Row framesRow(const std::string& what, const std::string& against, const Paired& paired, int batch,
              double goal) {
  return {what,
          against,
          1000 * batch / paired.oursMs,
          1000 * batch / paired.peerMs,
          "frames/s",
          1 / paired.ratio,
          goal,
          true};
}

double meanRows(Runner& runner, const RunnerBlob& blob) {
  std::vector<float> rows(static_cast<std::size_t>(blob.shape[0]));
  RunnerBlob onHost = blob;
  onHost.host = rows.data();
  runner.download(onHost);
  double sum = 0;
  for (const float count : rows) sum += count;
  return sum / static_cast<double>(rows.size());
}

}  // namespace

std::vector<Row> networkRows(Runner& runner, const Model& model, const std::string& precision,
                             const at::Tensor& images, const RunnerBlob& image,
                             const Scale& scale) {
  const DeviceClock clock(scale.isGpu);
  RunnerVit full(runner, model, {}, precision), merged(runner, model, {2, 5}, precision);
  const PlainVit plain(model, images.device(), typeOf(precision));
  at::globalContext().setAllowTF32CuBLAS(precision == "tf32");

  const double rows = meanRows(runner, merged.forward(image).rows);
  const std::string name = std::string("Segmenter ") + model.size.name + ", " + precision;
  const int calls = scale.isGpu ? 3 : 1, batch = static_cast<int>(images.size(0));
  std::vector<Row> table;
  table.push_back(framesRow(
      name + ", merged before 2 and 5 (" + std::to_string(static_cast<int>(rows)) + " rows left)",
      "full tokens",
      clock.pairs([&] { merged.forward(image); }, [&] { full.forward(image); }, calls, 15), batch,
      goalOf(precision, model.size.name)));
  table.push_back(framesRow(
      name + ", full tokens", "PyTorch eager",
      clock.pairs([&] { full.forward(image); }, [&] { plain.forward(images); }, calls, 15), batch,
      1));
  at::globalContext().setAllowTF32CuBLAS(false);
  return table;
}

Row scoresRow(Runner& runner, const Model& model, const std::string& precision,
              const at::Tensor& images, const RunnerBlob& image) {
  RunnerVit full(runner, model, {}, precision);
  const at::Tensor expected =
      PlainVit(model, images.device(), at::kFloat).forward(images).cpu().contiguous();
  const at::Tensor found = at::empty_like(expected);
  RunnerBlob scores = full.forward(image).scores;
  scores.host = found.data_ptr<float>();
  runner.download(scores);
  const double difference = (found - expected).abs().max().item<double>();
  const double largest = expected.abs().max().item<double>();
  return {std::string("Segmenter ") + model.size.name + ", " + precision +
              ", largest difference of scores",
          "PyTorch eager, float32: their largest",
          difference,
          largest,
          "",
          difference / largest,
          precision == "fp32" ? 1e-3 : 0.1};
}

}  // namespace mpm::bench
