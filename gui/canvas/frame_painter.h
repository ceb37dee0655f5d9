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

/// Gives each group of places that share a token a number that it keeps from frame to frame: a
/// group takes over the number that most of its places had, and of two that want the same one
/// the group with more of these places gets it. A place remembers its last number while it stands
/// alone, so that a group which comes back is known again.
class GroupTracker {
 public:
  /// `map`: CV_32S, a map as mapBehind gives it. One number for each place, 0 where it stands
  /// alone. A grid of another size starts anew. The same map twice gives the same numbers.
  const std::vector<std::uint32_t>& update(const cv::Mat& map);

 private:
  cv::Size grid_;
  std::vector<std::uint32_t> remembered_, numbers_;  // by place
};

/// Paints frames, one after the other. Not from two threads at once; keeps its image from frame to
/// frame, and what it knows of groups.
class FramePainter {
 public:
  /// `part.picture` is the picture's size, CV_8UC3. What whyNot() has a sentence for is painted as
  /// the camera's picture in grey. The image is this painter's: a copy that lives on costs the next
  /// call a new one. Format_RGB32.
  const QImage& paint(const monitor::FrameResult& result, const Painting& painting,
                      const ClassSettings& classes, const Part& part);
  /// Lets go of its image; what it knows of groups stays.
  void release() { image_ = QImage(); }

 private:
  void paintOver(const monitor::FrameResult& result, const Painting& painting,
                 const ClassSettings& classes, const Part& part, cv::Mat& pixels);

  GroupTracker tracker_;
  QImage image_;
};

/// The mean colour of each token, by its row: of the places that share it. `means`: as
/// placeMeans gives them; `map`: of the same size.
std::vector<QRgb> tokenColours(const cv::Mat& means, const cv::Mat& map);

/// From the colour of a group's size to what stands in a legend: 0 for 1, 1 for the most that
/// `merges` can join.
double sizeOnScale(int size, int merges);

/// Of a cosine similarity: 0 for 0 and less, 1 for 0.999 and more, and as far again with each nine,
/// since nearly all tokens have a partner above 0.9.
double similarityOnScale(double similarity);

/// One painting as it stands in a view: painted anew only where something changed, else copied.
class PaintedView {
 public:
  /// Draws what is seen of the result's picture inside `clip`, both in the painter's logical
  /// pixels, of which each is `ratio` device pixels wide. The result's picture is CV_8UC3.
  void draw(QPainter& painter, const monitor::FrameResultPtr& result, Painting painting,
            const ClassSettings& classes, const ViewGeometry& geometry, const QRectF& clip,
            double ratio);
  /// Lets go of the result that was drawn last, and of what it was painted in.
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

/// A painting of a whole view, kept as a pixmap as large as that until another one is asked for.
class KeptPainting {
 public:
  /// `geometry` is of a view of `size`; `ground` is what stands beside the picture.
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
