// SPDX-License-Identifier: Apache-2.0
#include "gui/app/options.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QCoreApplication>
#include <QLocale>
#include <QMainWindow>
#include <QMenu>

#include "gui/app/menus.h"
#include "gui/app/view_deck.h"
#include "gui/app/wall.h"
#include "gui/canvas/inspection.h"
#include "gui/plot/day_night_sentence.h"

namespace mpm::gui {
namespace {

TEST(Options, Blocks) {
  EXPECT_EQ(parseBlocks("2,5"), (Schedule{2, 5}));
  EXPECT_EQ(parseBlocks(" 5 2 "), (Schedule{2, 5}));
  EXPECT_EQ(parseBlocks("none"), Schedule());
  EXPECT_EQ(parseBlocks(""), Schedule());
  for (const char* wrong : {"2,x", "-1", "2,", "1.5", "two"})
    EXPECT_FALSE(parseBlocks(wrong)) << wrong;
  EXPECT_EQ(blocksText({2, 5}), "2,5");
  EXPECT_EQ(blocksText({}), "none");
}

TEST(Options, EveryOneOnTheCommandLine) {
  AppOptions options;
  int status = -1;
  ASSERT_TRUE(parseOptions(
      {"mpm-monitor", "--source",    "rtsp://c/s",    "--model",    "m.onnx", "--merge-before",
       "1,4",         "--precision", "fp32",          "--device",   "cuda",   "--max-fps",
       "5",           "--record",    "none",          "--rules",    "r.toml", "--fit",
       "slide",       "--fresh",     "--full-screen", "--no-memory"},
      options, status));
  EXPECT_EQ(options.source, "rtsp://c/s");
  EXPECT_EQ(options.model, "m.onnx");
  EXPECT_EQ(options.schedule, (Schedule{1, 4}));
  EXPECT_EQ(options.precision, "fp32");
  EXPECT_EQ(options.device, "cuda");
  EXPECT_EQ(options.mostFps, 5);
  EXPECT_EQ(options.record, "none");
  EXPECT_EQ(options.rules, "r.toml");
  EXPECT_EQ(options.fit, "slide");
  EXPECT_TRUE(options.fresh);
  EXPECT_TRUE(options.fullScreen);
  EXPECT_TRUE(options.noMemory);
}

TEST(Options, ASourceNeedsNoName) {
  AppOptions options;
  int status = -1;
  ASSERT_TRUE(parseOptions({"mpm-monitor", "/dev/video0"}, options, status));
  EXPECT_EQ(options.source, "/dev/video0");
}

TEST(Options, WhatIsWrongEndsWithTwo) {
  for (const QStringList& words :
       {QStringList{"--nothing"}, QStringList{"--merge-before", "a"},
        QStringList{"--precision", "fp8"}, QStringList{"--device", "tpu"},
        QStringList{"--fit", "crop"}, QStringList{"--max-fps", "-1"}, QStringList{"one", "two"}}) {
    AppOptions options;
    int status = -1;
    EXPECT_FALSE(parseOptions(QStringList{"mpm-monitor"} + words, options, status));
    EXPECT_EQ(status, 2) << qPrintable(words.join(' '));
  }
}

TEST(Options, HelpAndVersionOpenNoWindowAndWhatOnlyLooksLikeThemDoes) {
  EXPECT_FALSE(opensWindow({"mpm-monitor", "--help"}));
  EXPECT_FALSE(opensWindow({"mpm-monitor", "--source", "x", "-v"}));
  EXPECT_TRUE(opensWindow({"mpm-monitor", "-platform", "offscreen"}));
  EXPECT_TRUE(opensWindow({"mpm-monitor", "-platform", "offscreen", "-platformtheme", "x"}));
  EXPECT_TRUE(opensWindow({"mpm-monitor", "-platform", "offscreen", "--record", "-v"}));
}

TEST(Options, TheSentenceAboutAnUnknownOneIsOneSentence) {
  AppOptions options;
  int status = 0;
  ::testing::internal::CaptureStderr();
  parseOptions({"mpm-monitor", "--nothing"}, options, status);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "mpm-monitor: Unknown option 'nothing'; see --help\n");
}

class Language : public ::testing::Test {
 protected:
  void SetUp() override {
    if (languages().size() < 3) GTEST_SKIP() << "built without qt6-tools-dev: English alone";
    speak("en");
  }
  void TearDown() override { speak("en"); }
};

TEST_F(Language, ThereAreThreeNamedInThemselves) {
  EXPECT_EQ(languages(), (QStringList{"de", "en", "fr"}));
  QStringList names;
  for (const QString& code : languages()) names << languageName(code);
  EXPECT_EQ(names, (QStringList{"Deutsch", "English", QStringLiteral("Français")}));
}

TEST_F(Language, TheFirstThatTheUserWantsAndTheAppSpeaks) {
  EXPECT_EQ(languageFor({"de-AT", "en-GB"}), "de");
  EXPECT_EQ(languageFor({"nl-NL", "fr_CA", "de"}), "fr");
  EXPECT_EQ(languageFor({"deu", "C"}), "en");
  EXPECT_EQ(languageFor({}), "en");
}

TEST_F(Language, TheCommandLineComesBeforeWhatIsRemembered) {
  EXPECT_EQ(languageToSpeak({"mpm-monitor", "--language", "fr"}, "de"), "fr");
  EXPECT_EQ(languageToSpeak({"mpm-monitor", "--source", "x", "--language=fr"}, {}), "fr");
  EXPECT_EQ(languageToSpeak({"mpm-monitor", "--source", "x"}, "de"), "de");
  EXPECT_EQ(languageToSpeak({"mpm-monitor", "--language", "xx"}, "de"), "de");
  const QString system = languageFor(QLocale::system().uiLanguages());
  EXPECT_EQ(languageToSpeak({"mpm-monitor", "--fresh"}, system == "de" ? "fr" : "de"), system);
  EXPECT_EQ(languageToSpeak({"mpm-monitor"}, "gone"), system);
}

TEST_F(Language, AnUnknownOneIsRefusedWithThoseThereAre) {
  AppOptions options;
  int status = -1;
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(parseOptions({"mpm-monitor", "--language", "xx"}, options, status));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "mpm-monitor: --language xx is not known; use one of de, en, fr\n");
  EXPECT_EQ(status, 2);
  EXPECT_TRUE(parseOptions({"mpm-monitor", "--language", "de"}, options, status));
  EXPECT_EQ(options.language, "de");
}

