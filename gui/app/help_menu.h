// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>

#include "gui/app/face.h"
#include "gui/app/record_heat.h"
#include "gui/app/report.h"
#include "gui/app/session.h"
#include "gui/explain/merge_window.h"

namespace mpm::gui {

/// What merging does and what the window has, step by step; the keys of all menus in `bar`, the
/// report for whoever helps, and what this is.
class HelpMenu : public QMenu {
  Q_OBJECT

 public:
  HelpMenu(Session& session, const MergeHeat& heat, const ClassSettings& classes,
           const QMenuBar* bar, QWidget* parent)
      : QMenu(tr("&Help"), parent) {
    addAction(tr("How merging &works"), QKeySequence(Qt::Key_F2), this,
              [this, &session, &heat, &classes] { explainMerging(session, heat, classes); })
        ->setObjectName("Merging");
    addSeparator();
    addAction(tr("&Keys"), QKeySequence(Qt::Key_F1), this, [this, bar] { showKeys(*bar); });
    addAction(tr("Copy &report"), this, [&session] {
      QApplication::clipboard()->setText(reportText(session.live()));
      emit session.said(tr("The report is on the clipboard."), false);
    });
    addAction(tr("&About"), this, &HelpMenu::showAbout);
    const auto begin = [this, &session] {
      if (merging_) beginMerging(session);
    };
    connect(&recorded_, &RecordHeat::known, this, [this](const std::vector<MergeHeat>& heats) {
      if (merging_) merging_->setRecorded(heats);
    });
    connect(&session.live(), &Live::opened, this, begin);
    connect(&session, &Session::shownChanged, this, begin);
  }

 private:
  void explainMerging(Session& session, const MergeHeat& heat, const ClassSettings& classes) {
    if (!merging_) {
      merging_ = new MergeWindow(heat, classes, parentWidget());
      merging_->setAttribute(Qt::WA_DeleteOnClose);
      connect(merging_, &QObject::destroyed, &recorded_, &RecordHeat::end);
      if (session.live().engine()) beginMerging(session);
    }
    merging_->show();
    merging_->raise();
    merging_->activateWindow();
  }

  void beginMerging(Session& session) {
    const Live& live = session.live();
    merging_->begin(live.engine(), live.shown());
    recorded_.begin(live.options().record, session.recordedAs(), live.modelHash());
  }

  // All actions of the face with keys, in submenus too, as cells of a table.
  static QStringList keyCells(const QList<QAction*>& actions) {
    QStringList cells;
    for (const QAction* action : actions) {
      if (!action->isVisible()) continue;
      if (action->menu() != nullptr) cells += keyCells(action->menu()->actions());
      if (action->shortcut().isEmpty()) continue;
      cells << QStringLiteral(
                   "<td style='white-space:nowrap'><b>%1</b>&nbsp;&nbsp;</td>"
                   "<td style='white-space:nowrap'>%2&nbsp;&nbsp;&nbsp;</td>")
                   .arg(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped(),
                        QString(action->text()).remove('&').toHtmlEscaped());
    }
    return cells;
  }

  // In two columns: one is higher than a small screen.
  static QString keyRows(const QStringList& cells) {
    QString rows;
    const qsizetype half = (cells.size() + 1) / 2;
    for (qsizetype i = 0; i < half; ++i)
      rows += QStringLiteral("<tr>%1%2</tr>").arg(cells[i], cells.value(half + i));
    return rows;
  }

  void showKeys(const QMenuBar& bar) {
    QMessageBox box(parentWidget());
    box.setWindowTitle(tr("Keys"));
    box.setTextFormat(Qt::RichText);
    box.setText(QStringLiteral("<table>%1</table><p>%2</p>")
                    .arg(keyRows(keyCells(bar.actions())),
                         tr("In a view: + and - zoom, arrows move, Shift and arrows go from token "
                            "to token, Space pins it. In the time plot: + and - zoom, arrows move, "
                            "End goes live. In every plot: T shows it as a table.")));
    box.exec();
  }

  void showAbout() {
    QMessageBox::about(
        parentWidget(), tr("About MPM Monitor"),
        tr("<b>MPM Monitor %1</b><p>Live segmentation of a fixed scene with merged "
           "tokens: Mutual Pair Merging for OpenCV DNN.</p><p>Apache License 2.0</p>")
            .arg(QStringLiteral(MPM_VERSION)));
  }

  QPointer<MergeWindow> merging_;
  RecordHeat recorded_;
};

}  // namespace mpm::gui
