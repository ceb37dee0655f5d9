// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMainWindow>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gui/teach/backbone_panel.h"
#include "gui/teach/paint_canvas.h"
#include "gui/teach/paint_project.h"
#include "gui/teach/teach_panels.h"
#include "gui/teach/teach_worker.h"
#include "monitor/engine/engine.h"
#include "monitor/record/record_reader.h"

namespace mpm::gui {

/// Services of the live view for Teach.
struct TeachHost {
  std::function<monitor::FrameResultPtr()> newest;           ///< null: none yet
  std::function<std::shared_ptr<monitor::Engine>()> engine;  ///< rests while teaching; null: none
  std::function<Backbone()> backbone;                        ///< what the app runs
  /// Returns the record's file and the source's name in it; the file is empty if no record is
  /// written.
  std::function<std::pair<QString, QString>()> record{};
  QString builtIn{};                  ///< the backbone that comes with the app
  std::function<bool()> isStrange{};  ///< whether what runs does not know the place
};

/// Trains the user's own classes from frames of the live view and their annotations. Each stroke is
/// saved without waiting for it; training, changing the folder and closing do wait.
class TeachWindow : public QMainWindow {
  Q_OBJECT

 public:
  static constexpr double kSure = 0.8;  ///< a probability

  explicit TeachWindow(TeachHost host, QWidget* parent = nullptr);
  ~TeachWindow() override;

  /// Opens another folder; returns false, and keeps the open one, if that fails.
  bool openProject(const QString& folder);
  const PaintProject* project() const { return project_.get(); }

  /// Takes the newest frame, with the last annotation except for what has moved since.
  void takeFrame();
  /// Takes a frame as it was shown. If `model`, with these class names, was trained in this folder,
  /// its labels become the annotation; otherwise a sentence says why not.
  void correct(const monitor::FrameResult& shown, const QString& model,
               const std::vector<std::string>& names);
  void takeOfRecord();  ///< those that somebody chooses of the record, by hour and light
  QString frameShown() const { return shown_; }
  QString said() const;

  PaintCanvas* canvas() const { return canvas_; }
  FrameList* frames() const { return frames_; }
  ClassList* classes() const { return classes_; }
  LessonPanel* lesson() const { return lesson_; }
  BackbonePanel* backbone() const { return backbone_; }
  TeachWorker& worker() { return worker_; }

  void saveAll();   ///< what is not written yet, and waits for it
  bool mayLeave();  ///< the same; asks where something cannot be written, which would be lost
  void teach();     ///< or cancels
  void fillRest();  ///< what is not painted, by what was taught
  /// Restricts previews and fills to pixels surer than kSure.
  QAction* sureAlone() const { return sure_; }
  void useModel();
  bool isBusy() const { return !busy_->isHidden(); }  ///< with what was asked for
  /// Chooses the brush that paints what the trained head finds.
  QAction* acceptBrush() const { return accept_; }
  /// Runs the trained head on the live camera; painting waits meanwhile.
  QAction* cameraPreview() const { return camera_; }
  /// Offers a public backbone if the built-in one is unsuitable; call again once more is known.
  void offerBackbone();

 signals:
  void folderChosen(const QString& folder);  ///< by somebody, and it is open
  void modelTaught(const QString& path);     ///< it is to be used

 protected:
  void closeEvent(QCloseEvent* event) override;

 private:
  static constexpr QChar kOnCamera{'/'};  // begins looks at the camera, and no frame's name

  /// A frame that was analysed.
  struct Sheet {
    cv::Mat labels, found;  // found: by what was taught last; empty: not asked yet
    PaintHistory history;
    std::shared_ptr<const Areas> areas;  // null: not asked yet
    bool unsaved = false;                // on its way to its file, or
    bool refused = false;                // by the disk
  };

  void makeActions();
  void makeFrameActions(QMenu* menu);
  void makePaintActions(QMenu* menu, QToolBar* bar);
  void makeTools(QMenu* menu, QToolBar* bar);
  void makeWidth(QMenu* menu, QToolBar* bar);
  void makePreviews(QMenu* menu, QToolBar* bar);
  void makeClassActions(QMenu* menu);
  void makeTeachActions(QMenu* menu);
  QAction* addTool(QMenu* menu, QToolBar* bar, const QString& text, const QKeySequence& key,
                   PaintTool tool);
  QWidget* makeSides();
  QWidget* makeFramesSide();
  QWidget* makeLessonSide();
  void connectParts();
  void chooseFolder();
  QStringList lastPainted();  // of all frames, a few, the last one first
  cv::Mat paintingOf(const QString& name, cv::Size size) const;
  void carryOver(const QStringList& painted);
  void addClass(const QString& name = {});
  void fitColours(const cv::Mat& labels);
  void takeKept(const std::vector<monitor::DayPicture>& pictures);
  void removeClass(int number);
  void showCamera(bool on);
  void lookAtCamera();
  void foundOnCamera(const QString& look, const cv::Mat& labels, const QString& fault);
  bool take(const cv::Mat& picture);
  void lookAtBackbone();

  void showFrame(const QString& name);
  void painted();
  void save(const QString& name);
  void saved(const QString& name, const QString& fault);
  void findAreas();
  void restEngine();
  void showBusy(const QString& doing = {});
  void showPreview();
  void showSure();
  double leastSure() const { return sure_->isChecked() ? kSure : 0; }
  void taught(const TeachWorker::TaughtPtr& taught, const QString& fault);
  void found(const QString& name, const cv::Mat& labels, const QString& fault, double least);
  void setTaught(bool taught);
  void say(const QString& sentence, bool bad = false);
  /// Runs `act`, or shows its error as a sentence.
  bool attempt(const std::function<void()>& act);

  TeachHost host_;
  std::unique_ptr<PaintProject> project_;
  std::map<QString, Sheet> sheets_;
  QString shown_;
  cv::Mat picture_;           // of the frame that is shown
  bool findsLittle_ = false;  // what was taught last

  PaintCanvas* canvas_;
  FrameList* frames_;
  ClassList* classes_;
  LessonPanel* lesson_;
  BackbonePanel* backbone_;
  QLabel* message_;
  QProgressBar* busy_;
  QSpinBox* brush_;
  QPushButton *teachButton_, *fillButton_, *useButton_;
  QAction *preview_ = nullptr, *camera_ = nullptr, *sure_ = nullptr;
  QAction *fill_ = nullptr, *use_ = nullptr, *accept_ = nullptr;
  Sheet seen_;  // what the camera shows, while it is previewed
  cv::Mat seenPicture_;
  monitor::FrameResultPtr looked_;  // at, of the camera
  QString look_;                    // what the worker calls that
  int looks_ = 0;
  QTimer cameraTimer_;

  QTimer restTimer_;  // runs while something is taught
  std::future<void> rests_;
  std::promise<void> awake_;
  std::shared_future<void> awoken_;
  QString doing_;  // what was said of it
  int looking_ = 0, writing_ = 0;
  std::set<int> proposed_;  // classes whose colours nobody chose, and that are painted nowhere
  PaintWriter writer_;
  TeachWorker worker_;
  bool fillWhenFound_ = false;
};

}  // namespace mpm::gui
