// SPDX-License-Identifier: Apache-2.0
#include "mpm/tune.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "models.h"
#include "progress.h"

namespace mpm::python {
namespace {

nb::dict fieldsOf(const TunedSchedule& tuned) {
  nb::dict fields;
  fields["merge_before"] = nb::tuple(nb::cast(tuned.schedule.blocks()));
  fields["ratio"] = tuned.ratio;
  fields["ratio_high"] = tuned.ratioHigh;
  fields["ms"] = tuned.ms;
  fields["agreement"] = tuned.agreement;
  fields["rows"] = nb::tuple(nb::cast(tuned.rows));
  fields["runs"] = tuned.runs;
  fields["close"] = tuned.close;
  fields["on_front"] = tuned.onFront;
  return fields;
}

// Frames of a Python list, which stays alive as long as this does.
struct Frames {
  explicit Frames(const nb::list& given) {
    for (const nb::handle frame : given) {
      views.push_back(frameOf(frame));
      mats.push_back(views.back().mat);
    }
  }
  std::vector<ArrayView> views;
  std::vector<cv::Mat> mats;
};

nb::list tunedPrecisions(const std::string& model, const nb::dict& given, const nb::list& frames) {
  const SegmenterOptions options = segmenterOptions(given);
  const Frames views(frames);
  std::vector<TunedPrecision> precisions;
  {
    const Released released;
    precisions = tunePrecisions(model, options, views.mats);
  }
  nb::list list;
  for (const TunedPrecision& each : precisions)
    list.append(nb::make_tuple(each.precision, each.ratio, each.ms, each.agreement));
  return list;
}

std::size_t fastestIndex(const nb::list& given, double agreement) {
  std::vector<TunedPrecision> precisions;
  for (const nb::handle each : given) {
    precisions.push_back({nb::cast<std::string>(each[0]), nb::cast<double>(each[1]),
                          nb::cast<double>(each[2]), nb::cast<double>(each[3])});
  }
  return static_cast<std::size_t>(&fastestPrecision(precisions, agreement) - precisions.data());
}

}  // namespace

Tuning tuned(Segmenter& segmenter, const nb::list& given, const std::vector<int>& merges,
             const nb::object& progress) {
  const Frames frames(given);
  TuneOptions options;
  options.merges = merges;
  Tuning tuning;
  runHeard<TuneStopped>(progress, [&](const auto& heard) {
    options.progress = heard;
    tuning = tuneSchedules(segmenter, frames.mats, options);
  });
  return tuning;
}

void addTuning(nb::module_& module) {
  nb::class_<Tuning>(module, "Tuning")
      .def("full", [](const Tuning& tuning) { return fieldsOf(tuning.full); })
      .def("floor", [](const Tuning& tuning) { return tuning.floor; })
      .def("pays", [](const Tuning& tuning) { return tuning.pays; })
      .def("schedules",
           [](const Tuning& tuning) {
             nb::list list;
             for (const TunedSchedule& each : tuning.schedules) list.append(fieldsOf(each));
             return list;
           })
      .def("fastest_that_agrees",
           [](const Tuning& tuning, double agreement) {
             return fieldsOf(fastestThatAgrees(tuning, agreement));
           })
      .def("best_that_reaches", [](const Tuning& tuning, double framesPerSecond) -> nb::object {
        const TunedSchedule* best = bestThatReaches(tuning, framesPerSecond);
        return best == nullptr ? nb::none() : nb::object(fieldsOf(*best));
      });
  module.def("tune_precisions", &tunedPrecisions);
  module.def("fastest_precision", &fastestIndex);
}

}  // namespace mpm::python
