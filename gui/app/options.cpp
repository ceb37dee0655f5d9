// SPDX-License-Identifier: Apache-2.0
#include "gui/app/options.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
#include <QPointer>
#include <QTranslator>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>
#include <vector>

#include "tune/precisions.h"

namespace mpm::gui {
namespace {

constexpr int kUsedWrongly = 2;
constexpr const char* kEnglish = "en";  // what the sources are written in
constexpr const char* kFolder = ":/translations";
constexpr const char* kBeginning = "mpm-monitor_";

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Options)
};

int complain(const QString& sentence) {
  std::fprintf(stderr, "mpm-monitor: %s\n", qPrintable(sentence));
  return kUsedWrongly;
}

void addOptions(QCommandLineParser& parser) {
  parser.setApplicationDescription(Words::tr(
      "Shows live segmentation of a fixed scene, merged tokens, and how their number changes "
      "from day to night.\nExample: mpm-monitor --source /dev/video0 --merge-before 2,5"));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addOption({"source",
                    Words::tr("A camera, video, folder of pictures or address (rtsp://..., "
                              "scene:?clock=600x)."),
                    Words::tr("SOURCE")});
  parser.addOption(
      {"replay",
       Words::tr(
           "Plays a video, folder or scene once, every frame at its own time. Pictures with a UTC "
           "date and time in their names, such as 20240612T152855Z.jpg, are of that time.")});
  parser.addOption({"location",
                    Words::tr("Where the camera is, in degrees north and east: day, dusk and night "
                              "then follow the sun."),
                    Words::tr("LAT,LON")});
  parser.addOption({"model", Words::tr("An ONNX file."), Words::tr("MODEL")});
  parser.addOption({"merge-before", Words::tr("Blocks to merge before, such as 2,5, or none."),
                    Words::tr("BLOCKS")});
  parser.addOption({"precision",
                    Words::tr("Precision of products: fp32, bf16, fp16, int8, or tf32 on cuda; "
                              "auto: the fastest whose labels agree with fp32's."),
                    Words::tr("fp32|tf32|bf16|fp16|int8|auto")});
  parser.addOption(
      {"device", Words::tr("Where to compute: cpu or cuda. Without a GPU, the processor is used."),
       Words::tr("cpu|cuda")});
  parser.addOption(
      {"fit",
       Words::tr(
           "How a picture is fitted to the model's input: stretch it, or slide windows over it."),
       Words::tr("stretch|slide")});
  parser.addOption(
      {"max-fps", Words::tr("At most this many frames a second; 0: no limit."), Words::tr("N")});
  parser.addOption({"no-memory", Words::tr("Computes every frame in full.")});
  parser.addOption(
      {"record", Words::tr("An SQLite file to write to, or none."), Words::tr("FILE")});
  parser.addOption(
      {"pictures",
       Words::tr("Pictures the record keeps per hour, to compare days and to teach on; 0: none."),
       Words::tr("N")});
  parser.addOption({"rules", Words::tr("Rules and zones, in TOML."), Words::tr("FILE")});
  parser.addOption({"language",
                    Words::tr("The language to start in: %1.").arg(languages().join(", ")),
                    Words::tr("CODE")});
  parser.addOption(
      {"fresh", Words::tr("Starts as if it had never run before, and saves nothing.")});
  parser.addOption({"face",
                    Words::tr("What the window is for: watch a place, study merging, or an "
                              "exhibition, which fills the screen."),
                    Words::tr("watch|study|exhibition")});
  parser.addOption({"full-screen", Words::tr("Fills the screen.")});
}

std::optional<QString> given(const QCommandLineParser& parser, const QString& name) {
  return parser.isSet(name) ? std::optional(parser.value(name)) : std::nullopt;
}

