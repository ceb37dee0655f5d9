// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <tuple>

#include "gui/teach/teach_worker.h"
#include "in_project.h"

namespace mpm::gui {
namespace {

TEST(SizeInPatches, HasTheShapeOfTheFrameAndNoMorePatchesOrPixels) {
  for (const auto& [patches, patch, frame, expected] :
       {std::tuple{1000, 14, cv::Size(768, 576), cv::Size(504, 378)},
        {1000, 14, {640, 480}, {504, 378}},
        {1000, 14, {1920, 1080}, {574, 322}},
        {1000, 16, {1920, 1080}, {656, 368}},
        {1000, 14, {1080, 1920}, {322, 574}},
        {2000, 14, {640, 480}, {630, 476}},
        {500, 14, {768, 576}, {350, 266}},
        {1000, 14, {320, 240}, {294, 224}},
        {1000, 8, {64, 48}, {64, 48}},
        {1000, 32, {64, 48}, {}},
        {1000, 16, {-1, -1}, {}}}) {
    const cv::Size size = sizeInPatches(patches, patch, frame);
    EXPECT_EQ(size, expected) << patches << " of " << patch << " in " << frame;
    EXPECT_LE(size.area(), patches * patch * patch);
  }
}

std::string model(const std::string& name) {
  return test::inProject("tests/models/" + name + ".onnx");
}

// Both declare 64 x 48 with patches of 8.
TEST(InputSizeOf, ABackboneIsWhatSuitsTheCameraWhereItAdapts) {
  struct Case {
    const char* model;
    int wanted;
    cv::Size frame, size;
    bool isOwn, adapts;
  };
  for (const Case& each : {Case{"hf_dinov2", kSuitingPatches, {320, 240}, {288, 216}, false, true},
                           {"hf_dinov2", kSuitingPatches, {64, 48}, {64, 48}, true, true},
                           {"hf_dinov2", kSuitingPatches, {40, 30}, {64, 48}, true, true},
                           {"hf_dinov2", 24, {320, 240}, {40, 32}, false, true},
                           {"hf_dinov2", kDeclaredPatches, {320, 240}, {64, 48}, true, true},
                           {"timm_vit", kSuitingPatches, {320, 240}, {64, 48}, true, false},
                           {"timm_vit", kDeclaredPatches, {320, 240}, {64, 48}, true, true}}) {
    SCOPED_TRACE(std::string(each.model) + ", " + std::to_string(each.wanted));
    const InputSize found = inputSizeOf(model(each.model), {}, each.wanted, each.frame);
    EXPECT_EQ(found.size, each.size);
    EXPECT_EQ(found.patches, each.size.area() / 64);
    EXPECT_EQ(found.isOwn, each.isOwn);
    EXPECT_EQ(found.adapts, each.adapts);
  }
  EXPECT_THROW(inputSizeOf("/nowhere.onnx", {}, kSuitingPatches, {64, 48}), std::runtime_error);
}

}  // namespace
}  // namespace mpm::gui
