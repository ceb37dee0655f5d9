// SPDX-License-Identifier: Apache-2.0
#include "secrets/secrets.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mpm::secrets {
namespace {

TEST(Redaction, HidesLoginsOfAddresses) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"rtsp://me:geheim@host/x", "rtsp://***@host/x"},
      {"rtsp://me@host/x", "rtsp://***@host/x"},
      {"http://me:ge@he!im@host:80/", "http://***@host:80/"},
      {"no connection to http://me:geheim@a, nor to rtsp://me:geheim@b.",
       "no connection to http://***@a, nor to rtsp://***@b."},
      {"http://proxy:1984/api?src=rtsp://me:geheim@cam/1",
       "http://proxy:1984/api?src=rtsp://***@cam/1"},
      {"me:geheim@host refused", "***@host refused"},
      {"udp://@239.0.0.1:1234", "udp://@239.0.0.1:1234"},
      {"http://host/@live/x", "http://host/@live/x"},
      {"http://host:8080/x?mail=a@b", "http://host:8080/x?mail=a@b"},
      {"[rtsp @ 0x55d] method DESCRIBE failed: 401", "[rtsp @ 0x55d] method DESCRIBE failed: 401"},
  };
  for (const auto& [text, shown] : cases) EXPECT_EQ(withoutSecrets(text), shown);
}

TEST(Redaction, HidesPasswordsThatNobodyEncoded) {
  for (const char* text :
       {"rtsp://me:ge/heim@host/x", "rtsp://me:12/heim@host/x", "rtsp://me:ge?heim@host/x",
        "rtsp://me:ge#heim@host/x", "rtsp://me:p@ge/heim@host/x", "rtsp://me:ge'heim@host/x",
        "rtsp://me:\"ge\"heim@host/x", "rtsp://me:geheim@host@heim/x"}) {
    const std::string shown = withoutSecrets(text);
    EXPECT_EQ(shown.find("ge"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("me:"), std::string::npos) << shown;
  }
}

TEST(Redaction, HidesValuesOfNamesThatMaySayASecret) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"http://h/v?usr=me&pwd=geheim&size=2", "http://h/v?usr=***&pwd=***&size=2"},
      {"http://h/v?loginuse=me&loginpas=geheim", "http://h/v?loginuse=***&loginpas=***"},
      {"http://h/v?access_token=geheim#x y", "http://h/v?access_token=*** y"},
      {"http://h/v?API-KEY=geheim", "http://h/v?API-KEY=***"},
      {"srt://h:1?passphrase=geheim&mode=caller", "srt://h:1?passphrase=***&mode=caller"},
      {"rtsp://h/user=me_password=geheim_channel=1.sdp", "rtsp://h/user=***"},
      {"rtspsrc user-pw = ge&heim latency=0", "rtspsrc user-pw = *** latency=0"},
      {"rtspsrc user-pw=ge\\ heim ! x", "rtspsrc user-pw=*** ! x"},
      {"rtspsrc user-pw='ge heim' ! x", "rtspsrc user-pw=*** ! x"},
      {"http://proxy/?url=rtsp%3A%2F%2Fme%3Ageheim%40cam", "http://proxy/?url=***"},
      {"GET /\nAuthorization: Basic Z2VoZWlt\nHost: h", "GET /\nAuthorization: ***\nHost: h"},
      {"format=BGR width=640 latency=0", "format=BGR width=640 latency=0"},
      {"a = b == c=", "a = b == c="},
      {"", ""},
  };
  for (const auto& [text, shown] : cases) EXPECT_EQ(withoutSecrets(text), shown);
}

TEST(Redaction, GivesTheSameForWhatIsShownAlready) {
  for (const char* text : {"rtsp://me:geheim@host/x?pwd=geheim", "gst:a location=rtsp://a:b@c ! b",
                           "Authorization: Basic geheim"}) {
    const std::string once = withoutSecrets(text);
    EXPECT_EQ(withoutSecrets(once), once);
  }
}

TEST(Redaction, TakesAnyBytes) {
  std::uint32_t state = 7;
  const std::string letters = "a:/@=?&\"'\\ %\xff\n!p";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (int j = 0; j < i % 40; ++j) {
      state = state * 1664525 + 1013904223;
      text += letters[(state >> 16) % letters.size()];
    }
    EXPECT_LE(withoutSecrets(text).size(), text.size() * 4 + 8);
  }
}

TEST(Redaction, KnowsWhatHoldsAPassword) {
  EXPECT_TRUE(holdsPassword("rtsp://me:geheim@host/x"));
  EXPECT_TRUE(holdsPassword("gate=rtsp://me:geheim@host/x"));
  EXPECT_TRUE(holdsPassword("http://host/x?user=me&pwd=geheim"));
  EXPECT_TRUE(holdsPassword("gst:rtspsrc location=rtsp://host user-pw=geheim ! appsink"));
  EXPECT_FALSE(holdsPassword("rtsp://me@host/x"));
  EXPECT_FALSE(holdsPassword("rtsp://host:554/x"));
  EXPECT_FALSE(holdsPassword("gate=/dev/video0"));
}

}  // namespace
}  // namespace mpm::secrets
