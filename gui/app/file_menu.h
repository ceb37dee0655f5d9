// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <cstddef>
#include <exception>
#include <functional>

#include "gui/app/clip_recorder.h"
#include "gui/app/face.h"
#include "gui/app/model_dialog.h"
#include "gui/app/session.h"
#include "gui/app/source_dialog.h"
#include "gui/app/source_shelf.h"
#include "gui/plot/time_plot.h"

namespace mpm::gui {

/// Opens sources and models, holds them still, and keeps what is seen: snapshots, clips, exports.
class FileMenu : public QMenu {
  Q_OBJECT

 public:
  FileMenu(Session& session, ViewDeck* deck, TimePlot* tokens, QWidget* parent)
      : QMenu(tr("&File"), parent), session_(session), deck_(deck), tokens_(tokens) {
    addOpening();
    addSeparator();
    addAction(tr("&Teach ..."), QKeySequence("Ctrl+Shift+T"), this, &FileMenu::teachWanted);
    addSeparator();
    pause_ = addAction(tr("&Pause"));
    pause_->setCheckable(true);
    pause_->setShortcut(QKeySequence("Ctrl+P"));
    connect(pause_, &QAction::toggled, this, &FileMenu::hold);
    connect(&session_.live(), &Live::opened, this, &FileMenu::hold);
    QAction* next = addAction(tr("Next &frame"), QKeySequence("Ctrl+."), this, [this] {
      if (const auto engine = session_.live().engine(); engine && pause_->isChecked())
        engine->step(session_.live().shown());
    });
    Faces::setOnly(next, Face::study);
    addSeparator();
    addKeeping();
    addSeparator();
    addAction(tr("&Quit"), QKeySequence::Quit, parent, &QWidget::close);
  }

  QAction* pause() const { return pause_; }

  void chooseSource() {
    const QString address = askSource(session_.shownSource(), tr("Open a source"));
    if (!address.isEmpty()) session_.openSource(address);
  }

  void chooseBeside() {
    const QString address = askSource({}, tr("Watch another source beside it"));
    if (!address.isEmpty()) session_.openBeside(address);
  }

  void chooseModel() {
    const Settings& settings = session_.settings();
    ModelDialog dialog(settings.live.model, settings.recentModels, parentWidget());
    connect(&shelf_, &ModelShelf::noted, &dialog, &ModelDialog::refresh);
    shelf_.note();
    if (dialog.exec() == QDialog::Accepted) session_.openModel(dialog.path());
  }

  ClipRecorder& clips() { return clips_; }

 signals:
  void teachWanted();

 private:
  // As the menu says; what is opened meanwhile shows a picture all the same.
  void hold() {
    const auto engine = session_.live().engine();
    if (!engine) return;
    engine->pause(pause_->isChecked());
    if (!pause_->isChecked()) return;
    for (std::size_t i = 0; i < engine->sources(); ++i)
      if (!engine->latest(i)) engine->step(i);
  }

  // Empty: none. `offered`: an address to begin with.
  QString askSource(const QString& offered, const QString& title) {
    const Settings& settings = session_.settings();
    SourceDialog dialog(offered, settings.recentSources, settings.sourceNames, parentWidget());
    dialog.setWindowTitle(title);
    connect(&dialog, &SourceDialog::named, &session_, &Session::nameSource);
    const auto show = [this, &dialog] { showWatched(dialog); };
    show();
    connect(&session_.live(), &Live::resultReady, &dialog, show, Qt::QueuedConnection);
    return dialog.exec() == QDialog::Accepted ? dialog.address() : QString();
  }

  // Each source of the engine as it is now.
  void showWatched(SourceDialog& dialog) const {
    const Live& live = session_.live();
    const auto engine = live.engine();
    const QStringList addresses = QStringList{live.options().source} + live.options().beside;
    for (std::size_t i = 0; engine && i < engine->sources(); ++i) {
      const monitor::FrameResultPtr newest = engine->latest(i);
      dialog.setWatched(addresses[static_cast<qsizetype>(i)],
                        newest ? newest->frame.picture : cv::Mat(), engine->capture(i).fps);
    }
  }

  // Where to write; empty: nowhere. A name without an ending has this one.
  QString askPath(const QString& title, QStandardPaths::StandardLocation folder,
                  const QString& beginning, const QString& ending, const QString& kinds) {
    QFileDialog dialog(parentWidget(), title, QStandardPaths::writableLocation(folder), kinds);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(ending);
    dialog.selectFile(beginning + QDateTime::currentDateTime().toString("-yyyyMMdd-HHmmss.") +
                      ending);
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
  }

