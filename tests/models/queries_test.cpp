// SPDX-License-Identifier: Apache-2.0
// Which outputs are the classes and masks of queries: told by their shapes, or refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "cli/folder.h"
#include "fixture_list.h"
#include "model_edit.h"
#include "mpm/segmenter.h"

namespace mpm::test {
namespace {

constexpr const char* kMasks = "masks_queries_logits";
constexpr const char* kClasses = "class_queries_logits";

class Queries : public testing::Test {
 protected:
  /// A graph's output once more, under another name.
  void repeat(const std::string& output, const std::string& name) {
    auto& graph = *model_.mutable_graph();
    auto& node = *graph.add_node();
    node.set_op_type("Identity");
    node.add_input(output);
    node.add_output(name);
    const auto& outputs = graph.output();
    auto copy = *std::find_if(outputs.begin(), outputs.end(),
                              [&](const auto& each) { return each.name() == output; });
    copy.set_name(name);
    *graph.add_output() = std::move(copy);
  }

  void putFirst(const std::string& output) {
    auto& outputs = *model_.mutable_graph()->mutable_output();
    for (int i = 0; i < outputs.size(); ++i) {
      if (outputs[i].name() == output) outputs.SwapElements(0, i);
    }
  }

  std::string write() const {
    const std::string path = folder_.at("queries.onnx");
    std::ofstream(path, std::ios::binary) << model_.SerializeAsString();
    return path;
  }

  void expectRefused(const std::string& first, const std::string& second) const {
    try {
      const Segmenter segmenter(write());
      ADD_FAILURE() << "accepted";
    } catch (const std::runtime_error& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find(first + " and " + second + " both fit"), std::string::npos) << said;
    }
  }

  ::onnx::ModelProto model_ = protoOf(fixtureNamed("hf_eomt").path());
  const Folder folder_;
};

TEST_F(Queries, AreReadWhicheverOutputIsFirst) {
  for (const char* first : {kMasks, kClasses}) {
    SCOPED_TRACE(first);
    putFirst(first);
    const Segmenter segmenter(write());
    EXPECT_EQ(segmenter.classes().size(), 5U);
  }
}

TEST_F(Queries, TwoThatMayBeClassesOrMasksAreRefused) {
  const ::onnx::ModelProto own = model_;
  repeat(kClasses, "again");
  expectRefused(kClasses, "again");
  model_ = own;
  repeat(kMasks, "again");
  putFirst(kClasses);
  expectRefused(kMasks, "again");
}

// The first output says which of the masks are meant.
TEST_F(Queries, MasksThatComeFirstAreTheOnes) {
  repeat(kMasks, "again");
  const Segmenter segmenter(write());
  EXPECT_EQ(segmenter.classes().size(), 5U);
}

}  // namespace
}  // namespace mpm::test
