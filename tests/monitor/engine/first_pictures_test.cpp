// SPDX-License-Identifier: Apache-2.0
#include "monitor/engine/first_pictures.h"

#include <gtest/gtest.h>

#include <memory>

#include "monitor/engine/stub_reader.h"
#include "monitor/eventually.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;
using std::chrono::milliseconds;

EngineOptions sourcesOf(int count, int frames) {
  EngineOptions options;
  options.capture.everyFrame = true;
  for (int i = 0; i < count; ++i) {
    NamedSource source;
    source.name = "camera" + std::to_string(i);
    source.address.text = source.address.shown = "stub:";
    options.sources.push_back(source);
  }
  options.makeReader = [frames](const NamedSource&) {
    StubReaderPlan plan;
    plan.frames = frames;
    return std::make_unique<StubReader>(plan);
  };
  return options;
}

constexpr milliseconds kPatience{120000};

// A busy machine may bring no other within the second.
TEST(FirstPictures, TwoOfASource) {
  EXPECT_TRUE(eventually([] { return firstPictures(sourcesOf(2, 20), kPatience).size() == 4; }));
}

TEST(FirstPictures, OneOfASourceThatHasOne) {
  EXPECT_EQ(firstPictures(sourcesOf(1, 1), kPatience).size(), 1u);
}

TEST(FirstPictures, OfFourSourcesAtMost) {
  EXPECT_EQ(firstPictures(sourcesOf(6, 1), kPatience).size(), 4u);
}

TEST(FirstPictures, NoneOfASourceThatGivesNone) {
  EXPECT_TRUE(firstPictures(sourcesOf(1, 0), milliseconds(200)).empty());
}

}  // namespace
}  // namespace mpm::test
