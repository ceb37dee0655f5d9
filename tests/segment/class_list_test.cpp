// SPDX-License-Identifier: Apache-2.0
#include "segment/class_list.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "cli/folder.h"

namespace mpm::segment {
namespace {

TEST(ClassLists, OneThatCannotBeReadSaysWhy) {
  const test::Folder folder;
  const std::string missing = folder.at("classes.txt");
  try {
    readClassList(missing);
    ADD_FAILURE() << "not refused";
  } catch (const std::runtime_error& fault) {
    EXPECT_EQ(fault.what(),
              "cannot read the names of classes in " + missing + ": No such file or directory");
  }
}

}  // namespace
}  // namespace mpm::segment
