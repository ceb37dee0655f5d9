// SPDX-License-Identifier: Apache-2.0
// What menus do.
#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMenuBar>
#include <QMessageBox>
#include <QSaveFile>
#include <QStandardPaths>
#include <algorithm>
#include <exception>

#include "gui/app/main_window.h"
#include "gui/app/report.h"
#include "gui/app/source_dialog.h"
#include "monitor/service/clip_writer.h"

namespace mpm::gui {
namespace {

QString freshPath(QStandardPaths::StandardLocation folder, const QString& beginning,
                  const QString& ending) {
  return QDir(QStandardPaths::writableLocation(folder))
      .filePath(beginning + QDateTime::currentDateTime().toString("-yyyyMMdd-HHmmss") + ending);
}

// All actions with keys, in submenus too, as rows of a table.
QString keyRows(const QList<QAction*>& actions) {
  QString rows;
  for (const QAction* action : actions) {
    if (action->menu() != nullptr) rows += keyRows(action->menu()->actions());
    if (action->shortcut().isEmpty()) continue;
    rows += QStringLiteral("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>")
                .arg(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped(),
                     QString(action->text()).remove('&').toHtmlEscaped());
  }
  return rows;
}

}  // namespace

void MainWindow::chooseSource() {
  SourceDialog dialog(settings_.live.source, settings_.recentSources, this);
  if (dialog.exec() == QDialog::Accepted) openSource(dialog.address());
}

void MainWindow::chooseModel() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Open a model"), QFileInfo(settings_.live.model).path(),
                                   tr("ONNX models (*.onnx);;All files (*)"));
  if (!path.isEmpty()) openModel(path);
}

void MainWindow::exportView() {
  const QImage image = deck_->exported();
  if (image.isNull()) return say(tr("There is no picture yet."), true);
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export the view"), freshPath(QStandardPaths::PicturesLocation, "mpm", ".png"),
      tr("Pictures (*.png)"));
  if (path.isEmpty()) return;
  if (image.save(path)) {
    say(tr("Wrote %1.").arg(path));
  } else {
    say(tr("Cannot write %1.").arg(path), true);
  }
}

void MainWindow::exportSeries() {
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export the tokens over time"),
      freshPath(QStandardPaths::DocumentsLocation, "mpm-tokens", ".csv"), tr("Tables (*.csv)"));
  if (path.isEmpty()) return;
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && dayNight_->tokens()->exportCsv(file) && file.commit()) {
    say(tr("Wrote %1.").arg(path));
  } else {
    say(tr("Cannot write %1: %2").arg(path, file.errorString()), true);
  }
}

void MainWindow::takeSnapshot() {
  if (live_.snapshot("by hand")) {
    say(tr("Labels and overlay go to the record's snapshots."));
  } else {
    say(tr("There is no record to write to, or no picture yet."), true);
  }
}

void MainWindow::recordClip(bool on) {
  if (!on) {
    const monitor::ClipWriter::Status status = clipWriter_->status();
    delete std::exchange(clipWriter_, nullptr);
    const QLocale locale;
    say(tr("The clip is written; pictures: %1, left out: %2.")
            .arg(locale.toString(static_cast<qulonglong>(status.written)),
                 locale.toString(static_cast<qulonglong>(status.leftOut))));
    return;
  }
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Record a clip"), freshPath(QStandardPaths::MoviesLocation, "mpm", ".avi"),
      tr("Videos (*.avi)"));
  try {
    if (path.isEmpty() || !live_.engine()) throw std::runtime_error({});
    const double fps = std::clamp(live_.engine()->capture(0).fps, 1.0, 60.0);
    clipWriter_ = new monitor::ClipWriter(path.toStdString(), fps);
    say(tr("Recording to %1; the same key ends it.").arg(path));
  } catch (const std::exception& fault) {
    clip_->setChecked(false);
    if (*fault.what() != '\0') say(QString::fromUtf8(fault.what()), true);
  }
}

void MainWindow::copyReport() {
  QApplication::clipboard()->setText(reportText(live_));
  say(tr("The report is on the clipboard."));
}

void MainWindow::showKeys() {
  QMessageBox box(this);
  box.setWindowTitle(tr("Keys"));
  box.setTextFormat(Qt::RichText);
  box.setText(
      QStringLiteral("<table>%1</table><p>%2</p>")
          .arg(keyRows(menuBar()->actions()),
               tr("In a view: + and - zoom, arrows move, Shift and arrows go from token to token, "
                  "Space pins it. In the plot of time: + and - zoom, arrows move, End goes live. "
                  "In every plot: T "
                  "shows it as a table.")));
  box.exec();
}

void MainWindow::showAbout() {
  QMessageBox::about(this, tr("About MPM Monitor"),
                     tr("<b>MPM Monitor %1</b><p>Live segmentation of a fixed scene with merged "
                        "tokens: Mutual Pair Merging for OpenCV DNN.</p><p>Apache License 2.0</p>")
                         .arg(QStringLiteral(MPM_VERSION)));
}

}  // namespace mpm::gui
