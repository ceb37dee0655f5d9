// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/core/version.hpp>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "mpm/export.h"

/// Differences between cv::dnn of OpenCV 4 and the engine of OpenCV 5 that concern more than one
/// layer. Each version has a file of its own; CMake compiles one.
namespace mpm::dnn {

using Shape = std::vector<int>;

#if CV_VERSION_MAJOR >= 5
using HostShape = cv::MatShape;
#else
using HostShape = cv::dnn::MatShape;
#endif

using LayerPtr = cv::Ptr<cv::dnn::Layer>;

/// Reads a net from an ONNX model. Throws cv::Exception; if a layer of this library refuses its
/// node, the layer's own. OpenCV 5 computes the net with its new engine alone.
cv::dnn::Net importOnnx(const std::string& model);

/// Makes a layer while a net is read. OpenCV 5 only logs what this throws; importOnnx throws it.
LayerPtr makeWhileReading(const std::function<LayerPtr()>& make);

/// Returns how many of a layer's `inputs` inputs, from the last one on, are constants of the model.
std::size_t constantsBehind(const cv::dnn::Layer& layer, std::size_t inputs);

/// Returns the layer of this name, or the one that makes the value of this name; null if none does.
LayerPtr layerOf(cv::dnn::Net& net, const std::string& name);

/// Returns the layers whose outputs `layer` reads, input by input. Null is the net's own input;
/// constants are left out.
MPM_API std::vector<LayerPtr> sourcesOf(cv::dnn::Net& net, const cv::dnn::Layer& layer);

/// Computes only what `names`, the net's outputs or layers of it, need. An output gives itself, a
/// layer all its outputs. They stay in the net until its next forward. A blob is empty if OpenCV 5
/// reused its memory during the forward. Those of the last layer and the net's outputs are always
/// there.
MPM_API void forwardTo(cv::dnn::Net& net, const std::vector<cv::String>& names,
                       std::vector<std::vector<cv::Mat>>& blobs);

/// Runs the layers `behind`, one after the other, on `values` as the first inputs of the first one.
/// Returns an empty Mat if they cannot run alone. OpenCV 5 leaves the net as it is.
cv::Mat runAlone(cv::dnn::Net& net, const std::vector<LayerPtr>& behind,
                 const std::vector<cv::Mat>& values);

/// Sets the shapes of a net's inputs, and returns those of a layer's outputs. Empty if there is no
/// such layer, or they are unknown. OpenCV 5 knows its last forward's alone.
std::vector<Shape> outputShapes(cv::dnn::Net& net, const std::string& layer,
                                const std::vector<Shape>& inputs);

}  // namespace mpm::dnn
