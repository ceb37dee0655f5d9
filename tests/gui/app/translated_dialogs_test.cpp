// SPDX-License-Identifier: Apache-2.0
// Dialogs and the windows beside the first one, in other languages.
#include <gtest/gtest.h>

#include <QMenuBar>
#include <QPushButton>
#include <QTemporaryDir>
#include <cmath>
#include <memory>
#include <string>

#include "gui/app/main_window.h"
#include "gui/app/rules_dialog.h"
#include "gui/app/source_dialog.h"
#include "gui/app/translated_window.h"
#include "gui/explain/merge_window.h"
#include "gui/teach/teach_window.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

using testing::clash;
using testing::cut;
using testing::expectNoClash;
using testing::lettersOfWindow;
using testing::lines;
using testing::stillCut;

class TranslatedDialogs : public TranslatedWindow {};

TEST_P(TranslatedDialogs, TheSourceDialogFits) {
  SourceDialog dialog("scene:", {"/dev/video0"});
  dialog.show();
  EXPECT_EQ(lines(cut(dialog)), "");
  keep(dialog, "Source");
  EXPECT_EQ(clash(lettersOfWindow(dialog)).toStdString(), "");
  EXPECT_EQ(lines(unanswered_.list.values()), "");
}

TEST_P(TranslatedDialogs, TheRulesDialogFits) {
  monitor::RuleBook book;
  RulesDialog dialog(book, {"live_rows", "area.road"});
  dialog.addRule();
  dialog.show();
  EXPECT_EQ(lines(stillCut(dialog)), "");
  EXPECT_EQ(clash(lettersOfWindow(dialog)).toStdString(), "");
  EXPECT_EQ(lines(unanswered_.list.values()), "");
  keep(dialog, "Rules");
}

TEST_P(TranslatedDialogs, TheTeachWindowFits) {
  const QTemporaryDir folder;
  TeachHost host;
  host.newest = [] {
    auto result = std::make_shared<monitor::FrameResult>();
    result->frame.picture = cv::Mat(48, 64, CV_8UC3, cv::Scalar::all(90));
    return result;
  };
  host.engine = [] { return std::shared_ptr<monitor::Engine>(); };
  host.backbone = [] { return Backbone{"/models/street.onnx", {}, {}}; };
  TeachWindow window(host);
  ASSERT_TRUE(window.openProject(folder.path()));
  window.resize(900, 600);
  window.show();
  window.takeFrame();
  TeachWorker::Taught taught;
  taught.lesson.classes = {{"snow on the ground", 12, 0.5, 0.912}, {"street", 1, 0.5, NAN}};
  for (const Advice::Kind kind :
       {Advice::Kind::oneFrame, Advice::Kind::unpainted, Advice::Kind::once,
        Advice::Kind::tooSeldom, Advice::Kind::weak, Advice::Kind::mixed})
    taught.lesson.advice.push_back({kind, "street", "snow", 0.31});
  taught.doubts = {{"a", 0.2}, {"b", 0.1}};
  window.lesson()->end(std::make_shared<const TeachWorker::Taught>(taught), {});
  EXPECT_EQ(lines(stillCut(window)), "");
  QStringList texts = lettersOfWindow(window);
  for (const QAction* action : window.menuBar()->actions()) {
    texts << action->text();
    expectNoClash(*action->menu());
  }
  EXPECT_EQ(clash(texts).toStdString(), "");
  EXPECT_EQ(lines(unanswered_.list.values()), "");
  keep(window, "Teach");
}

TEST_P(TranslatedDialogs, ExplainsItselfAndCutsNothing) {
  MainWindow window(street());
  window.resize(900, 600);
  window.show();
  window.findChild<QAction*>("Merging")->trigger();
  auto* merging = window.findChild<MergeWindow*>();
  ASSERT_TRUE(waitFor([&] { return merging->story() != nullptr; }));
  for (int step = 0; step < merging->steps(); ++step) {
    merging->goTo(step);
    EXPECT_EQ(lines(stillCut(*merging)), "") << step;
    keep(*merging, ("Merging-" + std::to_string(step)).c_str());
  }
  EXPECT_EQ(clash(lettersOfWindow(*merging)).toStdString(), "");
  merging->close();
  EXPECT_EQ(lines(unanswered_.list.values()), "");
}

INSTANTIATE_TEST_SUITE_P(Languages, TranslatedDialogs, ::testing::Values("de", "fr"));

}  // namespace
}  // namespace mpm::gui
