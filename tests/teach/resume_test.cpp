// SPDX-License-Identifier: Apache-2.0
// What is kept of frames in a folder, and teaching that goes on from it: it gives what one in a
// piece gives.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/folder.h"
#include "in_project.h"
#include "mpm/teach.h"
#include "teach/kept.h"
#include "teach/painted_frames.h"

namespace mpm::test {
namespace {

using teach::Kept;

namespace fs = std::filesystem;

fs::path fileOf(const Folder& folder, const std::string& key) {
  return folder.at("kept/" + key + ".kept");
}

TEST(Kept, FindsWhatWasKept) {
  const Folder folder;
  const std::string key = teach::keyOf({"a", "b"}), value("one\0two\n", 8);
  Kept(folder.at("kept")).put(key, value);
  EXPECT_EQ(Kept(folder.at("kept")).find(key), value);
  EXPECT_EQ(Kept(folder.at("kept")).find(teach::keyOf({"a", "c"})), std::nullopt);
  EXPECT_EQ(Kept("").find(key), std::nullopt);
}

TEST(Kept, KeysTellPartsApart) {
  const std::set<std::string> keys = {teach::keyOf({"ab", "c"}), teach::keyOf({"a", "bc"}),
                                      teach::keyOf({"abc"}), teach::keyOf({"abc", ""}),
                                      teach::keyOf({})};
  EXPECT_EQ(keys.size(), 5U);
}

TEST(Kept, TakesNothingThatIsDamagedOrAnothers) {
  const Folder folder;
  const Kept kept(folder.at("kept"));
  const std::string key = teach::keyOf({"a"}), other = teach::keyOf({"b"});
  kept.put(key, "a value");
  const std::string whole = bytesOf(fileOf(folder, key).string());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    folder.write("kept/" + key + ".kept", damaged);
    EXPECT_EQ(kept.find(key), std::nullopt) << "byte " << i;
    EXPECT_FALSE(fs::exists(fileOf(folder, key))) << "byte " << i;
    folder.write("kept/" + key + ".kept", std::string_view(whole).substr(0, i));
    EXPECT_EQ(kept.find(key), std::nullopt) << "cut after " << i;
  }
  folder.write("kept/" + other + ".kept", whole);
  EXPECT_EQ(kept.find(other), std::nullopt);
  folder.write("kept/" + key + ".kept", whole);
  EXPECT_EQ(kept.find(key), "a value");
}

TEST(Kept, MakesRoomForWhatIsNew) {
  const Folder folder;
  const std::string value(1000, 'x');
  const std::string keys[] = {teach::keyOf({"0"}), teach::keyOf({"1"}), teach::keyOf({"2"}),
                              teach::keyOf({"3"})};
  const auto age = [&](int i, int hours) {
    fs::last_write_time(fileOf(folder, keys[i]),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  const auto put = [&](int i) { Kept(folder.at("kept"), 2200).put(keys[i], value); };
  put(0), put(1);
  age(0, 3), age(1, 4);
  put(2);
  EXPECT_TRUE(fs::exists(fileOf(folder, keys[0])));
  EXPECT_FALSE(fs::exists(fileOf(folder, keys[1]))) << "used longest ago";
  const Kept session(folder.at("kept"), 2200);
  age(0, -1), age(2, -1);  // both used since it began
  session.put(keys[3], value);
  EXPECT_FALSE(fs::exists(fileOf(folder, keys[3])));
  EXPECT_EQ(folder.content().size(), 3U) << "the folder and two files";
  session.put(keys[3], std::string(3000, 'x'));
  EXPECT_FALSE(fs::exists(fileOf(folder, keys[3]))) << "more than there may be";
}

// A folder may be shared, as by mistake the one of the paintings.
TEST(Kept, LeavesOthersFilesAlone) {
  const Folder folder;
  const std::string value(1000, 'x'), key = teach::keyOf({"0"}), other = teach::keyOf({"1"});
  std::filesystem::create_directory(folder.at("kept"));
  const std::set<std::string> others = {
      "a.png",           "notes.kept", key + ".png",        key + ".keep",
      key + ".kept.bak", key,          "a" + key + ".kept", std::string(64, 'g') + ".kept"};
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(9);
  for (const std::string& name : others)
    fs::last_write_time(folder.write("kept/" + name, std::string(5000, 'y')), old);
  fs::last_write_time(folder.write("kept/" + key + ".kept.part17", value), old);
  Kept(folder.at("kept"), 2200).put(key, value);
  EXPECT_EQ(Kept(folder.at("kept"), 2200).find(key), value) << "others' files count nothing";
  fs::last_write_time(fileOf(folder, key), old);
  Kept(folder.at("kept"), 1200).put(other, value);
  std::set<std::string> expected = {"kept", "kept/" + other + ".kept"};
  for (const std::string& name : others) expected.insert("kept/" + name);
  EXPECT_EQ(folder.content(), expected);
}

TEST(Kept, KeepsNothingWhereItCannotWrite) {
  const Folder folder;
  const std::string key = teach::keyOf({"a"});
  Kept(folder.at("none/kept")).put(key, "a value");
  folder.write("file", "no folder");
  Kept(folder.at("file")).put(key, "a value");
  EXPECT_EQ(Kept(folder.at("file")).find(key), std::nullopt);
  EXPECT_EQ(folder.content(), std::set<std::string>{"file"});
}

// A disk that is full in the middle of a file.
TEST(Kept, LeavesNoHalfOfAFile) {
  const Folder folder;
  const Kept kept(folder.at("kept"));
  const std::string key = teach::keyOf({"a"}), value(100000, 'x');
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit narrow{value.size() / 2, limit.rlim_max};
  const auto caught = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &narrow), 0);
  kept.put(key, value);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, caught);
  EXPECT_EQ(folder.content(), std::set<std::string>{"kept"});
  kept.put(key, value);
  EXPECT_EQ(kept.find(key), value);
}

