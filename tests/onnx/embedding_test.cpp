// SPDX-License-Identifier: Apache-2.0
// What stands in front of an encoder: patches, positions, rows that are the same for any image.
#include <gtest/gtest.h>

#include <string>

#include "onnx/small_nets.h"

namespace mpm::test {
namespace {

const std::string kOther =
    "block 0: not supported: tokens that are made of the picture in a way that is not known";
const std::string kNoPatches = "block 0: not supported: attention over other tokens than patches";

// The rows of the first block, which are as many as 7 or 6 where there is no class token.
std::string withoutClass(const std::string& change) {
  return changed("tokens = Add(patches, some(1, 6, 8))", change);
}

// Keras takes patches apart by a convolution with the identity, pixels in front of channels.
std::string takenApart(const std::string& one) {
  std::string identity;
  for (int i = 0; i < 12 * 12; ++i) {
    const int pixel = i / 12;
    identity += (i % 12 == pixel % 3 * 4 + pixel / 3 ? one : "0") + " ";
  }
  return "image[-1, 3, 4, 6]\npatches = MatMul(rows, some(12, 8))\napart = Conv(image, float(12, "
         "3, 2, 2){" +
         identity +
         "}) strides=[2, 2]\npixels = Transpose(apart) perm=[0, 2, 3, 1]\nrows = Reshape(pixels, "
         "[0, -1, 12])";
}

TEST(Patches, HowTheyAreCut) {
  // Rows of 12 pixels by whatever nodes, and a linear layer.
  const std::string cut =
      "patches = MatMul(rows, some(12, 8)); image[-1, 3, 4, 6]\n"
      "pixels = Reshape(image, [-1, 3, 2, 2, 3, 2])\n";
  const auto ordered = [&](const std::string& order) {
    return cut + "turned = Transpose(pixels) perm=" + order +
           "; rows = Reshape(turned, [-1, 6, 12])";
  };
  const auto sliced = [&](const std::string& places) {
    std::string text = cut, parts;
    for (std::size_t i = 0; i < places.size(); i += 2) {
      const std::string name = "s" + std::to_string(i / 2);
      const int line = places[i] - '0', column = places[i + 1] - '0';
      text += name + ".l = Slice(image, [" + std::to_string(line) + "], [" +
              std::to_string(line + 2) + "], [2]); " + name + ".c = Slice(" + name + ".l, [" +
              std::to_string(column) + "], [" + std::to_string(column + 2) + "], [3]); " + name +
              " = Reshape(" + name + ".c, [-1, 1, 12])\n";
      parts += (i > 0 ? ", " : "") + name;
    }
    return text + "rows = Concat(" + parts + ") axis=1";
  };
  const std::string gathered = cut + R"(lines = Gather(image, int64(2, 2){0, 2, 1, 3}) axis=2
pixels = Gather(lines, int64(2, 3){0, 2, 4, 1, 3, 5}) axis=4
turned = Transpose(pixels) perm=[0, 1, 2, 4, 3, 5]; tall = Reshape(turned, [-1, 12, 6])
rows = Transpose(tall) perm=[0, 2, 1])";
  const std::string overlapping = R"(planes = Conv(image, some(8, 1, 2, 2)) strides=[2, 1]
narrow = Slice(planes, [0], [3], [3]); columns = Reshape(narrow, [0, 8, 6]))";
  expectAll(
      vit(),
      {{"by a convolution", ""},
       {"padded by nothing",
        "planes = Conv(image, some(8, 1, 2, 2), some(8)) strides=[2, 2] auto_pad='VALID'"},
       {"in the order of pixels", ordered("[0, 2, 4, 3, 5, 1]")},
       {"in the order of planes", ordered("[0, 2, 4, 1, 3, 5]")},
       {"planes between pixels", ordered("[0, 2, 4, 5, 1, 3]")},
       {"normalised first", changed(ordered("[0, 2, 4, 1, 3, 5]"),
                                    "normed = LayerNormalization(rows, some(12), some(12)); "
                                    "patches = MatMul(normed, some(12, 8))")},
       {"taken apart by a convolution", takenApart("1")},
       {"by a convolution that is not the identity", takenApart("2"), kOther},
       {"in two steps", cut + R"(lines = Reshape(image, [-1, 3, 2, 2, 6])
a = Transpose(lines) perm=[0, 2, 1, 3, 4]; b = Reshape(a, [-1, 2, 6, 3, 2])
c = Transpose(b) perm=[0, 1, 3, 2, 4]; rows = Reshape(c, [-1, 6, 12]))"},
       {"by a Gemm", changed(ordered("[0, 2, 4, 1, 3, 5]"), R"(flat = Reshape(turned, [-1, 12])
g = Gemm(flat, some(8, 12), some(8)) transB=1; patches = Reshape(g, [-1, 6, 8]))")},
       {"by indices", gathered},
       {"by slices", sliced("000204202224")},
       {"of a part of the picture",
        sliced("00022022") + "\n" + R"(tokens = Add(all, some(1, 5, 8)))"},
       {"behind a scale",
        changed(ordered("[0, 2, 4, 3, 5, 1]"),
                "dark = Mul(image, 0.5); pixels = Reshape(dark, [-1, 3, 2, 2, 3, 2])")},
       {"channels last", cut + R"(image[-1, 4, 6, 3]; pixels = Reshape(image, [-1, 2, 2, 3, 2, 3])
turned = Transpose(pixels) perm=[0, 1, 3, 2, 4, 5]; rows = Reshape(turned, [-1, 6, 12]))"},
       {"overlapping, planes of their convolution",
        R"(planes = Conv(image, some(8, 1, 3, 3)) strides=[2, 2] pads=[1, 1, 1, 1])"},
       {"padded on one side",
        "planes = Conv(image, some(8, 1, 2, 2)) strides=[2, 2] pads=[0, 0, 1, 1]"},
       {"padded by a word",
        "image[-1, 1, 3, 5]; planes = Conv(image, some(8, 1, 2, 2)) strides=[2, 2] "
        "auto_pad='SAME_UPPER'"},
       {"a stem with an activation", R"(stem = Conv(image, some(4, 1, 2, 2), some(4)) strides=[2, 2]
bent = Relu(stem); planes = Conv(bent, some(8, 4, 1, 1), some(8)))"},
       {"a rest that no patch covers", "image[-1, 1, 5, 7]"},
       {"a clip of one frame", R"(clip = Reshape(image, [-1, 1, 1, 4, 6])
video = Conv(clip, some(8, 1, 1, 2, 2), some(8)) strides=[1, 2, 2]; columns = Reshape(video, [-1, 8, 6]))",
        "", "planes = Conv(image, some(8, 1, 2, 2)#video/1, some(8)#video/2) strides=[2, 2]"},
       {"columns of patches first", ordered("[0, 4, 2, 3, 5, 1]"), "block 0: not supported: "},
       {"every third column", ordered("[0, 2, 5, 1, 3, 4]"), "block 0: not supported: "},
       {"by columns", sliced("002002220424"), "block 0: not supported: "},
       {"one of them twice", sliced("000202202224"), "block 0: not supported: "}});
}

