// SPDX-License-Identifier: Apache-2.0
#include "gui/app/settings.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <stdexcept>

#include "gui/app/options.h"
#include "monitor/record/record.h"

namespace mpm::gui {
namespace {

constexpr const char* kSecret = "rtsp://user:topsecret@camera/stream";

// Seen: two checkouts' tests shared a folder of the user's, and each found what the other had set.
TEST(Settings, OfTestsAreThisProcessesAlone) {
  EXPECT_TRUE(QDir::homePath().startsWith(QDir::tempPath())) << qPrintable(QDir::homePath());
  EXPECT_TRUE(QSettings().fileName().startsWith(QDir::homePath()));
  EXPECT_TRUE(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)
                  .startsWith(QDir::homePath()));
}

TEST(Settings, TheLastOneOpenedIsInFrontOnceAndTenAreKept) {
  QStringList list;
  for (int i = 0; i < 12; ++i) list = withRecentSource(list, QString("/dev/video%1").arg(i));
  EXPECT_EQ(list.size(), 10);
  EXPECT_EQ(list.front(), "/dev/video11");
  list = withRecentSource(list, "/dev/video5");
  EXPECT_EQ(list.front(), "/dev/video5");
  EXPECT_EQ(list.count("/dev/video5"), 1);
}

TEST(Settings, AnAddressWithAPasswordIsNeverKept) {
  EXPECT_EQ(withRecentSource({"/dev/video0"}, kSecret), QStringList{"/dev/video0"});
  EXPECT_EQ(withRecentSource({}, "rtsp://camera/stream").size(), 1);
  Settings settings;
  settings.live.source = kSecret;
  settings.recentSources = QStringList{kSecret, "/dev/video0"};
  writeSettings(settings);
  const QSettings stored;
  for (const QString& key : stored.allKeys()) {
    EXPECT_FALSE(stored.value(key).toStringList().join(' ').contains("topsecret"))
        << qPrintable(key);
  }
  EXPECT_EQ(readSettings().recentSources, QStringList{"/dev/video0"});
}

TEST(Settings, ASourceIsSpokenOfByTheNameThatItWasGiven) {
  Settings settings;
  settings.sourceNames[sourceName(kSecret)] = "gate";
  writeSettings(settings);
  const QVariantMap kept = readSettings().sourceNames;
  EXPECT_EQ(spokenName(kSecret, kept), "gate");
  EXPECT_FALSE(spokenName(kSecret, {}).contains("topsecret"));
  EXPECT_EQ(spokenName("/dev/video0", kept), "/dev/video0");
  EXPECT_EQ(spokenName(kStreet, kept), "A drawn street") << "not an address that nobody typed";
  QSettings().remove("source_names");
}

TEST(Settings, TheSceneMemoryIsOnUnlessItWasSwitchedOff) {
  QSettings().remove("memory");
  EXPECT_TRUE(readSettings().live.memory);
  Settings settings;
  settings.memory = false;
  writeSettings(settings);
  EXPECT_FALSE(readSettings().live.memory);
  settings.memory = true;
  writeSettings(settings);
  AppOptions options;
  EXPECT_TRUE(withOptions(readSettings(), options).live.memory);
  options.noMemory = true;
  EXPECT_FALSE(withOptions(readSettings(), options).live.memory);
}

TEST(Settings, WhatIsSeenIsFoundAgain) {
  Settings settings;
  settings.views = {ViewKind::camera, ViewKind::computed, ViewKind::mergeMap};
  settings.onWall = false;
  settings.shownSource = "gate-1a2b";
  settings.compare = true;
  settings.hiddenClasses = QStringList{"road", "sky"};
  settings.soloClass = "car";
  settings.plotSpanMs = 86'400'000;
  settings.daysMetric = "luma";
  settings.daysSpan = 2;
  writeSettings(settings);
  const Settings kept = readSettings();
  EXPECT_EQ(kept.views, settings.views);
  EXPECT_FALSE(kept.onWall);
  EXPECT_EQ(kept.shownSource, "gate-1a2b");
  EXPECT_TRUE(kept.compare);
  EXPECT_EQ(kept.hiddenClasses, settings.hiddenClasses);
  EXPECT_EQ(kept.soloClass, "car");
  EXPECT_EQ(kept.plotSpanMs, 86'400'000);
  EXPECT_EQ(kept.daysMetric, "luma");
  EXPECT_EQ(kept.daysSpan, 2);
  writeSettings({});
  EXPECT_TRUE(readSettings().hiddenClasses.isEmpty());
}

// What could not be written was taken for written, and nobody was told.
TEST(Settings, WhatCannotBeWrittenIsTriedAgain) {
  const QString file = QSettings().fileName(), folder = QFileInfo(file).path(),
                aside = folder + ".aside";
  writeSettings({});
  ASSERT_TRUE(QDir().rename(folder, aside));
  QFile blocking(folder);
  ASSERT_TRUE(blocking.open(QIODevice::WriteOnly));
  Settings settings;
  settings.soloClass = "car";
  EXPECT_FALSE(writeSettings(settings).has_value());
  ASSERT_TRUE(blocking.remove());
  ASSERT_TRUE(QDir().rename(aside, folder));
  EXPECT_TRUE(writeSettings(settings).has_value());
  EXPECT_EQ(readSettings().soloClass, "car");
  writeSettings({});
}

// It was as if none had been wanted: nothing was recorded, and nothing said so.
TEST(Settings, ARecordWhoseFolderCannotBeMadeIsWantedAllTheSame) {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  const QString above = QFileInfo(folder).path(), aside = above + ".aside";
  ASSERT_TRUE(!QFileInfo::exists(above) || QDir().rename(above, aside));
  QDir().mkpath(QFileInfo(above).path());
  QFile blocking(above);
  ASSERT_TRUE(blocking.open(QIODevice::WriteOnly));
  EXPECT_EQ(withOptions({}, {}).live.record, folder + "/record.sqlite");
  EXPECT_TRUE(blocking.remove());
  if (QFileInfo::exists(aside)) {
    EXPECT_TRUE(QDir().rename(aside, above));
  }
}

TEST(RuleFiles, EachSourceHasOneOfItsOwnWithoutSecrets) {
  EXPECT_NE(rulesFileOf("/dev/video0"), rulesFileOf("/dev/video1"));
  EXPECT_TRUE(QRegularExpression("/rules/_dev_video0-[0-9a-f]{8}\\.toml$")
                  .match(rulesFileOf("/dev/video0"))
                  .hasMatch());
  EXPECT_FALSE(rulesFileOf("rtsp://user:topsecret@camera/s").contains("topsecret"));
  EXPECT_EQ(rulesFileOf("scene:?seed=banana"), QString());
}

// Seen: --fresh, which remembers nothing, went on in the record of every day.
TEST(Settings, AFreshStartRecordsOnlyWhereItIsTold) {
  AppOptions options;
  options.fresh = true;
  EXPECT_EQ(withOptions({}, options).live.record, QString());
  options.record = "yard.sqlite";
  EXPECT_EQ(withOptions({}, options).live.record, "yard.sqlite");
  options.record = "none";
  EXPECT_EQ(withOptions({}, options).live.record, QString());
}

// Seen: two gates whose names differ in Chinese letters had one file, one record and one name.
TEST(SourceName, AddressesOutsideOfAsciiHaveOneOfTheirOwn) {
  const QString north = QStringLiteral("/a/北门"), south = QStringLiteral("/a/南门");
  EXPECT_NE(sourceName(north), sourceName(south));
  EXPECT_NE(rulesFileOf(north), rulesFileOf(south));
  EXPECT_NE(sourceName(QStringLiteral("Köln.mp4")), sourceName(QStringLiteral("Käln.mp4")));
  EXPECT_TRUE(QRegularExpression("^[A-Za-z0-9_-]+$").match(sourceName(north)).hasMatch());
  EXPECT_EQ(sourceName(north), sourceName(north));
}

TEST(SourceName, AddressesThatDifferInASignAloneHaveOneOfTheirOwn) {
  const QStringList alike{"/a/cam 1", "/a/cam_1", "/a/cam.1", "/a/cam/1", "_a_cam_1"};
  for (const QString& one : alike)
    for (const QString& other : alike)
      EXPECT_EQ(sourceName(one) == sourceName(other), one == other)
          << qPrintable(one + ", " + other);
  EXPECT_EQ(earlierSourceName("rtsp://camera/stream"), "rtsp___camera_stream");
}

// "Rules and zones cannot be written to ...: File name too long".
TEST(SourceName, AnAddressThatIsLongerThanAFilesNameHasRulesToo) {
  const QString folders = "/videos" + QStringLiteral("/in a folder").repeated(30);
  monitor::RuleBook one, other;
  one.zones.push_back({"gate", {{0, 0}, {1, 0}, {1, 1}}});
  other.zones.push_back({"door", {{0, 0}, {1, 0}, {1, 1}}});
  writeBook(rulesFileOf(folders + "/1.mp4"), one);
  writeBook(rulesFileOf(folders + "/2.mp4"), other);
  EXPECT_TRUE(keptRules(folders + "/1.mp4", {}).book == one);
  EXPECT_TRUE(keptRules(folders + "/2.mp4", {}).book == other);
  const QString usual = sourceName("/videos/" + QString(220, 'x'));
  EXPECT_EQ(fileNameOf(usual), usual) << "what was kept before is found";
}

// As versions before called them.
TEST(SourceName, WhatWasKeptByTheNameBeforeIsFoundUntilThereIsSomethingElse) {
  const QString north = QStringLiteral("/a/北门"), south = QStringLiteral("/a/南门");
  const QString before = QFileInfo(rulesFileOf("/x")).path() + "/_a_______.toml";
  monitor::RuleBook book;
  book.zones.push_back({"gate", {{0, 0}, {1, 0}, {1, 1}}});
  writeBook(before, book);
  EXPECT_TRUE(keptRules(north, {}).book == book);
  EXPECT_TRUE(keptRules(south, {}).book == book);
  monitor::RuleBook next = book;
  next.zones[0].name = "door";
  writeBook(rulesFileOf(north), next);
  EXPECT_TRUE(keptRules(north, {}).book == next);
  EXPECT_TRUE(keptRules(south, {}).book == book);
  QFile::remove(before);
  QFile::remove(rulesFileOf(north));
  QVariantMap names{{"_a_______", "gate"}};
  EXPECT_EQ(spokenName(south, names), "gate");
  names[sourceName(south)] = "south";
  EXPECT_EQ(spokenName(south, names), "south");
  EXPECT_EQ(spokenName(north, names), "gate");
  names[sourceName(north)] = "";
  EXPECT_EQ(spokenName(north, names), north);
}

// A record goes on where it is of this address alone.
TEST(SourceName, TheHistoryOfOneAddressGoesOnAndThatOfTwoDoesNot) {
  const QTemporaryDir folder;
  const QString record = folder.filePath("record.sqlite");
  const QString north = QStringLiteral("/a/北门"), south = QStringLiteral("/a/南门");
  EXPECT_EQ(nameInRecord(north, record), sourceName(north)) << "there is none yet";
  const auto add = [&](const QString& address) {
    monitor::RunFacts facts;
    facts.source = "_a_______";
    facts.address = address.toStdString();
    facts.metrics = {"luma"};
    facts.settings = "{}";
    monitor::Record(record.toStdString()).beginRun(facts);
  };
  add(north);
  EXPECT_EQ(nameInRecord(north, record), "_a_______");
  EXPECT_EQ(nameInRecord(south, record), sourceName(south));
  EXPECT_EQ(nameInRecord("/a/gate", record), sourceName("/a/gate"));
  add(south);
  EXPECT_EQ(nameInRecord(north, record), sourceName(north));
}

TEST(RuleFiles, WhatIsWrittenIsRead) {
  const QTemporaryDir folder;
  const QString file = folder.filePath("deep/down/rules.toml");
  EXPECT_TRUE(readBook(file) == monitor::RuleBook{}) << "there is none yet";
  monitor::RuleBook book;
  book.zones.push_back({"gate", {{0, 0}, {1, 0}, {1, 1}}});
  monitor::Rule rule;
  rule.name = "cars";
  rule.metric = "zone.gate.area.car";
  rule.above = 0.1;
  book.rules.push_back(rule);
  writeBook(file, book);
  EXPECT_TRUE(readBook(file) == book);
}

TEST(RuleFiles, WhatSomebodyWroteByHandStaysBesideIt) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("rules.toml");
  const QByteArray byHand = "# mine\n[[rule]]\nname = \"a\"\nlight = \"night\"\n";
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(byHand);
  file.close();
  monitor::RuleBook book = readBook(path);
  writeBook(path, book);
  QFile before(path + ".before");
  ASSERT_TRUE(before.open(QIODevice::ReadOnly));
  EXPECT_EQ(before.readAll(), byHand);
  before.remove();
  book.rules.clear();
  writeBook(path, book);
  EXPECT_FALSE(QFileInfo::exists(path + ".before")) << "the app wrote what was there";
}

TEST(RuleFiles, WhatCannotBeReadOrWrittenSaysWhere) {
  const QTemporaryDir folder;
  QFile blocking(folder.filePath("file"));
  ASSERT_TRUE(blocking.open(QIODevice::WriteOnly));
  blocking.write("[[rule]]\n");
  blocking.close();
  const auto sentenceOf = [](const auto& act) -> QString {
    try {
      act();
    } catch (const std::runtime_error& fault) {
      return QString::fromUtf8(fault.what());
    }
    return {};
  };
  EXPECT_TRUE(sentenceOf([&] { readBook(blocking.fileName()); }).contains("file:1"));
  const QString below = folder.filePath("file/rules.toml");
  EXPECT_TRUE(sentenceOf([&] { writeBook(below, {}); }).contains(below));
}

}  // namespace

}  // namespace mpm::gui
