// SPDX-License-Identifier: Apache-2.0
#include "segment/model_metadata.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "cli/folder.h"
#include "segment/class_list.h"

namespace mpm::test {
namespace {

using segment::ModelMetadata;

void expectRefused(const auto& call, const std::string& sentence) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << sentence;
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(sentence), std::string::npos) << error.what();
  }
}

TEST(ModelMetadata, OfMetadata) {
  const ModelMetadata facts = segment::parseMetadata({{"mpm.mean", "0.485,0.456,0.406"},
                                                      {"mpm.std", "1, 0.5 ,2e-1"},
                                                      {"mpm.channel_order", "BGR"},
                                                      {"mpm.classes", "road\nside walk\nsky"},
                                                      {"mpm.palette", "#804080\n#F423e8\n#000000"},
                                                      {"mpm.patch", "16"},
                                                      {"author", "somebody"}},
                                                     "a.onnx");
  EXPECT_EQ(*facts.mean, cv::Vec3f(0.485F, 0.456F, 0.406F));
  EXPECT_EQ(*facts.std, cv::Vec3f(1, 0.5F, 0.2F));
  EXPECT_FALSE(*facts.rgb);
  EXPECT_EQ(facts.classes, (std::vector<std::string>{"road", "side walk", "sky"}));
  EXPECT_EQ(facts.palette, (std::vector<cv::Vec3b>{{0x80, 0x40, 0x80}, {0xe8, 0x23, 0xf4}, {}}));
}

TEST(ModelMetadata, WhatIsNotSaidIsNotThere) {
  const ModelMetadata facts = segment::parseMetadata({}, "a.onnx");
  EXPECT_FALSE(facts.mean || facts.std || facts.rgb);
  EXPECT_TRUE(facts.classes.empty() && facts.palette.empty());
}

TEST(ModelMetadata, MetadataThatIsNotUnderstoodIsNamed) {
  const auto refuse = [](const std::string& key, const std::string& value, const char* sentence) {
    expectRefused(
        [&] {
          segment::parseMetadata({{key, value}}, "a.onnx");
        },
        "a.onnx: its metadata " + key + " is '" + value + "'; " + sentence);
  };
  for (const char* text :
       {"", "0.5", "0.5,0.5", "1,2,3,4", "1,2,x", "1,2,3x", "nan,1,1", "123.675,116.28,103.53"}) {
    refuse("mpm.mean", text, "expected three numbers");
  }
  refuse("mpm.std", "1,0,1", "expected three numbers above 0");
  refuse("mpm.channel_order", "rgb", "expected RGB or BGR");
  for (const char* text : {"red", "#12345", "#12345g", "#-12345"}) {
    refuse("mpm.palette", text, "expected one colour #rrggbb on each line");
  }
}

TEST(ModelMetadata, OfATomlBesideTheModel) {
  const Folder folder;
  folder.write("a.toml",
               "mean = [0, 0.5, 1]\nstd = [1, 1.0, 2]\nchannel_order = \"BGR\"\n"
               "classes = [\"road\",\n  \"sky\"]\npalette = [\"#102030\", \"#ffffff\"]\n");
  const std::map<std::string, std::string> metadata = {{"mpm.mean", "1,1,1"},
                                                       {"mpm.channel_order", "RGB"}};
  const ModelMetadata facts = segment::modelMetadata(folder.at("a.onnx"), metadata);
  EXPECT_EQ(*facts.mean, cv::Vec3f(0, 0.5F, 1));
  EXPECT_EQ(*facts.std, cv::Vec3f(1, 1, 2));
  EXPECT_FALSE(*facts.rgb);
  EXPECT_EQ(facts.classes, (std::vector<std::string>{"road", "sky"}));
  EXPECT_EQ(facts.palette[0], cv::Vec3b(0x30, 0x20, 0x10));
  const ModelMetadata other = segment::modelMetadata(folder.at("b.onnx"), metadata);
  EXPECT_EQ(*other.mean, cv::Vec3f(1, 1, 1));
  EXPECT_TRUE(*other.rgb);
}

