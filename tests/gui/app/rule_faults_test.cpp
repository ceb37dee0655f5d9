// SPDX-License-Identifier: Apache-2.0
// Rules files that cannot be read, and rules that do not fit the model: what can be seen is seen,
// it is said, and no file is written over.
#include <gtest/gtest.h>

#include <QApplication>
#include <QFile>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <optional>

#include "gui/app/rules_dialog.h"
#include "gui/app/small_street.h"
#include "gui/app/window_parts.h"
#include "gui/hands.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

constexpr const char* kSource = "scene:?clock=600x&hour=12&size=160x120&seed=51";
constexpr const char* kBeside = "scene:?clock=600x&hour=12&size=160x120&seed=52";
const QByteArray kBroken = "[[zone]]\nname = \n";
const QByteArray kUnfit =
    "[[rule]]\nname = \"cow\"\nmetric = \"area.cow\"\nabove = 0.5\n\n"
    "[[rule]]\nname = \"bright\"\nmetric = \"luma\"\nabove = 0.01\n";

class RuleFaults : public ::testing::Test {
 protected:
  ~RuleFaults() override {
    window_.reset();
    for (const char* source : {kSource, kBeside}) QFile::remove(rulesFileOf(source));
  }
  static void keep(const QString& file, const QByteArray& toml) {
    writeBook(file, {});  // which makes its folder
    QFile written(file);
    ASSERT_TRUE(written.open(QIODevice::WriteOnly) && written.write(toml) == toml.size());
  }
  static QByteArray bytesOf(const QString& file) {
    QFile read(file);
    return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
  }
  void begin(const QStringList& beside = {}, Settings settings = {},
             const std::optional<QString>& rules = {}) {
    AppOptions options = smallStreet();
    options.source = kSource;
    options.rules = rules;
    settings = withOptions(settings, options);
    settings.live.beside = beside;
    window_.emplace(settings);
    window_->resize(1000, 700);
    window_->show();
  }
  bool shows(std::size_t sources = 1) {
    return waitFor([&] {
      const auto engine = window_->live().engine();
      if (!engine || engine->sources() != sources) return false;
      for (std::size_t i = 0; i < sources; ++i)
        if (!engine->latest(i)) return false;
      return true;
    });
  }
  bool says(const QString& words) {
    return waitFor([&] { return window_->statusBar()->currentMessage().contains(words); });
  }
  QString said() const { return window_->statusBar()->currentMessage(); }
  static std::vector<monitor::Zone> aZone() { return {{"gate", {{0, 0}, {1, 0}, {1, 1}}}}; }

  const QTemporaryDir folder_;
  std::optional<MainWindow> window_;
};

// Seen: a line on a terminal that nobody had, and no window.
TEST_F(RuleFaults, AFileThatCannotBeReadLeavesItsSourceToBeSeenAndStaysAsItIs) {
  const QString file = rulesFileOf(kSource);
  keep(file, kBroken);
  begin();
  ASSERT_TRUE(shows());
  EXPECT_TRUE(says(file + ":2")) << qPrintable(said());
  window_->session().changeZones(aZone());
  EXPECT_TRUE(said().contains(file)) << qPrintable(said());
  emit window_->session().said({}, false);
  ASSERT_TRUE(hands::choose(*window_, "Rules and zones ..."));
  EXPECT_TRUE(says(file)) << qPrintable(said());
  EXPECT_EQ(bytesOf(file), kBroken);
  keep(file, "# mended\n");
  window_->session().openSource(kSource);
  ASSERT_TRUE(waitFor([&] { return !window_->live().isOpening(); }));
  window_->session().changeZones(aZone());
  EXPECT_EQ(readBook(file).zones.size(), 1U);
}

// Seen: the first one was dark, too, and there was no wall whose x would have helped.
TEST_F(RuleFaults, OneOfACameraBesideLeavesAllToBeSeen) {
  const QString file = rulesFileOf(kBeside);
  keep(file, kBroken);
  begin({kBeside});
  ASSERT_TRUE(shows(2));
  EXPECT_TRUE(says(file + ":2")) << qPrintable(said());
  window_->session().show(1);
  window_->session().changeZones(aZone());
  EXPECT_EQ(bytesOf(file), kBroken);
  window_->session().show(0);
  window_->session().changeZones(aZone());
  EXPECT_EQ(readBook(rulesFileOf(kSource)).zones.size(), 1U);
}