constexpr int kFrames = 3;
constexpr const char* kFolderName = "MPM_TEST_KEPT_FOLDER";

class Resume : public testing::Test {
 protected:
  struct Taught {
    Lesson lesson;
    std::string model;
  };

  TeachOptions options(const std::string& keep) const {
    TeachOptions options;
    options.depths = depths_;
    options.classes = {"sky", "ground", "box"};
    options.keep = keep;
    return options;
  }
  static Teacher teacher(
      const TeachOptions& options, const std::vector<PaintedScene>& scenes,
      const std::string& backbone = inProject("tests/models/segmenter_mask.onnx")) {
    Teacher teacher(backbone, options);
    for (const PaintedScene& scene : scenes) teacher.add(scene.frame, scene.labels);
    return teacher;
  }
  Taught taught(const TeachOptions& options, const std::vector<PaintedScene>& scenes) const {
    Teacher one = teacher(options, scenes);
    Taught taught{one.teach(), {}};
    one.write(folder_.at("yard.onnx"));
    taught.model = bytesOf(folder_.at("yard.onnx"));
    return taught;
  }
  static std::vector<PaintedScene> scenes() {
    std::vector<PaintedScene> scenes;
    for (int i = 0; i < kFrames; ++i) scenes.push_back(paintedScene(i));
    return scenes;
  }
  std::string keep() const { return folder_.at("kept"); }

  // From what is kept and from nothing: the same, of which so many frames were known.
  void expectSame(const std::vector<PaintedScene>& scenes, int known) const {
    const Taught again = taught(options(keep()), scenes), alone = taught(options(""), scenes);
    EXPECT_EQ(again.lesson.kept, known);
    EXPECT_EQ(alone.lesson.kept, 0);
    EXPECT_EQ(again.lesson.meanIou, alone.lesson.meanIou);
    EXPECT_EQ(again.lesson.decay, alone.lesson.decay);
    EXPECT_TRUE(again.model == alone.model);
  }

  const Folder folder_;
  int depths_ = 1;
};

TEST_F(Resume, TheSecondTimeNothingIsComputed) {
  const Taught first = taught(options(keep()), scenes());
  EXPECT_EQ(first.lesson.kept, 0);
  const auto files = folder_.content();
  expectSame(scenes(), kFrames);
  EXPECT_EQ(folder_.content(), files);
}

TEST_F(Resume, GoesOnWhereItWasStopped) {
  for (const int depths : {1, 4, 0}) {
    depths_ = depths;
    for (const double share : {0.1, 0.4, 0.7, 0.95}) {
      TeachOptions stopped = options(keep());
      stopped.progress = [share](double done) { return done < share; };
      Teacher one = teacher(stopped, scenes());
      EXPECT_THROW(one.teach(), TeachStopped) << share;
    }
    expectSame(scenes(), kFrames);
  }
}

