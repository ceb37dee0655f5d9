// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/exposition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "monitor/publish/prometheus_reader.h"

namespace mpm::monitor {
namespace {

const Family kSize{"mpm_size", FamilyKind::gauge, "A help with a \\ and a\nline"};
const Family kCount{"mpm_count_total", FamilyKind::counter, "Counted"};

TEST(Exposition, IsWrittenAsTheFormatSays) {
  Exposition out;
  out.add(kSize, {{"source", "a"}}, 0.5);
  out.add(kCount, {}, 12345678901);
  out.add(kSize, {{"source", "b"}, {"class", "car"}}, -1);
  EXPECT_EQ(out.text(),
            "# HELP mpm_size A help with a \\\\ and a\\nline\n"
            "# TYPE mpm_size gauge\n"
            "mpm_size{source=\"a\"} 0.5\n"
            "mpm_size{source=\"b\",class=\"car\"} -1\n"
            "# HELP mpm_count_total Counted\n"
            "# TYPE mpm_count_total counter\n"
            "mpm_count_total 12345678901\n");
}

TEST(Exposition, LabelsOfAnyBytesComeBackAsTheyWere) {
  const std::string evil = "a\"b\\c\nd}e,f=\"g Bäume \\n";
  Exposition out;
  out.add(kSize, {{"rule", evil}}, 1);
  out.add(kSize, {{"rule", "\xE4"}}, 2);
  const auto families = readExposition(out.text());
  EXPECT_EQ(sampleOf(families, "mpm_size", {{"rule", evil}}), 1);
  EXPECT_EQ(sampleOf(families, "mpm_size", {{"rule", "\xEF\xBF\xBD"}}), 2);
}

TEST(Exposition, NumbersKeepEveryDigit) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{0.1,  1.0 / 3,  1e-300,   1e300, 9007199254740991,
                                   -0.0, infinity, -infinity};
  Exposition out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out.add(kSize, {{"i", std::to_string(i)}}, values[i]);
  out.add(kSize, {{"i", "nan"}}, std::nan(""));
  const auto families = readExposition(out.text());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(sampleOf(families, "mpm_size", {{"i", std::to_string(i)}}), values[i]);
  EXPECT_TRUE(std::isnan(sampleOf(families, "mpm_size", {{"i", "nan"}})));
}

TEST(Exposition, ASeriesStandsThereOnce) {
  Exposition out;
  out.add(kSize, {{"rule", "same"}}, 1);
  out.add(kSize, {{"rule", "same"}}, 2);
  const auto families = readExposition(out.text());
  EXPECT_EQ(families.at("mpm_size").samples.size(), 1u);
  EXPECT_EQ(sampleOf(families, "mpm_size", {{"rule", "same"}}), 1);
}

TEST(Exposition, TheReaderRefusesWhatBreaksTheFormat) {
  const std::string head = "# HELP a b\n# TYPE a gauge\n";
  EXPECT_NO_THROW(readExposition(head + "a 1\n"));
  for (const std::string bad : {"a 1", "a 1\n", "# TYPE a gauge\na 1\n", "# HELP a b\na 1\n"}) {
    EXPECT_THROW(readExposition(bad), std::runtime_error) << bad;
  }
  for (const std::string bad :
       {"b 1\n", "a one\n", "a  1\n", "a{b=\"c} 1\n", "a{b=\"\\t\"} 1\n", "a{1=\"c\"} 1\n",
        "a{b=\"c\",b=\"d\"} 1\n", "a 1\na 1\n", "a\n", "a{b=\"c\"}1\n",
        "a 1\n# HELP c d\n# TYPE c gauge\na{b=\"c\"} 1\n", "a 1\n# HELP a b\n# TYPE a gauge\n"}) {
    EXPECT_THROW(readExposition(head + bad), std::runtime_error) << bad;
  }
}

}  // namespace
}  // namespace mpm::monitor
