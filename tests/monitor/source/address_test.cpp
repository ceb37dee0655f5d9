// SPDX-License-Identifier: Apache-2.0
// Where a camera is: what an address is taken for, how it is shown, and which cameras there are.
#include "monitor/source/address.h"

#include "cli/folder.h"
#include "monitor/says.h"
#include "monitor/source/cameras.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

// "none" for what is refused.
std::string kindOf(const std::string& text) {
  const char* const names[] = {"scene",   "camera", "video",   "folder",
                               "picture", "stream", "pipeline"};
  const SourceKind kinds[] = {SourceKind::scene,   SourceKind::camera,  SourceKind::video,
                              SourceKind::folder,  SourceKind::picture, SourceKind::stream,
                              SourceKind::pipeline};
  std::string kind = "none";
  refusal([&] {
    const SourceKind found = parseSourceAddress(text).kind;
    kind = names[std::find(std::begin(kinds), std::end(kinds), found) - std::begin(kinds)];
  });
  return kind;
}

TEST(SourceAddress, IsTakenForWhatItIsOrIsSpelledLike) {
  const test::Folder folder;
  const std::pair<std::string, const char*> cases[] = {
      {"scene:?seed=7&clock=600x", "scene"},
      {"camera:3", "camera"},
      {"/dev/video0", "camera"},
      {"/dev/v4l/by-id/usb-Maker_Cam-video-index0", "camera"},
      {"/dev/null", "camera"},  // a device of another name
      {folder.write("recording", "x"), "video"},
      {folder.at(""), "folder"},
      {"street.mp4", "video"},
      {"day/street.JPG", "picture"},
      {"later/", "folder"},
      {"frames of today", "folder"},
      {"./@home.mp4", "video"},
      {"rtsp://h/x", "stream"},
      {"gst:a ! appsink", "pipeline"},
      {"libcamera:", "pipeline"}};
  for (const auto& [text, kind] : cases) EXPECT_EQ(kindOf(text), kind) << text;
}

struct Address {
  std::string text, opened, shown;
};

TEST(SourceAddress, IsOpenedAsItIsMeantAndShownWithoutItsLogin) {
  const test::Folder folder;
  const std::string file = folder.write("camera", "rtsp://me:geheim@host/x\n");
  fs::permissions(file, fs::perms(0600));
  const std::string pipeline =
      "gst:rtspsrc location=rtsp://me:geheim@h/x user-id=me user-pw=\"my geheim\" ! decodebin ! "
      "appsink drop=true";
  // Seen: the blank was dropped, and there is no such file.
  const std::string plain = folder.write("gate.mp4", "plain"),
                    blank = folder.write("gate.mp4 ", "with a blank");
  std::vector<Address> cases{
      {"camera:3", "/dev/video3", "/dev/video3"},
      {"  street.mp4 ", "street.mp4", "street.mp4"},
      {"  " + plain + "\t", plain, plain},
      {" scene:?seed=7 ", "scene:?seed=7", "scene:?seed=7"},
      {"RTSP://admin:geheim@10.0.0.9:554/h264?channel=1&pwd=geheim",
       "rtsp://admin:geheim@10.0.0.9:554/h264?channel=1&pwd=geheim",
       "rtsp://***@10.0.0.9:554/h264?channel=1&pwd=***"},
      {"@" + file, "rtsp://me:geheim@host/x", "rtsp://***@host/x"},
      {pipeline, pipeline,
       "gst:rtspsrc location=rtsp://***@h/x user-id=*** user-pw=*** ! decodebin ! appsink "
       "drop=true"},
      {"libcamera:1280x720",
       "gst:libcamerasrc ! video/x-raw,width=1280,height=720 ! videoconvert ! "
       "video/x-raw,format=BGR ! appsink drop=true max-buffers=1",
       "libcamera:1280x720"}};
  for (const std::string same :
       {"scene:?seed=7&clock=600x", "rtsps://h/x", "http://h/x", "https://h/x",
        "udp://@239.0.0.1:1234", "rtmp://h/app/x", "srt://:9000?mode=listener", "a=b.mp4",
        "date=5/scene:1.mp4", "./gate=scene:.mp4", "x/a=rtsp://h"})
    cases.push_back({same, same, same});
  for (const std::string& same : {plain, blank}) cases.push_back({same, same, same});
  for (const Address& one : cases) {
    const SourceAddress address = parseSourceAddress(one.text);
    EXPECT_EQ(address.text, one.opened);
    EXPECT_EQ(address.shown, one.shown);
  }
  EXPECT_FALSE(has(parseSourceAddress("libcamera:").text, "width"));
}

