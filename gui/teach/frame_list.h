// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <exception>
#include <opencv2/core.hpp>

#include "gui/canvas/thumbnail.h"
#include "gui/teach/paint_project.h"

namespace mpm::gui {

/// The frames of a project, each with a small picture and the share that is painted. Pictures are
/// read one by one while nothing else is to be done.
class FrameList : public QListWidget {
  Q_OBJECT

 public:
  explicit FrameList(QWidget* parent = nullptr) : QListWidget(parent) {
    setAccessibleName(tr("Frames"));
    setIconSize({kWidth, kHeight});
    setViewMode(IconMode);
    setFlow(TopToBottom);
    setWrapping(false);
    setMovement(Static);
    setSpacing(4);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    reading_.setInterval(0);
    connect(&reading_, &QTimer::timeout, this, &FrameList::readOne);
    connect(this, &QListWidget::currentRowChanged, this, [this](int row) {
      if (row < 0) return;
      emit chosen(nameAt(row));
      // Once it is laid out: a frame that was just taken stands at the end.
      QTimer::singleShot(0, this, [this] { scrollToItem(currentItem()); });
    });
  }

  /// All of another project, or what came to it.
  void setProject(const PaintProject* project) {
    const QSignalBlocker quiet(this);
    const bool other = project_ != project;
    project_ = project;
    if (other) clear();
    if (project_ == nullptr) return;
    for (int row = count(); row < project_->frames().size(); ++row) {
      auto* item = new QListWidgetItem(project_->frames()[row]);
      item->setData(Qt::UserRole, project_->frames()[row]);
      item->setIcon(blank());
      item->setTextAlignment(Qt::AlignHCenter);
      item->setSizeHint({kWidth + 12, kHeight + 3 * fontMetrics().height() + 12});
      addItem(item);
    }
    reading_.start();
  }

  QString nameAt(int row) const {
    return item(row) ? item(row)->data(Qt::UserRole).toString() : QString();
  }
  void choose(const QString& name) {
    if (project_ != nullptr) setCurrentRow(static_cast<int>(project_->frames().indexOf(name)));
  }
  void step(int by) { setCurrentRow(std::clamp(currentRow() + by, 0, std::max(0, count() - 1))); }

  void setShare(const QString& name, double share) {
    QListWidgetItem* at = item(static_cast<int>(project_->frames().indexOf(name)));
    if (at == nullptr) return;
    const double percent = share * 100;
    const int digits = percent > 0 && percent < 10 ? 1 : 0;
    at->setText(PaintProject::spoken(name, '\n') + '\n' +
                tr("%1% painted").arg(QLocale().toString(percent, 'f', digits)));
  }

 signals:
  void chosen(const QString& name);

 private:
  static constexpr int kWidth = 120, kHeight = 84;
  static constexpr int kRead = Qt::UserRole + 1;

  static QPixmap blank() {
    QPixmap picture(kWidth, kHeight);
    picture.fill(Qt::transparent);
    return picture;
  }

  void readOne() {
    for (int row = 0; row < count(); ++row) {
      if (item(row)->data(kRead).toBool()) continue;
      item(row)->setData(kRead, true);
      return read(row);
    }
    reading_.stop();
  }

  void read(int row) {
    const QString name = nameAt(row);
    try {
      const cv::Mat frame = project_->frame(name);
      item(row)->setIcon(QPixmap::fromImage(thumbnailOf(frame, QSize(kWidth, kHeight))));
      setShare(name, paintedShare(project_->labels(name, frame.size())));
    } catch (const std::exception& fault) {
      item(row)->setToolTip(QString::fromUtf8(fault.what()));
    }
  }

  const PaintProject* project_ = nullptr;
  QTimer reading_;
};

}  // namespace mpm::gui
