// SPDX-License-Identifier: Apache-2.0
#include "gui/app/headline.h"

#include <gtest/gtest.h>

#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <memory>
#include <string>
#include <vector>

#include "gui/hands.h"
#include "gui/wait_for.h"
#include "monitor/engine/stub_network.h"

namespace mpm::gui {
namespace {

constexpr double kNaN = ClassShare::kUnknown;

struct Case {
  const char* name;
  std::vector<ClassShare> shares;
  const char *words, *note;
};

class There : public testing::TestWithParam<Case> {};

TEST_P(There, IsSaidInWords) {
  const ThereWords there = thereWords(GetParam().shares, QLocale("en"));
  EXPECT_EQ(there.words.toStdString(), GetParam().words);
  EXPECT_EQ(there.note.toStdString(), GetParam().note);
}

INSTANTIATE_TEST_SUITE_P(
    Each, There,
    testing::Values(
        Case{"Nothing", {}, "nothing that is shown", ""},
        Case{"OnlySpecks", {{"car", 0.001, kNaN, 0}}, "nothing that is shown", ""},
        Case{"TheLargestThree",
             {{"sky", 0.1, kNaN, 0},
              {"road", 0.4, kNaN, 0},
              {"car", 0.02, kNaN, 0},
              {"lawn", 0.3, kNaN, 0}},
             "road 40%, lawn 30%, sky 10%",
             "what is usual is known in ten minutes"},
        Case{"AsUsual",
             {{"road", 0.4, 0.41, 0.01}, {"person", 0.004, 0.004, 0.003}},
             "road 40%",
             "as usual"},
        Case{"MoreThanUsual",
             {{"road", 0.4, 0.41, 0.01}, {"person in path", 0.021, 0.004, 0.003}},
             "person in path: 2.1% now, usually 0.4%",
             "more than usual"},
        Case{"LessThanUsual",
             {{"car", 0, 0.08, 0.01}, {"road", 0.5, 0.4, 0.005}},
             "car: 0.0% now, usually 8.0%",
             "less than usual"},
        Case{"WhereMuchChangesAnyway", {{"person", 0.05, 0.02, 0.02}}, "person 5.0%", "as usual"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(SeenLately, HasRateDelayAndTheClassesThatAreShown) {
  monitor::EngineOptions options;
  options.sources = {
      {"street", monitor::parseSourceAddress("scene:?clock=1x&hour=12&size=64x64"), {}}};
  monitor::Engine engine(std::move(options), std::make_unique<test::StubNetwork>(), {});
  ClassSettings classes;
  classes.setClasses(engine.classes(), engine.palette());
  ASSERT_GT(classes.count(), 1);
  // The street sends ten frames a second.
  ASSERT_TRUE(waitFor([&] { return seenLately(engine, 0, classes).perSecond > 8; }));
  const SeenLately seen = seenLately(engine, 0, classes);
  EXPECT_LT(seen.perSecond, 12);
  EXPECT_GE(seen.lateMs, 0);
  EXPECT_EQ(seen.shares.size(), static_cast<std::size_t>(classes.count()));
  double sum = 0;
  for (const ClassShare& share : seen.shares) sum += share.now;
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_TRUE(std::isnan(seen.shares[0].usual)) << "there are no ten minutes yet";
  classes.setSolo(1);
  const SeenLately alone = seenLately(engine, 0, classes);
  ASSERT_EQ(alone.shares.size(), 1u);
  EXPECT_EQ(alone.shares[0].name, classes.name(1));
}

TEST(PlaceBanner, LeadsToTeachingAndToAnotherModelAndStaysClosed) {
  QWidget window;
  PlaceBanner banner(&window);
  window.show();
  QSignalSpy teach(&banner, &PlaceBanner::teachWanted), model(&banner, &PlaceBanner::modelWanted);
  banner.offer(false, "a");
  EXPECT_FALSE(banner.isVisible());
  banner.offer(true, "a");
  ASSERT_TRUE(banner.isVisible());
  window.resize(banner.sizeHint());
  for (QPushButton* button : banner.findChildren<QPushButton*>()) {
    ASSERT_TRUE(waitFor([&] { return button->isVisible(); }));
    button->click();
  }
  EXPECT_EQ(teach.count(), 1);
  EXPECT_EQ(model.count(), 1);
  banner.findChild<QToolButton*>()->click();
  EXPECT_FALSE(banner.isVisible());
  banner.offer(true, "a");
  EXPECT_FALSE(banner.isVisible());
  banner.offer(true, "another model or source");
  EXPECT_TRUE(banner.isVisible());
}

}  // namespace
}  // namespace mpm::gui
