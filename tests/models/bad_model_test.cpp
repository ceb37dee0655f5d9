// SPDX-License-Identifier: Apache-2.0
// What is no model, or a broken one, is refused in one sentence that names the file; nothing is
// printed and nothing is written.
#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "model_edit.h"
#include "mpm/net.h"
#include "net_run.h"

namespace mpm::test {
namespace {

class BadModel : public testing::Test {
 protected:
  /// The sentence with which reading, describing and converting this file is refused.
  std::string refusalOf(const std::string& bytes) {
    return refusalOfFile(folder_.write("bad.onnx", bytes));
  }

  std::string refusalOfFile(const std::string& path) {
    const auto before = folder_.content();
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const std::string read = sentenceOf([&] { readNet(path); });
    const std::string described = sentenceOf([&] { describe(path); });
    const std::string converted = sentenceOf([&] { convert(path, folder_.at("to.onnx")); });
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(described, read);
    EXPECT_EQ(converted, read);
    expectSentence(read);
    EXPECT_EQ(read.find(path + ": "), 0U) << read;
    EXPECT_EQ(folder_.content(), before);
    return read;
  }

  template <class Action>
  static std::string sentenceOf(Action action) {
    try {
      action();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "accepted";
  }

  Folder folder_;
};

TEST_F(BadModel, CutOff) {
  for (const char* name : {"timm_vit", "segmenter_mask_small", "timm_vit_static"}) {
    const std::string whole = bytesOf(fixtureNamed(name).path());
    for (const std::size_t length :
         {std::size_t{1}, std::size_t{16}, whole.size() / 100, whole.size() / 3, whole.size() / 2,
          whole.size() - 1000, whole.size() - 1}) {
      SCOPED_TRACE(name + (": " + std::to_string(length)));
      refusalOf(whole.substr(0, length));
    }
  }
}

TEST_F(BadModel, Empty) { refusalOf(""); }

TEST_F(BadModel, Text) {
  refusalOf("this is not a model\n");
  refusalOf(std::string(100000, 'a'));
  refusalOf("<!DOCTYPE html><html><body>404</body></html>\n");
}

TEST_F(BadModel, NoFile) {
  refusalOfFile(folder_.at("gone.onnx"));
  refusalOfFile(folder_.at("no/such/folder/gone.onnx"));
  std::filesystem::create_directory(folder_.at("folder.onnx"));
  refusalOfFile(folder_.at("folder.onnx"));
}

TEST_F(BadModel, ACycle) {
  ::onnx::ModelProto model = protoOf(fixtureNamed("timm_vit_static").path());
  auto& nodes = *model.mutable_graph()->mutable_node();
  const int last = nodes.size() - 1;
  for (int i = 0; i < last; ++i) {
    if (nodes[i].op_type() == "Add") {
      nodes[i].set_input(0, nodes[last].output(0));
      break;
    }
  }
  refusalOf(model.SerializeAsString());
}

TEST_F(BadModel, AMissingConstant) {
  for (const int place : {0, 5, 12}) {
    ::onnx::ModelProto model = protoOf(fixtureNamed("timm_vit_static").path());
    auto& constants = *model.mutable_graph()->mutable_initializer();
    const std::string name = constants[place].name();
    constants.DeleteSubrange(place, 1);
    EXPECT_NE(refusalOf(model.SerializeAsString()).find("'" + name + "'"), std::string::npos)
        << name;
  }
}

TEST_F(BadModel, AnUnknownOperator) {
  ::onnx::ModelProto model = protoOf(fixtureNamed("timm_vit_static").path());
  auto& nodes = *model.mutable_graph()->mutable_node();
  nodes[nodes.size() - 1].set_op_type("Frobnicate");
  const std::string path = folder_.write("bad.onnx", model.SerializeAsString());
  const std::string read = sentenceOf([&] { readNet(path); });
  expectSentence(read);
  EXPECT_NE(read.find("Frobnicate"), std::string::npos) << read;
}

TEST_F(BadModel, ConstantsOfTheWrongSize) {
  ::onnx::ModelProto model = protoOf(fixtureNamed("timm_vit_static").path());
  auto& constants = *model.mutable_graph()->mutable_initializer();
  constants[2].set_dims(0, constants[2].dims(0) + 1);
  EXPECT_NE(refusalOf(model.SerializeAsString()).find("'" + constants[2].name() + "'"),
            std::string::npos);
}

TEST_F(BadModel, DataInAnotherFile) {
  const Fixture external = fixtureNamed("timm_vit_external");
  const std::string data = bytesOf(external.path() + ".data");
  const std::string beside = "timm_vit_external.onnx.data";
  ::onnx::ModelProto model = protoOf(external.path());
  const std::string missing = refusalOf(model.SerializeAsString());
  EXPECT_NE(missing.find(beside), std::string::npos) << missing;
  folder_.write(beside, data.substr(0, data.size() / 2));
  const std::string cut = refusalOf(model.SerializeAsString());
  EXPECT_NE(cut.find("the file ends at byte"), std::string::npos) << cut;
  folder_.write(beside, data);
  setExternal(model, "location", "../" + beside);
  const std::string outside = refusalOf(model.SerializeAsString());
  EXPECT_NE(outside.find("has to be a path inside the model's folder"), std::string::npos)
      << outside;
}

TEST_F(BadModel, TheSameDataInAnotherFolderAreRead) {
  const Fixture external = fixtureNamed("timm_vit_external");
  folder_.write("timm_vit_external.onnx.data", bytesOf(external.path() + ".data"));
  const std::string path = folder_.write("copy.onnx", bytesOf(external.path()));
  ReadOptions options;
  options.schedule.emplace();
  cv::dnn::Net copy = readNet(path, options), own = netOf(external, {});
  expectSame(run(copy, external.images()), run(own, external.images()));
}

TEST_F(BadModel, Bytes) {
  const std::string whole = bytesOf(fixtureNamed("timm_vit").path());
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, whole.size() / 2}) {
    const std::string read = sentenceOf([&] { readNet(whole.data(), length); });
    expectSentence(read);
    EXPECT_EQ(read.find("model: "), 0U) << read;
  }
}

TEST_F(BadModel, AnUnknownDevice) {
  ReadOptions options;
  options.device = "abacus";
  try {
    readNet(fixtureNamed("timm_vit").path(), options);
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).find("device abacus: expected"), 0U) << error.what();
  }
}

}  // namespace
}  // namespace mpm::test
