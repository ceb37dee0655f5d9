// SPDX-License-Identifier: Apache-2.0
// Small files that others may have written: of secrets, of a model's facts. The first byte chooses.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "monitor/camera/camera_watch.h"
#include "monitor/source/address.h"
#include "scratch_file.h"
#include "secrets/secrets.h"
#include "segment/model_metadata.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  static const std::string path = mpm::test::scratchPath("file.toml");
  mpm::test::writeFile(path, bytes + 1, size - 1);
  const std::string text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  try {
    switch (bytes[0] % 5) {
      case 0:
        mpm::secrets::readSecret(path);
        break;
      case 1:
        mpm::monitor::parseSourceAddress("@" + path);
        break;
      case 2:
        mpm::monitor::CameraWatch().setView(text);
        break;
      case 3:
        mpm::segment::readTomlMetadata(path);
        break;
      default: {
        const std::size_t middle = text.find('\n');
        if (middle == std::string::npos) break;
        mpm::segment::parseMetadata({{text.substr(0, middle), text.substr(middle + 1)}}, "model");
      }
    }
  } catch (const std::invalid_argument&) {
  } catch (const std::runtime_error&) {
  }
  return 0;
}
