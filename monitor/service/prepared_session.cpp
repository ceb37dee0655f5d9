// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/prepared_session.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "digest/sha256.h"
#include "dnn/model_files.h"
#include "monitor/engine/first_pictures.h"
#include "mpm/net.h"

namespace mpm::monitor {
namespace {

constexpr std::chrono::seconds kPicturePatience{15};

void checkBooks(const std::vector<NamedSource>& sources, Network& network) {
  for (const NamedSource& source : sources) {
    checkRules(source.book, engineMetrics(network, source.book));
  }
}

// Without the rules that cannot act with this model.
void leaveOut(PreparedSession& prepared) {
  for (NamedSource& source : prepared.options.engine.sources) {
    const Metrics metrics = engineMetrics(*prepared.network, source.book);
    std::vector<Rule> fit;
    for (const Rule& rule : source.book.rules) {
      fit.push_back(rule);
      try {
        checkRules({fit, {}}, metrics);
      } catch (const std::runtime_error& fault) {
        prepared.leftOut.emplace_back(fault.what());
        fit.pop_back();
      }
    }
    source.book.rules = std::move(fit);
  }
}

void choosePrecision(PreparedSession& prepared, std::vector<cv::Mat> pictures) {
  SessionOptions& options = prepared.options;
  if (options.chosenFor == prepared.modelHash) return;
  if (pictures.empty()) pictures = firstPictures(options.engine, kPicturePatience);
  options.segmenter.read.precision = "fp32";
  pictures.erase(std::remove_if(pictures.begin(), pictures.end(), isOfOneColour), pictures.end());
  if (pictures.empty()) return;  // and chosenFor stays: next time there may be some
  prepared.precisions = tunePrecisions(options.model, options.segmenter, pictures);
  options.segmenter.read.precision = fastestPrecision(prepared.precisions).precision;
  options.chosenFor = prepared.modelHash;
}

}  // namespace

PreparedSession prepare(SessionOptions options, std::vector<cv::Mat> pictures) {
  PreparedSession prepared{std::move(options), nullptr, {}, {}, {}, {}};
  const std::string& model = prepared.options.model;
  // Before it is read; if it was replaced meanwhile, nobody knows which one the network has.
  prepared.modelFiles = digest::modelSha256(model, dnn::filesOfModel(model));
  prepared.modelHash = prepared.modelFiles.at("");
  const auto written = std::filesystem::last_write_time(model);
  if (prepared.options.choosePrecision) choosePrecision(prepared, std::move(pictures));
  prepared.network = makeNetwork(prepared.options.model, prepared.options.segmenter);
  if (std::filesystem::last_write_time(model) != written) {
    throw std::runtime_error("the model " + model + " was replaced while it was read; try again");
  }
  if (!prepared.options.mustFit) leaveOut(prepared);
  checkBooks(prepared.options.engine.sources, *prepared.network);
  return prepared;
}

}  // namespace mpm::monitor
