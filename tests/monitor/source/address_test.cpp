// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/address.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "cli/folder.h"

namespace mpm::monitor {
namespace {

std::string refusal(const std::string& text) {
  try {
    parseSourceAddress(text);
  } catch (const std::invalid_argument& failure) {
    return failure.what();
  }
  return "it was taken";
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SourceAddress, KnowsScenesAndRefusesWrongOnes) {
  const SourceAddress address = parseSourceAddress("scene:?seed=7&clock=600x");
  EXPECT_EQ(address.kind, SourceKind::scene);
  EXPECT_EQ(address.text, "scene:?seed=7&clock=600x");
  EXPECT_EQ(address.shown, address.text);
  EXPECT_TRUE(holds(refusal("scene:?seed=x"), "seed=x")) << refusal("scene:?seed=x");
}

TEST(SourceAddress, KnowsCamerasByNumberAndByPath) {
  const SourceAddress numbered = parseSourceAddress("camera:3");
  EXPECT_EQ(numbered.kind, SourceKind::camera);
  EXPECT_EQ(numbered.text, "/dev/video3");
  EXPECT_EQ(numbered.shown, "/dev/video3");
  EXPECT_EQ(parseSourceAddress("/dev/video0").kind, SourceKind::camera);
  EXPECT_EQ(parseSourceAddress("/dev/v4l/by-id/usb-Maker_Cam-video-index0").kind,
            SourceKind::camera);
  EXPECT_EQ(parseSourceAddress("/dev/null").kind, SourceKind::camera);  // a device of another name
  for (const char* wrong : {"camera:", "camera:x", "camera:-1", "camera:256",
                            "camera:1 "
                            "2"}) {
    EXPECT_TRUE(holds(refusal(wrong), "camera:0")) << wrong << ": " << refusal(wrong);
  }
  EXPECT_TRUE(holds(refusal("0"), "camera:0")) << refusal("0");
}

TEST(SourceAddress, TakesPathsForWhatTheyAreOrAreSpelledLike) {
  const test::Folder folder;
  const std::string bare = folder.write("recording", "x");
  EXPECT_EQ(parseSourceAddress(bare).kind, SourceKind::video);
  EXPECT_EQ(parseSourceAddress(folder.at("")).kind, SourceKind::folder);
  EXPECT_EQ(parseSourceAddress("street.mp4").kind, SourceKind::video);
  EXPECT_EQ(parseSourceAddress("day/street.JPG").kind, SourceKind::picture);
  EXPECT_EQ(parseSourceAddress("later/").kind, SourceKind::folder);
  EXPECT_EQ(parseSourceAddress("frames of today").kind, SourceKind::folder);
  EXPECT_EQ(parseSourceAddress("  street.mp4 ").text, "street.mp4");
}

// What only a command line's NAME=SOURCE has would be a path that never comes.
TEST(SourceAddress, RefusesANameInFrontOfAnAddress) {
  for (const char* wrong : {"gate=scene:", "front door=rtsp://me:geheim@h/x", "T\u00fcr=@file",
                            "=camera:0", "a=/dev/video0", "a=gst:videotestsrc ! appsink"}) {
    EXPECT_TRUE(holds(refusal(wrong), "begins with a name")) << refusal(wrong);
    EXPECT_FALSE(holds(refusal(wrong), "geheim")) << refusal(wrong);
  }
  for (const char* path : {"a=b.mp4", "date=5/scene:1.mp4", "./gate=scene:.mp4", "x/a=rtsp://h"}) {
    EXPECT_EQ(parseSourceAddress(path).text, path);
  }
}

TEST(SourceAddress, KnowsStreamsAndHidesTheirLogins) {
  const SourceAddress address =
      parseSourceAddress("RTSP://admin:geheim@10.0.0.9:554/h264?channel=1&pwd=geheim");
  EXPECT_EQ(address.kind, SourceKind::stream);
  EXPECT_EQ(address.text, "rtsp://admin:geheim@10.0.0.9:554/h264?channel=1&pwd=geheim");
  EXPECT_EQ(address.shown, "rtsp://***@10.0.0.9:554/h264?channel=1&pwd=***");
  for (const char* other : {"rtsps://h/x", "http://h/x", "https://h/x", "udp://@239.0.0.1:1234",
                            "rtmp://h/app/x", "srt://:9000?mode=listener"}) {
    EXPECT_EQ(parseSourceAddress(other).kind, SourceKind::stream) << other;
    EXPECT_EQ(parseSourceAddress(other).shown, other);
  }
}

TEST(SourceAddress, RefusesStreamsThatCannotBeWithoutTellingSecrets) {
  EXPECT_TRUE(holds(refusal("ftp://me:geheim@h/x.mp4"), "ftp://"));
  EXPECT_TRUE(holds(refusal("file:///a.mp4"), "without file://"));
  EXPECT_TRUE(holds(refusal("rtsp:///x"), "names no host"));
  EXPECT_TRUE(holds(refusal("rtsp://"), "names no host"));
  EXPECT_TRUE(holds(refusal("rtsp://me:my geheim@h/x"), "%20"));
  for (const char* wrong :
       {"ftp://me:geheim@h/x.mp4", "rtsp://me:my geheim@h/x", "rtsp://me:geheim@h/\n",
        "gst:rtspsrc location=rtsp://me:geheim@h/x user-pw=geheim ! fakesink"}) {
    EXPECT_FALSE(holds(refusal(wrong), "geheim")) << refusal(wrong);
    EXPECT_FALSE(holds(refusal(wrong), "it was taken")) << wrong;
  }
}

TEST(SourceAddress, MayStandInAFile) {
  const test::Folder folder;
  const auto write = [&](const std::string& text) {
    const std::string path = folder.write("camera", text);
    std::filesystem::permissions(path, std::filesystem::perms(0600));
    return "@" + path;
  };
  const SourceAddress address = parseSourceAddress(write("rtsp://me:geheim@host/x\n"));
  EXPECT_EQ(address.kind, SourceKind::stream);
  EXPECT_EQ(address.text, "rtsp://me:geheim@host/x");
  EXPECT_EQ(address.shown, "rtsp://***@host/x");
  EXPECT_EQ(parseSourceAddress("./@home.mp4").kind, SourceKind::video);
  for (const char* wrong : {"ftp://me:geheim@host/x", "gst:rtspsrc user-pw=geheim ! fakesink"}) {
    EXPECT_FALSE(holds(refusal(write(wrong)), "geheim")) << refusal(write(wrong));
    EXPECT_FALSE(holds(refusal(write(wrong)), "it was taken")) << wrong;
  }
}

TEST(SourceAddress, KnowsPipelinesThatEndInAppsink) {
  const std::string text =
      "gst:rtspsrc location=rtsp://me:geheim@h/x user-id=me user-pw=\"my geheim\" ! decodebin ! "
      "appsink drop=true";
  const SourceAddress address = parseSourceAddress(text);
  EXPECT_EQ(address.kind, SourceKind::pipeline);
  EXPECT_EQ(address.text, text);
  EXPECT_EQ(address.shown,
            "gst:rtspsrc location=rtsp://***@h/x user-id=*** user-pw=*** ! decodebin ! appsink "
            "drop=true");
  for (const char* wrong : {"gst:", "gst:videotestsrc", "gst:videotestsrc !", "gst:a ! fakesink"}) {
    EXPECT_TRUE(holds(refusal(wrong), "appsink")) << wrong << ": " << refusal(wrong);
  }
}

TEST(SourceAddress, MakesPipelinesForThePisCamera) {
  const SourceAddress sized = parseSourceAddress("libcamera:1280x720");
  EXPECT_EQ(sized.kind, SourceKind::pipeline);
  EXPECT_EQ(sized.shown, "libcamera:1280x720");
  EXPECT_EQ(sized.text,
            "gst:libcamerasrc ! video/x-raw,width=1280,height=720 ! videoconvert ! "
            "video/x-raw,format=BGR ! appsink drop=true max-buffers=1");
  EXPECT_FALSE(holds(parseSourceAddress("libcamera:").text, "width"));
  for (const char* wrong : {"libcamera:1280", "libcamera:0x0", "libcamera:axb", "libcamera:9x9!"}) {
    EXPECT_TRUE(holds(refusal(wrong), "libcamera:1280x720")) << wrong << ": " << refusal(wrong);
  }
}

// Seen: the blank was dropped, and there is no such file.
TEST(SourceAddress, IsWithoutBlanksAtItsEndsUnlessAFileHasThem) {
  const test::Folder folder;
  const std::string plain = folder.write("gate.mp4", "plain");
  EXPECT_EQ(parseSourceAddress("  " + plain + " \t").text, plain);
  EXPECT_EQ(parseSourceAddress(" scene:?seed=7 ").text, "scene:?seed=7");
  const std::string ending = folder.write("gate.mp4 ", "with a blank");
  EXPECT_EQ(parseSourceAddress(ending).text, ending);
  EXPECT_EQ(parseSourceAddress(ending).shown, ending);
  EXPECT_EQ(parseSourceAddress(plain).text, plain);
}

TEST(SourceAddress, RefusesNothingAndControlCharacters) {
  EXPECT_TRUE(holds(refusal(""), "camera:0")) << refusal("");
  EXPECT_TRUE(holds(refusal("   "), "camera:0"));
  EXPECT_TRUE(holds(refusal("a\nb.mp4"), "control character"));
  EXPECT_TRUE(holds(refusal(std::string("a\0b.mp4", 7)), "control character"));
}

}  // namespace
}  // namespace mpm::monitor
