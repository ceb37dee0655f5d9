// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/export_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace mpm::monitor {
namespace {

TEST(ExportTable, NumbersAreShortAndExact) {
  EXPECT_EQ(decimal(0.1), "0.1");
  EXPECT_EQ(decimal(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(decimal(-2.0), "-2");
  EXPECT_EQ(decimal(1e300), "1e+300");
  EXPECT_EQ(decimal(std::nan("")), "");
  EXPECT_EQ(decimal(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(decimal(std::optional<double>{}), "");
}

TEST(ExportTable, OnlyFieldsThatNeedItAreQuoted) {
  std::ostringstream out;
  CsvLine line;
  line.add("plain").add("").add("a,b").add("say \"hi\"").add("two\nlines").add("cr\r").add(7);
  line.writeTo(out);
  line.add("next").writeTo(out);
  EXPECT_EQ(out.str(), "plain,,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\"cr\r\",7\nnext\n");
}

TEST(ExportTable, JsonIsEscapedAndWhatIsNotFiniteIsNull) {
  JsonLine line;
  line.add("a\"b", "x\n\xff").add("n", std::int64_t{-5}).add("t", true);
  line.addReal("r", 0.5).addReal("nan", std::nan("")).addReal("none", {}).addRaw("o", "{}");
  EXPECT_EQ(line.text(),
            "{\"a\\\"b\":\"x\\n\xef\xbf\xbd\",\"n\":-5,\"t\":true,\"r\":0.5,\"nan\":null,"
            "\"none\":null,\"o\":{}}");
  EXPECT_EQ(JsonLine().text(), "{}");
}

TEST(ExportTable, AStreamThatFailsIsNoticed) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  CsvLine line;
  EXPECT_THROW(line.add("x").writeTo(out), std::runtime_error);
  JsonList list(out, JsonLine().add("a", "b"), "things");
  EXPECT_THROW(list.add(JsonLine()), std::runtime_error);
  EXPECT_THROW(list.end(), std::runtime_error);
}

}  // namespace
}  // namespace mpm::monitor
