// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QImage>
#include <QPainter>
#include <QPixmap>
#include <cstdint>
#include <vector>

#include "gui/canvas/class_settings.h"
#include "gui/canvas/overlays.h"
#include "gui/canvas/painting.h"
#include "gui/canvas/pictures.h"
#include "gui/canvas/view_state.h"

namespace mpm::gui {

/// Gives each group of patches that share a token a number, stable from frame to frame. A group
/// takes the number that most of its patches had; if two want one, the group with more of these
/// patches wins. A patch that stands alone remembers its last number, so that a returning group is
/// recognized.
class GroupTracker {
 public:
  /// Returns a number for each patch, 0 if it is alone. `map`: CV_32S, a merge map as mapBehind
  /// returns it. A new grid size restarts. The same map twice gives the same numbers.
  const std::vector<std::uint32_t>& update(const cv::Mat& map);

 private:
  cv::Size grid_;
  std::vector<std::uint32_t> remembered_, numbers_;  // by place
};

/// Paints frames one after the other, from one thread at a time. It keeps its image and its groups
/// from frame to frame.
class FramePainter {
 public:
  /// Paints a part; `part.picture` is the size of the CV_8UC3 frame. A painting with a whyNot()
  /// sentence becomes the frame in grey. The image, Format_RGB32, is the painter's: a copy that
  /// lives on makes the next call allocate.
  const QImage& paint(const monitor::FrameResult& result, const Painting& painting,
                      const ClassSettings& classes, const Part& part);
  /// Releases its image; its groups stay.
  void release() { image_ = QImage(); }

 private:
  void paintOver(const monitor::FrameResult& result, const Painting& painting,
                 const ClassSettings& classes, const Part& part, cv::Mat& pixels);

  GroupTracker tracker_;
  QImage image_;
};

/// Returns each token's mean colour over its patches, by row. `means`: as placeMeans returns them;
/// `map`: of the same size.
std::vector<QRgb> tokenColours(const cv::Mat& means, const cv::Mat& map);

/// Maps a group's size to its position on the legend's scale: 0 for 1, 1 for the most that `merges`
/// can join.
double sizeOnScale(int size, int merges);

/// Maps a cosine similarity: 0 and less to 0, 0.999 and more to 1, and each further nine equally
/// far, since nearly all tokens have a partner above 0.9.
double similarityOnScale(double similarity);

/// A painting in a view, repainted only if something changed, else copied.
class PaintedView {
 public:
  /// Draws the visible part of the result's CV_8UC3 frame inside `clip`. Both are in the painter's
  /// logical pixels of `ratio` device pixels each.
  void draw(QPainter& painter, const monitor::FrameResultPtr& result, Painting painting,
            const ClassSettings& classes, const ViewGeometry& geometry, const QRectF& clip,
            double ratio);
  /// Releases the result that was drawn last, and its images.
  void release();

  quint64 paintings() const { return paintings_; }  ///< how often it was painted anew

 private:
  struct Key {
    monitor::FrameResultPtr result;
    Painting painting;
    quint64 classes = 0;
    Part part;
    bool operator==(const Key&) const = default;
  };

  FramePainter painter_;
  Key key_;
  const QImage* image_ = nullptr;  // painter_'s
  quint64 paintings_ = 0;
};

/// A painting of a whole view, kept as a pixmap until another one is asked for.
class KeptPainting {
 public:
  /// `geometry` is that of a view of `size`; `ground` surrounds the frame.
  const QPixmap& of(const monitor::FrameResultPtr& result, const Painting& painting,
                    const ClassSettings& classes, const ViewGeometry& geometry, QSize size,
                    double ratio, const QColor& ground);

 private:
  struct Key {
    monitor::FrameResultPtr result;
    Painting painting;
    quint64 classes = 0;
    QSize size;
    double ratio = 0;
    QColor ground;
    bool operator==(const Key&) const = default;
  };

  PaintedView view_;
  Key key_;
  QPixmap pixmap_;
};

}  // namespace mpm::gui
