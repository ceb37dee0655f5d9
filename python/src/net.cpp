// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <opencv2/dnn.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrays.h"
#include "models.h"
#include "released.h"

namespace mpm::python {
namespace {

void checkShape(const ArrayView& view, const Description::Blob& input) {
  const std::vector<std::int64_t> shape = shapeOf(view.array);
  const auto fits = [](std::int64_t size, int expected) {
    return expected < 0 || size == expected;
  };
  if (std::equal(shape.begin(), shape.end(), input.shape.begin(), input.shape.end(), fits)) return;
  std::string expected;
  for (const int size : input.shape)
    expected += (expected.empty() ? "" : " x ") + (size < 0 ? "any" : std::to_string(size));
  throw nb::value_error(
      (input.name + ": it is " + shapeText(shape) + "; expected " + expected).c_str());
}

// A model as arrays in, arrays out. It serves one thread at a time; others wait.
class Net {
 public:
  Net(const std::string& model, const nb::dict& given) : name_(model) {
    const ReadOptions options = readOptions(given);
    const Released released;
    model_ = describe(model, options);
    net_ = readNet(model, options);
    for (const Description::Blob& output : model_.outputs) names_.push_back(output.name);
    for (const std::string& added : model_.added) {
      if (std::find(names_.begin(), names_.end(), added) == names_.end()) names_.push_back(added);
    }
  }

  nb::dict model() const {
    checkOpen();
    return fieldsOf(model_);
  }
  const std::vector<cv::String>& outputs() const {
    checkOpen();
    return names_;
  }

  bool isClosed() const { return isClosed_; }
  // Waits for the forward of another thread.
  void close() {
    const Released released;
    const std::lock_guard turn(mutex_);
    isClosed_ = true;
    net_ = {};
  }

  /// In the order of the model's inputs; all outputs, in the order of outputs().
  nb::list forward(const std::vector<nb::object>& inputs) {
    std::vector<ArrayView> views;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      views.push_back(numbersOf(inputs[i], model_.inputs.at(i).name));
      checkShape(views.back(), model_.inputs[i]);
    }
    std::vector<cv::Mat> made;
    {
      const Released released;
      const std::lock_guard turn(mutex_);
      checkOpen();
      made = compute(views);
    }
    nb::list outputs;
    for (const cv::Mat& output : made) outputs.append(arrayOf(output));
    return outputs;
  }

  std::vector<int> mergeBefore() {
    const Released released;
    const std::lock_guard turn(mutex_);
    checkOpen();
    return schedule(net_).blocks();
  }
  void setMergeBefore(const std::vector<int>& blocks) {
    const Released released;
    const std::lock_guard turn(mutex_);
    checkOpen();
    setSchedule(net_, blocks);
  }

 private:
  void checkOpen() const {
    if (isClosed_) throw std::runtime_error("this Net is closed");
  }

  // The net writes over what it gave at its next forward.
  std::vector<cv::Mat> compute(const std::vector<ArrayView>& views) {
    std::vector<cv::Mat> made;
    try {
      for (std::size_t i = 0; i < views.size(); ++i)
        net_.setInput(views[i].mat, model_.inputs[i].name);
      net_.forward(made, names_);
    } catch (const cv::Exception& error) {
      throw std::runtime_error(name_ +
                               ": OpenCV " CV_VERSION " cannot run it: " + firstLine(error.err));
    }
    for (cv::Mat& output : made) output = output.clone();
    return made;
  }

  std::string name_;
  Description model_;
  std::vector<cv::String> names_;
  std::mutex mutex_;
  std::atomic<bool> isClosed_ = false;
  cv::dnn::Net net_;
};

}  // namespace

void addNet(nb::module_& module) {
  nb::class_<Net>(module, "Net")
      .def(nb::init<const std::string&, const nb::dict&>())
      .def("model", &Net::model)
      .def("outputs", &Net::outputs)
      .def("forward", &Net::forward)
      .def("merge_before", &Net::mergeBefore)
      .def("set_merge_before", &Net::setMergeBefore)
      .def("is_closed", &Net::isClosed)
      .def("close", &Net::close);
}

}  // namespace mpm::python