TEST(Positions, AndRowsThatAreTheSameForAnyImage) {
  const std::string grid =
      "grid = Transpose(planes) perm=[0, 2, 3, 1]; patches = Reshape(placed, [0, 6, 8])\n"
      "tokens = Identity(all)\nplaced = Add(grid, ";
  const std::string registers = R"(first = Slice(placed, [0], [1], [1])
rest = Slice(placed, [1], [7], [1]); placed = Add(all, some(1, 7, 8)); rsizes = Concat(batch, [2, 8]) axis=0
registers = Expand(some(1, 2, 8), rsizes); tokens = Concat(first, registers, rest) axis=1)";
  expectAll(
      vit(),
      {{"positions in front of the class token and behind it",
        "placed = Add(some(1, 6, 8), patches); all = Concat(class, placed) axis=1"},
       {"one position for all rows", "tokens = Add(all, some(8))"},
       {"on the grid", grid + "some(1, 2, 3, 8))"},
       {"of lines", grid + "some(2, 1, 8))"},
       {"of columns", grid + "some(1, 3, 8))"},
       {"a number for each place", grid + "some(1, 2, 3, 1))"},
       {"of planes", "lit = Add(planes, some(1, 8, 2, 3)); columns = Reshape(lit, [0, 8, 6])"},
       {"a factor of all rows", "scaled = Mul(all, 3.0); tokens = Add(scaled, some(1, 7, 8))"},
       {"a vector for all rows", "scaled = Mul(some(8), all); tokens = Add(scaled, some(1, 7, 8))"},
       {"a factor for each row",
        "scaled = Mul(all, some(1, 7, 1)); tokens = Add(scaled, some(1, 7, 8))", kOther},
       {"rows of zeros by a Pad", R"(padded = Pad(patches, [0, 1, 0, 0, 0, 0], 0.5)
tokens = Add(padded, some(1, 7, 8)))"},
       {"registers in the middle", changed(registers, R"(joined = Identity(tokens))")},
       {"no class token", withoutClass("")},
       {"a slice of constant rows", R"(sizes = Concat(batch, [3, 8]) axis=0
class = Expand(some(1, 3, 8), sizes); more = Concat(class, patches) axis=1
all = Slice(more, [2], [9], [1]))"},
       {"some of the patches", R"(some = Slice(patches, [0], [5], [1])
tokens = Add(some, some(1, 5, 8)))",
        "block 0: not supported: "},
       {"rows and images swapped twice",
        "a = Transpose(all) perm=[1, 0, 2]; b = Add(a, some(7, 1, 8))\n"
        "tokens = Transpose(b) perm=[1, 0, 2]"},
       {"patches twice", "all = Concat(patches, patches) axis=1; tokens = Add(all, some(1, 12, 8))",
        "block 0: not supported: "},
       {"a row that is given", "row[-1, 1, 8]; all = Concat(row, patches) axis=1",
        "block 0: not supported: "},
       {"a class token behind a norm of the patches",
        "normed = LayerNormalization(patches, some(8), some(8)); all = Concat(class, normed) "
        "axis=1"},
       {"what nobody knows", "tokens = Mul(all, all)", kOther},
       {"other rows than patches",
        "rows[-1, 7, 8]; tokens = Identity(rows); picture = Relu(image); out y, picture",
        kNoPatches}});
}

}  // namespace
}  // namespace mpm::test
