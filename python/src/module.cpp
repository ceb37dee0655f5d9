// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include <exception>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>

#include "models.h"
#include "mpm/layers.h"
#include "mpm/version.h"

namespace nb = nanobind;

NB_MODULE(_mpm, module) {
  nb::set_leak_warnings(false);  // cv2 never lets a layer go
  // What OpenCV throws is told by Python's exceptions.
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_ERROR);
  cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const cv::Exception& error) {
      PyErr_SetString(PyExc_RuntimeError, mpm::python::firstLine(error.err).c_str());
    }
  });
  mpm::registerLayers();
  module.attr("version") = mpm::version();
  module.attr("opencv_version") = CV_VERSION;
  mpm::python::addModels(module);
  mpm::python::addSegmenter(module);
  mpm::python::addNet(module);
  mpm::python::addMerging(module);
  mpm::python::addTuning(module);
  mpm::python::addTeaching(module);
  mpm::python::addZones(module);
  mpm::python::addCommandLine(module);
}
