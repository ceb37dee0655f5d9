// SPDX-License-Identifier: Apache-2.0
// Blocks that look at windows: dealt out in front of the encoder, or by each block anew, with what
// depends on distances (SAM, ViTDet).
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "onnx/small_nets.h"

namespace mpm::test {
namespace {

std::string number(int value) { return std::to_string(value); }

// "grid": patches with their positions, [B, 2, 3, 8].
const std::string kGrid = R"(image[-1, 1, 4, 6]
planes = Conv(image, some(8, 1, 2, 2), some(8)) strides=[2, 2]
pixels = Transpose(planes) perm=[0, 2, 3, 1]
grid = Add(pixels, some(1, 2, 3, 8))
)";

// Three windows of one column each, dealt out in front of the blocks; those of `wide` look at all.
std::string dealtOnce(const std::vector<bool>& wide, const std::string& change = "") {
  std::string text = kGrid + R"(apart = Reshape(grid, [-1, 1, 2, 3, 1, 8])
dealt = Transpose(apart) perm=[0, 1, 3, 2, 4, 5]
windows = Reshape(dealt, [-1, 2, 8])
)";
  std::string stream = "windows";
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const std::string name = "b" + number(static_cast<int>(i));
    text += name + ".in = Reshape(" + stream + ", [-1, " + (wide[i] ? "6" : "2") + ", 8])\n" +
            block(name, name + ".in");
    stream = name;
  }
  text += "three = Reshape(" + stream +
          ", [-1, 3, 2, 8])\nlines = Transpose(three) perm=[0, 2, 1, 3]\n"
          "y = LayerNormalization(lines, some(8), some(8))\nout y\n";
  return changed(text, change);
}

TEST(WindowsInFront, BlocksWithinThem) {
  const std::string classes = R"(sizes0 = Shape(windows); count = Slice(sizes0, [0], [1])
sizes = Concat(count, [1, 8]) axis=0; class = Expand(some(1, 1, 8), sizes)
tokens = Concat(class, windows) axis=1; b0.in = Identity(tokens); lines = Identity(b0)
)";
  for (const SmallNet& net : std::vector<SmallNet>{
           {"all but one", dealtOnce({false, true, false, true})},
           {"none of them", dealtOnce({true, true})},
           {"all of them", dealtOnce({false, false})},
           {"with an axis less", dealtOnce({false, true}, R"(apart = Reshape(grid, [-1, 2, 3, 1, 8])
dealt = Transpose(apart) perm=[0, 2, 1, 3, 4])")},
           {"in another order",
            dealtOnce({false, true}, "apart = Reshape(grid, [-1, 1, 3, 2, 1, 8])"),
            "block 0: not supported: "},
           {"a class token in each", dealtOnce({false}, classes)},
           {"a class token in each, in a block of another kind",
            dealtOnce({false}, classes + "b0.gelu = Relu(b0.fc1)"),
            "not supported: class tokens in windows, in a block that is none of a plain ViT's"}})
    expectAsComputed(net);
}

// A block over rows on their grid of 2 x 3, which deals them out to windows by itself.
struct GridBlock {
  int window = 2;  // squares of that; 0: it looks at all rows
  bool hasDistances = true;
  std::string change = "";  // where $ is the block's name
};

// Of places on a grid or window of %h x %w, %n in all; q, k and v are made of %i.
const std::string kOnGrid =
    R"($.q.product = MatMul(%i, some(8, 8)); $.k.product = MatMul(%i, some(8, 8))
$.v.product = MatMul(%i, some(8, 8)); $.q.heads = Reshape($.q.rows, [-1, %n, 2, 4])
$.k.heads = Reshape($.k.rows, [-1, %n, 2, 4]); $.v.heads = Reshape($.v.rows, [-1, %n, 2, 4])
$.q3 = Reshape($.q, [-1, %n, 4]); $.k3 = Reshape($.k, [-1, %n, 4]); $.v3 = Reshape($.v, [-1, %n, 4])
$.kt = Transpose($.k3) perm=[0, 2, 1]; $.scaled = Mul($.q3, 0.7); $.scores = MatMul($.scaled, $.kt)
$.similar = Identity($.scores); $.weights = Softmax($.similar) axis=-1; $.m3 = MatMul($.weights, $.v3)
$.mixed = Reshape($.m3, [-1, 2, %n, 4]); $.joined = Reshape($.back, [-1, %h, %w, 8])
)";
const std::string kDistances = R"($.map = Reshape($.q3, [-1, %h, %w, 4])
$.down0 = Einsum($.map, %down) equation='bhwc,hkc->bhwk'; $.down = Unsqueeze($.down0, [4])
$.across0 = Einsum($.map, %across) equation='bhwc,wkc->bhwk'; $.across = Unsqueeze($.across0, [3])
$.both = Add($.down, $.across); $.bias = Reshape($.both, [-1, %n, %n]); $.similar = Add($.scores, $.bias)
)";
// %d x %a windows of the grid, which is padded by %y and %x to %t x %u.
const std::string kWindows = R"($.padded = Pad($.norm1, [0, 0, 0, 0, 0, %y, %x, 0])
$.apart = Reshape($.padded, [-1, %d, %h, %a, %w, 8]); $.dealt = Transpose($.apart) perm=[0, 1, 3, 2, 4, 5]
$.windows = Reshape($.dealt, [-1, %h, %w, 8]); $.beside = Reshape($.out, [-1, %d, %a, %h, %w, 8])
$.mingled = Transpose($.beside) perm=[0, 1, 3, 2, 4, 5]; $.whole = Reshape($.mingled, [-1, %t, %u, 8])
$.high = Slice($.whole, [0], [2], [1]); $.cut = Slice($.high, [0], [3], [2]); $.half = Add(@, $.cut)
)";

