// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/equation.h"

#include <algorithm>
#include <map>

#include "onnx/graph/attribute.h"

namespace mpm::onnx {
namespace {

const std::string kEllipsis = "...";
constexpr std::size_t kMostAxes = 8;  // that an ellipsis stands for

// The digits of so many axes.
std::string digits(std::size_t axes) { return std::string("12345678").substr(kMostAxes - axes); }

// Letters with an ellipsis of so many axes put in.
std::string spelledOut(std::string letters, std::size_t axes) {
  const std::size_t dots = letters.find(kEllipsis);
  return dots == std::string::npos ? letters
                                   : letters.replace(dots, kEllipsis.size(), digits(axes));
}

// How many axes the ellipsis of an operand stands for; nothing where its letters do not fit.
std::optional<std::size_t> axesOfEllipsis(const std::string& letters, std::size_t rank) {
  if (letters.find(kEllipsis) == std::string::npos) {
    return letters.size() == rank ? std::optional<std::size_t>(0) : std::nullopt;
  }
  const std::size_t named = letters.size() - kEllipsis.size();
  if (named > rank || rank - named > kMostAxes) return std::nullopt;
  return rank - named;
}

// What an equation without an arrow means: the ellipsis, then letters that stand once, in
// alphabetical order.
std::string resultOf(const std::vector<std::string>& operands, std::size_t axes) {
  std::map<char, int> uses;
  for (const std::string& letters : operands) {
    for (const char letter : letters) ++uses[letter];
  }
  std::string result = digits(axes);
  for (const auto& [letter, count] : uses) {
    if (count == 1 && result.find(letter) == std::string::npos) result += letter;
  }
  return result;
}

}  // namespace

std::optional<Equation> readEquation(const Node& node, const std::vector<std::size_t>& ranks) {
  std::string text = stringAttribute(node, "equation").value_or("");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  const std::string terms = text.substr(0, arrow) + ",";
  Equation equation;
  std::size_t begin = 0, most = 0;
  for (const std::size_t rank : ranks) {
    const std::size_t end = terms.find(',', begin);
    if (end == std::string::npos) return std::nullopt;
    const std::string letters = terms.substr(begin, end - begin);
    const auto axes = axesOfEllipsis(letters, rank);
    if (!axes) return std::nullopt;
    most = std::max(most, *axes);
    equation.operands.push_back(spelledOut(letters, *axes));
    begin = end + 1;
  }
  if (begin != terms.size()) return std::nullopt;
  if (arrow == std::string::npos) {
    equation.result = resultOf(equation.operands, most);
    return equation;
  }
  const std::string result = text.substr(arrow + 2);
  if (most > 0 && result.find(kEllipsis) == std::string::npos) return std::nullopt;
  equation.result = spelledOut(result, most);
  return equation;
}

}  // namespace mpm::onnx
