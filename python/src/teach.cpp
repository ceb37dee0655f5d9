// SPDX-License-Identifier: Apache-2.0
#include "mpm/teach.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "arrays.h"
#include "models.h"
#include "progress.h"

namespace mpm::python {
namespace {

nb::dict fieldsOf(const Lesson& lesson) {
  nb::dict fields;
  nb::list classes, advice;
  for (const TaughtClass& each : lesson.classes)
    classes.append(nb::make_tuple(each.name, each.frames, each.share, knownOrNone(each.iou)));
  for (const Advice& each : lesson.advice) advice.append(each.sentence());
  fields["classes"] = classes;
  fields["frames"] = lesson.frames;
  fields["kept"] = lesson.kept;
  fields["mean_iou"] = knownOrNone(lesson.meanIou);
  fields["pixel_accuracy"] = knownOrNone(lesson.pixelAccuracy);
  fields["decay"] = lesson.decay;
  fields["balance"] = lesson.balance;
  fields["depths"] = lesson.depths;
  fields["knows_places"] = lesson.knowsPlaces;
  fields["advice"] = advice;
  return fields;
}

TeachOptions teachOptions(const std::vector<std::string>& classes, const nb::dict& given) {
  TeachOptions options;
  options.read = readOptions(given);
  options.classes = classes;
  options.depths = nb::cast<int>(given["depths"]);
  options.keep = nb::cast<std::string>(given["keep"]);
  if (const nb::object palette = given["palette"]; !palette.is_none()) {
    for (const auto& colour : nb::cast<std::vector<std::vector<int>>>(palette)) {
      options.palette.emplace_back(cv::saturate_cast<uchar>(colour.at(0)),
                                   cv::saturate_cast<uchar>(colour.at(1)),
                                   cv::saturate_cast<uchar>(colour.at(2)));
    }
  }
  return options;
}

// A Teacher that serves one thread at a time.
class GuardedTeacher {
 public:
  GuardedTeacher(const std::string& backbone, const std::vector<std::string>& classes,
                 const nb::dict& given) {
    TeachOptions options = teachOptions(classes, given);
    // Progress is heard while teach() runs, so it is asked for here and set there.
    options.progress = [this](double share) { return progress_ == nullptr || (*progress_)(share); };
    const Released released;
    teacher_ = std::make_unique<Teacher>(backbone, options);
  }

  void add(nb::handle frame, nb::handle labels) {
    const ArrayView view = frameOf(frame);
    const cv::Mat annotation = labelsOf(labels, "labels");
    const auto turn = takeTurn();
    const Released released;
    teacher_->add(view.mat, annotation);
  }

  nb::dict teach(const nb::object& progress) {
    const auto turn = takeTurn();
    Lesson lesson;
    runHeard<TeachStopped>(progress, [&](const auto& heard) {
      progress_ = &heard;
      try {
        lesson = teacher_->teach();
      } catch (...) {
        progress_ = nullptr;
        throw;
      }
      progress_ = nullptr;
    });
    return fieldsOf(lesson);
  }

  double doubt(nb::handle frame) {
    const ArrayView view = frameOf(frame);
    const auto turn = takeTurn();
    const Released released;
    return teacher_->doubt(view.mat);
  }

  nb::object labels(nb::handle frame, double least) {
    const ArrayView view = frameOf(frame);
    const auto turn = takeTurn();
    cv::Mat labels;
    {
      const Released released;
      labels = teacher_->labels(view.mat, least);
    }
    return arrayOf(labels);
  }

  void write(const std::string& path) {
    const auto turn = takeTurn();
    const Released released;
    teacher_->write(path);
  }

 private:
  std::unique_lock<std::mutex> takeTurn() {
    return python::takeTurn(mutex_, "another thread is using this Teacher");
  }

  std::mutex mutex_;
  const std::function<bool(double)>* progress_ = nullptr;
  std::unique_ptr<Teacher> teacher_;
};

}  // namespace

void addTeaching(nb::module_& module) {
  nb::class_<GuardedTeacher>(module, "Teacher")
      .def(nb::init<const std::string&, const std::vector<std::string>&, const nb::dict&>())
      .def("add", &GuardedTeacher::add, nb::arg("frame").none(), nb::arg("labels").none())
      .def("teach", &GuardedTeacher::teach, nb::arg("progress").none())
      .def("doubt", &GuardedTeacher::doubt, nb::arg("frame").none())
      .def("labels", &GuardedTeacher::labels, nb::arg("frame").none(), nb::arg("least"))
      .def("write", &GuardedTeacher::write);
}

}  // namespace mpm::python
