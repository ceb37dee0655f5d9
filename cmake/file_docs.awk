# SPDX-License-Identifier: Apache-2.0
# For Doxygen: what stands in front of a header's `namespace mpm {` is about the header.
/^\/\/\// { block = block $0 "\n"; next }
{
  if ($0 == "namespace mpm {" && block != "") block = "/// @file\n" block "\n"
  printf "%s", block
  block = ""
  print
}
