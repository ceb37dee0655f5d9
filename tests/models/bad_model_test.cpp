// SPDX-License-Identifier: Apache-2.0
// What is no model, or a broken one, is refused in one sentence that names the file; nothing is
// printed and nothing is written. What is wrong with a file is in tests/onnx/read_test.cpp.
#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "cli/folder.h"
#include "model_edit.h"
#include "mpm/net.h"
#include "net_run.h"

namespace mpm::test {
namespace {

template <class Action>
std::string sentenceOf(Action action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

class BadModel : public testing::Test {
 protected:
  /// The sentence with which reading, describing and converting these bytes, or a file, is refused.
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

  Folder folder_;
};

TEST_F(BadModel, CutOffOrNoModelAtAll) {
  const std::string whole = bytesOf(fixtureNamed("segmenter_mask_small").path());
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, whole.size() / 100, whole.size() / 2, whole.size() - 1}) {
    SCOPED_TRACE(length);
    refusalOf(whole.substr(0, length));
    const std::string read = sentenceOf([&] { readNet(whole.data(), length); });
    expectSentence(read);
    EXPECT_EQ(read.find("model: "), 0U) << read;
  }
  refusalOf("<!DOCTYPE html><html><body>404</body></html>\n");
  refusalOfFile(folder_.at("no/such/folder/gone.onnx"));
  std::filesystem::create_directory(folder_.at("folder.onnx"));
  refusalOfFile(folder_.at("folder.onnx"));
}

TEST_F(BadModel, BrokenInside) {
  const ::onnx::ModelProto whole = protoOf(fixtureNamed("timm_vit_static").path());
  ::onnx::ModelProto missing = whole, wrong = whole, unknown = whole;
  auto& constants = *missing.mutable_graph()->mutable_initializer();
  const std::string name = constants[5].name();
  constants.DeleteSubrange(5, 1);
  EXPECT_NE(refusalOf(missing.SerializeAsString()).find("'" + name + "'"), std::string::npos);
  auto& constant = *wrong.mutable_graph()->mutable_initializer(2);
  constant.set_dims(0, constant.dims(0) + 1);
  EXPECT_NE(refusalOf(wrong.SerializeAsString()).find("'" + constant.name() + "'"),
            std::string::npos);
  auto& nodes = *unknown.mutable_graph()->mutable_node();
  nodes[nodes.size() - 1].set_op_type("Frobnicate");
  const std::string path = folder_.write("bad.onnx", unknown.SerializeAsString());
  const std::string read = sentenceOf([&] { readNet(path); });
  expectSentence(read);
  EXPECT_NE(read.find("Frobnicate"), std::string::npos) << read;
}

TEST_F(BadModel, DataInAnotherFile) {
  const Fixture external = fixtureNamed("timm_vit_external");
  const std::string data = bytesOf(external.path() + ".data"),
                    beside = "timm_vit_external.onnx.data";
  ::onnx::ModelProto model = protoOf(external.path());
  const std::string missing = refusalOf(model.SerializeAsString());
  EXPECT_NE(missing.find(beside), std::string::npos) << missing;
  folder_.write(beside, data.substr(0, data.size() / 2));
  const std::string cut = refusalOf(model.SerializeAsString());
  EXPECT_NE(cut.find("the file ends at byte"), std::string::npos) << cut;
  folder_.write(beside, data);
  ReadOptions options;
  options.schedule.emplace();
  cv::dnn::Net copy = readNet(folder_.write("copy.onnx", bytesOf(external.path())), options);
  expectSame(run(copy, external.images()), outputsOf(external, {}));
  setExternal(model, "location", "../" + beside);
  const std::string outside = refusalOf(model.SerializeAsString());
  EXPECT_NE(outside.find("has to be a path inside the model's folder"), std::string::npos)
      << outside;
}

TEST_F(BadModel, AnUnknownDevice) {
  ReadOptions options;
  options.device = "abacus";
  EXPECT_EQ(sentenceOf([&] {
              readNet(fixtureNamed("timm_vit").path(), options);
            }).find("device abacus: expected"),
            0U);
  EXPECT_THROW(readNet(fixtureNamed("timm_vit").path(), options), std::invalid_argument);
}

}  // namespace
}  // namespace mpm::test
