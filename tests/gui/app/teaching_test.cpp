// SPDX-License-Identifier: Apache-2.0
// Teach, from the menu to a model that the app runs.
#include <gtest/gtest.h>

#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "gui/app/main_window.h"
#include "gui/app/small_street.h"
#include "gui/app/source_name.h"
#include "gui/hands.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

Settings settings(const QString& folder) {
  Settings settings = withOptions({}, smallStreet());
  settings.teachFolder = folder;
  return settings;
}

void chooseFolder(QObject& context, const QString& folder) {
  auto* timer = new QTimer(&context);
  QObject::connect(timer, &QTimer::timeout, &context, [timer, folder] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    if (dialog == nullptr) return;
    timer->deleteLater();
    dialog->findChild<QLineEdit*>("fileNameEdit")->setText(folder);
    QMetaObject::invokeMethod(dialog, "accept");
  });
  timer->start(20);
}

// Seen: what was painted last on a full disk was gone with the app.
TEST(Teaching, TheAppAsksBeforeItEndsWithoutWhatCannotBeWritten) {
  const QTemporaryDir folder;
  MainWindow window(settings(folder.path()));
  window.show();
  ASSERT_TRUE(waitFor([&] { return window.live().newest() != nullptr; }));
  ASSERT_TRUE(hands::choose(window, "Teach ..."));
  TeachWindow* teach = window.teaching().window();
  ASSERT_TRUE(teach != nullptr && teach->project() != nullptr);
  const QString labels = QDir(folder.path()).filePath("labels");
  ASSERT_TRUE(QDir(labels).removeRecursively());
  teach->canvas()->edit([](cv::Mat& painted) { painted.setTo(0); });
  QTimer::singleShot(0, &window, [] {
    auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    ASSERT_TRUE(box != nullptr);
    box->button(QMessageBox::Cancel)->click();
  });
  EXPECT_FALSE(window.close());
  EXPECT_TRUE(window.isVisible());
  ASSERT_TRUE(QDir().mkpath(labels));
  EXPECT_TRUE(window.close());
  EXPECT_TRUE(teach->project()->isPainted(teach->frameShown()));
}

// The folder that a camera has among the app's data.
QDir ownFolder(const QString& camera) {
  return {QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + "/teach/" +
          fileNameOf(sourceName(camera))};
}

TEST(Teaching, OpensOnTheLiveFrameInTheCamerasOwnFolderAndRunsWhatWasTaught) {
  ownFolder(kSmallStreet).removeRecursively();
  MainWindow window(settings({}));
  window.show();
  ASSERT_TRUE(waitFor([&] { return window.live().newest() != nullptr; }));
  ASSERT_TRUE(hands::choose(window, "Teach ..."));
  TeachWindow* teach = window.teaching().window();
  ASSERT_TRUE(teach != nullptr && teach->project() != nullptr);
  ASSERT_EQ(teach->project()->frames().size(), 1);
  EXPECT_EQ(teach->project()->folder(), ownFolder(kSmallStreet).absolutePath());
  teach->classes()->addClass(Qt::red);
  teach->classes()->addClass(Qt::green);
  ASSERT_TRUE(waitFor([&] { return teach->canvas()->areas() > 0; }));
  const QPoint middle = teach->canvas()->rect().center();
  QTest::mouseClick(teach->canvas(), Qt::LeftButton, {}, middle);
  EXPECT_TRUE(waitFor([&] { return teach->project()->isPainted(teach->frameShown()); }))
      << qPrintable(teach->said());
  teach->canvas()->edit([](cv::Mat& labels) {
    labels.rowRange(0, 40).setTo(0);
    labels.rowRange(80, 120).setTo(1);
  });
  teach->teach();
  ASSERT_TRUE(waitFor([&] { return !teach->worker().isTeaching(); }));
  ASSERT_TRUE(teach->worker().hasTaught()) << qPrintable(teach->lesson()->told());
  teach->useModel();
  const std::vector<std::string> classes = {"Class 1", "Class 2"};
  EXPECT_TRUE(waitFor([&] {
    const auto engine = window.live().engine();
    return engine && engine->classes() == classes;
  }));
}

TEST(Teaching, OpensTheCamerasOwnFolderWhereTheChosenOneCannotBe) {
  const QTemporaryDir folder;
  QFile file(folder.filePath("file"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  MainWindow window(settings(folder.filePath("file/inside")));
  ASSERT_TRUE(waitFor([&] { return window.live().newest() != nullptr; }));
  window.teaching().open();
  const TeachWindow* teach = window.teaching().window();
  ASSERT_TRUE(teach->project() != nullptr);
  EXPECT_TRUE(teach->isVisible());
  EXPECT_EQ(teach->project()->folder(), ownFolder(kSmallStreet).absolutePath());
}

TEST(Teaching, AChosenFolderCountsUntilAnotherCameraIsShown) {
  const QTemporaryDir folder;
  MainWindow window(settings({}));
  window.show();
  ASSERT_TRUE(waitFor([&] { return window.live().newest() != nullptr; }));
  window.teaching().open();
  TeachWindow* teach = window.teaching().window();
  chooseFolder(window, folder.path());
  ASSERT_TRUE(hands::choose(*teach, "Another folder ..."));
  ASSERT_TRUE(waitFor([&] { return teach->project()->folder() == folder.path(); }));
  EXPECT_EQ(window.session().settings().teachFolder, folder.path());
  teach->close();
  window.teaching().open();
  EXPECT_EQ(teach->project()->folder(), folder.path());
  const QString other = QString(kSmallStreet) + "&seed=5";
  ownFolder(other).removeRecursively();
  window.session().openSource(other);
  ASSERT_TRUE(waitFor([&] {
    return window.live().options().source == other && window.live().newest() != nullptr;
  }));
  EXPECT_EQ(window.session().settings().teachFolder, QString());
  window.teaching().open();  // also where it stands there, on the camera before
  EXPECT_EQ(teach->project()->folder(), ownFolder(other).absolutePath());
  EXPECT_EQ(teach->project()->frames().size(), 1);
}

}  // namespace
}  // namespace mpm::gui
