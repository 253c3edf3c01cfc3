#include <dsk/files.hpp>
#include <dsk/matrices.hpp>

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "approximate_training.hpp"
#include "approximation_flags.hpp"
#include "command.hpp"
#include "files.hpp"
#include "labelled_data.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "selection_flags.hpp"

namespace dsk::cli {
namespace {

struct Train {
  LabelledData data;
  SelectionFlags selection;
  ApproximationFlags approximation;
  std::string classifier = "knn";
  std::string metric = "stein";
  std::optional<std::string> kernel;
  std::optional<std::string> criterion;
  std::string adjust = "power";
  std::string margin = "linear";
  bool balanced = false;
  bool probabilities = false;
  int threads = 0;
  std::string device = "cpu";
  std::filesystem::path output;
  std::filesystem::path json;

  void run() const {
    const Method method = checked_method();
    SelectionOptions options = selection.options();
    options.pairs.threads = threads;
    options.pairs.device = device_of(device);
    options.pairs.team = team();
    const auto start = std::chrono::steady_clock::now();
    const Dataset train = data.load_labelled(threads);
    Progress progress("training");
    const Dataset basis = chosen_on(train);
    const ChosenMethod chosen =
        kernel ? choose_settings(basis, {.learned = load_kernel(*kernel).kernel}, method.classifier, options)
               : choose_settings(basis, method, options);
    ModelOrigin origin;
    origin.repair = data.repair;
    origin.samples = train.size();
    if (method.learning) origin.criterion = name(method.learning->criterion);
    std::optional<ApproximateModel> approximate;
    if (approximation.asked()) {
      approximate = approximately_trained(chosen, train);
      approximate->origin.chosen_on = basis.size();
      origin.approximation = approximate->origin;
    }
    const SavedModel saved{approximate ? std::move(approximate->model) : trained(chosen, train), origin};
    at_first(team(), [&] { save(saved, output); });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress.end();
    Facts facts = described(chosen, train, saved.model);
    if (approximate) approximate->describe(facts);
    facts.add("seconds", seconds);
    facts.add("output", output.string());
    at_first(team(), [&] { facts.write(json); });
    facts.print();
  }

 private:
  Method checked_method() const {
    Method method;
    method.metric = parse_metric(metric);
    method.classifier = parse_classifier(classifier);
    if (criterion) method.learning = Learning{parse_criterion(*criterion), parse_adjustment(adjust)};
    if ((kernel || criterion) && method.metric != Metric::stein)
      throw InvalidInput("a learned kernel goes with --metric stein only");
    if (method.metric == Metric::airm && method.classifier == Classifier::svm)
      throw InvalidInput("airm gives no positive definite kernel; use it with --classifier knn");
    if (margin != "linear" && margin != "squared") throw InvalidInput("--margin must be linear or squared");
    if (method.classifier == Classifier::knn && (balanced || probabilities || margin != "linear"))
      throw InvalidInput("--balanced, --probabilities and --margin are for --classifier svm");
    if (selection.penalty != "auto" && !criterion)
      throw InvalidInput("--penalty is for --criterion: nothing is learned otherwise");
    if (threads < 0) throw InvalidInput("--threads must be 0 or more");
    device_of(device);
    if (approximation.asked()) check_approximation_flags(method);
    data.check();
    selection.options();
    check_model_name(output);
    check_files({data.x, data.labels, kernel.value_or("")}, {output, json});
    return method;
  }

  void check_approximation_flags(const Method& method) const {
    approximation.options();
    if (method.metric == Metric::airm)
      throw InvalidInput("airm gives no positive definite kernel; --approximate needs one");
    if (probabilities) throw InvalidInput("--probabilities are not calibrated with --approximate");
    if (device_of(device) != Device::cpu) throw InvalidInput("--approximate computes on the cpu; leave out --device");
    if (selection.theta_range == "any")
      throw InvalidInput("--approximate needs a positive definite kernel, which --theta-range any does not promise");
  }

  /// What kernel and settings are chosen on.
  Dataset chosen_on(const Dataset& train) const {
    if (!approximation.asked()) return train;
    return train.select(balanced_sample(train.labels(), approximation.choose_on, selection.seed));
  }

