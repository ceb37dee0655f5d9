// SPDX-License-Identifier: Apache-2.0
// What is said in one word on a command line or in a file of secrets: addresses, schedules,
// metrics. The first byte chooses.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "monitor/light/light_meter.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/source/address.h"
#include "monitor/statistics/metrics.h"
#include "mpm/schedule.h"
#include "secrets/secrets.h"

namespace {

using namespace mpm::monitor;

void exercise(unsigned char what, const std::string& text) {
  switch (what % 6) {
    case 0:
      parseSourceAddress(text);
      break;
    case 1:
      mpm::secrets::withoutSecrets(text);
      mpm::secrets::holdsPassword(text);
      break;
    case 2:
      parseMqttAddress(text);
      break;
    case 3:
      lightText(parseLight(text));
      break;
    case 4:
      mpm::Schedule::parse(mpm::Schedule::parse(text).text());
      break;
    default:
      MetricName::parse(text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 2 || bytes[1] == '@') return 0;  // a file of this machine's
  try {
    exercise(bytes[0], {reinterpret_cast<const char*>(bytes) + 1, size - 1});
  } catch (const std::invalid_argument&) {
  } catch (const std::runtime_error&) {
  }
  return 0;
}
