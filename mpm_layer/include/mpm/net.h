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
/// A fault in a file is a std::runtime_error, a fault in the options a std::invalid_argument; each
/// says in one sentence what is wrong. Neither leaves anything behind.
namespace mpm {

/// Where original positions get their values back.
enum class Restore {
  early,  ///< after the encoder, as in the paper
  late    ///< as late as possible with exactly the same result: a decoder runs on merged tokens
};

struct ReadOptions {
  /// The schedule: merge before these blocks, counted from 0. Empty: full tokens. Not set: 2 and 5,
  /// as far as the encoder has them.
  std::optional<Schedule> schedule;
  Restore restore = Restore::late;
  /// Proportional attention: in the encoder's blocks, too, a merged token's key counts once for
  /// each patch that it stands for, as it does behind the encoder. In the paper it counts once.
  /// Blocks that attend within windows, or by distances on a grid, stay as in the paper.
  bool proportional = false;
  /// Another size for the model's input: position embeddings are resized in the model's own way
  /// where its graph has one, else bilinearly on their grid; special tokens stay. Empty: the
  /// model's own. The layers after the encoder have to allow it.
  cv::Size inputSize;
  /// What computes the layers of mpm/layers.h: "cpu", or "cuda" if there are libmpm_torch.so and a
  /// GPU ("cuda:1": the second GPU); OpenCV's own layers stay on the processor. "": the value of
  /// MPM_DEVICE, else cpu.
  std::string device;
  /// What products are computed in: "fp32"; "bf16", or on Arm "fp16", if the processor has it (the
  /// residual stream, norms, softmax and matching stay float32); "int8": linear layers and queries
  /// by keys in 8 bits, with a scale for each output and row, all else in bf16 or fp16 if the
  /// processor has it. On cuda there is "tf32" instead of "fp16" and "int8". "": the value of
  /// MPM_PRECISION, else fp32.
  std::string precision;
  /// Proves the net on noise when it is read: outputs have to be finite and of the shapes that ONNX
  /// says; otherwise the model is refused. This costs a forward, so it is for programs that users
  /// bring their own models to. A model with an input that is open in more than its batch is not
  /// tried.
  bool check = false;
};

/// Reads an ONNX model; the names and shapes of its inputs and outputs stay as they are. If it has
/// a transformer encoder that can merge, the net merges by the schedule and has two more outputs:
/// mpm_map [B, N] and mpm_rows [B, 1] (see mpm/layers.h), of the last merge. forward() without a
/// name still gives the same output of the model: with OpenCV 4 the last, with OpenCV 5 the first.
/// Several encoders merge by the same schedule, as far as each has the blocks; the one with most
/// blocks is described, and the outputs of the others are numbered (mpm_map_2, mpm_rows_2, ...).
/// Any other model runs without merging, with those of its blocks and linear layers that are
/// recognised on this library's kernels; describe() says why, and it is logged once. Registers the
/// layers. A net read with full tokens can merge later, and the other way round.
MPM_API cv::dnn::Net readNet(const std::string& path, const ReadOptions& options = {});

/// The same from memory; the bytes are not needed afterwards.
MPM_API cv::dnn::Net readNet(const void* bytes, std::size_t size, const ReadOptions& options = {});

/// The blocks before which a loaded net merges.
MPM_API Schedule schedule(cv::dnn::Net& net);

/// Merges before these blocks from the next forward on. std::invalid_argument if the encoder has no
/// such block, or the net (of a converted file, say) has no merge before it.
MPM_API void setSchedule(cv::dnn::Net& net, const Schedule& blocks);

/// The live rows of the last forward: for each merge that is on, in the net's order, how many rows
/// each image has after it, special ones included. Empty before the first forward.
MPM_API std::vector<std::vector<int>> liveRows(cv::dnn::Net& net);

/// What products are computed in if ReadOptions asks for this; for "", MPM_PRECISION's or fp32.
MPM_API std::string precisionName(const std::string& precision);

/// Whether a device can compute in a precision; both are named as in ReadOptions.
MPM_API bool hasPrecision(const std::string& precision, const std::string& device = "cpu");

/// Why nets cannot be read for this device, in the sentence that readNet throws; empty if they can.
/// The first call loads what computes on the device.
MPM_API std::string deviceFault(const std::string& device);

/// The name of what computes the layers of a loaded net, or would for a device: "NVIDIA H200",
/// "cpu". The second throws as readNet does.
MPM_API std::string deviceName(cv::dnn::Net& net);
MPM_API std::string deviceName(const std::string& device);

/// What was recognised in a model.
struct Description {
  struct Blob {
    std::string name;
    std::vector<int> shape;  ///< -1: any
  };

