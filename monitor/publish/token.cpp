// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/token.h"

#include <arpa/inet.h>

#include <algorithm>
#include <stdexcept>

namespace mpm::monitor {
namespace {

bool isIpv4Loopback(const std::string& address) {
  in_addr parsed{};
  return inet_pton(AF_INET, address.c_str(), &parsed) == 1 && ntohl(parsed.s_addr) >> 24 == 127;
}

}  // namespace

bool isSameToken(std::string_view given, std::string_view right) {
  if (right.empty()) return false;
  volatile unsigned difference = given.size() == right.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto a = static_cast<unsigned char>(given[i]);
    const auto b = static_cast<unsigned char>(right[i % right.size()]);
    difference = difference | (a ^ b);
  }
  return difference == 0;
}

void checkToken(const std::string& token) {
  const bool printable =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7F'; });
  if (!printable) {
    throw std::runtime_error(
        "the HTTP token has to be of printable ASCII characters without spaces, such as the output "
        "of: openssl rand -hex 32");
  }
}

bool isOwnAddress(const std::string& address) {
  return address == "localhost" || address == "::1" || address == "[::1]" ||
         isIpv4Loopback(address);
}

bool isOwnHost(const std::string& host) {
  std::string name = host;
  const std::size_t bracket = name.rfind(']'), colon = name.rfind(':');
  const bool hasPort = colon != std::string::npos &&
                       (bracket == std::string::npos ? name.find(':') == colon : colon > bracket);
  if (hasPort) name.resize(colon);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return isOwnAddress(name);
}

}  // namespace mpm::monitor