TEST_F(Language, WhatIsWrongIsSaidInIt) {
  speak("de");
  AppOptions options;
  int status = -1;
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(parseOptions({"mpm-monitor", "--precision", "fp8"}, options, status));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "mpm-monitor: --precision fp8 ist nicht bekannt; möglich sind fp32, tf32, bf16, fp16, "
            "int8 und auto\n");
}

TEST_F(Language, IsKept) {
  Settings settings;
  settings.language = "fr";
  writeSettings(settings);
  EXPECT_EQ(readSettings().language, "fr");
  writeSettings({});
  EXPECT_EQ(readSettings().language, "");
}

TEST_F(Language, TheMenuMarksTheChosenOneAndTellsAnother) {
  Settings settings;
  settings.language = "de";
  Session session(settings);
  QMainWindow window;
  auto* deck = new ViewDeck(session);
  window.setCentralWidget(deck);
  new Menus(session, deck, new Wall(session), &window);
  QStringList marked;
  const auto chosen = [&](const QString& title) {
    for (QMenu* languages : window.findChildren<QMenu*>()) {
      if (languages->title() != "&Language") continue;
      for (QAction* action : languages->actions()) {
        if (title.isEmpty() && action->isChecked()) marked << action->text();
        if (action->text() == title) action->trigger();
      }
    }
    return settings.language;
  };
  chosen({});
  EXPECT_EQ(marked, QStringList("Deutsch"));
  EXPECT_EQ(chosen("English"), "en");
  EXPECT_EQ(chosen("As the &system"), "");
}

monitor::Running of(std::initializer_list<double> values) {
  monitor::Running running;
  for (const double value : values) running.add(value);
  return running;
}

TEST_F(Language, TheDayNightSentenceIsInIt) {
  const monitor::DayNight figures{of({403, 412, 421}), of({426, 437, 448}), {}, {}, {}};
  speak("de");
  EXPECT_EQ(dayNightSentence(figures, 845, QLocale()),
            QStringLiteral("Nachts werden 5,8\u00a0% weniger Tokens zusammengeführt als am Tag: "
                           "437 ± 11 gegenüber 412 ± 9 aktiven Tokens, 3 Nächte, 3 Tage."));
  speak("fr");
  EXPECT_EQ(dayNightSentence(figures, 845, QLocale()),
            QStringLiteral("La nuit, 5,8\u202f% de jetons de moins que le jour fusionnent\u00a0: "
                           "437 ± 11 contre 412 ± 9 jetons actifs, 3 nuits, 3 jours."));
  speak("en");
  EXPECT_TRUE(
      dayNightSentence(figures, 845, QLocale()).startsWith("At night 5.8% fewer tokens merge"));
}

TEST_F(Language, NumbersCountInIt) {
  const ClassSettings classes;
  const auto told = [&](int places) {
    monitor::FrameResult result;
    result.segmentation.mergeMap = cv::Mat(1, places, CV_32S, cv::Scalar(0));
    return inspect(result, classes, 0, {0.5, 0.5}, {0, 0, 1, 1}).lines.value(0);
  };
  EXPECT_EQ(told(1), "A token of its own");
  EXPECT_EQ(told(1301), "A token of 1,301 places");
  speak("de");
  EXPECT_EQ(told(2), "Ein Token von 2 Stellen");
  EXPECT_EQ(told(1301), "Ein Token von 1.301 Stellen");
  speak("fr");
  EXPECT_EQ(told(4), "Un jeton de 4 emplacements");
}

}  // namespace
}  // namespace mpm::gui