// [places, places, 4], by distance.
std::string tableOf(int places) {
  std::string values;
  for (int query = 0; query < places; ++query) {
    for (int key = 0; key < places; ++key) {
      for (int i = 0; i < 4; ++i) values += number(3 * (query - key) + i) + "e-1 ";
    }
  }
  return "float(" + number(places) + ", " + number(places) + ", 4){" + values + "}";
}

std::string gridBlock(const std::string& name, const std::string& stream, const GridBlock& part) {
  const bool hasWindows = part.window > 0;
  const int height = hasWindows ? part.window : 2, width = hasWindows ? part.window : 3;
  const int down = (2 + height - 1) / height, across = (3 + width - 1) / width;
  std::string text = block("$", "@") + kOnGrid;
  if (part.hasDistances) text += kDistances;
  if (hasWindows) text += kWindows;
  for (const auto& [what, by] : std::vector<std::pair<std::string, std::string>>{
           {"%i", hasWindows ? "$.windows" : "$.norm1"},
           {"%down", tableOf(height)},
           {"%across", tableOf(width)},
           {"%h", number(height)},
           {"%w", number(width)},
           {"%n", number(height * width)},
           {"%d", number(down)},
           {"%a", number(across)},
           {"%y", number(down * height - 2)},
           {"%x", number(across * width - 3)},
           {"%t", number(down * height)},
           {"%u", number(across * width)}})
    text = replaced(text, what, by);
  return replaced(replaced(changed(text, part.change), "$", name), "@", stream);
}

std::string gridBlocks(const std::vector<GridBlock>& blocks, const std::string& change = "") {
  std::string text = kGrid, stream = "grid";
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::string name = "b" + number(static_cast<int>(i));
    text += gridBlock(name, stream, blocks[i]);
    stream = name;
  }
  return changed(text,
                 "y = LayerNormalization(" + stream + ", some(8), some(8))\nout y\n" + change);
}

TEST(WindowsOfABlock, WithDistancesAndWithout) {
  const GridBlock over = {0}, plain = {0, false}, windows = {2};
  const std::string oneByOne =
      R"($.near = Reshape($.scores, [-1, 2, 2, 2, 2]); $.far = Add($.near, $.down)
$.all = Add($.far, $.across); $.similar = Reshape($.all, [-1, 4, 4]); $.twice = Mul($.q3, 2.0)
$.map = Reshape($.twice, [-1, 2, 2, 4]))";
  const std::string convolved =
      R"(map = Transpose(b0) perm=[0, 3, 1, 2]; seen = Conv(map, some(8, 8, 1, 1))
sum = Add(map, seen); other = Transpose(sum) perm=[0, 2, 3, 1]; b1.half = Add(other, b1.cut)
b1.norm1 = LayerNormalization(other, some(8), some(8)))";
  for (const SmallNet& net : std::vector<SmallNet>{
           {"over the edge, between others", gridBlocks({over, windows, over, over})},
           {"distances that are added one by one", gridBlocks({{2, true, oneByOne}})},
           {"without distances, beside a plain one", gridBlocks({{2, false}, plain})},
           {"one that reaches over the grid", gridBlocks({{4}})},
           {"a map that is given and turned back",
            gridBlocks({windows, windows}, R"(map = Transpose(b0) perm=[0, 3, 1, 2]
turned = Transpose(map) perm=[0, 2, 3, 1]; b1.half = Add(turned, b1.cut)
b1.norm1 = LayerNormalization(turned, some(8), some(8)); out map, y)")},
           {"a convolution between blocks", gridBlocks({windows, windows}, convolved)}})
    expectAsComputed(net);
}

TEST(WindowsOfABlock, NearMissesAreRefused) {
  const auto with = [](const std::string& change) { return gridBlocks({{2, true, change}}); };
  const std::string why = "block 0: ";
  for (const SmallNet& net : std::vector<SmallNet>{
           {"padded with ones", with("$.padded = Pad($.norm1, [0, 0, 0, 0, 0, 0, 1, 0], 1.0)"),
            why},
           {"padded in front", with("$.padded = Pad($.norm1, [0, 0, 1, 0, 0, 0, 0, 0])"), why},
           {"dealt in another order", with("$.dealt = Transpose($.apart) perm=[0, 1, 3, 4, 2, 5]"),
            why},
           {"put back in another order",
            with("$.mingled = Transpose($.beside) perm=[0, 1, 3, 4, 2, 5]\n"
                 "$.whole = Reshape($.mingled, [-1, 2, 4, 8])"),
            why},
           {"cut elsewhere", with("$.cut = Slice($.high, [1], [4], [2])"), why},
           {"rows where columns are",
            with("$.across0 = Einsum($.map, some(2, 2, 4)) equation='bhwc,hkc->bhwk'"), why},
           {"distances of keys", with("$.map = Reshape($.k3, [-1, 2, 2, 4])"), why},
           {"any table", with("$.across0 = Einsum($.map, some(2, 2, 4)) equation='bhwc,wkc->bhwk'"),
            why},
           {"windows of two sizes", gridBlocks({{2, false}, {1, false}}),
            "block 1: not supported: "}})
    expectAsComputed(net);
}

}  // namespace
}  // namespace mpm::test
