// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "onnx/graph/proto.h"

namespace mpm::test {

// A model in a few words, one statement a line or between semicolons:
//
//   opset 13                               else 17
//   x[-1, 5, 4]; ids:int64[1, height]      inputs; -1 is the size "batch", a word another open one
//   y = Add(x, some(4))                    a node, "y_node"; several outputs: a, b = Split(x)
//   z = com.microsoft:Gelu(y) alpha=0.5    of another domain; attributes behind it
//   w = some(4, 6)                         a constant of its own
//   out y, z                               else the first output of the last node
//
// Where a node reads a value it may have a constant: 0.5 is a float of no dimension, {1, 2} floats,
// [0, -1] whole numbers (int64), uint8(2){1, 3} two of that type, fill(0.5, 2, 3) a float 2 x 3
// times, some(2, 3) floats between -1 and 1 that differ. What `some` gives goes by the name of the
// constant, or of the node's output and the place among its inputs, or by a word: some(2, 3)#word.
// _ is an input or output that is left out. Attributes are 1, 0.5, [1, 2], {0.5, 1}, 'text', or a
// typed constant.
//
// std::invalid_argument where it is none of this.
::onnx::ModelProto graph(const std::string& text);

// Both texts, without statements whose value a later one gives again, or whose outputs or opset a
// later one names.
std::string changed(const std::string& text, const std::string& change);

// A text with another one in all places of a word.
std::string replaced(std::string text, const std::string& what, const std::string& by);

// A small ViT in words: "image" [-1, 1, 4, 6] in patches of 2 x 2, "tokens" with a
// class token in front, [-1, 7, 8], blocks "b0", "b1", .. and a norm, "y".
std::string vit(int blocks = 2);

// A pre-norm block of that name over rows [-1, rows, 8], with two heads of four features. Its parts
// are NAME.norm1, .q, .k and .v (each with .product, .rows and .heads in front), .kt, .qk, .scores,
// .weights, .mixed, .back, .joined, .out.product, .out, .half, .norm2, .fc1.product, .fc1, .gelu,
// .fc2.product and .fc2.
std::string block(const std::string& name, const std::string& stream);

}  // namespace mpm::test
