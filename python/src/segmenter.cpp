// SPDX-License-Identifier: Apache-2.0
#include "mpm/segmenter.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrays.h"
#include "models.h"
#include "released.h"

namespace mpm::python {
namespace {

std::optional<cv::Vec3f> colourOf(const nb::object& given) {
  if (given.is_none()) return std::nullopt;
  const auto values = nb::cast<std::vector<float>>(given);
  return cv::Vec3f(values.at(0), values.at(1), values.at(2));
}

const char* nameOf(StepKind kind) {
  constexpr std::array<const char*, 7> kNames = {"embedding", "block", "merge", "restore",
                                                 "decoder",   "head",  "rest"};
  return kNames[static_cast<std::size_t>(kind)];
}

nb::object fieldsOf(const MemoryReport& report) {
  if (report.rows == 0) return nb::none();
  return nb::make_tuple(report.rows, report.fresh, report.age,
                        report.agreement ? nb::cast(*report.agreement) : nb::none());
}

nb::dict fieldsOf(const Segmentation& found) {
  nb::dict fields;
  fields["labels"] = arrayOf(found.labels);
  fields["values"] = arrayOf(found.values);
  fields["confidence"] = arrayOf(found.confidence);
  fields["merge_map"] = arrayOf(found.mergeMap);
  fields["rows"] = found.rows;
  nb::list stages, steps;
  for (const MergeStage& stage : found.stages)
    stages.append(nb::make_tuple(arrayOf(stage.map), arrayOf(stage.similarity)));
  for (const NetworkStep& step : found.steps)
    steps.append(nb::make_tuple(nameOf(step.kind),
                                step.block < 0 ? nb::none() : nb::cast(step.block), step.ms));
  fields["stages"] = stages;
  fields["steps"] = steps;
  fields["windows"] = found.windows;
  const cv::Rect2d& area = found.gridArea;
  fields["grid_area"] = nb::make_tuple(area.x, area.y, area.width, area.height);
  fields["memory"] = fieldsOf(found.memory);
  fields["patch_ages"] = arrayOf(found.patchAges);
  fields["times"] =
      nb::make_tuple(found.times.prepareMs, found.times.networkMs, found.times.labelsMs);
  return fields;
}

// A SceneMemory that no two threads use at a time.
class GuardedMemory {
 public:
  void forget() {
    const auto turn = takeTurn();
    memory_.forget();
  }
  void audit() {
    const auto turn = takeTurn();
    memory_.audit();
  }
  std::size_t bytes() {
    const auto turn = takeTurn();
    return memory_.bytes();
  }

  std::unique_lock<std::mutex> takeTurn() {
    return python::takeTurn(
        mutex_, "another thread is using this SceneMemory; please make one for each camera");
  }
  SceneMemory& get() { return memory_; }

 private:
  std::mutex mutex_;
  SceneMemory memory_;
};

// A Segmenter that serves one thread at a time, and can be closed.
class GuardedSegmenter {
 public:
  GuardedSegmenter(const std::string& model, const nb::dict& given) {
    const SegmenterOptions options = segmenterOptions(given);
    const Released released;
    segmenter_ = std::make_unique<Segmenter>(model, options);
  }

  nb::dict segment(nb::handle frame, GuardedMemory* memory) {
    const ArrayView view = frameOf(frame);
    Segmentation found;
    {
      const auto turn = takeTurn();
      const auto remembering =
          memory == nullptr ? std::unique_lock<std::mutex>() : memory->takeTurn();
      const Released released;
      found =
          memory == nullptr ? open().segment(view.mat) : open().segment(view.mat, memory->get());
    }
    return fieldsOf(found);
  }
  std::string memoryFault() {
    const auto turn = takeTurn();
    return open().memoryFault();
  }
  Tuning tune(const nb::list& frames, const std::vector<int>& merges, const nb::object& progress) {
    const auto turn = takeTurn();
    return tuned(open(), frames, merges, progress);
  }

  void close() {
    const auto turn = takeTurn();
    segmenter_.reset();
  }
  bool isClosed() const { return segmenter_ == nullptr; }
  nb::dict model() { return python::fieldsOf(open().model()); }
  std::vector<std::string> classes() { return open().classes(); }
  nb::object palette() {
    const std::vector<cv::Vec3b>& colours = open().palette();
    return arrayOf(
        cv::Mat(static_cast<int>(colours.size()), 3, CV_8U, const_cast<cv::Vec3b*>(colours.data()))
            .clone());
  }
  std::vector<int> mergeBefore() {
    const auto turn = takeTurn();
    return open().schedule().blocks();
  }
  void setMergeBefore(const std::vector<int>& blocks) {
    const auto turn = takeTurn();
    open().setSchedule(blocks);
  }

 private:
  std::unique_lock<std::mutex> takeTurn() {
    return python::takeTurn(
        mutex_, "another thread is using this Segmenter; please make one for each thread");
  }
  Segmenter& open() {
    if (segmenter_ == nullptr)
      throw std::runtime_error("this Segmenter is closed; please make another");
    return *segmenter_;
  }

  std::mutex mutex_;
  std::unique_ptr<Segmenter> segmenter_;
};

}  // namespace

SegmenterOptions segmenterOptions(const nb::dict& given) {
  SegmenterOptions options;
  options.read = readOptions(given);
  options.fit = nb::cast<std::string>(given["fit"]) == "slide" ? Fit::slide : Fit::stretch;
  options.shortSide = nb::cast<int>(given["short_side"]);
  options.stride = nb::cast<int>(given["stride"]);
  options.confidence = nb::cast<bool>(given["confidence"]);
  options.stages = nb::cast<bool>(given["stages"]);
  options.values = nb::cast<bool>(given["values"]);
  options.mean = colourOf(given["mean"]);
  options.std = colourOf(given["std"]);
  if (const std::string order = nb::cast<std::string>(given["channel_order"]); !order.empty())
    options.rgb = order == "rgb";
  return options;
}

void addSegmenter(nb::module_& module) {
  nb::class_<GuardedMemory>(module, "SceneMemory")
      .def(nb::init<>())
      .def("forget", &GuardedMemory::forget)
      .def("audit", &GuardedMemory::audit)
      .def("bytes", &GuardedMemory::bytes);
  nb::class_<GuardedSegmenter>(module, "Segmenter")
      .def(nb::init<const std::string&, const nb::dict&>())
      .def("segment", &GuardedSegmenter::segment, nb::arg("frame").none(), nb::arg("memory").none())
      .def("memory_fault", &GuardedSegmenter::memoryFault)
      .def("tune", &GuardedSegmenter::tune, nb::arg("frames"), nb::arg("merges"),
           nb::arg("progress").none())
      .def("close", &GuardedSegmenter::close)
      .def("is_closed", &GuardedSegmenter::isClosed)
      .def("model", &GuardedSegmenter::model)
      .def("classes", &GuardedSegmenter::classes)
      .def("palette", &GuardedSegmenter::palette)
      .def("merge_before", &GuardedSegmenter::mergeBefore)
      .def("set_merge_before", &GuardedSegmenter::setMergeBefore);
}

}  // namespace mpm::python