  bool mergeable = false;
  std::string reason;  ///< one sentence: why not

  int blocks = 0, dim = 0, heads = 0;
  int special = 0;  ///< rows before the image tokens: class, distillation, registers
  int patch = 0;    ///< side of a patch in pixels
  cv::Size grid;    ///< image tokens
  cv::Size input;   ///< of the model's image input
  /// Whether the file leaves that open: then it is what was asked for, or else what the model's
  /// positions stand for.
  bool isInputOpen = false;
  std::string gelu;  ///< erf, tanh, quick; empty if its blocks have none
  std::string head;  ///< what follows the encoder: "mask decoder, 2 blocks, 150 classes", ...
  Schedule schedule;
  /// The last block that attends within windows: merges up to the one in front of it pair only
  /// within windows, those after it freely. -1: no block does.
  int lastInWindows = -1;

  std::vector<Blob> inputs, outputs;
  /// Names of the outputs that merging adds to the model's (a converted file's outputs include
  /// them): mpm_map and mpm_rows; for further encoders mpm_map_2, mpm_rows_2, ...
  std::vector<std::string> added;
  std::map<std::string, int> layers;    ///< with `check`: how many layers of each type the net has;
                                        ///< "mpm.Linear", ... are mpm's own, the others OpenCV's
  std::map<std::string, int> computed;  ///< with `check`: how many nodes of each ONNX operator
                                        ///< "mpm.Subgraph" layers compute
  std::map<std::string, std::string> metadata;  ///< of the file: mpm.mean, mpm.classes, ...
};

/// What readNet would make of the model with these options. With `check`, a model that does not run
/// counts as one that cannot merge, and `reason` says why it does not run.
MPM_API Description describe(const std::string& path, const ReadOptions& options = {});
MPM_API Description describe(const void* bytes, std::size_t size, const ReadOptions& options = {});
MPM_API Description describe(cv::dnn::Net& net);  ///< what a net's layers say about it

/// Writes the rewritten model to a file with nodes of the domain mpm, which any program can read
/// with cv::dnn::readNetFromONNX after registerLayers(). OpenCV 4 then warns on std::cerr, once for
/// each of these nodes, that it does not know the domain, but reads them all the same; readNet
/// reads the file without a warning. With OpenCV 5 the nodes are "mpm.X" of ONNX's own domain,
/// since OpenCV 5 looks up layers by the operator alone; OpenCV 4 reads those too. The file appears
/// whole or not at all. What a .toml beside the model says of it goes into the file. A model that
/// cannot merge is refused, and so is a file that the model is read from (std::invalid_argument).
///
/// `calibration`: inputs of the model as Net::setInput takes them, such as blobs of a few frames.
/// The ranges of each block's features are measured on them, in float32 with the file's schedule,
/// and kept in the file, where int8 evens out outliers that no weight shows. Other precisions give
/// the same as without. std::runtime_error if the model has several inputs or no block that uses
/// ranges; std::invalid_argument if an input is empty, of another shape or not finite.
MPM_API void convert(const std::string& from, const std::string& to,
                     const ReadOptions& options = {}, const std::vector<cv::Mat>& calibration = {});

}  // namespace mpm