void takeWords(const QCommandLineParser& parser, AppOptions& options) {
  options.source = given(parser, "source");
  options.model = given(parser, "model");
  options.precision = given(parser, "precision");
  options.device = given(parser, "device");
  options.fit = given(parser, "fit");
  options.record = given(parser, "record");
  options.rules = given(parser, "rules");
  options.language = given(parser, "language");
  options.noMemory = parser.isSet("no-memory");
  options.replay = parser.isSet("replay");
  options.fresh = parser.isSet("fresh");
  options.fullScreen = parser.isSet("full-screen");
}

// Collects what is wrong, each thing as a separate sentence.
class Refusal {
 public:
  void operator()(const QString& sentence) { status_ = complain(sentence); }
  int status() const { return status_; }

 private:
  int status_ = 0;
};

void takeParsed(const QCommandLineParser& parser, AppOptions& options, Refusal& refuse) {
  if (const auto blocks = given(parser, "merge-before")) {
    options.schedule = parseBlocks(*blocks);
    if (!options.schedule)
      refuse(
          Words::tr("--merge-before %1 is not a list of blocks; write 2,5 or none").arg(*blocks));
  }
  if (const auto face = given(parser, "face")) {
    options.face = Faces::named(*face);
    if (!options.face)
      refuse(Words::tr("--face %1 is not known; use watch, study or exhibition").arg(*face));
  }
  if (const auto fps = given(parser, "max-fps")) {
    bool isNumber = false;
    options.mostFps = fps->toDouble(&isNumber);
    if (!isNumber || *options.mostFps < 0)
      refuse(Words::tr("--max-fps %1 is not a number of frames; write 10, or 0 for no limit")
                 .arg(*fps));
  }
  if (const auto location = given(parser, "location")) {
    bool isNorth = false, isEast = false;
    options.location = {location->section(',', 0, 0).toDouble(&isNorth),
                        location->section(',', 1).toDouble(&isEast)};
    const auto& [north, east] = options.location->val;
    if (!isNorth || !isEast || !(std::abs(north) <= 90) || !(std::abs(east) <= 180))
      refuse(Words::tr("--location %1 is not a place; write degrees north and east, such as "
                       "48.14,11.58")
                 .arg(*location));
  }
  if (const auto pictures = given(parser, "pictures")) {
    bool isNumber = false;
    const int count = pictures->toInt(&isNumber);
    options.picturesPerHour = count;
    if (!isNumber || count < 0 || count > monitor::DayPictures::kMost)
      refuse(Words::tr("--pictures %1 is not a number of pictures; write 0 to 60").arg(*pictures));
  }
}

void refuseUnknown(const AppOptions& options, Refusal& refuse) {
  const auto isPrecision = [](const QString& name) {
    return name == kAutoPrecision ||
           std::find(std::begin(tune::kPrecisions), std::end(tune::kPrecisions), name) !=
               std::end(tune::kPrecisions);
  };
  if (options.precision && !isPrecision(*options.precision))
    refuse(Words::tr("--precision %1 is not known; use fp32, tf32, bf16, fp16, int8 or auto")
               .arg(*options.precision));
  if (options.device && *options.device != "cpu" && !options.device->startsWith("cuda"))
    refuse(Words::tr("--device %1 is not known; use cpu or cuda").arg(*options.device));
  if (options.fit && *options.fit != "stretch" && *options.fit != "slide")
    refuse(Words::tr("--fit %1 is not known; use stretch or slide").arg(*options.fit));
  if (options.language && !languages().contains(*options.language))
    refuse(Words::tr("--language %1 is not known; use one of %2")
               .arg(*options.language, languages().join(", ")));
}

}  // namespace

QStringList languages() {
  QStringList codes{QString::fromLatin1(kEnglish)};
  for (const QString& file : QDir(QString::fromLatin1(kFolder)).entryList()) {
    const QString code = file.section('_', 1).section('.', 0, 0);
    if (!codes.contains(code)) codes << code;
  }
  codes.sort();
  return codes;
}

