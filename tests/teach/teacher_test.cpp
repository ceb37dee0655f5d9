// SPDX-License-Identifier: Apache-2.0
#include "in_project.h"
#include "mpm/teach.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "comma_locale.h"
#include "mpm/segmenter.h"
#include "teach/painted_frames.h"

namespace mpm::test {
namespace {

const std::string kBackbone = inProject("tests/models/segmenter_mask.onnx");

TeachOptions threeClasses() {
  TeachOptions options;
  options.classes = {"sky", "ground", "box"};
  options.palette = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}};
  return options;
}

Teacher taughtOn(int frames, Lesson* lesson = nullptr) {
  Teacher teacher(kBackbone, threeClasses());
  for (int i = 0; i < frames; ++i) {
    const PaintedScene scene = paintedScene(i);
    teacher.add(scene.frame, scene.labels);
  }
  const Lesson learned = teacher.teach();
  if (lesson != nullptr) *lesson = learned;
  return teacher;
}

template <class Error, class Call>
void expectThrows(const Call& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown; expected: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Teacher, TeachesWhatASegmenterThenFinds) {
  const Folder folder;
  const std::string path = folder.at("yard.onnx");
  Lesson lesson;
  Teacher teacher = taughtOn(5, &lesson);
  teacher.write(path);
  EXPECT_EQ(lesson.frames, 5);
  EXPECT_GT(lesson.meanIou, 0.8);
  EXPECT_NEAR(lesson.classes[0].share, 0.5, 1e-9);
  Segmenter segmenter(path);
  EXPECT_EQ(segmenter.classes(), threeClasses().classes);
  EXPECT_EQ(segmenter.palette(), threeClasses().palette);
  EXPECT_EQ(segmenter.model().metadata.at("mpm.patch"), "8");
  EXPECT_NE(segmenter.model().metadata.at("mpm.taught").find("5 frames, mIoU "), std::string::npos);
  for (int number = 6; number < 9; ++number) {  // never seen
    const PaintedScene scene = paintedScene(number);
    segmenter.setSchedule({});
    const cv::Mat full = segmenter.segment(scene.frame).labels.clone();
    EXPECT_GT(agreement(teacher.labels(scene.frame), full), 0.999) << number;
    EXPECT_GT(agreement(full, scene.labels), 0.93) << number;
    segmenter.setSchedule({2, 5});
    const Segmentation merged = segmenter.segment(scene.frame);
    EXPECT_LT(merged.rows.back(), merged.rows.front());
    EXPECT_GT(agreement(merged.labels, full), 0.9) << number;
  }
}

TeachOptions threeClassesOf(int depths) {
  TeachOptions options = threeClasses();
  options.depths = depths;
  return options;
}

// The file of a head on several depths, and what its teacher finds, are one; it merges, each
// depth's tokens restored by themselves, and remembers.
TEST(TeacherOfDepths, TeachesWhatASegmenterThenFinds) {
  for (const bool ofPlaces : {false, true}) {
    SCOPED_TRACE(ofPlaces ? "places" : "things");
    const auto sceneOf = ofPlaces ? paintedQuarters : paintedScene;
    const double least = ofPlaces ? 0.8 : 0.93;
    const Folder folder;
    const std::string path = folder.at("yard.onnx");
    Teacher teacher(kBackbone, threeClassesOf(4));
    for (int i = 0; i < 5; ++i) teacher.add(sceneOf(i).frame, sceneOf(i).labels);
    const Lesson lesson = teacher.teach();
    EXPECT_EQ(lesson.depths, 4);
    EXPECT_TRUE(lesson.knowsPlaces || !ofPlaces);
    teacher.write(path);
    Segmenter segmenter(path), other(path);
    EXPECT_NE(segmenter.model().metadata.at("mpm.taught").find("; of 4 depths"), std::string::npos);
    EXPECT_EQ(segmenter.memoryFault(), "");
    SceneMemory memory;
    for (int number = 6; number < 9; ++number) {
      const PaintedScene scene = sceneOf(number);
      segmenter.setSchedule({});
      const cv::Mat full = segmenter.segment(scene.frame).labels.clone();
      EXPECT_GT(agreement(teacher.labels(scene.frame), full), 0.999) << number;
      EXPECT_GT(agreement(full, scene.labels), least) << number;
      segmenter.setSchedule({2, 5});
      const Segmentation merged = segmenter.segment(scene.frame);
      EXPECT_LT(merged.rows.back(), merged.rows.front());
      EXPECT_GT(agreement(merged.labels, scene.labels), least - 0.05) << number;
      const Segmentation remembered = other.segment(scene.frame, memory);
      EXPECT_GT(agreement(remembered.labels, scene.labels), least - 0.05) << number;
    }
    const cv::Mat frame = sceneOf(8).frame;  // once more: only patches whose turn it is
    const Segmentation again = other.segment(frame, memory);
    EXPECT_LT(again.memory.fresh, again.memory.rows / 2);
    EXPECT_GT(agreement(again.labels, other.segment(frame).labels), 0.95);
  }
}

// What is chosen finds what it finds when it is asked for, and progress never goes back.
TEST(TeacherOfDepths, AreChosenWhereTheyFindMuchMore) {
  const Folder folder;
  std::set<int> chosen;
  for (const auto sceneOf : {paintedScene, paintedDots}) {
    double share = 0;
    const auto taught = [&](int depths) {
      TeachOptions options = threeClassesOf(depths);
      share = 0;
      options.progress = [&](double now) {
        EXPECT_GE(now, share);
        share = now;
        return true;
      };
      Teacher teacher(kBackbone, options);
      for (int i = 0; i < 5; ++i) teacher.add(sceneOf(i).frame, sceneOf(i).labels);
      const Lesson lesson = teacher.teach();
      EXPECT_EQ(share, 1);
      teacher.write(folder.at(std::to_string(depths)));
      return lesson;
    };
    const Lesson one = taught(1), four = taught(4), either = taught(0);
    const bool isMore = four.meanIou > one.meanIou + 0.02;
    EXPECT_EQ(either.depths, isMore ? 4 : 1);
    EXPECT_NEAR(either.meanIou, (isMore ? four : one).meanIou, 0.01);
    EXPECT_TRUE(isMore || bytesOf(folder.at("0")) == bytesOf(folder.at("1")));
    chosen.insert(either.depths);
  }
  EXPECT_EQ(chosen, (std::set<int>{1, 4}));
}

// As the app compares it: what a mean of the camera's frames falls below where it shows other
// things. Of frames like those that were painted it is more, and of a backbone's it says nothing.
TEST(Teacher, SaysHowSureNearlyAllFramesLikeItsOwnAre) {
  const Folder folder;
  const std::string path = folder.at("yard.onnx");
  taughtOn(5).write(path);
  Segmenter segmenter(path);
  const double usual = std::stod(segmenter.model().metadata.at("mpm.confidence"));
  EXPECT_GT(usual, 0.4);
  for (int number = 6; number < 12; ++number)
    EXPECT_GT(cv::mean(segmenter.segment(paintedScene(number).frame).confidence)[0], usual);
  Teacher again(path, threeClasses());  // of too few frames to tell
  again.add(paintedScene(0).frame, paintedScene(0).labels);
  again.teach();
  again.write(folder.at("again.onnx"));
  EXPECT_FALSE(describe(folder.at("again.onnx")).metadata.contains("mpm.confidence"));
}

TEST(Teacher, NumbersInItsFileDoNotFollowTheLocale) {
  const Folder folder;
  const Teacher teacher = taughtOn(5);
  teacher.write(folder.at("plain.onnx"));
  const CommaLocale locale;
  if (!locale.isThere()) GTEST_SKIP() << CommaLocale::kWhyNot;
  teacher.write(folder.at("comma.onnx"));
  const auto plain = describe(folder.at("plain.onnx")).metadata;
  EXPECT_EQ(describe(folder.at("comma.onnx")).metadata, plain);
  EXPECT_NE(plain.at("mpm.confidence").find('.'), std::string::npos);
}

TEST(Teacher, SaysWhatIsPaintedNowhereAlsoOfOneFrame) {
  TeachOptions options = threeClasses();
  options.classes.emplace_back("snow");
  options.palette.emplace_back(255, 255, 255);
  Teacher teacher(kBackbone, options);
  teacher.add(paintedScene(0).frame, paintedScene(0).labels);
  const Lesson lesson = teacher.teach();
  ASSERT_EQ(lesson.advice.size(), 2U);
  EXPECT_EQ(lesson.advice[0].kind, Advice::Kind::unpainted);
  EXPECT_EQ(lesson.advice[0].name, "snow");
  EXPECT_EQ(lesson.advice[1].kind, Advice::Kind::oneFrame);
}

// Where alone tells classes apart: cross-validation finds that it does, and the written file's
// scores have it whichever way they are computed.
TEST(Teacher, KnowsPlacesWhereTheyTell) {
  const Folder folder;
  const std::string path = folder.at("yard.onnx");
  TeachOptions options;
  options.classes = {"one", "other"};
  Teacher teacher(kBackbone, options);
  for (int i = 0; i < 5; ++i) teacher.add(paintedQuarters(i).frame, paintedQuarters(i).labels);
  const Lesson lesson = teacher.teach();
  EXPECT_TRUE(lesson.knowsPlaces);
  EXPECT_GT(lesson.meanIou, 0.7);
  teacher.write(path);
  Segmenter segmenter(path);
  EXPECT_NE(segmenter.model().metadata.at("mpm.taught").find("of this view alone"),
            std::string::npos);
  SegmenterOptions larger;
  larger.read.inputSize = {128, 96};
  Segmenter large(path, larger);
  SceneMemory memory;
  for (int number = 6; number < 9; ++number) {
    const PaintedScene scene = paintedQuarters(number);
    segmenter.setSchedule({});
    const cv::Mat full = segmenter.segment(scene.frame).labels.clone();
    EXPECT_GT(agreement(teacher.labels(scene.frame), full), 0.999) << number;
    EXPECT_GT(agreement(full, scene.labels), 0.8) << number;
    segmenter.setSchedule({2, 5});
    EXPECT_GT(agreement(segmenter.segment(scene.frame).labels, scene.labels), 0.8) << number;
    EXPECT_GT(agreement(segmenter.segment(scene.frame, memory).labels, scene.labels), 0.8)
        << number;
    EXPECT_GT(agreement(large.segment(scene.frame).labels, scene.labels), 0.8) << number;
  }
}

// Painted strokes say where classes are as well as whole frames do.
TEST(Teacher, LearnsFromStrokes) {
  Teacher teacher(kBackbone, threeClasses());
  for (int i = 0; i < 5; ++i) {
    PaintedScene scene = paintedScene(i);
    cv::Mat strokes(scene.labels.size(), CV_16U, cv::Scalar(kUnpainted));
    for (const int y : {8, 30, 36, 44}) scene.labels.row(y).convertTo(strokes.row(y), CV_16U);
    teacher.add(scene.frame, strokes);
  }
  const Folder folder;
  teacher.teach();
  teacher.write(folder.at("yard.onnx"));
  const PaintedScene scene = paintedScene(7);
  const cv::Mat labels = Segmenter(folder.at("yard.onnx")).segment(scene.frame).labels;
  EXPECT_GT(agreement(labels, scene.labels), 0.85);
}

TEST(Teacher, TellsWhatMoreItNeeds) {
  TeachOptions options = threeClasses();
  options.classes.push_back("snow");
  options.palette.clear();
  Teacher teacher(kBackbone, options);
  for (int i = 0; i < 4; ++i) {
    PaintedScene scene = paintedScene(i);
    if (i != 1) scene.labels.setTo(kUnpainted, scene.labels == 2);
    teacher.add(scene.frame, scene.labels);
  }
  const Lesson lesson = teacher.teach();
  EXPECT_TRUE(std::isnan(lesson.classes[2].iou));
  EXPECT_EQ(lesson.classes[2].frames, 1);
  ASSERT_EQ(lesson.advice.size(), 2U);
  EXPECT_NE(lesson.advice[0].sentence().find("box is painted on only one frame"),
            std::string::npos);
  EXPECT_NE(lesson.advice[1].sentence().find("snow is painted nowhere"), std::string::npos);
}

// Which is which cannot be told where nothing tells them apart.
TEST(Teacher, TellsOfClassesThatAreNeverApart) {
  Teacher teacher(kBackbone, threeClasses());
  cv::RNG random(11);
  for (int i = 0; i < 5; ++i) {
    PaintedScene scene = paintedScene(i);
    cv::Mat coin(scene.labels.size(), CV_8U);
    random.fill(coin, cv::RNG::UNIFORM, 0, 2);
    scene.labels.setTo(2, (scene.labels == 1) & (coin == 1));
    teacher.add(scene.frame, scene.labels);
  }
  std::string all;
  for (const Advice& advice : teacher.teach().advice) all += advice.sentence() + '\n';
  EXPECT_NE(all.find(" is mistaken for "), std::string::npos) << all;
}

TEST(Teacher, DoubtsWhatItHasNotSeen) {
  Teacher teacher = taughtOn(4);
  const double known = teacher.doubt(paintedScene(2).frame);
  cv::Mat strange(48, 64, CV_8UC3);
  cv::RNG(3).fill(strange, cv::RNG::UNIFORM, 0, 255);
  EXPECT_GE(known, 0);
  EXPECT_GT(teacher.doubt(strange), known);
}

TEST(Teacher, LeavesOpenWhatItIsNotSureOf) {
  Teacher teacher = taughtOn(4);
  const cv::Mat frame = paintedScene(7).frame;
  const cv::Mat all = teacher.labels(frame), sure = teacher.labels(frame, 0.9);
  const int open = cv::countNonZero(sure == kUnpainted);
  EXPECT_GT(open, 0) << "borders";
  EXPECT_LT(open, static_cast<int>(sure.total()));
  EXPECT_EQ(cv::countNonZero((sure != all) & (sure != kUnpainted)), 0);
  EXPECT_EQ(cv::countNonZero(all == kUnpainted), 0);
}

TEST(Teacher, TeachesFromOneFrameWithoutJudging) {
  Lesson lesson;
  taughtOn(1, &lesson);
  EXPECT_TRUE(std::isnan(lesson.meanIou));
  ASSERT_EQ(lesson.advice.size(), 1U);
  EXPECT_NE(lesson.advice[0].sentence().find("not to judge the result"), std::string::npos);
}

TEST(Teacher, RefusesFramesAndPaintingsThatDoNotFit) {
  Teacher teacher(kBackbone, threeClasses());
  const PaintedScene scene = paintedScene(0);
  teacher.add(scene.frame, scene.labels);
  using Refused = std::invalid_argument;
  expectThrows<Refused>([&] { teacher.add(scene.frame(cv::Rect(0, 0, 32, 48)), scene.labels); },
                        "the frame is 32 x 48, and those before it are 64 x 48");
  expectThrows<Refused>([&] { teacher.add(scene.frame, scene.labels(cv::Rect(0, 0, 9, 7))); },
                        "the painting is 9 x 7, and its frame 64 x 48");
  expectThrows<Refused>([&] { teacher.add(scene.frame, scene.frame); }, "numbers of classes");
  expectThrows<Refused>([&] { teacher.add(scene.frame, scene.labels + 1); },
                        "the painting has number 3, and there are 3 classes");
  expectThrows<Refused>([&] { teacher.add({}, scene.labels); }, "the frame is empty");
  EXPECT_EQ(teacher.teach().frames, 1);
  expectThrows<std::logic_error>([&] { teacher.add(scene.frame, scene.labels); }, "it is taught");
  expectThrows<std::logic_error>([&] { teacher.teach(); }, "it is taught");
}

TEST(Teacher, RefusesWhatTeachesNothing) {
  const PaintedScene scene = paintedScene(0);
  Teacher teacher(kBackbone, threeClasses());
  using Refused = std::runtime_error;
  expectThrows<Refused>([&] { teacher.teach(); }, "nothing is painted");
  teacher.add(scene.frame, cv::Mat(scene.labels.size(), CV_8U, cv::Scalar(kUnpainted)));
  expectThrows<Refused>([&] { teacher.teach(); }, "nothing is painted");
  teacher.add(scene.frame, cv::Mat(scene.labels.size(), CV_8U, cv::Scalar(1)));
  expectThrows<Refused>([&] { teacher.teach(); }, "only one class is painted");
  expectThrows<std::logic_error>([&] { teacher.write("never.onnx"); }, "nothing was taught yet");
  expectThrows<std::logic_error>([&] { teacher.labels(scene.frame); }, "nothing was taught yet");
  EXPECT_FALSE(std::filesystem::exists("never.onnx"));
}

TEST(Teacher, RefusesOptionsThatMakeNoSense) {
  const auto with = [](const std::vector<std::string>& classes, std::size_t colours) {
    TeachOptions options;
    options.classes = classes;
    options.palette.resize(colours);
    return [options] { Teacher(kBackbone, options); };
  };
  using Refused = std::invalid_argument;
  expectThrows<Refused>(with({"one"}, 0), "2 to 255");
  expectThrows<Refused>(with({"one", "one"}, 0), "two classes are called one");
  expectThrows<Refused>(with({"one", ""}, 0), "a class name is empty");
  expectThrows<Refused>(with({"one", "two"}, 3), "3 colours for 2 classes");
  for (const int depths : {-1, 5})
    expectThrows<Refused>([&] { Teacher(kBackbone, threeClassesOf(depths)); }, "expected 1 to 4");
}

TEST(Teacher, LeavesNothingBehindWhereItCannotWrite) {
  const Folder folder;
  Teacher teacher = taughtOn(2);
  expectThrows<std::runtime_error>([&] { teacher.write(folder.at("none/yard.onnx")); },
                                   "cannot be written");
  EXPECT_TRUE(folder.content().empty());
}

}  // namespace
}  // namespace mpm::test
