// SPDX-License-Identifier: Apache-2.0
// Attention in which a merged token's key counts once for each patch that it stands for.
#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "mpm/net.h"
#include "onnx/graph/model.h"
#include "onnx/graph_text.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

struct Made {
  cv::Mat output;
  float live = 0;  // rows
};

// Of a black picture, so that tokens differ by their positions alone.
Made made(const std::string& text, const ReadOptions& options) {
  onnx::Model model(graph(text));
  model.removeDead();
  const std::string bytes = model.proto().SerializeAsString();
  cv::dnn::Net net = readNet(bytes.data(), bytes.size(), options);
  const std::vector<int> sizes = {1, 1, 4, 6};
  net.setInput(cv::Mat(sizes, CV_32F, cv::Scalar(0)));
  Made all;
  all.output = net.forward("y").clone();
  all.live = net.forward("mpm_rows").at<float>(0);
  return all;
}

// The two rows of patches have the same positions: each patch has a twin.
const std::string kTwins = R"(
first = some(1, 1, 8); row = some(1, 3, 8)
positions = Concat(first, row, row) axis=1
tokens = Add(all, positions)
)";

TEST(ProportionalAttention, MergingTwinsLosesNothing) {
  const struct {
    const char* name;
    std::string change;
  } models[] = {{"a plain block", ""},
                {"attention of its own", "b0.gelu = Tanh(b0.fc1); b1.gelu = Tanh(b1.fc1)"}};
  for (const auto& [name, change] : models) {
    const std::string text = changed(vit(), kTwins + change);
    for (const Restore restore : {Restore::late, Restore::early}) {
      SCOPED_TRACE(name);
      ReadOptions options;
      options.restore = restore;
      options.schedule = Schedule{};
      const Made full = made(text, options);
      options.schedule = {0};
      const Made once = made(text, options);
      options.proportional = true;
      const Made proportional = made(text, options);
      EXPECT_EQ(full.live, 7);
      EXPECT_EQ(proportional.live, 4);
      EXPECT_LE(cv::norm(proportional.output, full.output, cv::NORM_INF), kVitNetwork);
      EXPECT_GT(cv::norm(once.output, full.output, cv::NORM_INF), 1e-3) << "keys that count once";
    }
  }
}

}  // namespace
}  // namespace mpm::test
