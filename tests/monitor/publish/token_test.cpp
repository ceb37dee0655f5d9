// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/token.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mpm::monitor {
namespace {

TEST(Token, OnlyTheSameIsTheSame) {
  EXPECT_TRUE(isSameToken("secret", "secret"));
  for (const std::string wrong : {"", "s", "secre", "secret ", "Secret", "secreT", "secretsecret"})
    EXPECT_FALSE(isSameToken(wrong, "secret")) << wrong;
  EXPECT_FALSE(isSameToken("", ""));
  EXPECT_FALSE(isSameToken("anything", ""));
}

TEST(Token, ABearerShowsIt) {
  for (const std::string right : {"Bearer secret", "bEARER   secret"})
    EXPECT_TRUE(isBearer(right, "secret")) << right;
  for (const std::string wrong : {"", "secret", "Bearer", "Bearer ", "Bearersecret", "Basic secret",
                                  "Bearer secrets", "Bearer wrong", "Bearer secret "}) {
    EXPECT_FALSE(isBearer(wrong, "secret")) << wrong;
  }
  EXPECT_FALSE(isBearer("Bearer ", ""));
}

TEST(Token, WhereOthersAskOneIsNeeded) {
  for (const std::string address : {"0.0.0.0", "::", "192.0.2.1", "camera.example"}) {
    EXPECT_THROW(checkListening(address, 9120, ""), std::runtime_error) << address;
    EXPECT_NO_THROW(checkListening(address, 9120, "secret")) << address;
  }
}

TEST(Token, WhatCannotStandInAHeaderIsRefusedWithoutSayingIt) {
  EXPECT_NO_THROW(checkListening("localhost", 9120, ""));
  EXPECT_NO_THROW(checkListening("0.0.0.0", 9120, "0123456789abcdef~!\"#"));
  for (const std::string bad : {"two words", "line\n", "tab\t", "B\xC3\xA4ume"}) {
    try {
      checkListening("0.0.0.0", 9120, bad);
      FAIL() << bad;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()).find(bad), std::string::npos);
    }
  }
  EXPECT_THROW(checkListening("::1", 9120, std::string("a\0b", 3)), std::runtime_error);
}

TEST(Token, OwnAddressesAreOnlyThoseOfThisMachine) {
  for (const std::string own : {"127.0.0.1", "127.8.9.10", "::1", "[::1]", "localhost"})
    EXPECT_TRUE(isOwnAddress(own)) << own;
  for (const std::string other : {"", "0.0.0.0", "::", "192.168.1.2", "127.0.0.1.example.com",
                                  "localhost.example.com", "128.0.0.1", "127.1", "127"}) {
    EXPECT_FALSE(isOwnAddress(other)) << other;
  }
}

TEST(Token, OwnHostsMayHaveAPort) {
  for (const std::string own :
       {"localhost", "LOCALHOST:9120", "127.0.0.1:80", "[::1]:9120", "[::1]"})
    EXPECT_TRUE(isOwnHost(own)) << own;
  for (const std::string other :
       {"evil.example:9120", "localhost.evil.example", "127.0.0.1.nip.io:9120", "192.168.1.2:9120",
        ":9120", "user@localhost"}) {
    EXPECT_FALSE(isOwnHost(other)) << other;
  }
}

}  // namespace
}  // namespace mpm::monitor
