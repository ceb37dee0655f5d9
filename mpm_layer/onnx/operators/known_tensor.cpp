// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/known_tensor.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/operators/table.h"

namespace mpm::onnx {

using ::onnx::TensorProto;

namespace {

thread_local bool areLarge = false;

}  // namespace

std::int64_t mostElements() { return std::int64_t{1} << (areLarge ? 31 : 25); }

LargeResults::LargeResults() : outer_(areLarge) { areLarge = true; }
LargeResults::~LargeResults() { areLarge = outer_; }

SharedFloats::SharedFloats(std::vector<float> values) {
  auto own = std::make_shared<std::vector<float>>(std::move(values));
  data_ = own->data();
  size_ = own->size();
  owner_ = std::move(own);
}

SharedFloats SharedFloats::unset(std::size_t size) {
  SharedFloats made;
  std::shared_ptr<float[]> own(new float[size]);
  made.data_ = own.get();
  made.size_ = size;
  made.owner_ = std::shared_ptr<void>(own, own.get());
  return made;
}

SharedFloats SharedFloats::of(const float* values, std::size_t size) {
  SharedFloats made;
  made.data_ = const_cast<float*>(values);  // write() copies them
  made.size_ = size;
  return made;
}

float* SharedFloats::write() {
  if (size_ == 0 || owner_.use_count() == 1) return data_;
  SharedFloats own = unset(size_);
  std::copy(begin(), end(), own.data_);
  *this = std::move(own);
  return data_;
}

bool KnownTensor::isSure() const {
  return std::all_of(sure.begin(), sure.end(), [](char each) { return each != 0; });
}

void KnownTensor::setSure(std::size_t i, bool isSure) {
  if (sure.empty() && !isSure) sure.assign(count(), 1);
  if (!sure.empty()) sure[i] = static_cast<char>(isSure);
}

void KnownTensor::forget(std::size_t i) {
  setSure(i, false);
  if (!isFloat()) integers[i] = -1;
}

std::optional<std::size_t> smallCount(const Integers& dims) {
  if (dims.size() > kMostRank) return std::nullopt;
  std::int64_t count = 1;
  const std::int64_t most = mostElements();
  for (const std::int64_t dim : dims) {
    if (dim < 0 || dim > most) return std::nullopt;
    count *= dim;
    if (count > most) return std::nullopt;
  }
  return static_cast<std::size_t>(count);
}

bool isNarrow(std::int64_t type) {
  return type == TensorProto::UINT8 || type == TensorProto::INT8 || type == TensorProto::UINT16 ||
         type == TensorProto::INT16;
}

bool isFolded(std::int64_t type) {
  return type == TensorProto::FLOAT || type == TensorProto::INT64 || type == TensorProto::INT32 ||
         type == TensorProto::BOOL || isNarrow(type);
}

namespace {

// Makes room for `count` elements, the product of dims.
KnownTensor withRoom(int type, Integers dims, std::size_t count) {
  KnownTensor known;
  known.type = type;
  known.dims = std::move(dims);
  if (known.isFloat()) {
    known.floats = SharedFloats::unset(count);
  } else {
    known.integers.resize(count);
  }
  return known;
}

}  // namespace

std::optional<KnownTensor> unwritten(int type, const Integers& dims) {
  const auto count = smallCount(dims);
  return count ? std::optional(withRoom(type, dims, *count)) : std::nullopt;
}

std::optional<KnownTensor> zeros(int type, const Integers& dims) {
  auto known = unwritten(type, dims);
  if (known && known->isFloat()) std::fill_n(known->floats.write(), known->count(), 0.0F);
  return known;
}

std::optional<KnownTensor> toKnownTensor(const Tensor& tensor) {
  const auto count = smallCount(tensor.dims());
  if (!count) return std::nullopt;
  KnownTensor known;
  known.type = tensor.type();
  known.dims = tensor.dims();
  switch (tensor.type()) {
    case TensorProto::FLOAT: {
      const Floats floats = tensor.floats();
      known.floats = std::vector<float>(floats.begin(), floats.end());
      return known;
    }
    case TensorProto::BOOL:
    case TensorProto::UINT8:
    case TensorProto::INT8:
    case TensorProto::UINT16:
    case TensorProto::INT16:
    case TensorProto::INT32:
    case TensorProto::INT64:
      known.integers = tensor.integers();
      return known;
    default:
      return std::nullopt;
  }
}

TensorProto toTensor(const KnownTensor& known, const std::string& name) {
  if (known.isFloat()) return floatTensor(name, known.dims, known.floats.data());
  TensorProto tensor = integerTensor(name, known.dims, known.integers);
  if (known.type == TensorProto::INT64) return tensor;
  tensor.clear_raw_data();
  tensor.set_data_type(known.type);
  for (const std::int64_t value : known.integers) {
    tensor.add_int32_data(static_cast<std::int32_t>(value));
  }
  return tensor;
}

bool fits(std::int64_t value, int type) {
  const auto holds = [value](auto narrow) {
    using Limits = std::numeric_limits<decltype(narrow)>;
    return value >= Limits::min() && value <= Limits::max();
  };
  switch (type) {
    case TensorProto::UINT8:
      return holds(std::uint8_t{});
    case TensorProto::INT8:
      return holds(std::int8_t{});
    case TensorProto::UINT16:
      return holds(std::uint16_t{});
    case TensorProto::INT16:
      return holds(std::int16_t{});
    case TensorProto::INT32:
      return holds(std::int32_t{});
    default:
      return true;
  }
}

std::optional<std::size_t> axisOf(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

Strides stridesOf(const Integers& dims) {
  Strides strides(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    strides[i] = static_cast<std::ptrdiff_t>(product(dims, i + 1, dims.size()));
  }
  return strides;
}

std::optional<Strides> broadcastStrides(const Integers& from, const Integers& to) {
  if (!smallCount(to) || from.size() > to.size()) return std::nullopt;
  const std::size_t added = to.size() - from.size();
  const Strides own = stridesOf(from);
  Strides strides(to.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1 && from[i] != to[added + i]) return std::nullopt;
    if (from[i] != 1) strides[added + i] = own[i];
  }
  return strides;
}

std::optional<Places> broadcastPlaces(const Integers& from, const Integers& to) {
  const auto strides = broadcastStrides(from, to);
  if (!strides) return std::nullopt;
  Places places(product(to, 0, to.size()));
  forEachPlace(to, *strides, 0, [&](std::size_t i, std::size_t place) { places[i] = place; });
  return places;
}

std::optional<std::pair<KnownTensor, KnownTensor>> broadcast(const KnownTensor* a,
                                                             const KnownTensor* b) {
  if (!a || !b || a->type != b->type) return std::nullopt;
  const auto dims = broadcastSizes(a->dims, b->dims);
  if (!dims) return std::nullopt;
  auto wholeA = broadcastTo(*a, *dims);
  auto wholeB = broadcastTo(*b, *dims);
  if (!wholeA || !wholeB) return std::nullopt;
  return std::pair(std::move(*wholeA), std::move(*wholeB));
}

std::optional<KnownTensor> broadcastTo(const KnownTensor& source, const Integers& dims) {
  if (source.dims == dims) return source;
  const auto strides = broadcastStrides(source.dims, dims);
  if (!strides) return std::nullopt;
  return pickStrided(source, dims, *strides);
}

KnownTensor pick(const KnownTensor& source, Integers dims, const Places& places) {
  KnownTensor result = withRoom(source.type, std::move(dims), places.size());
  const auto copy = [&](const auto* from, auto* to) {
    for (std::size_t i = 0; i < places.size(); ++i) to[i] = from[places[i]];
  };
  withElements(copy, source, result);
  if (source.sure.empty()) return result;
  result.sure.resize(places.size());
  copy(source.sure.data(), result.sure.data());
  return result;
}

KnownTensor pickStrided(const KnownTensor& source, const Integers& dims, const Strides& strides,
                        std::size_t first) {
  const std::size_t count = product(dims, 0, dims.size());
  KnownTensor result = withRoom(source.type, dims, count);
  // Threads share large ones along their first axis of more than one element, unless its parts are
  // too small for that.
  constexpr std::size_t kWorthThreads = std::size_t{1} << 16, kWorthATask = 1024;
  std::size_t axis = 0;
  while (axis < dims.size() && dims[axis] == 1) ++axis;
  const bool isShared = count >= kWorthThreads && axis < dims.size() &&
                        count / static_cast<std::size_t>(dims[axis]) >= kWorthATask;
  const std::size_t tasks = isShared ? static_cast<std::size_t>(dims[axis]) : 1;
  const std::size_t each = count / tasks;
  Integers rest = dims;
  if (isShared) rest[axis] = 1;
  const auto copy = [&](const auto* from, auto* to) {
    const auto part = [&](std::size_t task) {
      const std::ptrdiff_t stride = isShared ? strides[axis] : 0;
      const auto begin =
          static_cast<std::ptrdiff_t>(first) + static_cast<std::ptrdiff_t>(task) * stride;
      forEachRun(rest, strides, static_cast<std::size_t>(begin),
                 [&](std::size_t i, std::ptrdiff_t place, std::size_t run, std::ptrdiff_t step) {
                   copyRun(from + place, step, run, to + task * each + i);
                 });
    };
    if (isShared) return processor::forEachTask(tasks, part);
    part(0);
  };
  withElements(copy, source, result);
  if (source.sure.empty()) return result;
  result.sure.resize(count);
  copy(source.sure.data(), result.sure.data());
  return result;
}

KnownTensor transposed(const KnownTensor& source, const Integers& seen,
                       const std::vector<std::size_t>& order) {
  const Strides own = stridesOf(seen);
  Integers dims;
  Strides strides;
  for (const std::size_t axis : order) {
    dims.push_back(seen[axis]);
    strides.push_back(own[axis]);
  }
  return pickStrided(source, dims, strides);
}

KnownTensor reshaped(const KnownTensor& source, Integers dims) {
  KnownTensor result = source;
  result.dims = std::move(dims);
  return result;
}

std::size_t product(const Integers& dims, std::size_t begin, std::size_t end) {
  std::size_t count = 1;
  for (std::size_t i = begin; i < end; ++i) count *= static_cast<std::size_t>(dims[i]);
  return count;
}

Stretch stretchOf(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t size) {
  if (size == 0) return {};
  const bool forward = step > 0;
  if (start < 0) start += size;
  if (end < 0) end += size;
  start = std::clamp<std::int64_t>(start, 0, forward ? size : size - 1);
  end = std::clamp<std::int64_t>(end, forward ? 0 : -1, forward ? size : size - 1);
  step = std::clamp<std::int64_t>(step, -size - 1, size + 1);
  const std::int64_t room = forward ? end - start : start - end;
  const std::int64_t width = forward ? step : -step;
  return {start, step, room <= 0 ? 0 : (room + width - 1) / width};
}

std::optional<std::vector<std::size_t>> orderOf(const Node& transpose, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  const auto given = intsAttribute(transpose, "perm");
  if (!given) return order;
  if (given->size() != rank || !markAxes(*given, rank)) return std::nullopt;
  std::transform(given->begin(), given->end(), order.begin(),
                 [&](std::int64_t axis) { return *axisOf(axis, rank); });
  return order;
}

std::optional<std::vector<bool>> markAxes(const Integers& axes, std::size_t rank) {
  std::vector<bool> marked(rank, false);
  for (const std::int64_t value : axes) {
    const auto axis = axisOf(value, rank);
    if (!axis || marked[*axis]) return std::nullopt;
    marked[*axis] = true;
  }
  return marked;
}

namespace {

const std::string kEllipsis = "...";
constexpr std::size_t kMostAxes = 8;  // that an ellipsis stands for

// Returns the digits of so many axes.
std::string digits(std::size_t axes) { return std::string("12345678").substr(kMostAxes - axes); }

// Replaces the ellipsis in letters by so many axes.
std::string spelledOut(std::string letters, std::size_t axes) {
  const std::size_t dots = letters.find(kEllipsis);
  return dots == std::string::npos ? letters
                                   : letters.replace(dots, kEllipsis.size(), digits(axes));
}

// Returns how many axes an operand's ellipsis has; std::nullopt if its letters do not fit.
std::optional<std::size_t> axesOfEllipsis(const std::string& letters, std::size_t rank) {
  if (letters.find(kEllipsis) == std::string::npos) {
    return letters.size() == rank ? std::optional<std::size_t>(0) : std::nullopt;
  }
  const std::size_t named = letters.size() - kEllipsis.size();
  if (named > rank || rank - named > kMostAxes) return std::nullopt;
  return rank - named;
}

// Returns the result of an equation without an arrow: the ellipsis, then letters that occur once,
// in alphabetical order.
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
