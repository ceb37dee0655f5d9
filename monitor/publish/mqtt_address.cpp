// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>

#include "files/text.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/statistics/metrics.h"

// Messages repeat no part of an address: if its parts are in the wrong places, any of them may be
// the password.
namespace mpm::monitor {
namespace {

[[noreturn]] void refuse(const std::string& sentence) {
  throw std::invalid_argument(sentence +
                              "; an MQTT address is mqtt://[user@]host[:port][/prefix], "
                              "or mqtts:// for TLS");
}

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    unsigned char byte = 0;
    const auto end = std::from_chars(digits.begin(), digits.end(), byte, 16).ptr;
    if (digits.size() != 2 || end != digits.end())
      refuse("a % in an MQTT address must be followed by two hexadecimal digits");
    plain += static_cast<char>(byte);
    i += 2;
  }
  return plain;
}

int portOf(std::string_view text) {
  int port = 0;
  if (!files::parseWhole(text, port) || port < 1 || port > 65535)
    refuse("the port of an MQTT address must be a number from 1 to 65535");
  return port;
}

void readHostAndPort(std::string_view text, MqttOptions& options) {
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) refuse("an IPv6 address must end with ]");
    options.host = std::string(text.substr(1, end - 1));
    port = text.substr(end + 1);
    if (!port.empty() && port.front() != ':')
      refuse("after the ] of an IPv6 address comes : and a port, or nothing");
  } else {
    const std::size_t colon = text.find(':');
    options.host = std::string(text.substr(0, colon));
    if (colon != std::string_view::npos) port = text.substr(colon);
  }
  if (!port.empty()) options.port = portOf(port.substr(1));
}

}  // namespace

MqttOptions parseMqttAddress(const std::string& address) {
  MqttOptions options;
  std::string_view rest = address;
  if (rest.starts_with("mqtts://")) {
    options.tls = true;
  } else if (!rest.starts_with("mqtt://")) {
    refuse("an MQTT address must begin with mqtt:// or mqtts://");
  }
  rest.remove_prefix(options.tls ? 8 : 7);
  if (rest.find_first_of("?#") != std::string_view::npos)
    refuse("an MQTT address has no part after ? or # (in a password they are %3F and %23)");
  const std::size_t slash = rest.find('/');
  std::string_view authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) {
    if (rest.find('@', slash) != std::string_view::npos)
      refuse("a / or @ in a user's name or password must be written as %2F or %40");
    if (slash + 1 < rest.size()) options.prefix = decoded(rest.substr(slash + 1));
  }
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view user = authority.substr(0, at);
    const std::size_t colon = user.find(':');
    options.user = decoded(user.substr(0, colon));
    if (colon != std::string_view::npos) options.password = decoded(user.substr(colon + 1));
    authority.remove_prefix(at + 1);
  }
  readHostAndPort(authority, options);
  checkMqttOptions(options);
  return options;
}

void checkMqttOptions(const MqttOptions& options) {
  const auto hasControls = [](const std::string& text) {
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < 0x20 || c == '\x7F') return true;
    }
    return false;
  };
  const auto isTopic = [&](const std::string& topic) {
    return topic.find_first_of("+# ") == std::string::npos &&
           topic.find("//") == std::string::npos && !topic.starts_with('/') &&
           !topic.ends_with('/') && !topic.starts_with('$') && topic.size() <= 200 &&
           !hasControls(topic) && validUtf8(topic) == topic;
  };
  if (options.host.empty() || hasControls(options.host) ||
      options.host.find(' ') != std::string::npos)
    refuse("an MQTT address must name a host");
  if (options.port < 0 || options.port > 65535)
    refuse("the port of an MQTT broker must be from 1 to 65535, or 0 for the default");
  if (!isTopic(options.prefix) || options.prefix.empty())
    refuse(
        "the prefix of MQTT topics must be names with / between them, without +, # or spaces, "
        "and may not begin with $");
  if (!isTopic(options.discoveryPrefix))
    refuse("the prefix of Home Assistant's topics must be names with / between them, or empty");
  if (options.user.empty() && !options.password.empty()) refuse("an MQTT password needs a user");
  if (options.user.size() > 65535 || options.password.size() > 65535)
    refuse("an MQTT user and password have at most 65535 bytes each");
  if (options.user.find('\0') != std::string::npos ||
      options.password.find('\0') != std::string::npos || validUtf8(options.user) != options.user)
    refuse("an MQTT user and password cannot hold a zero byte, and the user must be UTF-8");
  if (!options.caFile.empty() && !options.tls) refuse("a CA file is for brokers with TLS");
}

}  // namespace mpm::monitor
