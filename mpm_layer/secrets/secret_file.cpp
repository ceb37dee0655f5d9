// SPDX-License-Identifier: Apache-2.0
#include "secrets/secrets.h"

#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace mpm::secrets {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCredential = "credential:";

[[noreturn]] void refuse(const std::string& sentence) { throw std::invalid_argument(sentence); }

fs::path credentialPath(const std::string& name) {
  const char* folder = std::getenv("CREDENTIALS_DIRECTORY");
  const std::string unit = "write LoadCredential=" + name + ":/PATH/TO/ITS/FILE into the unit";
  if (name.empty() || name.find('/') != std::string::npos) {
    refuse("\"" + std::string(kCredential) + name +
           "\" names no credential; write credential:NAME");
  }
  if (folder == nullptr || *folder == '\0') {
    refuse("There is no credential " + name +
           ", since systemd gave this program none: for a service, " + unit +
           "; otherwise name a file");
  }
  const fs::path path = fs::path(folder) / name;
  std::error_code error;
  if (!fs::exists(path, error)) {
    refuse("systemd gave this program no credential " + name + ": " + unit);
  }
  return path;
}

}  // namespace

std::string readSecret(const std::string& file) {
  const bool isCredential = file.rfind(kCredential, 0) == 0;
  const std::string name = isCredential ? file.substr(kCredential.size()) : file;
  const fs::path path = isCredential ? credentialPath(name) : fs::path(file);
  std::error_code error;
  const fs::perms allowed = fs::status(path, error).permissions();
  if (!error && (allowed & fs::perms::others_read) != fs::perms::none) {
    refuse(file + " can be read by everybody; protect the secret in it with chmod o-r");
  }
  if (access(path.c_str(), R_OK) != 0) {
    const int reason = errno;
    refuse("The secret in " + file + " cannot be read (" + std::strerror(reason) + ")" +
           (reason == EACCES ? ": a systemd service gets it with LoadCredential=NAME:" +
                                   fs::absolute(path).string() +
                                   " in its unit and credential:NAME here; for another program, "
                                   "let its user or group read the file"
                             : ""));
  }
  std::ifstream stream(path);
  std::string secret;
  std::getline(stream, secret);
  while (!secret.empty() && std::isspace(static_cast<unsigned char>(secret.back()))) {
    secret.pop_back();
  }
  if (!secret.empty()) return secret;
  refuse(isCredential ? "The credential " + name +
                            " is empty: the file that LoadCredential= in the unit names is not "
                            "there, or its first line is empty"
                      : file + " has no first line to read a secret from");
}

std::string addressOf(const std::string& typed) {
  if (typed.empty() || typed.front() != '@') return typed;
  const std::string file = typed.substr(1);
  std::string address = readSecret(file);
  if (address.front() == '@') refuse("the address in " + file + " names another file");
  return address;
}

}  // namespace mpm::secrets
