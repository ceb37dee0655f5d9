// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <opencv2/core/types.hpp>
#include <opencv2/dnn.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mpm/export.h"
#include "mpm/schedule.h"

/// Vision Transformers in ONNX as a cv::dnn::Net with Mutual Pair Merging between their blocks.
///
/// Errors in a file throw std::runtime_error, errors in the options std::invalid_argument. Each
/// message says in one sentence what is wrong. Neither leaves anything behind.
namespace mpm {

/// Says where patches get back the values of their merged tokens.
enum class Restore {
  early,  ///< after the encoder, as in the paper
  late    ///< as late as possible with exactly the same result: a decoder runs on merged tokens
};

struct ReadOptions {
  /// Merges happen before these blocks, counted from 0. Empty: unmerged. Not set: 2 and 5, or those
  /// of the two that the encoder has.
  std::optional<Schedule> schedule;
  Restore restore = Restore::late;
  /// Counts a merged token's key once for each patch that it stands for (proportional attention),
  /// in the encoder's blocks too. Otherwise only attention after the encoder does, as in the paper.
  /// Blocks that attend within windows, or by distances on a grid, stay as in the paper.
  bool proportional = false;
  /// Another size for the model's input. Position embeddings are resized in the model's own way if
  /// its graph has one, else bilinearly on their grid. Those of prefix tokens stay. Empty: the
  /// model's own size. The layers after the encoder must allow it.
  cv::Size inputSize;
  /// Device that computes the layers of mpm/layers.h: "cpu", or "cuda" if there are libmpm_torch.so
  /// and a GPU ("cuda:1": the second GPU). OpenCV's own layers stay on the processor. "": the value
  /// of MPM_DEVICE, else cpu.
  std::string device;
  /// Precision of products. "fp32". "bf16", or on Arm "fp16", if the processor has it: the residual
  /// stream, norms, softmax and matching stay float32. "int8": linear layers and query-key products
  /// in 8 bits, with a scale for each output and row. The rest is in bf16 or fp16 if possible. On
  /// cuda there is "tf32" instead of "fp16" and "int8". "": the value of MPM_PRECISION, else fp32.
  std::string precision;
  /// Runs the net on noise after reading it. The model is refused unless its outputs are finite and
  /// have the shapes that ONNX says. This costs a forward, so it is for programs that run their
  /// users' models. Models with an input that is open in more than its batch are not tried.
  bool check = false;
};

/// Reads an ONNX model and registers the layers. Its inputs and outputs keep names and shapes. If
/// it has a transformer encoder that can merge, the net merges by the schedule. It has two more
/// outputs, of the last merge: mpm_map [B, N] and mpm_rows [B, 1] (see mpm/layers.h). forward()
/// without a name still gives the same output of the model: with OpenCV 4 the last, with OpenCV 5
/// the first. Several encoders merge by the same schedule, each before those blocks that it has.
/// The encoder with most blocks is described; outputs of the others are numbered (mpm_map_2,
/// mpm_rows_2, ...). Any other model runs without merging; describe() says why, and it is logged
/// once. Its recognised blocks and linear layers run on this library's kernels. A net that was read
/// unmerged can merge later, and the other way round.
MPM_API cv::dnn::Net readNet(const std::string& path, const ReadOptions& options = {});

/// Reads a model from memory; the bytes are not needed afterwards.
MPM_API cv::dnn::Net readNet(const void* bytes, std::size_t size, const ReadOptions& options = {});

/// Returns the blocks before which a loaded net merges.
MPM_API Schedule schedule(cv::dnn::Net& net);

/// Makes the net merge before these blocks from its next forward on. Throws std::invalid_argument
/// if the encoder has no such block, or the net (of a converted file, say) no merge before it.
MPM_API void setSchedule(cv::dnn::Net& net, const Schedule& blocks);

/// Returns the live rows of the last forward, prefix tokens included. For each merge that is on, in
/// the net's order, it has each image's rows after the merge. Empty before the first forward.
MPM_API std::vector<std::vector<int>> liveRows(cv::dnn::Net& net);

/// Returns the precision that ReadOptions::precision stands for; for "", that of MPM_PRECISION or
/// fp32.
MPM_API std::string precisionName(const std::string& precision);

/// Tells whether a device can compute in a precision; both are named as in ReadOptions.
MPM_API bool hasPrecision(const std::string& precision, const std::string& device = "cpu");

/// Says why nets cannot be read for this device, in the sentence that readNet throws; empty if they
/// can. The first call loads the device's library.
MPM_API std::string deviceFault(const std::string& device);

/// Returns the name of the device that computes a loaded net's layers, or would: "NVIDIA H200",
/// "cpu". The second form throws as readNet does.
MPM_API std::string deviceName(cv::dnn::Net& net);
MPM_API std::string deviceName(const std::string& device);

/// Describes a model as readNet recognised it.
struct Description {
  struct Blob {
    std::string name;
    std::vector<int> shape;  ///< -1: any
  };

