// SPDX-License-Identifier: Apache-2.0
// How large a picture is before it is decoded, and that none is decoded that is too large.
#include "monitor/source/picture_size.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <iostream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio/registry.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/folder.h"
#include "monitor/source/readers.h"
#include "monitor/source/test_video.h"
#include "monitor/source/tiny_server.h"

namespace mpm::monitor {
namespace {

// An OpenCV of one's own may have been built without some formats.
bool canWrite(const std::string& extension) {
  const bool can = cv::haveImageWriter("a" + extension);
  if (!can) std::cout << "no pictures " << extension << " with this OpenCV\n";
  return can;
}

std::string encoded(const std::string& extension, cv::Size size, const std::vector<int>& how = {}) {
  std::vector<unsigned char> bytes;
  cv::Mat picture(size, CV_8UC3);
  cv::randu(picture, 0, 256);
  if (extension == ".pgm" || extension == ".pbm") cv::extractChannel(picture, picture, 0);
  EXPECT_TRUE(cv::imencode(extension, picture, bytes, how)) << extension;
  return {bytes.begin(), bytes.end()};
}

// A JPEG whose header says another size than its data have.
std::string jpegThatSays(int width, int height) {
  std::string jpeg = encoded(".jpg", {64, 48});
  const std::size_t frame = jpeg.find("\xFF\xC0");
  EXPECT_NE(frame, std::string::npos);
  for (const auto& [offset, side] : {std::pair<std::size_t, int>{5, height}, {7, width}}) {
    jpeg[frame + offset] = static_cast<char>(side >> 8);
    jpeg[frame + offset + 1] = static_cast<char>(side & 255);
  }
  return jpeg;
}

ReaderOptions small() {
  ReaderOptions options;
  options.mostMegapixels = 0.01;
  return options;
}

TEST(PictureSize, IsWhatADecoderFindsInEachFormat) {
  const test::Folder folder;
  struct Written {
    const char* extension;
    std::vector<int> how;
  };
  const std::vector<Written> all{{".jpg", {}},
                                 {".jpg", {cv::IMWRITE_JPEG_PROGRESSIVE, 1}},
                                 {".png", {}},
                                 {".bmp", {}},
                                 {".tif", {}},
                                 {".webp", {cv::IMWRITE_WEBP_QUALITY, 80}},
                                 {".webp", {cv::IMWRITE_WEBP_QUALITY, 101}},
                                 {".pgm", {}},
                                 {".pgm", {cv::IMWRITE_PXM_BINARY, 0}},
                                 {".ppm", {}},
                                 {".pnm", {}},
                                 {".jp2", {}}};
  for (const Written& one : all) {
    if (!canWrite(one.extension)) continue;
    for (const cv::Size size : {cv::Size(137, 161), cv::Size(300, 128), cv::Size(1, 1)}) {
      if (one.extension == std::string(".jp2") && size.width == 1) continue;  // cannot be written
      const std::string path =
          folder.write(std::string("a") + one.extension, encoded(one.extension, size, one.how));
      ASSERT_EQ(cv::imread(path).size(), size) << path;
      EXPECT_EQ(pictureSize(path), size) << path;
    }
  }
}

TEST(PictureSize, OfWhatIsCutOffOrNoPictureThereIsNone) {
  const test::Folder folder;
  EXPECT_FALSE(pictureSize(folder.at("not there.jpg")));
  EXPECT_FALSE(pictureSize(folder.write("a.jpg", "no picture at all, but long enough")));
  for (const std::string extension : {".jpg", ".png", ".bmp", ".tif", ".webp", ".ppm", ".jp2"}) {
    if (!canWrite(extension)) continue;
    const std::string whole = encoded(extension, {137, 161});
    for (std::size_t length = 0; length < std::min<std::size_t>(whole.size(), 400); ++length) {
      const std::string path = folder.write("cut" + extension, whole.substr(0, length));
      const auto size = pictureSize(path);
      EXPECT_TRUE(!size || *size == cv::Size(137, 161) || extension == ".ppm")
          << extension << " of " << length << " bytes";
    }
  }
}

TEST(PictureLimit, APictureThatIsTooLargeIsPassedOverAndNamed) {
  const test::Folder folder;
  folder.write("a.jpg", jpegThatSays(16000, 16000));
  const auto alone = makeReader(parseSourceAddress(folder.at("a.jpg")));
  ASSERT_TRUE(alone->open());
  Shot shot;
  EXPECT_EQ(alone->read(shot), ReadStatus::failed);
  EXPECT_NE(alone->fault().find("more than 40 megapixels"), std::string::npos) << alone->fault();

  folder.write("b.png", encoded(".png", {64, 48}));
  const auto both = makeReader(parseSourceAddress(folder.at("")));
  ASSERT_TRUE(both->open());
  EXPECT_EQ(both->read(shot), ReadStatus::frame);
  EXPECT_EQ(shot.picture.size(), cv::Size(64, 48));
  EXPECT_EQ(both->read(shot), ReadStatus::ended);
  EXPECT_NE(both->fault().find("1 of them have more than 40 megapixels"), std::string::npos)
      << both->fault();

  folder.write("c.png", encoded(".png", {120, 100}));
  const auto limited = makeReader(parseSourceAddress(folder.at("c.png")), small());
  ASSERT_TRUE(limited->open());
  EXPECT_EQ(limited->read(shot), ReadStatus::failed);
}

TEST(PictureLimit, HoldsForScenesAndVideos) {
  const auto scene = makeReader(parseSourceAddress("scene:?size=128x128"), small());
  EXPECT_FALSE(scene->open());
  EXPECT_NE(scene->fault().find("128 x 128 pixels, more than the limit of 0.01 megapixels"),
            std::string::npos)
      << scene->fault();
  const test::Folder folder;
  test::writeVideo(folder.at("a.avi"), 3);
  ReaderOptions options = small();
  EXPECT_TRUE(makeReader(parseSourceAddress(folder.at("a.avi")), options)->open());
  options.mostMegapixels = 0.003;
  EXPECT_FALSE(makeReader(parseSourceAddress(folder.at("a.avi")), options)->open());
  options.mostMegapixels = 0;
  EXPECT_THROW(makeReader(parseSourceAddress("scene:"), options), std::invalid_argument);
}

// At once, and one that grows while it is watched.
TEST(PictureLimit, HoldsForStreamsBeforeMemoryIsTaken) {
  if (!cv::videoio_registry::hasBackend(cv::CAP_FFMPEG)) {
    GTEST_SKIP() << "this OpenCV was built without FFmpeg";
  }
  const std::string small = encoded(".jpg", {64, 48}), large = jpegThatSays(16000, 16000);
  for (const int before : {0, 40}) {
    std::string answer =
        "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=next\r\n\r\n";
    for (int i = 0; i < before + 3; ++i) {
      const std::string& picture = i < before ? small : large;
      answer += "--next\r\nContent-Type: image/jpeg\r\nContent-Length: " +
                std::to_string(picture.size()) + "\r\n\r\n" + picture + "\r\n";
    }
    const test::TinyServer server(answer, true);
    ReaderOptions options;
    options.openTimeoutMs = options.readTimeoutMs = 60000;  // the server closes
    const auto stream = makeReader(
        parseSourceAddress("http://127.0.0.1:" + std::to_string(server.port()) + "/video"),
        options);
    rusage begun{}, ended{};
    getrusage(RUSAGE_SELF, &begun);
    const bool isOpen = stream->open();
    Shot shot;
    for (int i = 0; isOpen && stream->read(shot) == ReadStatus::frame; ++i) {
      EXPECT_EQ(shot.picture.size(), cv::Size(64, 48));
      ASSERT_LT(i, before);
    }
    getrusage(RUSAGE_SELF, &ended);
    EXPECT_LT(ended.ru_maxrss - begun.ru_maxrss, 150 * 1024);  // the picture alone has 366 MiB
    if (before == 0) {
      EXPECT_NE(stream->fault().find("40 megapixels"), std::string::npos) << stream->fault();
    }
  }
}

}  // namespace
}  // namespace mpm::monitor
