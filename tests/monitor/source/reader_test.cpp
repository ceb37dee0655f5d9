// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "cli/folder.h"
#include "monitor/source/guarded_reader.h"

namespace mpm::monitor {
namespace {

std::unique_ptr<Reader> readerOf(const std::string& text, const ReaderOptions& options = {}) {
  return makeReader(parseSourceAddress(text), options);
}

TEST(Reader, OfEveryKindIsThereAndSaysWhyItCannotOpen) {
  for (const char* text : {"/dev/video250", "/nowhere/a.mp4", "/nowhere/folder/", "/nowhere/a.png",
                           "http://me:geheim@127.0.0.1:1/x", "gst:nosuchelement ! appsink"}) {
    const auto reader = readerOf(text);
    ASSERT_NE(reader, nullptr) << text;
    EXPECT_FALSE(reader->open()) << text;
    EXPECT_NE(reader->fault(), "") << text;
    EXPECT_EQ(reader->fault().find("geheim"), std::string::npos) << reader->fault();
    EXPECT_EQ(reader->fault().find('\n'), std::string::npos) << reader->fault();
  }
  EXPECT_TRUE(readerOf("scene:?size=64x64")->open());
}

TEST(Reader, OfACameraTellsWhatIsMissing) {
  const auto missing = readerOf("/dev/video250");
  EXPECT_TRUE(missing->isLive());
  EXPECT_FALSE(missing->open());
  EXPECT_NE(missing->fault().find("there is no camera /dev/video250"), std::string::npos)
      << missing->fault();
  const auto nothing = readerOf("/dev/null");
  EXPECT_FALSE(nothing->open());
  EXPECT_NE(nothing->fault().find("/dev/null"), std::string::npos) << nothing->fault();
}

TEST(Reader, RefusesOptionsThatCannotBe) {
  const auto refuses = [](const auto& change) {
    ReaderOptions options;
    change(options);
    EXPECT_THROW(readerOf("scene:", options), std::invalid_argument);
  };
  refuses([](ReaderOptions& options) { options.openTimeoutMs = 0; });
  refuses([](ReaderOptions& options) { options.readTimeoutMs = -1; });
  refuses([](ReaderOptions& options) { options.folderFps = 0; });
  refuses([](ReaderOptions& options) { options.folderFps = std::nan(""); });
  refuses([](ReaderOptions& options) { options.cameraFps = -1; });
  refuses([](ReaderOptions& options) { options.cameraSize = {-1, 480}; });
}

class ThrowingReader : public GuardedReader {
 public:
  using GuardedReader::GuardedReader;
  bool isLive() const override { return true; }

 protected:
  [[noreturn]] static void raise() {
    CV_Error(cv::Error::StsError, "no way to\nrtsp://me:geheim@host/x");
  }
  bool openSource() override { raise(); }
  ReadStatus readSource(Shot&) override { raise(); }
  bool seekSource(std::int64_t) override { raise(); }
};

TEST(Reader, TurnsExceptionsIntoFaultsWithoutSecrets) {
  ThrowingReader reader(parseSourceAddress("rtsp://me:geheim@host/x"));
  Shot shot;
  EXPECT_FALSE(reader.open());
  EXPECT_EQ(reader.fault(), "rtsp://***@host/x cannot be opened: no way to rtsp://***@host/x");
  EXPECT_EQ(reader.read(shot), ReadStatus::failed);
  EXPECT_EQ(reader.fault(), "rtsp://***@host/x cannot be read: no way to rtsp://***@host/x");
  EXPECT_FALSE(reader.seek(5));
}

}  // namespace
}  // namespace mpm::monitor
