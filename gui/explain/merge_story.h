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

/// One merge of a frame, as the net noted it. Tokens are those in front of it, by their row.
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

/// The map in front of all merges: each place has a row of its own.
cv::Mat everyPlaceAlone(cv::Size grid);

/// All merges of a frame as one: from a token for each place, whose row is the place, to the tokens
/// of `map`. Tells no pairs.
MergeScene sceneOfAll(const cv::Mat& map);

/// How often a class stands where full tokens give another.
struct LabelSwap {
  int full = 0, merged = 0;
  double share = 0;  ///< of all pixels
};

/// A frame that stands still, segmented twice: as its schedule says, and with full tokens.
struct MergeStory {
  monitor::FrameResultPtr frame;
  cv::Size grid;  ///< empty: the model cannot merge
  std::vector<MergeScene> merges;
  double same = 1;               ///< share of pixels of the same class
  std::vector<LabelSwap> swaps;  ///< the others, the most frequent first
};

/// `frame` has stages of its schedule, and is segmented with full tokens as well.
MergeStory tellStory(monitor::FrameResultPtr frame);

/// A merge while its tokens move together, in a view. Refers to what lives longer.
struct MergeMove {
  const MergeScene& scene;
  cv::Size grid;
  QRectF gridArea;                          ///< of the picture
  const std::vector<QRgb>& to;              ///< colours of tokens behind the merge, by row
  QPixmap before{}, behind{};               ///< the view in front of the merge and behind it
  const std::vector<QRgb>* from = nullptr;  ///< colours in front of it; null: tokens are the
                                            ///< patches of `before`
};

/// `progress` from 0, which is `before`, to 1, which is `behind`.
void drawMove(QPainter& painter, const ViewGeometry& geometry, const MergeMove& move,
              double progress);

}  // namespace mpm::gui
