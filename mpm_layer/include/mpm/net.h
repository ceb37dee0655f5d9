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
/// What is wrong with a file is a std::runtime_error, what is wrong with options a
/// std::invalid_argument; both say it in one sentence. Neither leaves anything behind.
namespace mpm {

/// Where original positions get their values back.
enum class Restore {
  early,  ///< behind the encoder, as the paper has it
  late    ///< as late as the result stays exactly the same: a decoder runs on merged tokens
};

struct ReadOptions {
  /// The schedule: merge before these blocks, counted from 0. Empty: full tokens. Nothing: 2 and 5,
  /// as far as the encoder has them.
  std::optional<Schedule> schedule;
  Restore restore = Restore::late;
  /// Another size of the model's input: position embeddings are resized bilinearly on their grid,
  /// special tokens stay. Empty: the model's own. What stands behind the encoder has to allow it.
  cv::Size inputSize;
  /// Of what computes the layers of mpm/layers.h: "cpu", or "cuda" where libmpm_torch.so and a GPU
  /// are there ("cuda:1": the second); OpenCV's own layers stay on the processor. "" is
  /// MPM_DEVICE's, else cpu.
  std::string device;
  /// What products are computed in: "fp32"; "bf16", or on Arm "fp16", where the processor has it
  /// (the residual stream, norms, softmax and matching stay float32); "int8": those of linear
  /// layers and of queries by keys in 8 bits, a scale for each output and row, all else in bf16
  /// or fp16 where the processor has it. On cuda "tf32" instead of "fp16" and "int8". "" is
  /// MPM_PRECISION's, else fp32.
  std::string precision;
  /// Proves the net on noise when it is read: one picture, and two where the batch is open. Outputs
  /// are finite and of the shapes that ONNX says, and a picture gives among two what it gives
  /// alone; else it is refused, by its node where that can be told. This costs three forwards, so
  /// it is left to programs to which people bring models; an input that is open in more than its
  /// batch is not tried.
  bool check = false;
};

/// Reads an ONNX model: the names and shapes of its inputs and outputs stay as they are. Where it
/// holds a transformer encoder that can merge, the net merges by the schedule and has two outputs
/// more: mpm_map [B, N] and mpm_rows [B, 1] (see mpm/layers.h), of the last merge; forward()
/// without a name gives what it ever gives of the model: with OpenCV 4 the last output, with OpenCV
/// 5 the first. Several encoders merge by the same schedule, as far as each has blocks; the one
/// with most is described, and outputs of the others have numbers (mpm_map_2, mpm_rows_2, ...). Any
/// other model runs without merging, its blocks and linear layers on this library's kernels as far
/// as they are known; describe() says why, and it is logged once. Registers the layers. A net read
/// with full tokens can merge later, and the other way round.
MPM_API cv::dnn::Net readNet(const std::string& path, const ReadOptions& options = {});

/// The same from memory; the bytes are not needed afterwards.
MPM_API cv::dnn::Net readNet(const void* bytes, std::size_t size, const ReadOptions& options = {});

/// Before which blocks a living net merges.
MPM_API Schedule schedule(cv::dnn::Net& net);

/// Merges before these blocks from the next forward on. std::invalid_argument where the encoder
/// has no such block, or the net (of a converted file, say) no merge in front of it.
MPM_API void setSchedule(cv::dnn::Net& net, const Schedule& blocks);

/// What the last forward left alive: for each merge that is on, in the net's order, the rows of
/// each image behind it, special ones included. Empty before the first forward.
MPM_API std::vector<std::vector<int>> liveRows(cv::dnn::Net& net);

/// What products are computed in where ReadOptions asks for this: MPM_PRECISION's or fp32 for "".
MPM_API std::string precisionName(const std::string& precision);

/// Whether a device computes in a precision that ReadOptions knows; both as ReadOptions has them.
MPM_API bool hasPrecision(const std::string& precision, const std::string& device = "cpu");

/// Why nets cannot be read for this device, in the sentence that readNet throws; empty where they
/// can. The first time this loads what computes there.
MPM_API std::string deviceFault(const std::string& device);

/// What computes the layers of a living net, or would on a device: "NVIDIA H200"; "cpu". The second
/// throws as readNet does.
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
  int special = 0;   ///< rows in front of the image tokens: class, distillation, registers
  int patch = 0;     ///< side of a patch in pixels
  cv::Size grid;     ///< image tokens
  cv::Size input;    ///< of the model's image input
  std::string gelu;  ///< erf, tanh, quick; empty where its blocks have none
  std::string head;  ///< what follows the encoder: "mask decoder, 2 blocks, 150 classes", ...
  Schedule schedule;

  std::vector<Blob> inputs, outputs;
  /// Names of the outputs that merging adds to the model's, which a converted file has among them:
  /// mpm_map and mpm_rows; of further encoders mpm_map_2, mpm_rows_2, ...
  std::vector<std::string> added;
  std::map<std::string, int> layers;    ///< with `check`: how many the net has of each type; mpm's
                                        ///< own are "mpm.Linear", ..., the others OpenCV's
  std::map<std::string, int> computed;  ///< with `check`: what "mpm.Subgraph" layers compute, how
                                        ///< many nodes of each operator of ONNX
  std::map<std::string, std::string> metadata;  ///< of the file: mpm.mean, mpm.classes, ...
};

/// As readNet would read it with these options. With `check`, a model that does not run cannot
/// merge, and `reason` says why it does not.
MPM_API Description describe(const std::string& path, const ReadOptions& options = {});
MPM_API Description describe(const void* bytes, std::size_t size, const ReadOptions& options = {});
MPM_API Description describe(cv::dnn::Net& net);  ///< what a net's layers tell of it

/// Writes the rewritten model to a file: nodes of the domain mpm, which any program reads with
/// cv::dnn::readNetFromONNX after registerLayers(). OpenCV 4 then warns on std::cerr, once for each
/// of these nodes, that it does not know the domain, and reads them all the same; readNet reads the
/// file without a word. With OpenCV 5 the nodes are "mpm.X" of ONNX's own domain, since that looks
/// for layers by the operator alone; OpenCV 4 reads those, too. The file appears whole or not at
/// all. A model that cannot merge is refused.
MPM_API void convert(const std::string& from, const std::string& to,
                     const ReadOptions& options = {});

}  // namespace mpm
