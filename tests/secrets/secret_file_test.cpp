// SPDX-License-Identifier: Apache-2.0
#include "secrets/secrets.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "cli/folder.h"

namespace mpm::secrets {
namespace {

namespace fs = std::filesystem;

class SecretFile : public testing::Test {
 protected:
  SecretFile() { unsetenv("CREDENTIALS_DIRECTORY"); }
  ~SecretFile() override { unsetenv("CREDENTIALS_DIRECTORY"); }

  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = folder_.write(name, text);
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    return path;
  }
  static std::string refusal(const std::string& file) {
    try {
      readSecret(file);
      return "";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  }
  static bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  test::Folder folder_;
};

TEST_F(SecretFile, IsTheFirstLineWithoutBlanksAtItsEnd) {
  EXPECT_EQ(readSecret(write("token", "s3 cret \r\nmore\n")), "s3 cret");
  EXPECT_EQ(readSecret(write("token", "s3cret")), "s3cret");
}

TEST_F(SecretFile, SaysWhyThereIsNone) {
  EXPECT_TRUE(holds(refusal(folder_.at("none")), "No such file"));
  EXPECT_TRUE(holds(refusal(write("empty", "\nsecond")), "has no first line"));
  const std::string open = write("open", "s3cret");
  fs::permissions(open, fs::perms::others_read, fs::perm_options::add);
  EXPECT_TRUE(holds(refusal(open), "can be read by everybody"));
  const std::string closed = write("closed", "s3cret");
  fs::permissions(closed, fs::perms::none);
  if (access(closed.c_str(), R_OK) == 0) GTEST_SKIP() << "this user may read everything";
  EXPECT_TRUE(holds(refusal(closed), "LoadCredential=NAME:" + closed)) << refusal(closed);
}

TEST_F(SecretFile, IsACredentialOfSystemd) {
  EXPECT_TRUE(holds(refusal("credential:http-token"), "LoadCredential=http-token:"));
  setenv("CREDENTIALS_DIRECTORY", folder_.at("").c_str(), 1);
  EXPECT_TRUE(holds(refusal("credential:http-token"), "no credential http-token"));
  write("http-token", "");
  EXPECT_TRUE(holds(refusal("credential:http-token"), "is empty"));
  write("http-token", "s3cret\n");
  EXPECT_EQ(readSecret("credential:http-token"), "s3cret");
  EXPECT_TRUE(holds(refusal("credential:../http-token"), "names no credential"));
}

TEST_F(SecretFile, MayHoldAnAddress) {
  EXPECT_EQ(addressOf("@" + write("camera", "rtsp://me:geheim@host/x\n")),
            "rtsp://me:geheim@host/x");
  EXPECT_EQ(addressOf("./@home.mp4"), "./@home.mp4");
  EXPECT_EQ(addressOf(""), "");
  EXPECT_THROW(addressOf("@"), std::invalid_argument);
  EXPECT_THROW(addressOf("@" + folder_.at("none")), std::invalid_argument);
  EXPECT_THROW(addressOf("@" + write("loop", "@loop")), std::invalid_argument);
  setenv("CREDENTIALS_DIRECTORY", folder_.at("").c_str(), 1);
  EXPECT_EQ(addressOf("@credential:camera"), "rtsp://me:geheim@host/x");
}

}  // namespace
}  // namespace mpm::secrets
