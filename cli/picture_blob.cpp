// SPDX-License-Identifier: Apache-2.0
#include "cli/picture_blob.h"

#include <algorithm>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/read_options.h"
#include "cli/wording.h"

namespace mpm::cli {
namespace {

const std::vector<int>& imageShape(const Description& model) {
  if (model.inputs.size() != 1) {
    throw std::runtime_error("the model has " + std::to_string(model.inputs.size()) +
                             " inputs; expected one, an image");
  }
  const std::vector<int>& shape = model.inputs[0].shape;
  if (shape.size() != 4 || (shape[1] != 1 && shape[1] != 3 && shape[1] >= 0)) {
    throw std::runtime_error("the model's input " + model.inputs[0].name + " is " +
                             shapeText(shape) +
                             "; expected an image, [batch x 1 or 3 x height x width]");
  }
  return shape;
}

cv::Size sizeOf(const Description& model, const cv::Size& wanted) {
  const std::vector<int>& shape = imageShape(model);
  if (!wanted.empty()) return wanted;
  if (shape[2] > 0 && shape[3] > 0) return {shape[3], shape[2]};
  if (!model.input.empty()) return model.input;
  if (model.patch > 0 && !model.grid.empty()) return model.grid * model.patch;
  throw std::runtime_error(
      "the model's input takes any size; give one with --input-size, such as 512x384");
}

}  // namespace

cv::Mat pictureBlob(const cv::Mat& picture, const Description& model, const segment::Facts& facts,
                    const cv::Size& size) {
  const std::vector<int>& shape = imageShape(model);
  cv::Mat image = picture;
  if (shape[1] == 1) cv::cvtColor(picture, image, cv::COLOR_BGR2GRAY);
  const std::vector<cv::Mat> batch(std::max(1, shape[0]), image);
  cv::Mat blob = cv::dnn::blobFromImages(batch, 1 / 255.0, sizeOf(model, size), {},
                                         shape[1] == 3 && facts.rgb.value_or(true), false);
  const cv::Vec3f half = cv::Vec3f::all(0.5F);
  const cv::Vec3f mean = facts.mean.value_or(half), deviation = facts.std.value_or(half);
  for (int b = 0; b < blob.size[0]; ++b) {
    for (int c = 0; c < blob.size[1]; ++c) {
      cv::Mat plane(blob.size[2], blob.size[3], CV_32F, blob.ptr(b, c));
      plane.convertTo(plane, CV_32F, 1 / deviation[c], -mean[c] / deviation[c]);
    }
  }
  return blob;
}

std::vector<cv::Mat> calibrationBlobs(const std::string& path, ReadOptions options,
                                      const std::vector<cv::Mat>& frames) {
  options.check = false;  // convert proves the model
  const Description model = describe(path, options);
  checkCanMerge(model, path);
  const segment::Facts facts = segment::factsOfModel(path, model.metadata);
  std::vector<cv::Mat> blobs;
  for (const cv::Mat& frame : frames) {
    try {
      blobs.push_back(pictureBlob(frame, model, facts, options.inputSize));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ": " + error.what());
    }
  }
  return blobs;
}

}  // namespace mpm::cli
