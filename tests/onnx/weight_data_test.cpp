// SPDX-License-Identifier: Apache-2.0
// Weights in files of their own, and large ones.
#include "onnx/graph/weight_data.h"

#include <gtest/gtest.h>

#include <numeric>

#include "onnx/graph/file.h"
#include "onnx/proto_model.h"
#include "scoped.h"

namespace mpm::test {
namespace {

namespace fs = std::filesystem;
using ::onnx::ModelProto;

std::string bytesOf(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// The refusal for one external constant of two float32, beside a data file of 16 bytes.
std::string refusalOf(const Folder& folder, const char* location, const char* offset = nullptr,
                      const char* length = "8") {
  auto model = linearModel();
  addExternal(model, "w", {2}, location, offset, length);
  folder.put("weights.bin", bytesOf({1, 2, 3, 4}));
  return fileRefusal(folder.put("model.onnx", model.SerializeAsString()));
}

TEST(OnnxExternal, ReadsConstantsFromFilesBesideTheModel) {
  Folder folder;
  auto proto = linearModel();
  addExternal(proto, "first", {2}, "weights.bin", nullptr, "8");
  addExternal(proto, "rest", {3}, "sub/more.bin", "4", nullptr);
  folder.put("weights.bin", bytesOf({1, 2}));
  folder.put("sub/more.bin", bytesOf({9, 3, 4, 5}));
  const auto file = folder.put("model.onnx", proto.SerializeAsString());
  const auto model = onnx::readModel(file.string());
  EXPECT_EQ(model.constant("first")->floats()[1], 2);
  EXPECT_EQ(model.constant("rest")->floats()[2], 5);
  EXPECT_TRUE(model.constant("rest")->floats().isView());
  EXPECT_EQ(model.proto().SerializeAsString().find("weights.bin"), std::string::npos);
}

TEST(OnnxExternal, ReadsBesideAModelNamedWithoutFolder) {
  Folder folder;
  auto proto = linearModel();
  addExternal(proto, "w", {2}, "weights.bin");
  folder.put("weights.bin", bytesOf({1, 2}));
  folder.put("model.onnx", proto.SerializeAsString());
  const CurrentFolder here(folder.path());
  EXPECT_NO_THROW(onnx::readModel("model.onnx"));
}

TEST(OnnxExternal, RefusesThemFromMemory) {
  auto model = linearModel();
  addExternal(model, "w", {2}, "weights.bin");
  EXPECT_EQ(refusal(model), "model: constant 'w' has its data in another file, which was not read");
}

TEST(OnnxExternal, RefusesLocationsOutsideTheFolder) {
  Folder folder;
  EXPECT_EQ(refusalOf(folder, "/etc/passwd"),
            "constant 'w' has data in '/etc/passwd', which has to be a path inside the model's "
            "folder");
  EXPECT_EQ(refusalOf(folder, "sub/../../weights.bin"),
            "constant 'w' has data in 'sub/../../weights.bin', which has to be a path inside the "
            "model's folder");
  EXPECT_EQ(refusalOf(folder, ""), "constant 'w' has data in '', which is not a file name");
  EXPECT_EQ(refusalOf(folder, nullptr),
            "constant 'w' has its data in another file but does not say which");
}

TEST(OnnxExternal, RefusesLinksOutOfTheFolder) {
  Folder folder, outside;
  outside.put("secret.bin", bytesOf({1, 2}));
  fs::create_symlink(outside.path() / "secret.bin", folder.path() / "link.bin");
  fs::create_directory_symlink(outside.path(), folder.path() / "dir");
  const std::string end = "a link that leads out of the model's folder; put the file itself there";
  EXPECT_EQ(refusalOf(folder, "link.bin"), "constant 'w' has data in 'link.bin', " + end);
  EXPECT_EQ(refusalOf(folder, "dir/secret.bin"),
            "constant 'w' has data in 'dir/secret.bin', " + end);
}

TEST(OnnxExternal, RefusesAFolderWhoseNameOnlyBeginsAlike) {
  Folder parent;
  parent.put("model_secret/weights.bin", bytesOf({1, 2}));
  auto proto = linearModel();
  addExternal(proto, "w", {2}, "link.bin");
  const auto file = parent.put("model/model.onnx", proto.SerializeAsString());
  fs::create_symlink(parent.path() / "model_secret/weights.bin", parent.path() / "model/link.bin");
  EXPECT_NE(fileRefusal(file).find("a link that leads out of the model's folder"),
            std::string::npos);
}

TEST(OnnxExternal, FollowsLinksInsideTheFolder) {
  Folder folder;
  fs::create_symlink("weights.bin", folder.path() / "link.bin");
  EXPECT_EQ(refusalOf(folder, "link.bin"), "(without the name) accepted");
}

TEST(OnnxExternal, RefusesWhatIsNoRegularFile) {
  Folder folder;
  fs::create_directory(folder.path() / "sub");
  EXPECT_EQ(refusalOf(folder, "sub"),
            "constant 'w' has data in 'sub', which is not a regular file");
  EXPECT_EQ(refusalOf(folder, "gone.bin"),
            "constant 'w' has data in 'gone.bin', which cannot be opened: No such file or "
            "directory");
}

TEST(OnnxExternal, RefusesRangesBeyondTheEnd) {
  Folder folder;
  EXPECT_EQ(refusalOf(folder, "weights.bin", "12"),
            "constant 'w' has data at byte 12 of 'weights.bin' for 8 bytes, but the file ends at "
            "byte 16");
  EXPECT_NE(refusalOf(folder, "weights.bin", "17", nullptr).find("but the file ends at byte 16"),
            std::string::npos);
  EXPECT_NE(refusalOf(folder, "weights.bin", "8", "18446744073709551615")
                .find("but the file ends at byte 16"),
            std::string::npos);
  EXPECT_EQ(refusalOf(folder, "weights.bin", "-8"),
            "constant 'w' has data at the offset '-8', which is not a number");
}

TEST(OnnxExternal, RefusesDataThatDoNotFitTheirDims) {
  Folder folder;
  EXPECT_EQ(refusalOf(folder, "weights.bin", "0", "12"),
            "constant 'w' has 12 bytes in 'weights.bin', but its dims are 2 elements of float32");
}

TEST(OnnxExternal, RefusesToReadOneFileWithoutEnd) {
  Folder folder;
  auto model = linearModel();
  for (int i = 0; i < 5; ++i) {
    addExternal(model, "w" + std::to_string(i), {4}, "weights.bin");
  }
  folder.put("weights.bin", bytesOf({1, 2, 3, 4}));
  EXPECT_EQ(fileRefusal(folder.put("model.onnx", model.SerializeAsString())),
            "constant 'w4' reads 'weights.bin' again, although others already read all of it");
}

// ---- Large ones in the model's own file --------------------------------------------------------

// 1.2 MB of numbers that tell their place.
std::vector<float> manyFrom(float first) {
  std::vector<float> values(300000);
  std::iota(values.begin(), values.end(), first);
  return values;
}

ModelProto modelWithLargeWeights() {
  ModelProto model = linearModel();
  addConstant(model, "large", {300, 1000}, manyFrom(1));
  addConstant(model, "small", {2}, {5, 6});
  addConstant(model, "larger", {600000}, [] {
    std::vector<float> both = manyFrom(2);
    both.resize(600000, 3);
    return both;
  }());
  return model;
}

// What reading from a file gives has to be what reading the same bytes gives, by protobuf alone.
void expectTheSame(const std::string& bytes) {
  const Folder folder;
  const auto fromFile = onnx::readModel(folder.put("model.onnx", bytes).string());
  const auto fromBytes = onnx::readModel(bytes.data(), bytes.size());
  EXPECT_TRUE(fromFile.proto().SerializeAsString() == fromBytes.proto().SerializeAsString());
}

// A field of a message, as protobuf writes it.
std::string field(int number, const std::string& content) {
  std::string bytes(1, static_cast<char>(number << 3 | 2));
  std::size_t size = content.size();
  for (; size >= 0x80; size >>= 7) bytes += static_cast<char>((size & 0x7f) | 0x80);
  return bytes + static_cast<char>(size) + content;
}

TEST(OnnxLargeWeights, AreThoseOfTheFile) {
  expectTheSame(modelWithLargeWeights().SerializeAsString());
  const Folder folder;
  const auto file = folder.put("model.onnx", modelWithLargeWeights().SerializeAsString());
  const auto model = onnx::readModel(file.string());
  EXPECT_EQ(model.constant("large")->floats()[299999], 300000);
  EXPECT_EQ(model.constant("small")->floats()[1], 6);
  EXPECT_EQ(model.constant("larger")->floats()[0], 2);
  EXPECT_EQ(model.constant("larger")->floats()[599999], 3);
}

TEST(OnnxLargeWeights, OfAGraphThatComesInPieces) {
  ModelProto more;
  addConstant(more, "later", {300000}, manyFrom(7));
  ModelProto model = modelWithLargeWeights();
  const std::string graph = field(7, more.graph().SerializeAsString());
  expectTheSame(model.SerializeAsString() + graph);
  expectTheSame(graph + model.SerializeAsString());
}

TEST(OnnxLargeWeights, GivenTwiceTheLastCounts) {
  ModelProto later;
  const std::string second = addConstant(later, "w", {300000}, manyFrom(9)).raw_data();
  ModelProto first;
  const auto& tensor = addConstant(first, "w", {300000}, manyFrom(1));
  const std::string twice = tensor.SerializeAsString() + field(9, second);
  expectTheSame(linearModel().SerializeAsString() + field(7, field(5, twice)));
}

TEST(OnnxLargeWeights, FilesThatAreCutOffInTheirMiddle) {
  const std::string bytes = modelWithLargeWeights().SerializeAsString();
  const Folder folder;
  for (const std::size_t length : {bytes.size() - 1, bytes.size() - 2400000, bytes.size() / 4}) {
    const std::string cut = bytes.substr(0, length);
    const std::string sentence = fileRefusal(folder.put("cut.onnx", cut));
    EXPECT_EQ("model: " + sentence, refusal(cut));
    EXPECT_EQ(sentence.find("the file is cut off: it ends at byte "), 0U) << sentence;
  }
}

}  // namespace
}  // namespace mpm::test