  bool mergeable = false;
  std::string reason;  ///< one sentence: why not

  int depth = 0;  ///< blocks of the encoder
  int embedDim = 0, numHeads = 0;
  int numPrefixTokens = 0;  ///< rows before the image tokens: class, distillation, registers
  int patchSize = 0;        ///< side of a patch in pixels
  cv::Size gridSize;        ///< image tokens
  cv::Size input;           ///< of the model's image input
  /// Tells whether the file leaves the input's size open. `input` is then the requested size, or
  /// else the size that the model's positions stand for.
  bool isInputOpen = false;
  std::string gelu;  ///< erf, tanh, quick; empty if its blocks have none
  std::string head;  ///< what follows the encoder: "mask decoder, 2 blocks, 150 classes", ...
  Schedule schedule;
  /// Last block that attends within windows. Merges before it or earlier pair only within windows,
  /// later ones freely. -1: no block does.
  int lastInWindows = -1;

  std::vector<Blob> inputs, outputs;
  /// Names of the outputs that merging adds to the model's: mpm_map and mpm_rows, and for further
  /// encoders mpm_map_2, mpm_rows_2, ... A converted file's outputs include them.
  std::vector<std::string> added;
  std::map<std::string, int> layers;    ///< with `check`: how many layers of each type the net has;
                                        ///< "mpm.Linear", ... are mpm's own, the others OpenCV's
  std::map<std::string, int> computed;  ///< with `check`: how many nodes of each ONNX operator
                                        ///< "mpm.Subgraph" layers compute
  std::map<std::string, std::string> metadata;  ///< of the file: mpm.mean, mpm.classes, ...
};

/// Describes what readNet makes of the model with these options. With `check`, a model that does
/// not run counts as one that cannot merge, and `reason` says why it does not run.
MPM_API Description describe(const std::string& path, const ReadOptions& options = {});
MPM_API Description describe(const void* bytes, std::size_t size, const ReadOptions& options = {});
MPM_API Description describe(cv::dnn::Net& net);  ///< what a net's layers say about it

/// Writes the rewritten model to a file with nodes of the domain mpm. Any program can read it with
/// cv::dnn::readNetFromONNX after registerLayers(). The file appears complete or not at all, and
/// includes the metadata of a .toml next to the model. Throws std::runtime_error if the model
/// cannot merge, std::invalid_argument if `to` is one of the model's files. OpenCV 4 warns on
/// std::cerr, once for each node, that it does not know the domain. It reads the file all the same;
/// readNet reads it without a warning. For OpenCV 5, nodes are "mpm.X" of ONNX's own domain, since
/// it looks up layers by operator alone. OpenCV 4 reads those too.
///
/// `calibration`: inputs of the model as Net::setInput takes them, such as blobs of a few frames.
/// They give the ranges of each block's features, measured in float32 with the file's schedule.
/// With int8 they even out outliers that no weight shows. Other precisions ignore them. Throws
/// std::runtime_error if the model has several inputs or no block that uses ranges. Throws
/// std::invalid_argument if an input is empty, of another shape or not finite.
MPM_API void convert(const std::string& from, const std::string& to,
                     const ReadOptions& options = {}, const std::vector<cv::Mat>& calibration = {});

}  // namespace mpm
