// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/cameras.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/folder.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

// Files stand for devices: they cannot be asked what they can, so that the index decides.
class Cameras : public testing::Test {
 protected:
  Cameras() {
    for (const char* name : {"dev", "dev/by-id", "names"}) fs::create_directories(folder_.at(name));
  }

  void add(const std::string& name, const std::string& shown, const std::string& index) {
    folder_.write("dev/" + name, "");
    fs::create_directories(folder_.at("names/" + name));
    folder_.write("names/" + name + "/name", shown + "\n");
    folder_.write("names/" + name + "/index", index + "\n");
  }
  void link(const std::string& lasting, const std::string& name) {
    fs::create_symlink("../" + name, folder_.at("dev/by-id/" + lasting));
  }
  CameraFolders folders() const {
    return {folder_.at("dev"), folder_.at("dev/by-id"), folder_.at("names")};
  }

  test::Folder folder_;
};

TEST_F(Cameras, AreListedByNumberWithTheirNames) {
  add("video10", "Second", "0");
  add("video2", "HD Webcam", "0");
  add("video3", "HD Webcam", "1");
  link("usb-Maker_HD_Webcam-video-index0", "video2");
  link("usb-Maker_HD_Webcam-video-index1", "video3");
  const auto cameras = listCameras(folders());
  ASSERT_EQ(cameras.size(), 2U);
  EXPECT_EQ(cameras[0].device, folder_.at("dev/video2"));
  EXPECT_EQ(cameras[0].byId, folder_.at("dev/by-id/usb-Maker_HD_Webcam-video-index0"));
  EXPECT_EQ(cameras[0].address(), cameras[0].byId);
  EXPECT_EQ(cameras[0].name, "HD Webcam");
  EXPECT_EQ(cameras[1].device, folder_.at("dev/video10"));
  EXPECT_EQ(cameras[1].byId, "");
  EXPECT_EQ(cameras[1].address(), cameras[1].device);
  EXPECT_EQ(cameras[1].name, "Second");
}

TEST_F(Cameras, MayHaveNoNameNoIndexAndBrokenLinks) {
  folder_.write("dev/video0", "");
  fs::create_directories(folder_.at("names/video0"));
  link("usb-Gone-video-index0", "video9");
  const auto cameras = listCameras(folders());
  ASSERT_EQ(cameras.size(), 1U);
  EXPECT_EQ(cameras[0].name, "video0");
}

TEST_F(Cameras, AreNotWhatHasNoDeviceOrAnotherName) {
  fs::create_directories(folder_.at("names/video1"));  // just unplugged
  fs::create_directories(folder_.at("names/vbi0"));
  fs::create_directories(folder_.at("names/v4l-subdev0"));
  fs::create_directories(folder_.at("names/videoX"));
  folder_.write("dev/vbi0", "");
  folder_.write("dev/v4l-subdev0", "");
  folder_.write("dev/videoX", "");
  EXPECT_TRUE(listCameras(folders()).empty());
}

TEST_F(Cameras, AreNoneWhereThereAreNoFolders) {
  EXPECT_TRUE(listCameras({"/nowhere", "/nowhere/by-id", "/nowhere/names"}).empty());
}

}  // namespace
}  // namespace mpm::monitor