TEST(SourceAddress, ThatCannotBeIsRefusedWithWhatToWriteAndNoSecret) {
  const test::Folder folder;
  const auto fileWith = [&](const std::string& text) {
    const std::string path = folder.write(std::to_string(text.size()), text);
    fs::permissions(path, fs::perms(0600));
    return "@" + path;
  };
  const std::pair<std::string, const char*> cases[] = {
      {"scene:?seed=x", "seed=x"},
      {"camera:", "camera:0"},
      {"camera:x", "camera:0"},
      {"camera:-1", "camera:0"},
      {"camera:256", "camera:0"},
      {"camera:1 2", "camera:0"},
      {"0", "camera:0"},
      {"", "camera:0"},
      {"   ", "camera:0"},
      // What only a command line's NAME=SOURCE has would be a path that never comes.
      {"gate=scene:", "begins with a name"},
      {"front door=rtsp://me:geheim@h/x", "begins with a name"},
      {"T\u00fcr=@file", "begins with a name"},
      {"=camera:0", "begins with a name"},
      {"a=/dev/video0", "begins with a name"},
      {"a=gst:videotestsrc ! appsink", "begins with a name"},
      {"ftp://me:geheim@h/x.mp4", "ftp://"},
      {"file:///a.mp4", "without file://"},
      {"rtsp:///x", "names no host"},
      {"rtsp://", "names no host"},
      {"rtsp://me:my geheim@h/x", "%20"},
      {"rtsp://me:geheim@h/\n", ""},
      {"gst:rtspsrc location=rtsp://me:geheim@h/x user-pw=geheim ! fakesink", "appsink"},
      {"gst:", "appsink"},
      {"gst:videotestsrc", "appsink"},
      {"gst:videotestsrc !", "appsink"},
      {fileWith("ftp://me:geheim@host/x"), ""},
      {fileWith("gst:rtspsrc user-pw=geheim ! fakesink"), ""},
      {"libcamera:1280", "libcamera:1280x720"},
      {"libcamera:0x0", "libcamera:1280x720"},
      {"libcamera:axb", "libcamera:1280x720"},
      {"libcamera:9x9!", "libcamera:1280x720"},
      {"a\nb.mp4", "control character"},
      {std::string("a\0b.mp4", 7), "control character"}};
  for (const auto& [text, part] : cases) {
    const std::string said = refusal([&, &text = text] { parseSourceAddress(text); });
    EXPECT_NE(said, "") << text;
    EXPECT_TRUE(has(said, part)) << text;
    EXPECT_FALSE(has(said, "geheim"));
  }
}

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
  std::vector<CameraDevice> found() const {
    return listCameras({folder_.at("dev"), folder_.at("dev/by-id"), folder_.at("names")});
  }

  test::Folder folder_;
};

TEST_F(Cameras, AreListedByNumberWithTheirNames) {
  add("video10", "Second", "0");
  add("video2", "HD Webcam", "0");
  add("video3", "HD Webcam", "1");
  link("usb-Maker_HD_Webcam-video-index0", "video2");
  link("usb-Maker_HD_Webcam-video-index1", "video3");
  const auto cameras = found();
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

TEST_F(Cameras, MayHaveNoNameNoIndexAndBrokenLinksAndAreNotWhatHasNoDeviceOrAnotherName) {
  folder_.write("dev/video0", "");
  fs::create_directories(folder_.at("names/video0"));
  link("usb-Gone-video-index0", "video9");
  fs::create_directories(folder_.at("names/video1"));  // just unplugged
  for (const std::string other : {"vbi0", "v4l-subdev0", "videoX"}) {
    fs::create_directories(folder_.at("names/" + other));
    folder_.write("dev/" + other, "");
  }
  ASSERT_EQ(found().size(), 1U);
  EXPECT_EQ(found()[0].name, "video0");
  EXPECT_TRUE(listCameras({"/nowhere", "/nowhere/by-id", "/nowhere/names"}).empty());
}

}  // namespace
}  // namespace mpm::monitor
