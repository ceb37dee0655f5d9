# SPDX-License-Identifier: Apache-2.0
# awk -v most=N -v roots="DIR..." -f batches.awk FILE...: which sources a compiler may read at once, as lines
# "NUMBER FILE", at most N with one number. Files share a number where no name that one keeps to itself (in an
# anonymous namespace, as a macro, `static`, or as an alias) occurs in another, nor is declared in a header that
# another includes, from the roots. It reads what clang-format laid out: declarations of a namespace begin in the
# first column.

function own(name) {
  if (name != "" && name !~ /^(operator|if|template|static_assert|extern)$/) owns[file, name] = 1
}

function say(name) {
  if ((file, name) in says) return
  says[file, name] = 1
  saying[name] = saying[name] " " file
}

# The name that a declaration declares: it stands in front of its arguments, its value or its body.
function declared(line) {
  sub(/^\[\[[a-z_]+\]\] /, "", line)
  sub(/^MPM_API /, "", line)
  if (sub(/^(struct|class|union|enum( class| struct)?) (MPM_API )?/, "", line)) {
    sub(/[^A-Za-z0-9_].*/, "", line)
    return line
  }
  gsub(/::/, "@", line)  # as one letter of a name
  while (gsub(/<[^<>]*>/, "", line)) {}
  sub(/[({=;:\[,].*/, "", line)
  sub(/ +$/, "", line)
  sub(/.*[^A-Za-z0-9_@]/, "", line)
  return line ~ /@/ ? "" : line
}

function included(line) {
  sub(/^#include "/, "", line)
  sub(/".*/, "", line)
  return line
}

# What a header and those that it includes declare is said by the source at hand.
function read_header(name, folder,    path, i, line, count, root, names) {
  count = split(folder " " roots, root, " ")
  for (i = 1; i <= count; ++i) {
    path = root[i] "/" name
    if (path in known) break
    if ((getline line < path) >= 0) {
      while ((getline line < path) > 0) {
        if (line ~ /^#include "/) headers[path] = headers[path] " " included(line)
        else if (line ~ /^[A-Za-z_\[]/ && line !~ /^(namespace|using namespace|template|extern|public|private)/)
          declares[path] = declares[path] " " declared(line)
      }
      close(path)
      known[path] = 1
      break
    }
  }
  if (i > count || (file, path) in seen) return
  seen[file, path] = 1
  count = split(declares[path], names, " ")
  for (i = 1; i <= count; ++i) say(names[i])
  folder = path
  sub(/\/[^\/]*$/, "", folder)
  count = split(headers[path], names, " ")
  for (i = 1; i <= count; ++i) read_header(names[i], folder)
}

FNR == 1 {
  file = ++files
  path_of[file] = folder_of = FILENAME
  sub(/\/[^\/]*$/, "", folder_of)
  hidden = listing = 0
}

/^#include "/ { read_header(included($0), folder_of) }

{
  line = $0
  gsub(/"([^"\\]|\\.)*"/, "", line)
  sub(/\/\/.*/, "", line)
}

/^namespace \{/ { hidden = 1; next }
/^\}  \/\/ namespace$/ { hidden = 0; next }

/^#define / {
  name = line
  sub(/^#define /, "", name)
  sub(/[^A-Za-z0-9_].*/, "", name)
  own(name)
}

(hidden || /^(static|const|constexpr|namespace [a-z]+ =|using [A-Za-z_]+ =)/) && /^[A-Za-z_\[]/ && !/^using namespace/ {
  name = declared(line)
  if (name !~ /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/ || line !~ name "\\(") own(name)  # not a macro that is used, as TEST
  rest = line  # const int kOne = 1, kTwo = 2;
  while (match(rest, /, k[A-Z][A-Za-z0-9]*( =|[{;,(\[])/)) {
    name = substr(rest, RSTART + 2, RLENGTH - 2)
    rest = substr(rest, RSTART + RLENGTH - 1)
    sub(/[^A-Za-z0-9].*/, "", name)
    own(name)
  }
  listing = line ~ /^enum /
  if (/^(using|namespace) .*;$/) alias[file, declared(line)] = $0  # the same one in another file is no other
}

hidden && /^    k[A-Z][A-Za-z0-9]*( =|\{)/ {
  name = line
  sub(/^ +/, "", name)
  sub(/[^A-Za-z0-9].*/, "", name)
  own(name)
}

# What an enumeration names is as visible as itself.
listing {
  rest = line
  sub(/^[^{]*\{/, "", rest)
  while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
    own(substr(rest, RSTART, RLENGTH))
    rest = substr(rest, RSTART + RLENGTH)
  }
  if (line ~ /\}/) listing = 0
}

# Members, and what stands behind the name of another namespace, mean nothing else wherever they are read.
{
  while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
    word = substr(line, RSTART, RLENGTH)
    before = RSTART > 1 ? substr(line, RSTART - 1, 1) : ""
    if (before == ">" && substr(line, RSTART - 2, 1) != "-") before = ""
    line = substr(line, RSTART + RLENGTH)
    if (before !~ /[.:>]/) say(word)
  }
}

END {
  for (key in owns) {
    split(key, part, SUBSEP)
    count = split(saying[part[2]], others, " ")
    for (i = 1; i <= count; ++i)
      if (others[i] != part[1] && (alias[key] == "" || alias[key] != alias[others[i], part[2]]))
        apart[part[1], others[i]] = apart[others[i], part[1]] = 1
  }
  for (file = 1; file <= files; ++file) {
    for (batch = 1; batch <= batches; ++batch) {
      count = split(held[batch], others, " ")
      fits = count < most
      for (i = 1; i <= count && fits; ++i)
        if ((file, others[i]) in apart) fits = 0
      if (fits) break
    }
    if (batch > batches) batches = batch
    held[batch] = held[batch] " " file
    print batch, path_of[file]
  }
}
