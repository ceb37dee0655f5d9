// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "evaluate/truth.h"

/// What the classes of public data sets are called, in the order of their numbers.
namespace mpm::evaluate {

std::vector<std::string> ade20kClasses();         ///< 150; label 1 is the first
std::vector<std::string> cityscapesClasses();     ///< 19, in the order of the train ids
std::vector<std::string> pascalContextClasses();  ///< 60; label 0, background, is the first

/// A layout of data sets, and how models are measured on it.
enum class Format { ade20k, cityscapes, pascalContext, folder };

/// What published figures are measured with: frames resized to a short side, windows that slide.
struct Protocol {
  bool slides = false;
  int shortSide = 0, window = 0;  ///< in pixels
};

std::string nameOf(Format format);  ///< "ade20k", "cityscapes", "pascal-context", "folder"
/// std::invalid_argument where there is no such format.
Format formatNamed(const std::string& name);
Protocol protocolOf(Format format);

/// From window to window, for windows with this shorter side: 32 pixels less than it, so that they
/// overlap, as rstrudel/segmenter's segm.eval.miou and mmsegmentation's Segmenter configurations
/// have it; small windows, of 64 pixels or less, don't overlap.
int strideOf(int window);

/// What of a data set's classes can be chosen.
struct ClassOptions {
  int classes = 0;  ///< of Pascal Context: 59 or 60. 0: as many as the model has
  // Of a folder:
  int ignored = 255;        ///< the number that does not count
  bool reduceZero = false;  ///< number 0 does not count either, and the others are one less
};

/// The classes of a data set, and how its label pictures stand for them.
struct Classes {
  std::vector<std::string> names;
  LabelRule rule;
};

/// Refuses names that are the model's in another order: numbers would mean other classes. `names`
/// are those of `what`. std::runtime_error, one sentence.
void checkOrder(const std::string& what, const std::vector<std::string>& names,
                const std::vector<std::string>& modelNames);

/// Of a data set in `root` and a model with `modelNames`. Of a folder the names are those of
/// root/classes.txt, one a line and nothing behind a tab, or else the model's. `hasTrainIds`: of
/// Cityscapes, whether labels are numbers of classes or Cityscapes' own. std::runtime_error, one
/// sentence, where the model has another number of classes, or the same in another order;
/// std::invalid_argument where options do not fit the format.
Classes classesOf(Format format, const std::string& root, bool hasTrainIds,
                  const ClassOptions& options, const std::vector<std::string>& modelNames);

}  // namespace mpm::evaluate