TEST_F(RuleFaults, ARuleThatTheModelDoesNotFitIsLeftOutAndStaysInItsFile) {
  const QString file = rulesFileOf(kSource);
  keep(file, kUnfit);
  begin();
  ASSERT_TRUE(shows());
  EXPECT_TRUE(says("area.cow")) << qPrintable(said());
  EXPECT_TRUE(waitFor([&] {
    const auto rules = window_->live().engine()->rules(0);
    return rules.size() == 1 && rules[0].first == "bright";
  }));
  EXPECT_EQ(bytesOf(file), kUnfit);
  QString told;
  QTimer looking;
  QObject::connect(&looking, &QTimer::timeout, &looking, [&] {
    auto* dialog = qobject_cast<RulesDialog*>(QApplication::activeModalWidget());
    if (dialog == nullptr) return;
    told = dialog->told();
    dialog->reject();
  });
  looking.start(20);
  ASSERT_TRUE(hands::press(*window_, QKeySequence("Ctrl+Shift+D")));
  looking.stop();
  EXPECT_TRUE(told.contains("cow")) << qPrintable(told);
  ASSERT_EQ(window_->session().book().rules.size(), 2U);
  const auto before = window_->live().engine();
  window_->session().changeZones(aZone());
  ASSERT_TRUE(waitFor([&] {
    const auto engine = window_->live().engine();
    return engine && engine != before && engine->latest(0);
  }));
  EXPECT_EQ(readBook(file).rules.size(), 2U);
  monitor::RuleBook book = window_->session().book();
  book.rules[1].name = "light";
  window_->session().setBook(book);
  EXPECT_TRUE(waitFor([&] {
    const auto rules = window_->live().engine()->rules(0);
    return rules.size() == 1 && rules[0].first == "light";
  }));
  EXPECT_TRUE(readBook(file) == book);
  book.rules[0].metric = "area.sheep";
  window_->session().setBook(book);
  EXPECT_TRUE(said().contains("area.sheep")) << "no new one";
}

// Seen: the street's classes, without a word; or with one that was gone at once, as the next fault
// was told.
TEST_F(RuleFaults, AModelThatIsGoneIsNamedBesideOtherFaults) {
  const QString file = rulesFileOf(kSource);
  keep(file, kBroken);
  Settings settings;
  settings.live.model = folder_.filePath("gone.onnx");
  begin({}, settings);
  ASSERT_TRUE(shows());
  EXPECT_TRUE(says("gone.onnx")) << qPrintable(said());
  EXPECT_TRUE(said().contains(file + ":2")) << qPrintable(said());
}

// Seen: rules of the first camera alone.
TEST_F(RuleFaults, OneFileThatIsNamedIsOfAllCameras) {
  const QString file = folder_.filePath("all.toml");
  monitor::RuleBook book;
  book.zones = aZone();
  writeBook(file, book);
  begin({kBeside}, {}, file);
  ASSERT_TRUE(shows(2));
  ASSERT_EQ(window_->live().books().size(), 2U);
  EXPECT_TRUE(window_->live().books()[0] == book);
  EXPECT_TRUE(window_->live().books()[1] == book);
  window_->session().show(1);
  const auto before = window_->live().engine();
  book.zones.push_back({"yard", {{0, 0}, {1, 0}, {0, 1}}});
  window_->session().changeZones(book.zones);
  EXPECT_TRUE(readBook(file) == book);
  EXPECT_FALSE(QFile::exists(rulesFileOf(kBeside)));
  ASSERT_TRUE(
      waitFor([&] { return window_->live().engine() && window_->live().engine() != before; }));
  EXPECT_TRUE(window_->live().books()[0] == book) << "as it is one file";
}

}  // namespace
}  // namespace mpm::gui
