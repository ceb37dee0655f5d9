// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace mpm::test {

// While it lives, printf and strtod write and read 0,5: a locale that is made here, since few
// machines have one.
class CommaLocale {
 public:
  static constexpr const char* kWhyNot = "the package locales is not installed";

  CommaLocale() : before_(std::setlocale(LC_NUMERIC, nullptr)) {
    std::string folder = (std::filesystem::temp_directory_path() / "mpm_locale_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return;
    folder_ = folder;
    const std::string made = folder + "/comma.UTF-8";
    if (std::system(("localedef -i de_DE -f UTF-8 " + made + " >/dev/null 2>&1").c_str()) != 0)
      return;
    setenv("LOCPATH", folder.c_str(), 1);
    std::setlocale(LC_NUMERIC, "comma.UTF-8");
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