using ResumeDeathTest = Resume;

// As a power cut ends it: nothing is tidied up. The process that is killed runs this test from its
// beginning, so what it is killed over stands in the environment.
TEST_F(ResumeDeathTest, GoesOnWhereItWasKilled) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  setenv(kFolderName, keep().c_str(), 0);
  EXPECT_EXIT(
      {
        TeachOptions killed = options(std::getenv(kFolderName));
        killed.progress = [](double done) { return done < 0.5 || std::raise(SIGKILL) != 0; };
        teacher(killed, scenes()).teach();
      },
      testing::KilledBySignal(SIGKILL), "");
  unsetenv(kFolderName);
  ASSERT_TRUE(std::filesystem::exists(keep()));
  expectSame(scenes(), kFrames);
}

TEST_F(Resume, ComputesAnewWhatWasDamaged) {
  taught(options(keep()), scenes());
  for (const auto& file : std::filesystem::directory_iterator(keep())) {
    std::string bytes = bytesOf(file.path().string());
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 64);
    folder_.write("kept/" + file.path().filename().string(), bytes);
  }
  expectSame(scenes(), 0);
  expectSame(scenes(), kFrames);
}

TEST_F(Resume, KnowsWhatChanged) {
  taught(options(keep()), scenes());
  std::vector<PaintedScene> changed = scenes();
  changed[1].frame.at<cv::Vec3b>(5, 7)[0] ^= 64;
  expectSame(changed, kFrames - 1);
  changed = scenes();
  changed[1].labels.rowRange(0, 8).setTo(kUnpainted);
  expectSame(changed, kFrames);
  changed = scenes();
  changed.push_back(paintedScene(kFrames));
  expectSame(changed, kFrames);
  std::swap(changed.front(), changed.back());
  expectSame(changed, kFrames + 1);
}

TEST_F(Resume, KnowsAnotherBackboneAndPrecision) {
  taught(options(keep()), scenes());
  TeachOptions narrow = options(keep());
  narrow.read.precision = "int8";  // every processor has it
  EXPECT_EQ(teacher(narrow, scenes()).teach().kept, 0);
  const std::string copy = folder_.at("copy.onnx");
  std::filesystem::copy(inProject("tests/models/segmenter_mask.onnx"), copy);
  EXPECT_EQ(teacher(options(keep()), scenes(), copy).teach().kept, kFrames) << "the same bytes";
  folder_.write("copy.toml", "mean = [0.1, 0.2, 0.3]\n");
  EXPECT_EQ(teacher(options(keep()), scenes(), copy).teach().kept, 0);
}

// What options leave open is the environment's, which is another one the next time.
TEST_F(Resume, KnowsThePrecisionAndTheDeviceOfTheEnvironment) {
  taught(options(keep()), scenes());
  setenv("MPM_PRECISION", "int8", 1);
  const int keptOfFp32 = teacher(options(keep()), scenes()).teach().kept;
  const int keptOfInt8 = teacher(options(keep()), scenes()).teach().kept;
  unsetenv("MPM_PRECISION");
  EXPECT_EQ(keptOfFp32, 0);
  EXPECT_EQ(keptOfInt8, kFrames);
  TeachOptions said = options(keep());
  said.read.precision = "fp32";
  said.read.device = "cpu";
  EXPECT_EQ(teacher(said, scenes()).teach().kept, kFrames) << "what is meant where nothing is said";
}

// Weights in a file whose name says nothing of the model's.
TEST_F(Resume, KnowsOtherWeights) {
  const std::string backbone = folder_.at("copy.onnx"),
                    weights = folder_.at("timm_vit_external.onnx.data");
  std::filesystem::copy(inProject("tests/models/timm_vit_external.onnx"), backbone);
  std::filesystem::copy(inProject("tests/models/timm_vit_external.onnx.data"), weights);
  teacher(options(keep()), scenes(), backbone).teach();
  EXPECT_EQ(teacher(options(keep()), scenes(), backbone).teach().kept, kFrames);
  std::string bytes = bytesOf(weights);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  folder_.write("timm_vit_external.onnx.data", bytes);
  EXPECT_EQ(teacher(options(keep()), scenes(), backbone).teach().kept, 0);
}

TEST_F(Resume, TeachesWhereNothingCanBeKept) {
  folder_.write("kept", "no folder");
  expectSame(scenes(), 0);
}

}  // namespace
}  // namespace mpm::test
