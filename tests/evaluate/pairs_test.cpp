// SPDX-License-Identifier: Apache-2.0
#include "evaluate/pairs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "cli/folder.h"

namespace mpm::test {
namespace {

using evaluate::Format;
using evaluate::Listing;
using evaluate::listPairs;

// Empty files: whoever lists them does not open them.
void put(const Folder& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::filesystem::create_directories(std::filesystem::path(folder.at(name)).parent_path());
    folder.write(name, "");
  }
}

void expectPairs(const Listing& listing, const std::vector<std::vector<std::string>>& expected,
                 const Folder& folder) {
  ASSERT_EQ(listing.pairs.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(listing.pairs[i].name, expected[i][0]);
    EXPECT_TRUE(std::filesystem::equivalent(listing.pairs[i].photo, folder.at(expected[i][1])));
    EXPECT_EQ(std::filesystem::path(listing.pairs[i].label).lexically_normal(),
              std::filesystem::path(folder.at(expected[i][2])).lexically_normal());
  }
}

void expectRefused(Format format, const std::string& dataset, const std::string& part,
                   const std::string& split = "") {
  try {
    listPairs(format, dataset, split);
    ADD_FAILURE() << "not refused: " << part;
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Pairs, Ade20k) {
  const Folder folder;
  put(folder, {"images/validation/ADE_val_00000002.jpg", "images/validation/ADE_val_00000001.jpg",
               "annotations/validation/ADE_val_00000001.png", "images/training/t.jpg",
               "annotations/training/t.png", "annotations/validation/ADE_val_00000009.png",
               "images/validation/Thumbs.db", "annotations/validation/ADE_val_00000002.png"});
  const std::string images = "images/validation/", labels = "annotations/validation/";
  const Listing listing = listPairs(Format::ade20k, folder.at(""), "");
  expectPairs(
      listing,
      {{"ADE_val_00000001", images + "ADE_val_00000001.jpg", labels + "ADE_val_00000001.png"},
       {"ADE_val_00000002", images + "ADE_val_00000002.jpg", labels + "ADE_val_00000002.png"}},
      folder);
  ASSERT_EQ(listing.lonely.size(), 1U);
  EXPECT_NE(listing.lonely[0].find("ADE_val_00000009.png"), std::string::npos);
  for (const char* split : {"train", "training"}) {
    expectPairs(listPairs(Format::ade20k, folder.at(""), split),
                {{"t", "images/training/t.jpg", "annotations/training/t.png"}}, folder);
  }
  EXPECT_EQ(listPairs(Format::ade20k, folder.at(""), "validation").pairs.size(), 2U);
}

TEST(Pairs, AFolderAroundTheDataSet) {
  const Folder folder;
  put(folder,
      {"ADEChallengeData2016/images/validation/a.jpg",
       "ADEChallengeData2016/annotations/validation/a.png", "VOCdevkit/VOC2010/JPEGImages/p.jpg",
       "VOCdevkit/VOC2010/SegmentationClassContext/p.png",
       "VOCdevkit/VOC2010/ImageSets/SegmentationContext/val.txt"});
  folder.write("VOCdevkit/VOC2010/ImageSets/SegmentationContext/val.txt", "p\n");
  EXPECT_EQ(listPairs(Format::ade20k, folder.at(""), "").pairs.size(), 1U);
  EXPECT_EQ(listPairs(Format::pascalContext, folder.at(""), "").pairs.size(), 1U);
  EXPECT_EQ(listPairs(Format::pascalContext, folder.at("VOCdevkit/VOC2010"), "").pairs.size(), 1U);
}

TEST(Pairs, CityscapesTakesWhatMorePhotosHave) {
  const Folder folder;
  const std::string photos = "leftImg8bit/val/", labels = "gtFine/val/";
  put(folder, {photos + "munster/munster_000001_000019_leftImg8bit.png",
               photos + "lindau/lindau_000000_000019_leftImg8bit.png",
               photos + "lindau/lindau_000000_000019_rightImg8bit.png",
               labels + "munster/munster_000001_000019_gtFine_labelIds.png",
               labels + "munster/munster_000001_000019_gtFine_color.png",
               labels + "lindau/lindau_000000_000019_gtFine_labelIds.png",
               labels + "lindau/lindau_000000_000019_gtFine_labelTrainIds.png"});
  Listing listing = listPairs(Format::cityscapes, folder.at(""), "");
  EXPECT_FALSE(listing.hasTrainIds);
  expectPairs(listing,
              {{"lindau_000000_000019", photos + "lindau/lindau_000000_000019_leftImg8bit.png",
                labels + "lindau/lindau_000000_000019_gtFine_labelIds.png"},
               {"munster_000001_000019", photos + "munster/munster_000001_000019_leftImg8bit.png",
                labels + "munster/munster_000001_000019_gtFine_labelIds.png"}},
              folder);
  put(folder, {labels + "munster/munster_000001_000019_gtFine_labelTrainIds.png"});
  listing = listPairs(Format::cityscapes, folder.at(""), "val");
  EXPECT_TRUE(listing.hasTrainIds);
  EXPECT_NE(listing.pairs[1].label.find("_gtFine_labelTrainIds.png"), std::string::npos);
}

TEST(Pairs, PascalContextByItsList) {
  const Folder folder;
  put(folder,
      {"JPEGImages/2008_000002.jpg", "JPEGImages/2008_000009.jpg", "JPEGImages/other.jpg",
       "SegmentationClassContext/2008_000002.png", "ImageSets/SegmentationContext/val.txt"});
  folder.write("ImageSets/SegmentationContext/val.txt", "2008_000009\n2008_000002\r\n");
  const Listing listing = listPairs(Format::pascalContext, folder.at(""), "");
  expectPairs(
      listing,
      {{"2008_000002", "JPEGImages/2008_000002.jpg", "SegmentationClassContext/2008_000002.png"},
       {"2008_000009", "JPEGImages/2008_000009.jpg", "SegmentationClassContext/2008_000009.png"}},
      folder);
  expectRefused(Format::pascalContext, folder.at(""), "train.txt", "train");
  folder.write("ImageSets/SegmentationContext/val.txt", "2008_000002\n2008_000002\n");
  expectRefused(Format::pascalContext, folder.at(""), "it has 2008_000002 twice");
}

TEST(Pairs, AFolderOfPicturesAndLabels) {
  const Folder folder;
  put(folder, {"images/b.JPG", "images/a.png", "images/notes.txt", "labels/a.png", "labels/b.png",
               "images/night/n.png", "labels/night/n.png"});
  expectPairs(listPairs(Format::folder, folder.at(""), ""),
              {{"a", "images/a.png", "labels/a.png"}, {"b", "images/b.JPG", "labels/b.png"}},
              folder);
  expectPairs(listPairs(Format::folder, folder.at(""), "night"),
              {{"n", "images/night/n.png", "labels/night/n.png"}}, folder);
  put(folder, {"images/a.jpg"});
  expectRefused(Format::folder, folder.at(""), "share a name");
}

TEST(Pairs, WithoutAnyThereIsNothingToDo) {
  const Folder folder;
  expectRefused(Format::folder, folder.at(""), "cannot read the folder " + folder.at("images"));
  expectRefused(Format::cityscapes, folder.at(""), "leftImg8bit");
  expectRefused(Format::pascalContext, folder.at(""), "val.txt: No such file or directory");
  expectRefused(Format::ade20k, folder.at("missing"), "cannot read the folder ");
  put(folder, {"images/a.png", "labels/b.png"});
  expectRefused(Format::folder, folder.at(""),
                "there is no photo with its label in " + folder.at("") +
                    "; expected images/NAME.jpg with labels/NAME.png");
}

}  // namespace
}  // namespace mpm::test