QString languageName(const QString& code) {
  if (code == QLatin1String(kEnglish)) return QStringLiteral("English");  // of no country
  QString name = QLocale(code).nativeLanguageName();
  if (!name.isEmpty()) name[0] = name[0].toUpper();
  return name;
}

QString languageFor(const QStringList& wanted) {
  const QStringList spoken = languages();
  for (QString language : wanted) {
    const QString code = language.replace('_', '-').section('-', 0, 0).toLower();
    if (spoken.contains(code)) return code;
  }
  return QString::fromLatin1(kEnglish);
}

QString languageToSpeak(const QStringList& arguments, const QString& remembered) {
  QCommandLineParser parser;
  parser.addOption({"language", {}, "CODE"});
  parser.addOption({"fresh", {}});
  parser.parse(arguments);  // false, because there are other options
  const QStringList spoken = languages();
  const QString asked = parser.value("language");
  if (spoken.contains(asked)) return asked;
  if (spoken.contains(remembered) && !parser.isSet("fresh")) return remembered;
  return languageFor(QLocale::system().uiLanguages());
}

void speak(const QString& code) {
  static std::vector<QPointer<QTranslator>> speaking;
  for (QTranslator* translator : speaking) delete translator;
  speaking.clear();
  const QString ofQt = QLibraryInfo::path(QLibraryInfo::TranslationsPath);
  for (const auto& [file, folder] :
       {std::pair{QStringLiteral("qtbase_"), ofQt},
        std::pair{QString::fromLatin1(kBeginning), QString::fromLatin1(kFolder)}}) {
    auto* translator = new QTranslator(qApp);
    if (translator->load(file + code, folder)) {
      QCoreApplication::installTranslator(translator);
      speaking.emplace_back(translator);
    } else {
      delete translator;
    }
  }
  // If the system has the same language, its country's number format stays.
  const QLocale system = QLocale::system(), wanted(code);
  QLocale::setDefault(system.language() == wanted.language() ? system : wanted);
}

bool opensWindow(const QStringList& arguments) {
  // Qt's own options, such as -platformtheme, are not the parser's; other words may be values.
  QCommandLineParser parser;
  addOptions(parser);
  parser.parse(arguments);
  if (parser.isSet("help") || parser.isSet("version"))
    for (const char* word : {"-h", "--help", "--help-all", "-v", "--version"})
      if (arguments.contains(QLatin1String(word))) return false;
#ifdef Q_OS_LINUX
  if (arguments.contains(QLatin1String("-platform")) ||
      arguments.contains(QLatin1String("--platform")))
    return true;
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
    if (!qEnvironmentVariableIsEmpty(name)) return true;
  return false;
#else
  return true;
#endif
}

int complainOfNoDisplay() {
  complain(
      Words::tr("There is no display to open a window on. Set DISPLAY or WAYLAND_DISPLAY, or run "
                "mpm watch, which needs none."));
  return 1;
}

bool parseOptions(const QStringList& arguments, AppOptions& options, int& status) {
  QCommandLineParser parser;
  addOptions(parser);
  status = 0;
  if (!parser.parse(arguments)) {
    QString fault = parser.errorText();
    if (fault.endsWith('.')) fault.chop(1);
    status = complain(Words::tr("%1; see --help").arg(fault));
    return false;
  }
  if (parser.isSet("help") || parser.isSet("version")) {
    std::printf("%s\n", parser.isSet("help")
                            ? qPrintable(parser.helpText())
                            : qPrintable(QCoreApplication::applicationName() + " " +
                                         QCoreApplication::applicationVersion()));
    return false;
  }
  takeWords(parser, options);
  Refusal refuse;
  takeParsed(parser, options, refuse);
  refuseUnknown(options, refuse);
  const QStringList more = parser.positionalArguments();
  if (!options.source && more.size() == 1) {
    options.source = more.front();
  } else if (!more.isEmpty()) {
    refuse(Words::tr("%1 is one argument too many; see --help").arg(more.front()));
  }
  status = refuse.status();
  return status == 0;
}

}  // namespace mpm::gui
