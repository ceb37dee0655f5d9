// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/core/version.hpp>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "mpm/export.h"

/// What cv::dnn of OpenCV 4 and the engine of OpenCV 5 do differently, where it is not a matter of
/// a layer alone. Each has a file of its own; CMake takes one.
namespace mpm::dnn {

using Shape = std::vector<int>;

#if CV_VERSION_MAJOR >= 5
using HostShape = cv::MatShape;
#else
using HostShape = cv::dnn::MatShape;
#endif

using LayerPtr = cv::Ptr<cv::dnn::Layer>;

/// The net of a model in ONNX. cv::Exception; where a layer of this library refuses its node, the
/// layer's own. OpenCV 5 computes it with its new engine, and with the classic one what that cannot
/// read.
cv::dnn::Net importOnnx(const std::string& model);

/// Makes a layer while a net is read. OpenCV 5 writes what it throws to a log; importOnnx does not.
LayerPtr makeWhileReading(const std::function<LayerPtr()>& make);

/// How many of a layer's `inputs` inputs, from the last one on, are constants of the model.
std::size_t constantsBehind(const cv::dnn::Layer& layer, std::size_t inputs);

/// The layer that is called so, or that makes the value of that name; null where there is none.
LayerPtr layerOf(cv::dnn::Net& net, const std::string& name);

/// The layers whose outputs `layer` reads, input by input. Null is the net's own input; constants
/// are left out.
MPM_API std::vector<LayerPtr> sourcesOf(cv::dnn::Net& net, const cv::dnn::Layer& layer);

/// Computes what `names`, the net's outputs or layers of it, need, and nothing else. For an output
/// that, for a layer all that it makes. They lie in the net until its next forward. Where OpenCV 5
/// has used the memory of one again before the forward was over, it is empty; those of the last
/// layer and the net's outputs are there always.
MPM_API void forwardTo(cv::dnn::Net& net, const std::vector<cv::String>& names,
                       std::vector<std::vector<cv::Mat>>& blobs);

/// What `behind`, layers one behind the other, make of `values` in the place of the first inputs of
/// the first one; empty where they cannot be run alone. OpenCV 5 leaves the net as it is.
cv::Mat runAlone(cv::dnn::Net& net, const std::vector<LayerPtr>& behind,
                 const std::vector<cv::Mat>& values);

/// Shapes of a layer's outputs for a net's inputs of these shapes, which are set; empty where there
/// is no such layer, or they cannot be told. OpenCV 5 knows those of its last forward alone.
std::vector<Shape> outputShapes(cv::dnn::Net& net, const std::string& layer,
                                const std::vector<Shape>& inputs);

}  // namespace mpm::dnn
