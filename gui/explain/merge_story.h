// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QPixmap>
#include <QPointF>
#include <QRectF>
#include <QRgb>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "gui/canvas/view_state.h"
#include "monitor/engine/frame_result.h"

namespace mpm::gui {

/// Two tokens that became one.
struct TokenPair {
  std::vector<int> places;  ///< of both
  double similarity = 0;    ///< in front of the merge
};

/// One merge of a frame, as the net recorded it. Tokens are those before it, by their row.
struct MergeScene {
  int block = 0;  ///< that it stands in front of
  int before = 0, behind = 0;
  struct Token {
    int row = -1;      ///< -1: no place has this row
    int becomes = -1;  ///< the row behind the merge
    QPointF from, to;  ///< where it stands, and where what it becomes does: of the grid, from
                       ///< (0, 0) to (1, 1). A pair stands at half of one and half of the other,
                       ///< as it is averaged, however many places each stands for
    bool paired = false;
  };
  std::vector<Token> tokens;
  std::optional<TokenPair> mostAlike, leastAlike;  ///< of its pairs; of equal ones the first
};

/// Returns the map before all merges: each patch has a separate row.
cv::Mat everyPlaceAlone(cv::Size grid);

/// Combines all merges of a frame: from one token per patch, whose row is the patch, to the tokens
/// of `map`. It has no pairs.
MergeScene sceneOfAll(const cv::Mat& map);

/// Counts how often a class replaces another one of the unmerged labels.
struct LabelSwap {
  int full = 0, merged = 0;
  double share = 0;  ///< of all pixels
};

/// A still frame, segmented twice: with its schedule and unmerged.
struct MergeStory {
  monitor::FrameResultPtr frame;
  cv::Size grid;  ///< empty: the model cannot merge
  std::vector<MergeScene> merges;
  double same = 1;               ///< share of pixels of the same class
  std::vector<LabelSwap> swaps;  ///< the others, the most frequent first
};

/// `frame` has the stages of its schedule and is also segmented unmerged.
MergeStory tellStory(monitor::FrameResultPtr frame);

/// A merge in a view while its tokens move together. It refers to objects that must outlive it.
struct MergeMove {
  const MergeScene& scene;
  cv::Size grid;
  QRectF gridArea;                          ///< of the picture
  const std::vector<QRgb>& to;              ///< colours of tokens behind the merge, by row
  QPixmap before{}, behind{};               ///< the view in front of the merge and behind it
  const std::vector<QRgb>* from = nullptr;  ///< colours in front of it; null: tokens are the
                                            ///< patches of `before`
};

/// `progress` goes from 0, which is `before`, to 1, which is `behind`.
void drawMove(QPainter& painter, const ViewGeometry& geometry, const MergeMove& move,
              double progress);

}  // namespace mpm::gui
