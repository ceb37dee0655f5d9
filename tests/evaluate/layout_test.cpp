// SPDX-License-Identifier: Apache-2.0
// Small data sets in exactly the layouts of the large ones, from files to figures, against a mean
// IoU that is computed by other means.
#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/fake_model.h"
#include "evaluate/label_pictures.h"
#include "evaluate/picture.h"
#include "evaluate/summary.h"
#include "evaluate/test_data.h"

namespace mpm::test {
namespace {

using evaluate::Format;

struct Layout {
  Format format;
  std::string labelPath, photoPath;  // of names
  std::vector<int> numbers;          // that label pictures have
  int classes = 0;
  int (*meaning)(int number) = nullptr;  // -1: ignored
};

int cityscapesMeaning(int number) {
  static const std::vector<int> ids = {7,  8,  11, 12, 13, 17, 19, 20, 21, 22,
                                       23, 24, 25, 26, 27, 28, 31, 32, 33};
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (ids[k] == number) return static_cast<int>(k);
  }
  return -1;
}

int reducedMeaning(int number) { return number == 255 ? -1 : number - 1; }
int ownMeaning(int number) { return number == 255 ? -1 : number; }

std::string pathOf(std::string pattern, const std::string& name) {
  for (std::size_t at = 0; (at = pattern.find('*', at)) != std::string::npos;)
    pattern.replace(at, 1, name);
  return pattern;
}

void checkLayout(const Layout& layout, const std::vector<std::string>& names) {
  const Folder folder;
  const Schedule full, merged = {2, 5};
  const FakeModel model{layout.classes};
  std::vector<Labelled> plainFull, plainMerged;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const cv::Mat numbers = drawnNumbers({41, 33}, layout.numbers, i + 5);
    cv::Mat classes(numbers.size(), CV_16U), likely(numbers.size(), CV_8U);
    for (int p = 0; p < static_cast<int>(numbers.total()); ++p) {
      const int meaning = layout.meaning(numbers.ptr()[p]);
      classes.ptr<std::uint16_t>()[p] = static_cast<std::uint16_t>(meaning < 0 ? 65535 : meaning);
      likely.ptr()[p] = static_cast<std::uint8_t>(std::max(meaning, 0));
    }
    const std::string photo = folder.at(pathOf(layout.photoPath, names[i]));
    putPicture(photo, photoOf(likely, layout.classes, i));
    putPicture(folder.at(pathOf(layout.labelPath, names[i])), numbers);
    const cv::Mat read = cv::imread(photo);
    plainFull.push_back({classes, model.found(full, read)});
    plainMerged.push_back({classes, model.found(merged, read)});
  }
  if (layout.format == Format::pascalContext) {
    std::string list;
    for (const std::string& name : names) list += name + "\n";
    std::filesystem::create_directories(
        folder.at("VOCdevkit/VOC2010/ImageSets/SegmentationContext"));
    folder.write("VOCdevkit/VOC2010/ImageSets/SegmentationContext/val.txt", list);
  }

  const evaluate::Listing listing = evaluate::listPairs(layout.format, folder.at(""), "");
  ASSERT_EQ(listing.pairs.size(), names.size());
  evaluate::Measure measure;
  measure.classes =
      classesOf(layout.format, listing.root, listing.hasTrainIds, {},
                std::vector<std::string>(static_cast<std::size_t>(layout.classes), "x"));
  measure.schedules = {full, merged};
  evaluate::Header header = headerOf(measure, names.size());
  evaluate::Totals totals(header);
  evaluate::measureShard(
      listing.pairs, {}, measure, model, {},
      [&](const evaluate::PictureRecord& record) { totals.add(record); }, [](double) {});
  const evaluate::Summary summary = summaryOf(totals, header);
  EXPECT_TRUE(summary.faults.empty());
  EXPECT_EQ(summary.pictures, names.size());
  EXPECT_NEAR(summary.schedules[0].all.meanIou, plainMeanIou(plainFull, layout.classes), 1e-12);
  EXPECT_NEAR(summary.schedules[1].all.meanIou, plainMeanIou(plainMerged, layout.classes), 1e-12);
  EXPECT_GT(summary.schedules[0].all.meanIou, 0.05);
  EXPECT_NE(summary.schedules[0].all.meanIou, summary.schedules[1].all.meanIou);
}

TEST(Layout, Ade20k) {
  checkLayout({Format::ade20k,
               "annotations/validation/*.png",
               "images/validation/*.jpg",
               {0, 1, 2, 13, 150},
               150,
               reducedMeaning},
              {"ADE_val_00000001", "ADE_val_00000002", "ADE_val_00000003"});
}

TEST(Layout, CityscapesInItsOwnNumbers) {
  checkLayout({Format::cityscapes,
               "gtFine/val/ulm/*_gtFine_labelIds.png",
               "leftImg8bit/val/ulm/*_leftImg8bit.png",
               {0, 3, 7, 8, 11, 24, 26, 33},
               19,
               cityscapesMeaning},
              {"ulm_000000_000019", "ulm_000001_000019"});
}

TEST(Layout, CityscapesInTrainIds) {
  checkLayout({Format::cityscapes,
               "gtFine/val/*/*_gtFine_labelTrainIds.png",
               "leftImg8bit/val/*/*_leftImg8bit.png",
               {0, 1, 2, 11, 18, 255},
               19,
               ownMeaning},
              {"lindau", "munster"});
}

TEST(Layout, PascalContextOf60And59) {
  const std::string root = "VOCdevkit/VOC2010/";
  const std::string labels = root + "SegmentationClassContext/*.png",
                    photos = root + "JPEGImages/*.jpg";
  checkLayout({Format::pascalContext, labels, photos, {0, 1, 15, 59}, 60, ownMeaning},
              {"2008_000002", "2008_000003"});
  checkLayout({Format::pascalContext, labels, photos, {0, 1, 15, 59}, 59, reducedMeaning},
              {"2008_000002", "2008_000003"});
}

TEST(Layout, AFolder) {
  checkLayout({Format::folder, "labels/*.png", "images/*.png", {0, 1, 2, 255}, 4, ownMeaning},
              {"one", "two", "three"});
}

}  // namespace
}  // namespace mpm::test
