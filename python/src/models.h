// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "mpm/net.h"
#include "mpm/segmenter.h"
#include "mpm/tune.h"

namespace mpm::python {

/// What mpm_dnn/options.py makes of a caller's options: merge_before, restore, input_size, device,
/// precision, check.
ReadOptions readOptions(const nanobind::dict& options);

/// The same of a Segmenter's options: fit, confidence, stages, values, mean, std, channel_order.
SegmenterOptions segmenterOptions(const nanobind::dict& options);

/// What tuneSchedules finds on a list of frames, while `progress` is called.
Tuning tuned(Segmenter& segmenter, const nanobind::list& frames, const std::vector<int>& merges,
             const nanobind::object& progress);

/// What OpenCV's exceptions say first; its assertions take several lines.
std::string firstLine(const std::string& message);

/// The fields of mpm_dnn.Description by their names.
nanobind::dict fieldsOf(const Description& description);

void addModels(nanobind::module_& module);
void addSegmenter(nanobind::module_& module);
void addNet(nanobind::module_& module);
void addMerging(nanobind::module_& module);
void addTuning(nanobind::module_& module);
void addTeaching(nanobind::module_& module);
void addZones(nanobind::module_& module);
void addCommandLine(nanobind::module_& module);

}  // namespace mpm::python
