// SPDX-License-Identifier: Apache-2.0
#include "models.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "mpm/layers.h"
#include "mpm/threads.h"
#include "released.h"

namespace mpm::python {

namespace nb = nanobind;

namespace {

nb::list blobs(const std::vector<Description::Blob>& blobs) {
  nb::list list;
  for (const Description::Blob& blob : blobs) {
    nb::list shape;
    for (const int size : blob.shape) size < 0 ? shape.append(nb::none()) : shape.append(size);
    list.append(nb::make_tuple(blob.name, nb::tuple(shape)));
  }
  return list;
}

nb::tuple size(const cv::Size& size) { return nb::make_tuple(size.width, size.height); }

}  // namespace

std::string firstLine(const std::string& message) {
  const std::size_t begin = message.find_first_not_of("> \n");
  if (begin == std::string::npos) return "OpenCV gives no reason";
  return message.substr(begin, message.find('\n', begin) - begin);
}

ReadOptions readOptions(const nb::dict& options) {
  ReadOptions read;
  if (const nb::object blocks = options["merge_before"]; !blocks.is_none())
    read.schedule = Schedule(nb::cast<std::vector<int>>(blocks));
  read.restore =
      nb::cast<std::string>(options["restore"]) == "early" ? Restore::early : Restore::late;
  read.proportional = nb::cast<bool>(options["proportional"]);
  if (const nb::object wanted = options["input_size"]; !wanted.is_none()) {
    const auto [width, height] = nb::cast<std::pair<int, int>>(wanted);
    read.inputSize = {width, height};
  }
  read.device = nb::cast<std::string>(options["device"]);
  read.precision = nb::cast<std::string>(options["precision"]);
  read.check = nb::cast<bool>(options["check"]);
  return read;
}

nb::dict fieldsOf(const Description& description) {
  nb::dict fields;
  fields["mergeable"] = description.mergeable;
  fields["reason"] = description.reason;
  fields["depth"] = description.depth;
  fields["embed_dim"] = description.embedDim;
  fields["num_heads"] = description.numHeads;
  fields["num_prefix_tokens"] = description.numPrefixTokens;
  fields["patch_size"] = description.patchSize;
  fields["grid_size"] = size(description.gridSize);
  fields["input_size"] = size(description.input);
  fields["is_input_open"] = description.isInputOpen;
  fields["gelu"] = description.gelu;
  fields["head"] = description.head;
  fields["merge_before"] = nb::tuple(nb::cast(description.schedule.blocks()));
  const int last = description.lastInWindows;
  fields["last_in_windows"] = last < 0 ? nb::none() : nb::cast(last);
  fields["inputs"] = blobs(description.inputs);
  fields["outputs"] = blobs(description.outputs);
  fields["metadata"] = description.metadata;
  return fields;
}

void addModels(nb::module_& module) {
  module.def("describe", [](const std::string& path, const nb::dict& given) {
    const ReadOptions options = readOptions(given);
    Description description;
    {
      const Released released;
      description = describe(path, options);
    }
    return fieldsOf(description);
  });
  module.def("describe_bytes", [](const nb::bytes& model, const nb::dict& given) {
    const ReadOptions options = readOptions(given);
    Description description;
    {
      const Released released;
      description = describe(model.data(), model.size(), options);
    }
    return fieldsOf(description);
  });
  module.def("convert", [](const std::string& from, const std::string& to, const nb::dict& given,
                           const nb::list& calibration) {
    const ReadOptions options = readOptions(given);
    std::vector<ArrayView> views;
    std::vector<cv::Mat> blobs;
    for (const nb::handle blob : calibration) {
      views.push_back(floatsOf(blob, "calibration"));
      blobs.push_back(views.back().mat);
    }
    const Released released;
    convert(from, to, options, blobs);
  });
  module.def("set_threads", [](int count) { setThreads(count); });
  module.def("threads", [] { return threads(); });
}

}  // namespace mpm::python