  SvmTraining machine_training() const {
    SvmTraining training;
    training.margin = margin == "squared" ? SoftMargin::squared : SoftMargin::linear;
    training.balanced = balanced;
    training.seed = selection.seed;
    training.pairs.threads = threads;
    training.pairs.device = device_of(device);
    return training;
  }

  ApproximateModel approximately_trained(const ChosenMethod& chosen, const Dataset& train) const {
    NystromOptions options = approximation.options();
    options.theta = selection.options().theta;
    options.seed = selection.seed;
    options.pairs.threads = threads;
    return train_approximately(chosen, train, options, machine_training());
  }

  Model trained(const ChosenMethod& chosen, const Dataset& train) const {
    if (chosen.method.classifier == Classifier::knn)
      return train_knn(chosen.comparison, train,
                       {.neighbours = static_cast<Index>(chosen.setting), .threads = threads});
    SvmTraining training = machine_training();
    training.theta = chosen.theta;
    training.c = chosen.setting;
    training.probabilities = probabilities;
    training.allow_indefinite = selection.theta_range == "any";
    training.pairs.team = team();
    return train_svm(chosen.comparison, train, training);
  }

  Facts described(const ChosenMethod& chosen, const Dataset& train, const Model& model) const {
    Facts facts;
    facts.add("n", train.size());
    facts.add("d", train.dim());
    facts.add("classes", train.labels().names().size());
    facts.add("classifier", std::string(kind(model)));
    facts.add("metric", std::string(name(chosen.comparison.metric)));
    if (chosen.comparison.learned) {
      const LearnedKernel& learned = *chosen.comparison.learned;
      facts.add("adjustment", std::string(name(learned.adjustment().kind)));
      facts.add("alpha", std::vector<double>(learned.adjustment().alpha.begin(), learned.adjustment().alpha.end()));
      if (chosen.fit) facts.add("penalty", json_number(chosen.penalty));
      facts.add("theta", learned.theta());
    }
    if (chosen.method.classifier == Classifier::svm) {
      const auto& svm = std::get<SvmClassifier>(model);
      facts.add("theta", svm.theta());
      facts.add("C", chosen.setting);
      facts.add("support", svm.support().size());
      if (svm.smallest_eigenvalue()) facts.add("smallest_eigenvalue", *svm.smallest_eigenvalue());
    } else {
      if (const auto* features = std::get_if<NystromKnn>(&model)) facts.add("theta", features->map().theta());
      facts.add("neighbours", static_cast<Index>(chosen.setting));
    }
    facts.add("validated", chosen.validation_accuracy);
    return facts;
  }
};

}  // namespace

void add_train(CLI::App& program) {
  auto* const command = program.add_subcommand("train", "Train a classifier; all that is free by cross-validation");
  const auto task = std::make_shared<Train>();
  task->data.add_to(*command);
  command->add_option("-o,--output", task->output, "The model, .dsk")->required();
  command->add_option("--classifier", task->classifier, "knn or svm")->capture_default_str();
  auto* const metric_option =
      command->add_option("--metric", task->metric, "airm, cholesky, euclidean, logeuclidean, powereuclidean or stein")
          ->capture_default_str();
  auto* const kernel_option = command->add_option("--kernel", task->kernel, "A kernel that dsk learn saved");
  auto* const criterion_option =
      command->add_option("--criterion", task->criterion, "Learn the kernel first, by this criterion (see dsk learn)");
  kernel_option->excludes(metric_option)->excludes(criterion_option);
  command->add_option("--adjust", task->adjust, "With --criterion: power, coefficient or affine")
      ->capture_default_str()
      ->needs(criterion_option);
  task->selection.add_to(*command);
  command->add_option("--margin", task->margin, "How the SVM pays for slacks: linear or squared")
      ->capture_default_str();
  command->add_flag("--balanced", task->balanced, "Weigh classes by 1 / their size in the SVM");
  command->add_flag("--probabilities", task->probabilities, "Calibrate the SVM for dsk predict --scores");
  task->approximation.add_to(*command);
  command->add_option("--threads", task->threads, "Threads to use; 0: all cores");
  command->add_option("--device", task->device, device_help)->capture_default_str();
  command->add_option("--json", task->json, "Also write the facts to this file");
  command->footer("Example: dsk train train.npz --classifier svm --criterion centred --adjust affine -o model.dsk");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli
