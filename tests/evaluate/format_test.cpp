// SPDX-License-Identifier: Apache-2.0
#include "evaluate/truth.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <utility>

#include "cli/folder.h"

namespace mpm::test {
namespace {

using evaluate::Classes;
using evaluate::classesOf;
using evaluate::ClassOptions;
using evaluate::Format;
using Names = std::vector<std::string>;

Names someNames(std::size_t count) {
  Names names;
  for (std::size_t k = 0; k < count; ++k) names.push_back("class " + std::to_string(k));
  return names;
}

int meaningOf(const Classes& classes, int number) {
  const cv::Mat one(1, 1, CV_16U, cv::Scalar(number));
  return classes.rule.truthOf(one).classes.at<std::uint16_t>(0, 0);
}

void expectRefused(Format format, const std::string& root, const ClassOptions& options,
                   std::size_t modelClasses, const std::string& part) {
  try {
    classesOf(format, root, false, options, someNames(modelClasses));
    ADD_FAILURE() << "not refused: " << part;
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Format, Names) {
  for (const char* name : {"ade20k", "cityscapes", "pascal-context", "folder"})
    EXPECT_EQ(evaluate::nameOf(evaluate::formatNamed(name)), name);
  try {
    evaluate::formatNamed("coco");
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "format coco is not known; use ade20k, cityscapes, pascal-context or folder");
  }
}

TEST(Format, Strides) {
  EXPECT_EQ(evaluate::strideOf(512), 480);
  EXPECT_EQ(evaluate::strideOf(768), 736);
  EXPECT_EQ(evaluate::strideOf(480), 448);
  EXPECT_EQ(evaluate::strideOf(64), 64);
}

TEST(Format, EveryNameIsThereOnce) {
  const auto distinct = [](const Names& names) {
    return std::set<std::string>(names.begin(), names.end()).size();
  };
  EXPECT_EQ(evaluate::ade20kClasses().size(), 150U);
  EXPECT_EQ(distinct(evaluate::ade20kClasses()), 150U);
  EXPECT_EQ(evaluate::ade20kClasses()[12], "person");
  EXPECT_EQ(evaluate::ade20kClasses()[149], "flag");
  EXPECT_EQ(distinct(evaluate::cityscapesClasses()), 19U);
  EXPECT_EQ(evaluate::cityscapesClasses()[18], "bicycle");
  EXPECT_EQ(distinct(evaluate::pascalContextClasses()), 60U);
  EXPECT_EQ(evaluate::pascalContextClasses()[15], "person");
}

TEST(Format, Ade20kHasNoZero) {
  const Classes classes = classesOf(Format::ade20k, "", false, {}, someNames(150));
  EXPECT_EQ(meaningOf(classes, 0), evaluate::LabelRule::kIgnored);
  EXPECT_EQ(meaningOf(classes, 1), 0);
  EXPECT_EQ(meaningOf(classes, 150), 149);
  EXPECT_EQ(meaningOf(classes, 255), evaluate::LabelRule::kIgnored);
  expectRefused(Format::ade20k, "", {}, 151, "the model has 151 classes and ADE20K has 150");
}

TEST(Format, CityscapesInBothSpellings) {
  EXPECT_EQ(meaningOf(classesOf(Format::cityscapes, "", true, {}, someNames(19)), 11), 11);
  EXPECT_EQ(meaningOf(classesOf(Format::cityscapes, "", false, {}, someNames(19)), 24), 11);
  expectRefused(Format::cityscapes, "", {}, 20, "Cityscapes has 19");
}

TEST(Format, PascalContextWithAndWithoutBackground) {
  const Classes with = classesOf(Format::pascalContext, "", false, {}, someNames(60));
  EXPECT_EQ(with.names[0], "background");
  EXPECT_EQ(meaningOf(with, 0), 0);
  EXPECT_EQ(meaningOf(with, 59), 59);
  const Classes without = classesOf(Format::pascalContext, "", false, {}, someNames(59));
  EXPECT_EQ(without.names[0], "aeroplane");
  EXPECT_EQ(meaningOf(without, 0), evaluate::LabelRule::kIgnored);
  EXPECT_EQ(meaningOf(without, 59), 58);
  ClassOptions options;
  options.classes = 59;
  expectRefused(Format::pascalContext, "", options, 60, "Pascal Context has 59");
  options.classes = 60;
  expectRefused(Format::pascalContext, "", options, 59, "with its background has 60");
  options.classes = 58;
  expectRefused(Format::pascalContext, "", options, 58, "Pascal Context has 59, or 60");
  expectRefused(Format::pascalContext, "", {}, 21, "the model has 21 classes");
}

TEST(Format, AFolderWithAndWithoutNames) {
  const Folder folder;
  ClassOptions options;
  options.ignored = 9;
  const Classes own = classesOf(Format::folder, folder.at(""), false, options, {"a", "b"});
  EXPECT_EQ(own.names, (Names{"a", "b"}));
  EXPECT_EQ(meaningOf(own, 9), evaluate::LabelRule::kIgnored);
  folder.write("classes.txt", "sky\t#aabbcc\n\n tall house \t2\r\n");
  options.reduceZero = true;
  const Classes named = classesOf(Format::folder, folder.at(""), false, options, {"a", "b"});
  EXPECT_EQ(named.names, (Names{"sky", "tall house"}));
  EXPECT_EQ(meaningOf(named, 0), evaluate::LabelRule::kIgnored);
  EXPECT_EQ(meaningOf(named, 2), 1);
  expectRefused(Format::folder, folder.at(""), options, 3,
                "the model has 3 classes and " + folder.at("classes.txt") + " has 2");
  folder.write("classes.txt", "\n\n");
  expectRefused(Format::folder, folder.at(""), options, 2, "it has no names");
  expectRefused(Format::folder, Folder().at(""), options, 5000, "4096 is the most");
}

// Numbers mean other classes then, and every figure would be one of mistaken classes.
TEST(Format, ClassesInAnotherOrderAreRefused) {
  const Folder folder;
  folder.write("classes.txt", "sky\nroad\ntree\n");
  const auto refusal = [&](const Names& model) -> std::string {
    try {
      classesOf(Format::folder, folder.at(""), false, {}, model);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal({"sky", "road", "tree"}), "");
  EXPECT_EQ(refusal({"ciel", "route", "arbre"}), "") << "another language";
  EXPECT_EQ(refusal({"ciel", "road", "arbre"}), "");
  EXPECT_EQ(refusal({"road", "sky", "tree"}),
            "sky is class 0 in " + folder.at("classes.txt") +
                " and class 1 of the model; both must have the same order");
  Names turned = evaluate::cityscapesClasses();
  std::swap(turned[3], turned[4]);
  EXPECT_THROW(classesOf(Format::cityscapes, "", true, {}, turned), std::runtime_error);
  EXPECT_NO_THROW(classesOf(Format::cityscapes, "", true, {}, evaluate::cityscapesClasses()));
}

}  // namespace
}  // namespace mpm::test
