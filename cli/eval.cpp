// SPDX-License-Identifier: Apache-2.0
// mpm eval: what schedules keep of a model's quality on data with true labels, and what they cost.
#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

#include "cli/commands.h"
#include "cli/eval_arguments.h"
#include "cli/eval_plan.h"
#include "cli/eval_report.h"
#include "cli/input_files.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/usage_error.h"
#include "evaluate/journal.h"
#include "evaluate/picture.h"
#include "evaluate/summary.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;
using evaluate::Header;
using evaluate::Journal;
using evaluate::PictureRecord;
using evaluate::Totals;

// The files of a report. Of a shard the name says which one it is.
struct ReportFiles {
  fs::path json, csv, classes;

  ReportFiles(const evaluate::Shard& shard, const fs::path& folder) {
    const std::string end =
        shard.count == 1 ? "" : cv::format("_%d_of_%d", shard.number, shard.count);
    json = folder / ("summary" + end + ".json");
    csv = folder / ("summary" + end + ".csv");
    classes = folder / ("per_class" + end + ".csv");
  }
};

void writeReport(const EvalReport& report, const fs::path& folder) {
  const ReportFiles files(report.header.shard, folder);
  try {
    writeFile(files.json, evalJson(report));
    writeFile(files.csv, evalCsv(report));
    writeFile(files.classes, evalClassCsv(report));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(
        std::string(error.what()) +
        "; the journal next to it is complete, and the same command writes it again");
  }
}

void refuseInputs(const InputFiles& inputs, const evaluate::Shard& shard, const fs::path& folder) {
  const ReportFiles files(shard, folder);
  for (const fs::path& path : {files.json, files.csv, files.classes}) inputs.refuse(path);
}

// The journal in the folder for the results; what is finished goes into the report's totals.
std::unique_ptr<Journal> openJournal(const EvalArguments& arguments, const EvalPlan& plan,
                                     Totals& totals, std::set<std::size_t>& done) {
  if (arguments.folder.empty()) return nullptr;
  makeFolder(arguments.folder);
  const Header& header = plan.header();
  const fs::path path = fs::path(arguments.folder) / evaluate::fileNameOf(header.shard);
  auto journal = std::make_unique<Journal>(path.string(), header, arguments.restart);
  for (const PictureRecord& record : journal->records()) {
    if (record.fault) continue;  // may have been mended
    const std::string changed = evaluate::changedFile(record, plan.pairs().at(record.index));
    if (!changed.empty()) {
      throw std::runtime_error(changed + " is not what it was when " + record.name +
                               " was evaluated; --restart evaluates every picture anew, and "
                               "another --out keeps both");
    }
    totals.add(record);
    done.insert(record.index);
  }
  return journal;
}

EvalReport measure(const EvalArguments& arguments) {
  EvalPlan plan(arguments);
  const Header& header = plan.header();
  if (!arguments.folder.empty()) {
    InputFiles inputs(arguments.model);
    for (const evaluate::Pair& pair : plan.pairs())
      inputs.addAll(std::array{pair.photo, pair.label});
    refuseInputs(inputs, header.shard, arguments.folder);
    inputs.refuse(fs::path(arguments.folder) / evaluate::fileNameOf(header.shard));
  }
  Totals totals(header);
  std::set<std::size_t> done;
  const auto journal = openJournal(arguments, plan, totals, done);
  for (const std::string& remark : plan.remarks()) std::cerr << "mpm: " << remark << '\n';
  {
    Progress progress("evaluating");
    const auto keep = [&](const PictureRecord& record) {
      if (journal) journal->append(record);
      totals.add(record);
    };
    evaluate::measureShard(plan.pairs(), header.shard, plan.measure(),
                           evaluate::runnerOf(plan.segmenter()), done, keep,
                           [&](double share) { progress.show(share); });
  }
  EvalReport report = {header, evaluate::summaryOf(totals, header), {header.notes.at("machine")}};
  if (journal && journal->notes().at("machine") != report.machines[0])
    report.machines.insert(report.machines.begin(), journal->notes().at("machine"));
  return report;
}

EvalReport join(const EvalArguments& arguments) {
  if (!arguments.model.empty() || !arguments.format.empty() || hasPictureOptions(arguments) ||
      !arguments.schedules.empty() || arguments.limit != 0 || arguments.every > 0)
    throw UsageError("--join only goes with --out and --json; see mpm eval --help");
  evaluate::Joined joined = evaluate::joinJournals(arguments.join);
  InputFiles inputs;
  for (const std::string& place : arguments.join) {
    if (!fs::is_directory(place)) inputs.add(place);
  }
  refuseInputs(inputs, joined.header.shard, arguments.folder);
  Totals totals(joined.header);
  for (const PictureRecord& record : joined.records) totals.add(record);
  if (!arguments.folder.empty()) makeFolder(arguments.folder);
  return {joined.header, evaluate::summaryOf(totals, joined.header), joined.machines};
}

void evaluateSequence(const EvalArguments& arguments) {
  const SequencePlan plan = sequenceOf(arguments);
  SequenceReport report;
  {
    Progress progress("evaluating");
    report = measureSequence(plan, [&](double share) { progress.show(share); });
  }
  std::cout << (arguments.json ? sequenceJson(report)
                               : sequenceTable(report) + "\n" + ageTable(report));
}

void evaluateModel(const EvalArguments& arguments) {
  if (arguments.format == "sequence") return evaluateSequence(arguments);
  const EvalReport report = arguments.join.empty() ? measure(arguments) : join(arguments);
  if (!arguments.folder.empty()) writeReport(report, arguments.folder);
  if (arguments.json) {
    std::cout << evalJson(report);
  } else if (report.summary.pictures > 0) {
    std::cout << evalTable(report);
  }
  std::cout << std::flush;
  const std::string leftOut = leftOutSentence(report.summary);
  if (!leftOut.empty()) throw std::runtime_error(leftOut);
}

}  // namespace

void addEval(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("eval", "measure how well schedules label a data set, and how fast");
  const auto arguments = std::make_shared<EvalArguments>();
  arguments->addTo(*command);
  command->footer(
      "Reports for each schedule: mean IoU, pixel accuracy, mean IoU within 3 pixels of an edge,\n"
      "live rows after each merge, the median time of the network and of a picture, each class's\n"
      "IoU, and how far apart merged pairs are. DIR gets summary.json, summary.csv, per_class.csv\n"
      "and journal.jsonl, from which the same command resumes if it was stopped. Exit status 1\n"
      "if pictures had to be left out.\n"
      "Example: mpm eval segmenter.onnx ADEChallengeData2016 --format ade20k --out results");
  command->callback([arguments] { evaluateModel(*arguments); });
}

}  // namespace mpm::cli
