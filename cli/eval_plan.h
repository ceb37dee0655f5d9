// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/eval_arguments.h"
#include "evaluate/pairs.h"
#include "evaluate/picture.h"
#include "evaluate/record.h"
#include "mpm/segmenter.h"

namespace mpm::cli {

/// A model, a data set, and what is measured: everything that can be refused before the first
/// picture has been.
class EvalPlan {
 public:
  explicit EvalPlan(const EvalArguments& arguments);

  Segmenter& segmenter() { return segmenter_; }
  const std::vector<evaluate::Pair>& pairs() const { return listing_.pairs; }
  const evaluate::Measure& measure() const { return measure_; }
  const evaluate::Header& header() const { return header_; }
  /// Sentences on what is not as one might expect.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  Segmenter openModel(const EvalArguments& arguments);
  void chooseSchedules();
  void fillMeasure(const EvalArguments& arguments);
  void fillHeader(const EvalArguments& arguments);
  void fillOptions(const EvalArguments& arguments);
  void remark(const EvalArguments& arguments);

  EvalWish wish_;
  evaluate::Listing listing_;
  int threads_;
  Segmenter segmenter_;
  evaluate::Measure measure_;
  evaluate::Header header_;
  std::vector<std::string> remarks_;
};

}  // namespace mpm::cli
