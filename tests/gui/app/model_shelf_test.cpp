// SPDX-License-Identifier: Apache-2.0
#include "gui/app/model_shelf.h"

#include <gtest/gtest.h>

#include <QTest>

#include "gui/wait_for.h"
#include "in_project.h"

namespace mpm::gui {
namespace {

// Seen: the time of before beside the words of now, on the model's card.
TEST(ModelShelf, ATimeStandsBesideTheWayThatItWasMeasuredIn) {
  AppOptions options;
  options.record = "none";
  options.source = "scene:?clock=600x&hour=12&size=160x120";
  options.model = QString::fromStdString(test::inProject("tests/models/segmenter_mask.onnx"));
  options.noMemory = true;
  Settings settings = withOptions({}, options);
  const QString model = settings.live.model;
  Session session(settings);
  ModelShelf shelf(session);
  session.open();
  const auto noted = [&](const char* way) {
    return waitFor([&] {
      shelf.note();
      shelf.finish();
      const ModelShelf::Remembered kept = ModelShelf::of(model);
      return kept.ms && kept.way.endsWith(way);
    });
  };
  ASSERT_TRUE(waitFor([&] { return session.live().newest() != nullptr; }));
  session.setSchedule("1");
  ASSERT_TRUE(noted("merged before 1"));
  const double before = *ModelShelf::of(model).ms;
  EXPECT_GT(before, 0);
  session.setSchedule("none");
  shelf.note();
  shelf.finish();
  EXPECT_EQ(*ModelShelf::of(model).ms, before);
  EXPECT_TRUE(ModelShelf::of(model).way.contains("float")) << "as the menu calls it";
  EXPECT_TRUE(ModelShelf::of(model).way.endsWith("merged before 1"))
      << qPrintable(ModelShelf::of(model).way);
  EXPECT_TRUE(noted("full tokens"));
}

}  // namespace
}  // namespace mpm::gui
