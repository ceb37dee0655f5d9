// SPDX-License-Identifier: Apache-2.0
// Makes a program's man page, and completions for bash and zsh, from its options.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "files/text.h"

namespace mpm::cli {
namespace {

using Words = std::vector<std::string>;

std::vector<const CLI::App*> commandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

std::vector<const CLI::Option*> optionsOf(const CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* one) { return one->nonpositional() && !one->get_group().empty(); });
}

std::vector<const CLI::Option*> positionalsOf(const CLI::App& app) {
  return app.get_options([](const CLI::Option* one) { return one->get_positional(); });
}

// Returns "-o" and "--out".
Words namesOf(const CLI::Option& option) {
  Words names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takesValue(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// Returns an option's choices if its type lists them: "stretch|slide". A type in capitals, such as
// FILE|a,b,c, has none.
Words choicesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const bool isList = type.find('|') != std::string::npos &&
                      std::none_of(type.begin(), type.end(), [](unsigned char c) {
                        return std::isupper(c) != 0 || c == '[' || c == '.';
                      });
  Words choices;
  std::istringstream stream(isList ? type : "");
  for (std::string word; std::getline(stream, word, '|');) choices.push_back(word);
  return choices;
}

std::string joined(const Words& words) { return files::joined(words, " "); }

// Calls `show` with the app and all commands below it, each with its words: "mpm record export".
template <class Show>
void eachCommand(const CLI::App& app, const std::string& words, const Show& show) {
  show(app, words);
  for (const CLI::App* command : commandsOf(app))
    eachCommand(*command, words + " " + command->get_name(), show);
}

std::string escapedForMan(const std::string& text) {
  std::string escaped;
  bool isLineStart = true;
  for (const char c : text) {
    if (isLineStart && (c == '.' || c == '\'')) escaped += "\\&";
    escaped += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    isLineStart = c == '\n';
  }
  return escaped;
}

// Joins sentences that the help breaks into lines.
std::string flowing(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void writeOption(std::ostream& page, const CLI::Option& option) {
  Words names = option.nonpositional() ? namesOf(option) : Words{option.get_name(true)};
  page << ".TP\n.B " << escapedForMan(files::joined(names));
  if (option.nonpositional() && takesValue(option))
    page << " \\fI" << escapedForMan(option.get_type_name()) << "\\fR";
  page << '\n' << escapedForMan(flowing(option.get_description())) << '\n';
}

void writeGroups(std::ostream& page, const CLI::App& app) {
  for (const CLI::Option* option : positionalsOf(app)) writeOption(page, *option);
  auto options = optionsOf(app);
  const auto advanced = std::stable_partition(
      options.begin(), options.end(),
      [](const CLI::Option* option) { return option->get_group() != kAdvanced; });
  for (auto option = options.begin(); option != options.end(); ++option) {
    if (option == advanced) page << ".PP\nAdvanced:\n";
    writeOption(page, **option);
  }
}

std::string manPage(const CLI::App& app) {
  std::ostringstream page;
  std::string title = app.get_name();
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  page << ".TH " << escapedForMan(title) << " 1 \"\" \"MPM for OpenCV DNN\" \"User Commands\"\n"
       << ".SH NAME\n"
       << escapedForMan(app.get_name() + " - " + app.get_description()) << '\n'
       << ".SH SYNOPSIS\n.B " << escapedForMan(app.get_name()) << '\n'
       << (commandsOf(app).empty() ? ".RI [ options ]\n" : ".IR COMMAND \" [\" options ]\n");
  eachCommand(app, app.get_name(), [&](const CLI::App& command, const std::string& words) {
    if (&command == &app) {
      page << ".SH OPTIONS\n";
    } else {
      page << (words.find(' ') == words.rfind(' ') ? ".SH \"" : ".SS \"") << escapedForMan(words)
           << "\"\n"
           << escapedForMan(command.get_description()) << '\n';
    }
    writeGroups(page, command);
    if (!command.get_footer().empty())
      page << ".PP\n.nf\n" << escapedForMan(command.get_footer()) << "\n.fi\n";
  });
  page << ".SH \"EXIT STATUS\"\n0; 1 where something went wrong; 2 where it was used wrongly.\n"
       << ".SH \"SEE ALSO\"\n.BR mpm (1),\n.BR mpm\\-scene (1),\n.BR mpm\\-demo (1),\n"
       << ".BR mpm\\-monitor (1)\n";
  return page.str();
}

std::string bashCompletion(const CLI::App& app) {
  std::ostringstream script, commands, values, words;
  eachCommand(app, app.get_name(), [&](const CLI::App& command, const std::string& name) {
    Words names, options;
    for (const CLI::App* below : commandsOf(command)) {
      names.push_back(below->get_name());
      commands << "      '" << name << '/' << below->get_name() << "') command='" << name << ' '
               << below->get_name() << "' ;;\n";
    }
    for (const CLI::Option* option : optionsOf(command)) {
      const Words own = namesOf(*option);
      options.insert(options.end(), own.begin(), own.end());
      if (!takesValue(*option)) continue;
      for (const std::string& one : own)
        values << "    '" << name << '/' << one << "') words='" << joined(choicesOf(*option))
               << "' ;;\n";
    }
    words << "      '" << name << "/-'*) words='" << joined(options) << "' ;;\n"
          << "      '" << name << "/'*) words='" << joined(names) << "' ;;\n";
  });
  const std::string function = "_" + app.get_name() + "_words";
  script << "# Made from the options of " << app.get_name() << ".\n"
         << function << "() {\n"
         << "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} at words=\n"
         << "  local command='" << app.get_name() << "'\n"
         << "  for at in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         << "    case $command/$at in\n      -) ;;\n"
         << commands.str() << "    esac\n  done\n"
         << "  case $command/$before in\n"
         << values.str() << "    *)\n      case $command/$word in\n"
         << words.str() << "        *) words='' ;;\n      esac ;;\n  esac\n"
         << "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
         << "complete -o default -F " << function << ' ' << app.get_name() << '\n';
  return script.str();
}

// Returns the first line, escaping what _arguments or a quote would interpret.
std::string briefForZsh(const std::string& text) {
  std::string brief;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') brief += '\\';
    brief += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return brief;
}

std::string zshFunction(const std::string& words) {
  std::string name = "_" + words;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

void writeZshCommand(std::ostream& script, const CLI::App& command, const std::string& words) {
  script << zshFunction(words) << "() {\n  local -a commands\n  _arguments -C";
  for (const CLI::Option* option : optionsOf(command)) {
    for (const std::string& name : namesOf(*option)) {
      script << " \\\n    '" << name << '[' << briefForZsh(option->get_description()) << ']';
      const Words choices = choicesOf(*option);
      if (takesValue(*option))
        script << ":value:" << (choices.empty() ? "_files" : "(" + joined(choices) + ")");
      script << '\'';
    }
  }
  const auto below = commandsOf(command);
  if (below.empty()) {
    script << " \\\n    '*:file:_files'\n}\n";
    return;
  }
  script << " \\\n    '1:command:->command' '*::word:->word'\n  case $state in\n    command)\n"
         << "      commands=(";
  for (const CLI::App* one : below)
    script << "\n        '" << one->get_name() << ':' << briefForZsh(one->get_description())
           << '\'';
  script << ")\n      _describe command commands ;;\n    word)\n      case $words[1] in\n";
  for (const CLI::App* one : below)
    script << "        " << one->get_name() << ") " << zshFunction(words + " " + one->get_name())
           << " ;;\n";
  script << "      esac ;;\n  esac\n}\n";
}

std::string zshCompletion(const CLI::App& app) {
  std::ostringstream script;
  script << "#compdef " << app.get_name() << "\n# Made from the options of " << app.get_name()
         << ".\n";
  eachCommand(app, app.get_name(), [&](const CLI::App& command, const std::string& words) {
    writeZshCommand(script, command, words);
  });
  script << zshFunction(app.get_name()) << " \"$@\"\n";
  return script.str();
}

}  // namespace

std::string pageOf(const CLI::App& app, const std::string& kind) {
  if (kind == "--page=man") return manPage(app);
  if (kind == "--page=bash") return bashCompletion(app);
  if (kind == "--page=zsh") return zshCompletion(app);
  return {};
}

}  // namespace mpm::cli
