// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/zones.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "models.h"
#include "monitor/statistics/metrics.h"

namespace mpm::python {
namespace {

using NamedCorners = std::pair<std::string, std::vector<std::pair<double, double>>>;

std::vector<monitor::Zone> zonesOf(const std::vector<NamedCorners>& given) {
  std::vector<monitor::Zone> zones;
  for (const auto& [name, corners] : given) {
    monitor::Zone& zone = zones.emplace_back();
    zone.name = name;
    for (const auto& [x, y] : corners) zone.corners.emplace_back(x, y);
  }
  monitor::checkZones(zones);
  return zones;
}

nb::list listOf(const std::vector<double>& values) {
  nb::list list;
  for (const double value : values) list.append(knownOrNone(value));
  return list;
}

// Measures the picture and zones of it as the monitor does.
class ZoneMeasures {
 public:
  ZoneMeasures(const std::vector<NamedCorners>& zones, int classes)
      : areas_(zonesOf(zones), classes), greenness_(zonesOf(zones)) {}

  nb::list areas(nb::handle labels) { return listOf(areas_.measure(labelsOf(labels, "labels"))); }
  nb::list greenness(nb::handle frame) {
    const ArrayView view = frameOf(frame);
    return listOf(greenness_.measure(view.mat));
  }

 private:
  monitor::ClassAreas areas_;
  monitor::Greenness greenness_;
};

}  // namespace

void addZones(nb::module_& module) {
  module.def("metric_part", [](const std::string& name) { return monitor::metricPart(name); });
  nb::class_<ZoneMeasures>(module, "ZoneMeasures")
      .def(nb::init<const std::vector<NamedCorners>&, int>())
      .def("areas", &ZoneMeasures::areas, nb::arg("labels").none())
      .def("greenness", &ZoneMeasures::greenness, nb::arg("frame").none());
}

}  // namespace mpm::python
