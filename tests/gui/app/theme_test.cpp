// SPDX-License-Identifier: Apache-2.0
#include "gui/app/settings.h"

#include <gtest/gtest.h>

#include <QtWidgets>

#include "gui/plot/colours.h"

namespace mpm::gui {
namespace {

class ThemeTest : public ::testing::Test {
 protected:
  ~ThemeTest() override { applyTheme(Theme::light); }
};

// Guards against a light "Follow the system" on a dark desktop, from the style's own colours.
TEST_F(ThemeTest, TheSystemsSetsNoColourOfItsOwn) {
  applyTheme(Theme::dark);
  ASSERT_TRUE(isDark(QApplication::palette()));
  EXPECT_TRUE(QCoreApplication::testAttribute(Qt::AA_SetPalette));
  applyTheme(Theme::system);
  EXPECT_FALSE(QCoreApplication::testAttribute(Qt::AA_SetPalette));
}

TEST_F(ThemeTest, BoxesAndTipsFollowWhatChangesWhileItRuns) {
  applyTheme(Theme::system);
  QPalette dark(QColor(45, 47, 51), QColor(37, 39, 43));
  dark.setColor(QPalette::Base, QColor(30, 32, 35));
  QApplication::setPalette(dark);  // as a desktop does
  EXPECT_EQ(QToolTip::palette().color(QPalette::ToolTipBase), dark.color(QPalette::Base));
  EXPECT_NE(QApplication::palette("QCheckBox").color(QPalette::Base), dark.color(QPalette::Base))
      << "whose frame would not be seen";
}

// Guards against invisible edges of a text field, and invisible boxes in menus.
TEST_F(ThemeTest, WhereAFieldBeginsIsSeenOnADarkWindow) {
  applyTheme(Theme::dark);
  QLineEdit line;
  QSpinBox number;
  QMenu menu;
  QAction* box = menu.addAction("Pause");
  box->setCheckable(true);
  menu.adjustSize();
  line.resize(100, 30);
  number.resize(100, 30);
  // Returns the brightest of a row of pixels, from the left edge on, before any letter.
  const auto brightest = [](QWidget& widget, int y, int to) {
    const QImage image = widget.grab().toImage();
    int most = 0;
    for (int x = 0; x < to; ++x) most = std::max(most, qGray(image.pixel(x, y)));
    return most;
  };
  constexpr int kSeen = 85;  // the window has 39, a field 32
  EXPECT_GT(brightest(line, 15, 4), kSeen);
  EXPECT_GT(brightest(number, 15, 4), kSeen);
  EXPECT_GT(brightest(menu, menu.actionGeometry(box).center().y(), 20), kSeen);
}

// Guards against a plot's time button whose checked shade nobody can see.
TEST_F(ThemeTest, AButtonThatIsChosenIsSeenAmongOthers) {
  for (const Theme theme : {Theme::dark, Theme::light}) {
    applyTheme(theme);
    const auto colourOf = [](bool chosen) {
      QPushButton button("1");
      button.setCheckable(true);
      button.setChecked(chosen);
      button.resize(80, 26);
      return button.grab().toImage().pixelColor(8, 13);  // before the word
    };
    const QColor one = colourOf(false), chosen = colourOf(true);
    EXPECT_GT(std::abs(one.red() - chosen.red()) + std::abs(one.green() - chosen.green()) +
                  std::abs(one.blue() - chosen.blue()),
              50);
  }
}

// Needs a dark desktop, which a separate test has.
TEST_F(ThemeTest, FollowsADarkDesktop) {
  if (!qEnvironmentVariableIsSet("MPM_DARK_DESKTOP"))
    GTEST_SKIP() << "skipped: no dark desktop here";
  applyTheme(Theme::system);
  EXPECT_TRUE(isDark(QApplication::palette()));
  EXPECT_TRUE(isDark(QToolTip::palette()));
  applyTheme(Theme::light);
  EXPECT_FALSE(isDark(QApplication::palette()));
  applyTheme(Theme::system);
  EXPECT_TRUE(isDark(QApplication::palette()));
}

}  // namespace
}  // namespace mpm::gui