TEST(ModelMetadata, AsMetadataTheySayTheSame) {
  ModelMetadata facts;
  facts.mean = cv::Vec3f(0.485F, 0.4578275F, 0.406F);
  facts.std = cv::Vec3f(0.1F, 1.0F / 3, 2);
  facts.rgb = false;
  facts.classes = {"road", "sky, blue"};
  facts.palette = {{0x30, 0x20, 0x10}, {255, 255, 255}};
  const std::map<std::string, std::string> metadata = segment::metadataEntries(facts);
  EXPECT_EQ(metadata.at("mpm.mean"), "0.485,0.4578275,0.406");
  const ModelMetadata read = segment::parseMetadata(metadata, "a.onnx");
  EXPECT_EQ(read.mean, facts.mean);
  EXPECT_EQ(read.std, facts.std);
  EXPECT_EQ(read.rgb, facts.rgb);
  EXPECT_EQ(read.classes, facts.classes);
  EXPECT_EQ(read.palette, facts.palette);
  EXPECT_TRUE(segment::metadataEntries({}).empty());
}

TEST(ModelMetadata, ATomlThatIsNotUnderstoodIsToldWithItsLine) {
  const Folder folder;
  const auto refuse = [&](const std::string& text, int line, const std::string& sentence) {
    const std::string path = folder.write("a.toml", text);
    expectRefused([&] { segment::readTomlMetadata(path); },
                  path + ", line " + std::to_string(line) + ": " + sentence);
  };
  refuse("mean = [1, 2, 3]\nchannel_order = \"RGB\n", 2, "");
  refuse(
      "\xc9"
      "BM",
      1, "there is a character outside of quotes");  // toml++ takes it for impossible
  refuse("\nmeen = [1, 2, 3]\n", 2, "there is no key meen; there are mean, std, ");
  refuse("mean = 3\n", 1, "mean is not a list of three; expected three numbers");
  refuse("mean = [1, 2]\n", 1, "mean is not a list of three");
  refuse("mean = [1,\n2, \"x\"]\n", 2, "mean holds something else");
  refuse(
      "std = [58.395, 57.12, 57.375]\n", 1,
      "std holds something else; expected three numbers above 0 for colours from 0 to 1, such as "
      "[0.5, 0.5, 0.5]; divide those for 0 to 255 by 255");
  refuse("std = [1, 0, 1]\n", 1, "std holds something else; expected three numbers above 0");
  refuse("\n\nchannel_order = \"GBR\"\n", 3, "channel_order is something else");
  refuse("classes = \"road\"\n", 1, "classes is not a list");
  refuse("classes = [\n\"road\",\n3]\n", 3, "classes holds something that is not text");
  refuse("palette = [\n\"#000000\", \"red\"]\n", 2,
         "palette holds 'red'; expected a list of colours");
}

TEST(ClassLists, OneThatCannotBeReadSaysWhy) {
  const Folder folder;
  const std::string missing = folder.at("classes.txt");
  expectRefused([&] { segment::readClassList(missing); },
                "cannot read the names of classes in " + missing + ": No such file or directory");
}

TEST(Palette, ColoursAreToldApart) {
  const std::vector<cv::Vec3b> palette = segment::distinctColours(150);
  for (std::size_t i = 0; i < palette.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double apart = cv::norm(cv::Vec3d(palette[i]) - cv::Vec3d(palette[j]));
      EXPECT_GT(apart, i < 12 ? 60 : 16) << j << " and " << i;
    }
  }
}

TEST(Palette, AShorterOneBeginsALongerOne) {
  const std::vector<cv::Vec3b> few = segment::distinctColours(20),
                               many = segment::distinctColours(300);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_EQ(many.size(), 300U);
  EXPECT_EQ(many[256], many[0]);
  EXPECT_TRUE(segment::distinctColours(0).empty());
}

}  // namespace
}  // namespace mpm::test
