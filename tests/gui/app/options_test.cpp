// SPDX-License-Identifier: Apache-2.0
// The command line, and the languages of the app.
#include "gui/app/options.h"

#include <gtest/gtest.h>

#include <QtWidgets>
#include <tuple>

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

struct Parsed {
  AppOptions options;
  bool isRight;
  int status = -1;
  std::string told;
};
Parsed parsed(const QStringList& words) {
  Parsed made;
  ::testing::internal::CaptureStderr();
  made.isRight = parseOptions(QStringList{"mpm-monitor"} + words, made.options, made.status);
  made.told = ::testing::internal::GetCapturedStderr();
  return made;
}

TEST(Options, EveryOneOnTheCommandLine) {
  const Parsed made = parsed(
      {"--source",    "rtsp://c/s",    "--model",     "m.onnx",   "--merge-before", "1,4",
       "--precision", "fp32",          "--device",    "cuda",     "--max-fps",      "5",
       "--record",    "none",          "--rules",     "r.toml",   "--fit",          "slide",
       "--fresh",     "--full-screen", "--no-memory", "--replay", "--location",     "42.5,-1.6"});
  ASSERT_TRUE(made.isRight);
  const AppOptions& options = made.options;
  for (const auto& [value, given] : {std::pair(options.source, "rtsp://c/s"),
                                     {options.model, "m.onnx"},
                                     {options.precision, "fp32"},
                                     {options.device, "cuda"},
                                     {options.record, "none"},
                                     {options.rules, "r.toml"},
                                     {options.fit, "slide"},
                                     {parsed({"/dev/video0"}).options.source, "/dev/video0"}})
    EXPECT_EQ(value, given);
  EXPECT_EQ(options.schedule, (Schedule{1, 4}));
  EXPECT_EQ(options.mostFps, 5);
  EXPECT_EQ(options.location, cv::Vec2d(42.5, -1.6));
  EXPECT_TRUE(options.fresh && options.fullScreen && options.noMemory && options.replay);
}

TEST(Options, WhatIsWrongEndsWithTwoAndASentence) {
  for (const char* words : {"--nothing", "--merge-before a", "--precision fp8", "--device tpu",
                            "--fit crop", "--max-fps -1", "one two", "--language xx",
                            "--location 42.5", "--location 91,0", "--location 0,x"}) {
    const Parsed made = parsed(QString(words).split(' '));
    EXPECT_FALSE(made.isRight) << words;
    EXPECT_EQ(made.status, 2) << words;
    EXPECT_EQ(made.told.find("mpm-monitor: "), 0U) << made.told;
  }
  EXPECT_EQ(parsed({"--nothing"}).told, "mpm-monitor: Unknown option 'nothing'; see --help\n");
}

TEST(Options, HelpAndVersionOpenNoWindowAndWhatOnlyLooksLikeThemDoes) {
  for (const auto& [words, opens] : {std::pair("--help", false),
                                     {"--source x -v", false},
                                     {"-platform offscreen", true},
                                     {"-platform offscreen -platformtheme x", true},
                                     {"-platform offscreen --record -v", true}})
    EXPECT_EQ(opensWindow(QStringList{"mpm-monitor"} + QString(words).split(' ')), opens) << words;
}

class Language : public ::testing::Test {
 protected:
  void SetUp() override {
    if (languages().size() < 3) GTEST_SKIP() << "built without qt6-tools-dev: English alone";
    speak("en");
  }
  void TearDown() override { speak("en"); }
};

TEST_F(Language, ThereAreThreeOfWhichTheCommandLineWhatIsRememberedAndTheUserChoose) {
  QStringList names;
  for (const QString& code : languages()) names << code + ' ' + languageName(code);
  EXPECT_EQ(names, (QStringList{"de Deutsch", "en English", QStringLiteral("fr Français")}));
  for (const auto& [wanted, code] :
       {std::pair("de-AT en-GB", "de"), {"nl-NL fr_CA de", "fr"}, {"deu C", "en"}, {"", "en"}})
    EXPECT_EQ(languageFor(QString(wanted).split(' ')), code) << wanted;
  const QString system = languageFor(QLocale::system().uiLanguages());
  const QString other = system == "de" ? "fr" : "de";
  const std::tuple<const char*, QString, QString> starts[]{
      {"--language fr", "de", "fr"}, {"--source x --language=fr", {}, "fr"},
      {"--source x", "de", "de"},    {"--language xx", "de", "de"},
      {"--fresh", other, system},    {"--source x", "gone", system}};
  for (const auto& [words, remembered, code] : starts)
    EXPECT_EQ(languageToSpeak(QStringList{"mpm-monitor"} + QString(words).split(' '), remembered),
              code)
        << words;
  EXPECT_EQ(parsed({"--language", "de"}).options.language, "de");
}

TEST_F(Language, WhatIsWrongIsSaidInItWithThoseThereAre) {
  EXPECT_EQ(parsed({"--language", "xx"}).told,
            "mpm-monitor: --language xx is not known; use one of de, en, fr\n");
  speak("de");
  EXPECT_EQ(parsed({"--precision", "fp8"}).told,
            "mpm-monitor: --precision fp8 ist nicht bekannt; möglich sind fp32, tf32, bf16, fp16, "
            "int8 und auto\n");
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
  EXPECT_EQ(chosen("Follow the &system"), "");
}

TEST_F(Language, SentencesAndNumbersAreInIt) {
  monitor::DayNight figures;
  for (const double tokens : {403.0, 412.0, 421.0}) figures.days.add(tokens);
  for (const double tokens : {426.0, 437.0, 448.0}) figures.nights.add(tokens);
  const ClassSettings classes;
  const auto token = [&](int places) {
    monitor::FrameResult result;
    result.segmentation.mergeMap = cv::Mat(1, places, CV_32S, cv::Scalar(0));
    return inspect(result, classes, 0, {0.5, 0.5}, {0, 0, 1, 1}).lines.value(0);
  };
  const auto sentence = [&] { return dayNightSentence(figures, 845, QLocale()); };
  EXPECT_EQ(token(1), "A token of one patch");
  EXPECT_EQ(token(1301), "A token of 1,301 patches");
  EXPECT_TRUE(sentence().startsWith("At night 5.8% fewer tokens merge"));
  speak("de");
  EXPECT_EQ(token(2), "Ein Token aus 2 Patches");
  EXPECT_EQ(token(1301), "Ein Token aus 1.301 Patches");
  EXPECT_EQ(sentence(),
            QStringLiteral("Nachts werden 5,8\u00a0% weniger Tokens zusammengeführt als am Tag: "
                           "437 ± 11 gegenüber 412 ± 9 Tokens, 3 Nächte, 3 Tage."));
  speak("fr");
  EXPECT_EQ(token(4), "Un jeton de 4 patchs");
  EXPECT_EQ(sentence(),
            QStringLiteral("La nuit, 5,8\u202f% de jetons de moins que le jour fusionnent\u00a0: "
                           "437 ± 11 contre 412 ± 9 jetons, 3 nuits, 3 jours."));
}

}  // namespace
}  // namespace mpm::gui
