// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <QAction>
#include <QByteArray>
#include <QCoreApplication>
#include <QDir>
#include <QMenu>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QTranslator>
#include <QWidget>
#include <string>

#include "gui/app/language.h"
#include "gui/app/options.h"
#include "gui/app/room_for_words.h"
#include "gui/app/settings.h"
#include "gui/app/small_street.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace testing {

/// Asked where no other translator knew an answer.
class Unanswered : public QTranslator {
 public:
  QString translate(const char* context, const char* source, const char*, int) const override {
    if (QByteArray(context).startsWith("mpm::gui")) list.insert(QString(context) + ": " + source);
    return {};
  }
  bool isEmpty() const override { return false; }
  mutable QSet<QString> list;
};

inline std::string lines(const QStringList& list) { return list.join('\n').toStdString(); }

/// Of a menu and all below it.
inline void expectNoClash(const QMenu& menu) {
  QStringList texts;
  for (const QAction* action : menu.actions()) {
    texts << action->text();
    if (action->menu() != nullptr) expectNoClash(*action->menu());
  }
  EXPECT_EQ(clash(texts).toStdString(), "") << qPrintable(menu.title());
}

/// What is cut off once the layout has come to rest.
template <typename Widget>
QStringList stillCut(Widget& widget) {
  const bool whole = waitFor([&] { return cut(widget).isEmpty(); });
  return whole ? QStringList() : cut(widget);
}

}  // namespace testing

/// In the language that is its parameter; `unanswered_` is what has no translation there.
class TranslatedWindow : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!languages().contains(GetParam()))
      GTEST_SKIP() << "built without qt6-tools-dev: English alone";
    QCoreApplication::installTranslator(&unanswered_);
    speak(GetParam());
  }
  void TearDown() override {
    speak("en");
    QCoreApplication::removeTranslator(&unanswered_);
  }

  // A drawn one, without a record.
  static Settings street() { return withOptions({}, smallStreet()); }
  // For whoever wants to look: into the folder MPM_PICTURES.
  static void keep(QWidget& widget, const char* name) {
    const QString folder = qEnvironmentVariable("MPM_PICTURES");
    if (folder.isEmpty()) return;
    widget.grab().save(QDir(folder).filePath(QString("%1-%2.png").arg(GetParam(), name)));
  }

  testing::Unanswered unanswered_;
};

}  // namespace mpm::gui
