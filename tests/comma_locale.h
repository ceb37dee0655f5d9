// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace mpm::test {

// While it lives, printf and strtod write and read 0,5: a locale that is made here, since few
// machines have one, of numbers alone, since a whole one takes seconds.
class CommaLocale {
 public:
  static constexpr const char* kWhyNot = "localedef made no locale";

  CommaLocale() : before_(std::setlocale(LC_NUMERIC, nullptr)) {
    std::string folder = (std::filesystem::temp_directory_path() / "mpm_locale_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return;
    folder_ = folder;
    const std::string source = folder + "/numbers", made = folder + "/comma";
    std::ofstream(source) << "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\ngrouping -1\n"
                             "END LC_NUMERIC\n";
    // It complains of all the rest that there is not.
    if (std::system(("localedef -c -i " + source + ' ' + made + " >/dev/null 2>&1").c_str()) == -1)
      return;
    setenv("LOCPATH", folder.c_str(), 1);
    std::setlocale(LC_NUMERIC, "comma");
    unsetenv("LOCPATH");
  }
  ~CommaLocale() {
    std::setlocale(LC_NUMERIC, before_.c_str());
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  bool isThere() const { return *std::localeconv()->decimal_point == ','; }

 private:
  std::string before_;
  std::filesystem::path folder_;
};

}  // namespace mpm::test
