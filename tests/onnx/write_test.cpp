// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>

#include "onnx/proto_model.h"

namespace mpm::test {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::string writeRefusal(const onnx::Model& model, const fs::path& file) {
  try {
    onnx::writeModel(model, file.string());
  } catch (const onnx::ModelError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OnnxWrite, WhatWasWrittenReadsAsTheSameModel) {
  Folder folder;
  auto proto = linearModel();
  auto* attribute = proto.mutable_graph()->mutable_node(0)->add_attribute();
  attribute->set_name("unknown_to_all");
  attribute->add_strings("kept");
  const onnx::Model model(std::move(proto));
  const auto file = folder.path() / "out.onnx";
  onnx::writeModel(model, file.string());
  const auto again = onnx::readModel(file.string());
  EXPECT_EQ(onnx::writeModel(again), onnx::writeModel(model));
  EXPECT_EQ(content(file), onnx::writeModel(model));
  EXPECT_EQ(again.nodes()[0]->attribute(0).strings(0), "kept");
  EXPECT_EQ(folder.list(), Strings{"out.onnx"});
}

TEST(OnnxWrite, BringsExternalDataIn) {
  Folder folder;
  auto proto = linearModel();
  addExternal(proto, "w", {2}, "weights.bin");
  folder.put("weights.bin", std::string(8, 'x'));
  const auto file = folder.put("model.onnx", proto.SerializeAsString());
  const auto model = onnx::readModel(file.string());
  const std::string bytes = onnx::writeModel(model);
  const auto again = onnx::readModel(bytes.data(), bytes.size());
  EXPECT_EQ(again.constant("w")->proto().raw_data(), std::string(8, 'x'));
}

TEST(OnnxWrite, ReplacesTheFileThatTheModelCameFrom) {
  Folder folder;
  const auto file = folder.put("model.onnx", linearModel().SerializeAsString());
  auto model = onnx::readModel(file.string());
  model.setMetadata("mpm.patch", "16");
  onnx::writeModel(model, file.string());
  EXPECT_EQ(onnx::readModel(file.string()).metadata().at("mpm.patch"), "16");
  EXPECT_EQ(folder.list(), Strings{"model.onnx"});
}

TEST(OnnxWrite, ADeviceOrAPipeStaysOne) {
  Folder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(
      writeRefusal(onnx::Model(linearModel()), pipe),
      pipe.string() + ": cannot be written: it is a device or a pipe; give the name of a file");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(folder.list(), Strings{"pipe"});
}

TEST(OnnxWrite, LeavesNothingBehindWhenItFails) {
  Folder folder;
  const onnx::Model model(linearModel());
  const auto inside = folder.path() / "none" / "out.onnx";
  EXPECT_EQ(writeRefusal(model, inside),
            inside.string() + ": cannot be written: No such file or directory");
  folder.put("taken/file", "x");
  const auto taken = folder.path() / "taken";
  EXPECT_EQ(writeRefusal(model, taken), taken.string() + ": cannot be written: Is a directory");
  EXPECT_EQ(folder.list(), Strings{"taken"});
}

TEST(OnnxWrite, RefusesMoreThanTwoGigabytesWithoutWritingAny) {
  Folder folder;
  onnx::Model model(linearModel());
  // A length is all that is looked at: memory that is never touched costs nothing.
  constexpr std::size_t kElements = (std::size_t{1} << 31) / sizeof(float);
  ::onnx::TensorProto tensor;
  tensor.set_name("vast");
  tensor.set_data_type(::onnx::TensorProto::UINT8);
  tensor.add_dims(static_cast<std::int64_t>(kElements * sizeof(float)));
  try {
    tensor.mutable_raw_data()->resize(kElements * sizeof(float));
  } catch (const std::bad_alloc&) {
    GTEST_SKIP() << "needs 2 GB of memory";
  }
  onnx::Edit edit;
  edit.constants.push_back(std::move(tensor));
  model.apply(std::move(edit));
  const auto file = folder.path() / "vast.onnx";
  EXPECT_EQ(
      writeRefusal(model, file),
      file.string() + ": the model would have more than 2 GB, which one ONNX file cannot hold");
  EXPECT_TRUE(folder.list().empty());
}

}  // namespace
}  // namespace mpm::test