  // Numbered, so that each has a key; an ampersand in a path is none of its own.
  void addRecent(const QString& title, const QStringList& entries,
                 const std::function<QString(const QString&)>& nameOf,
                 const std::function<void(const QString&)>& open) {
    QMenu* menu = addMenu(title);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, &entries, nameOf, open] {
      menu->clear();
      for (int i = 0; i < entries.size(); ++i) {
        const QString entry = entries[i];
        const QString shown = nameOf(entry).replace('&', QLatin1String("&&"));
        menu->addAction(QStringLiteral("&%1  %2").arg((i + 1) % 10).arg(shown), this,
                        [open, entry] { open(entry); });
      }
      if (entries.isEmpty()) menu->addAction(tr("Nothing has been opened yet"))->setEnabled(false);
    });
  }

  void addOpening() {
    addAction(tr("Open &source ..."), QKeySequence::Open, this, &FileMenu::chooseSource);
    addAction(tr("Watch another &beside it ..."), QKeySequence("Ctrl+Shift+O"), this,
              &FileMenu::chooseBeside);
    addAction(tr("Open &model ..."), QKeySequence("Ctrl+M"), this, &FileMenu::chooseModel);
    addRecent(
        tr("Open &recent source"), session_.settings().recentSources,
        [this](const QString& text) { return session_.nameOf(text); },
        [this](const QString& text) { session_.openSource(text); });
    addRecent(
        tr("Open recent mo&del"), session_.settings().recentModels,
        [](const QString& text) { return text; },
        [this](const QString& text) { session_.openModel(text); });
  }

  void addKeeping() {
    addAction(tr("S&napshot to the record"), QKeySequence("F12"), this, &FileMenu::takeSnapshot);
    clip_ = addAction(tr("Record a &clip"));
    clip_->setCheckable(true);
    clip_->setShortcut(QKeySequence("Ctrl+R"));
    connect(clip_, &QAction::triggered, this, &FileMenu::recordClip);
    connect(&clips_, &ClipRecorder::ended, this, [this](const QString& sentence, bool bad) {
      clip_->setChecked(clips_.isRecording());
      emit session_.said(sentence, bad);
    });
    QAction* view = addAction(tr("Export the &view as PNG ..."), QKeySequence("Ctrl+E"), this,
                              &FileMenu::exportView);
    QAction* series = addAction(tr("Export the t&okens as CSV ..."), QKeySequence("Ctrl+Shift+E"),
                                this, &FileMenu::exportSeries);
    for (QAction* action : {view, series}) Faces::setOnly(action, Face::study);
  }

  void takeSnapshot() {
    if (session_.live().snapshot("by hand")) {
      emit session_.said(tr("Labels and overlay go to the record's snapshots."), false);
    } else {
      emit session_.said(tr("There is no record to write to, or no picture yet."), true);
    }
  }

  void recordClip(bool on) {
    if (!on) return clips_.end();
    const QString path = askPath(tr("Record a clip"), QStandardPaths::MoviesLocation, "mpm", "avi",
                                 tr("Videos (*.avi)"));
    if (path.isEmpty() || !session_.live().engine()) return clip_->setChecked(false);
    try {
      clips_.begin(path);
      emit session_.said(tr("Recording to %1; the same key ends it.").arg(path), false);
    } catch (const std::exception& fault) {
      clip_->setChecked(false);
      emit session_.said(QString::fromUtf8(fault.what()), true);
    }
  }

  void exportView() {
    const QImage image = deck_->exported();
    if (image.isNull()) return emit session_.said(tr("There is no picture yet."), true);
    const QString path = askPath(tr("Export the view"), QStandardPaths::PicturesLocation, "mpm",
                                 "png", tr("Pictures (*.png)"));
    if (path.isEmpty()) return;
    QImageWriter writer(path);
    const bool good = writer.write(image);
    written(good, path, writer.errorString());
  }

  void exportSeries() {
    const QString path =
        askPath(tr("Export the tokens over time"), QStandardPaths::DocumentsLocation, "mpm-tokens",
                "csv", tr("Tables (*.csv)"));
    if (path.isEmpty()) return;
    QSaveFile file(path);
    const bool good = file.open(QIODevice::WriteOnly) && tokens_->exportCsv(file) && file.commit();
    written(good, path, file.errorString());
  }

  void written(bool good, const QString& path, const QString& why) {
    if (good) return emit session_.said(tr("Wrote %1.").arg(path), false);
    emit session_.said(tr("Cannot write %1: %2").arg(path, why), true);
  }

  Session& session_;
  ModelShelf shelf_{session_};
  SourceShelf sources_{session_};
  ViewDeck* deck_;
  TimePlot* tokens_;
  QAction *pause_ = nullptr, *clip_ = nullptr;
  ClipRecorder clips_{session_};
};

}  // namespace mpm::gui
