// SPDX-License-Identifier: Apache-2.0
// Files and folders may have names of any letters: those that addresses, menus, languages and
// printf have a meaning for, and such as are no text at all.
#include <QAction>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QMenu>
#include <QMimeData>
#include <QUrl>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "gui/app/living_window.h"
#include "in_project.h"
#include "monitor/record/record_reader.h"

namespace mpm::gui {
namespace {

class OddNames : public Window {
 protected:
  OddNames() { EXPECT_TRUE(QDir().mkpath(odd(QString()))); }

  QString odd(const QString& ending) const {
    return folder_.filePath("%20 %d %1 #1 &2 ?x=[3] 'é <b>\\;/" + ending);
  }
  static QString small() {
    return QString::fromStdString(test::inProject("tests/models/segmenter_mask.onnx"));
  }
  QString pictureAt(const QString& path) const {
    QImage picture(160, 120, QImage::Format_RGB32);
    picture.fill(Qt::darkGreen);
    EXPECT_TRUE(picture.save(path, "PNG"));
    return path;
  }
  void drop(const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window_, &enter);
    QDropEvent event({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window_, &event);
  }
  bool watches(const QString& source, const QString& model) {
    return waitFor([&] {
      const auto engine = window_.live().engine();
      return engine && engine->latest(0) && window_.live().options().model == model &&
             engine->source(0).address.text == source.toStdString();
    });
  }
  QAction* recent(const QString& menu, int entry) {
    for (QMenu* each : window_.findChildren<QMenu*>()) {
      if (each->title().remove('&') != menu) continue;
      emit each->aboutToShow();
      return each->actions().value(entry);
    }
    return nullptr;
  }
};

TEST_F(OddNames, AreOpenedRecordedToAndRememberedAsTheyAre) {
  ASSERT_TRUE(isLive());
  const QString street = window_.live().options().source, model = odd("m %s #&.onnx");
  ASSERT_TRUE(QFile::copy(small(), model));
  const QString source = pictureAt(odd("a %03d #&=.png"));
  drop(model);
  ASSERT_TRUE(watches(street, model)) << qPrintable(said());
  drop(source);
  ASSERT_TRUE(watches(source, model)) << qPrintable(said());
  EXPECT_TRUE(window_.windowTitle().contains(source)) << qPrintable(window_.windowTitle());
  EXPECT_TRUE(waitFor([&] {
    const Settings kept = readSettings();
    return kept.live.source == source && kept.recentSources.value(0) == source &&
           kept.live.model == model && kept.recentModels.value(0) == model;
  }));
  const QAction* first = recent("Open recent", 0);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->text(), "&1  " + QString(source).replace('&', "&&"));
  window_.session().openSource(street);
  ASSERT_TRUE(watches(street, model));
  QAction* before = recent("Open recent", 1);
  ASSERT_NE(before, nullptr);
  before->trigger();
  ASSERT_TRUE(watches(source, model)) << qPrintable(said());

  LiveOptions other = window_.live().options();
  other.record = odd("r %20#?mode=memory&.sqlite");
  const auto engine = window_.live().engine();
  window_.live().open(other);
  ASSERT_TRUE(waitFor([&] {
    return window_.live().engine() && window_.live().engine() != engine && window_.live().newest();
  }));
  EXPECT_EQ(window_.live().recordFault(), "");
  const std::string named = window_.live().engine()->source(0).name;
  EXPECT_EQ(monitor::RecordReader(other.record.toStdString()).sources(),
            std::vector<std::string>{named});
}

TEST_F(OddNames, AreWrittenToAndTold) {
  ASSERT_TRUE(isLive());
  const std::pair<const char*, const char*> entries[]{
      {"Export the view as PNG ...", "v %1 %n #&.png"},
      {"Export the tokens as CSV ...", "t %1 %n #&.csv"}};
  for (const auto& [entry, name] : entries) {
    const QString path = odd(name);
    answerFile(path);
    choose(entry);
    EXPECT_EQ(said(), "Wrote " + path + ".");
    EXPECT_GT(QFileInfo(path).size(), 0);
  }
  const QString clip = odd("c %1 %03d #&.avi");
  answerFile(clip);
  choose("Record a clip");
  EXPECT_EQ(said(), "Recording to " + clip + "; the same key ends it.");
  const std::uint64_t frames = window_.live().engine()->frames(0);
  ASSERT_TRUE(waitFor([&] { return window_.live().engine()->frames(0) > frames + 3; }));
  choose("Record a clip");
  EXPECT_TRUE(waitFor([&] { return said().startsWith("The clip is written"); }))
      << qPrintable(said());
  EXPECT_GT(QFileInfo(clip).size(), 0);
}

// A name with the end of a line is one of a model, and none of a source, whose address stands in
// one line wherever it is written.
TEST_F(OddNames, WithTheEndOfALineAreOpenedOrRefused) {
  ASSERT_TRUE(isLive());
  const QString street = window_.live().options().source, model = odd("two\nlines.onnx");
  ASSERT_TRUE(QFile::copy(small(), model));
  drop(model);
  ASSERT_TRUE(watches(street, model)) << qPrintable(said());
  EXPECT_TRUE(waitFor([&] { return readSettings().recentModels.value(0) == model; }));
  drop(pictureAt(odd("two\nlines.png")));
  EXPECT_TRUE(says("control character")) << qPrintable(said());
  EXPECT_TRUE(waitFor([&] { return window_.session().settings().live.source == street; }));
}

// Qt has no word for such a name: it is taken for one that is not there.
TEST_F(OddNames, ThatAreNoTextAreRefusedAndWhatIsWatchedStays) {
  ASSERT_TRUE(isLive());
  const LiveOptions before = window_.live().options();
  const std::filesystem::path folder(folder_.path().toStdString());
  std::filesystem::copy_file(small().toStdString(), folder / "m\xff.onnx");
  const QFileInfoList found =
      QDir(folder_.path()).entryInfoList({"m*.onnx"}, QDir::Files | QDir::System);
  const QString shown = found.isEmpty() ? folder_.filePath(QString::fromUtf8("m\xff.onnx"))
                                        : found[0].absoluteFilePath();
  drop(shown);
  EXPECT_TRUE(says(".onnx")) << qPrintable(said());
  EXPECT_TRUE(waitFor([&] { return !window_.live().isOpening(); }));
  EXPECT_EQ(window_.live().options().model, before.model);
  EXPECT_TRUE(watches(before.source, before.model));
  std::filesystem::remove(folder / "m\xff.onnx");  // which Qt cannot
}

}  // namespace
}  // namespace mpm::gui
