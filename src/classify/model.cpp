// Any trained classifier, alone or in a pipeline.

#include <dsk/model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "classify/class_scores.hpp"
#include "classify/classify.hpp"
#include "kernel/kernel.hpp"

namespace dsk {
namespace {

const Labels& known_labels(const KnnClassifier& knn) {
  return knn.training_set().labels();
}
const Labels& known_labels(const SvmClassifier& svm) {
  return svm.support().labels();
}
const Labels& known_labels(const NystromKnn& knn) {
  return knn.labels();
}
const Labels& known_labels(const MdmClassifier& mdm) {
  return mdm.means().labels();
}
const Labels& known_labels(const MeanClassifier& mean) {
  return mean.training_set().labels();
}
const Labels& known_labels(const TangentClassifier& tangent) {
  return tangent.classes();
}
const Labels& known_labels(const Pipeline& pipeline) {
  return detail::labels(pipeline.members().front().classifier);
}

std::string_view kind_of(const KnnClassifier&) {
  return name(Classifier::knn);
}
std::string_view kind_of(const SvmClassifier&) {
  return name(Classifier::svm);
}
std::string_view kind_of(const NystromKnn&) {
  return name(Classifier::knn);
}
std::string_view kind_of(const MdmClassifier&) {
  return name(Classifier::mdm);
}
std::string_view kind_of(const MeanClassifier&) {
  return name(Classifier::mean);
}
std::string_view kind_of(const TangentClassifier& tangent) {
  return name(tangent.is_pairwise() ? Classifier::tangent_svm : Classifier::logistic);
}
std::string_view kind_of(const Pipeline&) {
  return "pipeline";
}

template <class Any>
const Comparison& comparison_of(const Any& model) {
  if constexpr (requires { model.comparison(); })
    return model.comparison();
  else
    throw InvalidInput(fmt::format("a model of kind {} does not compare pairs of matrices", kind_of(model)));
}

}  // namespace

std::string_view detail::kind(const SimpleModel& model) {
  return std::visit([](const auto& classifier) { return kind_of(classifier); }, model);
}

const Labels& detail::labels(const SimpleModel& model) {
  return std::visit([](const auto& classifier) -> const Labels& { return known_labels(classifier); }, model);
}

std::string_view kind(const Model& model) {
  return std::visit([](const auto& classifier) { return kind_of(classifier); }, model);
}

Index dim(const Model& model) {
  return std::visit([](const auto& classifier) { return classifier.dim(); }, model);
}

const Comparison& comparison(const Model& model) {
  return std::visit([](const auto& classifier) -> const Comparison& { return comparison_of(classifier); }, model);
}

const Labels& labels(const Model& model) {
  return std::visit([](const auto& classifier) -> const Labels& { return known_labels(classifier); }, model);
}

const std::vector<std::string>& class_names(const Model& model) {
  return labels(model).names();
}

bool recentres_groups(const Model& model) {
  const auto* const pipeline = std::get_if<Pipeline>(&model);
  return pipeline != nullptr && pipeline->recentring() == Recentring::groups;
}

Prediction predict(const Model& model, const SpdBatch& x, const PairOptions& options) {
  return std::visit([&](const auto& classifier) { return predict(classifier, x, options); }, model);
}

Prediction predict(const Model& model, const SpdBatch& x, const Labels* groups, const PairOptions& options) {
  const auto* const pipeline = std::get_if<Pipeline>(&model);
  return pipeline != nullptr ? predict(*pipeline, x, groups, options) : predict(model, x, options);
}

double accuracy(const Model& model, const Dataset& data, const PairOptions& options) {
  const Labels& truth = data.labels();
  const Labels* const groups = data.has_groups() ? &data.groups() : nullptr;
  return accuracy(predict(model, data.matrices(), groups, options).labels, truth);
}

}  // namespace dsk

namespace dsk::detail {

Matrix centred_scores(Matrix scores) {
  for (Index i = 0; i < scores.rows(); ++i) {
    double sum = 0;
    Index finite = 0;
    for (const double score : scores.row(i)) {
      if (!std::isfinite(score)) continue;
      sum += score;
      ++finite;
    }
    if (finite > 0) scores.row(i).array() -= sum / static_cast<double>(finite);
  }
  return scores;
}

double score_scale(const Matrix& scores, std::span<const double> weights) {
  const Matrix centred = centred_scores(scores);
  double sum = 0, finite = 0;
  for (Index c = 0; c < centred.cols(); ++c)
    for (Index i = 0; i < centred.rows(); ++i) {
      const double score = centred(i, c), weight = weights.empty() ? 1 : weights[static_cast<std::size_t>(i)];
      if (!std::isfinite(score)) continue;
      sum += weight * score * score;
      finite += weight;
    }
  const double deviation = finite > 0 ? std::sqrt(sum / finite) : 0;
  return deviation > 0 && std::isfinite(deviation) ? deviation : 1;
}

Prediction predict_largest(const Labels& known, Matrix scores) {
  std::vector<int> codes;
  for (Index i = 0; i < scores.rows(); ++i) {
    Index best = 0;
    const double largest = scores.row(i).maxCoeff(&best);
    codes.push_back(static_cast<int>(best));
    // Equal scores first: infinite ones have no difference.
    for (double& score : scores.row(i)) score = score == largest ? 1 : std::exp(score - largest);
    scores.row(i) /= scores.row(i).sum();
  }
  return {Labels(known.names(), std::move(codes), known.integral()), std::move(scores)};
}

void add_margins(const double* decisions, std::span<double> scores) {
  const double others = static_cast<double>(scores.size()) - 1;
  for (std::size_t a = 0; a < scores.size(); ++a)
    for (std::size_t b = a + 1; b < scores.size(); ++b) {
      const double limited = std::clamp(*decisions++, -1.0, 1.0) / others;
      scores[a] += limited;
      scores[b] -= limited;
    }
}

Matrix margin_scores(const Matrix& decisions, Index classes) {
  Matrix scores = Matrix::Zero(decisions.rows(), classes);
  for (Index i = 0; i < scores.rows(); ++i)
    add_margins(&decisions(i, 0), {&scores(i, 0), static_cast<std::size_t>(classes)});
  return scores;
}

Matrix machine_scores(const Matrix& decisions, const std::vector<int>& codes, Index classes) {
  return spread_columns(margin_scores(decisions, std::ssize(codes)), codes, classes, no_score);
}

Matrix spread_columns(const Matrix& of_present, const std::vector<int>& codes, Index classes, double missing) {
  Matrix result = Matrix::Constant(of_present.rows(), classes, missing);
  for (std::size_t c = 0; c < codes.size(); ++c) result.col(codes[c]) = of_present.col(static_cast<Index>(c));
  return result;
}

}  // namespace dsk::detail

namespace dsk {
namespace {

Index dim_of_classifier(const SimpleModel& model) {
  return std::visit([](const auto& classifier) { return classifier.dim(); }, model);
}

/// The size of the matrices that a member accepts. Throws InvalidInput if its transform makes others than its
/// classifier compares.
Index checked_dim(const Pipeline::Member& member) {
  const Index wanted = dim_of_classifier(member.classifier);
  if (member.before.steps().empty()) return wanted;
  const Index made = member.before.result_dim(wanted);
  if (made != wanted)
    throw InvalidInput(
        fmt::format("a transform makes matrices of size {}, but its classifier is for size {}", made, wanted));
  return std::visit([](const auto& step) { return step.dim(); }, member.before.steps().front());
}

void check_member(const Pipeline::Member& member, const Pipeline::Member& first, std::size_t index) {
  if (checked_dim(member) != checked_dim(first))
    throw InvalidInput(fmt::format("member {} of a pipeline is for matrices of size {}, not {}", index,
                                   checked_dim(member), checked_dim(first)));
  const Labels &own = detail::labels(member.classifier), &others = detail::labels(first.classifier);
  if (own.names() != others.names() || own.integral() != others.integral())
    throw InvalidInput(fmt::format("member {} of a pipeline has other class names", index));
  if (!(member.scale > 0 && std::isfinite(member.scale)))
    throw InvalidInput(
        fmt::format("the scale {} of member {} of a pipeline must be finite and above 0", member.scale, index));
}

Matrix scores_of(const MdmClassifier& model, const SpdBatch& x, const PairOptions& options) {
  return detail::mdm_scores(model, x, options);
}

Matrix scores_of(const MeanClassifier& model, const SpdBatch& x, const PairOptions& options) {
  return detail::mean_scores(model, x, options);
}

Matrix scores_of(const TangentClassifier& model, const SpdBatch& x, const PairOptions& options) {
  const Matrix outputs = detail::tangent_outputs(model, x, options.threads);
  const std::vector<int>& codes = model.classes().codes();
  const auto classes = static_cast<Index>(model.classes().names().size());
  return model.is_pairwise() ? detail::machine_scores(outputs, codes, classes)
                             : detail::spread_columns(outputs, codes, classes, detail::no_score);
}

Matrix scores_of(const SvmClassifier& model, const SpdBatch& x, const PairOptions& options) {
  return detail::svm_scores(model, x, options);
}

Matrix scores_of(const KnnClassifier& model, const SpdBatch& x, const PairOptions& options) {
  return predict(model, x, options).scores;
}

Matrix scores_of(const NystromKnn& model, const SpdBatch& x, const PairOptions& options) {
  return predict(model, x, options).scores;
}

}  // namespace

Matrix class_scores(const SimpleModel& model, const SpdBatch& x, const PairOptions& options) {
  return std::visit([&](const auto& classifier) { return scores_of(classifier, x, options); }, model);
}

double score_scale(const SimpleModel& model, const SpdBatch& x, const PairOptions& options,
                   std::span<const double> weights) {
  return detail::score_scale(class_scores(model, x, options), weights);
}

Pipeline::Pipeline(std::vector<Member> members, Recentring recentring)
    : members_(std::move(members)), recentring_(recentring), dim_(0) {
  if (members_.empty()) throw InvalidInput("a pipeline needs at least one classifier");
  for (std::size_t k = 0; k < members_.size(); ++k) check_member(members_[k], members_.front(), k);
  dim_ = checked_dim(members_.front());
}

Prediction predict(const Pipeline& model, const SpdBatch& x, const Labels* groups, const PairOptions& options) {
  detail::check_model_dim(x.dim(), x.dim(), model.dim());
  const SpdBatch moved = model.recentring() == Recentring::groups ? recentre_groups(x, groups, options.threads) : x;
  const auto transformed = [&](const Pipeline::Member& member) { return member.before.apply(moved, options.threads); };
  const Pipeline::Member& first = model.members().front();
  if (model.members().size() == 1)
    return std::visit([&](const auto& classifier) { return predict(classifier, transformed(first), options); },
                      first.classifier);
  const Labels& known = detail::labels(first.classifier);
  Matrix sum = Matrix::Zero(x.size(), static_cast<Index>(known.names().size()));
  for (const Pipeline::Member& member : model.members())
    sum += detail::centred_scores(class_scores(member.classifier, transformed(member), options)) / member.scale;
  return detail::predict_largest(known, std::move(sum));
}

Prediction predict(const Pipeline& model, const SpdBatch& x, const PairOptions& options) {
  return predict(model, x, nullptr, options);
}

Matrix detail::scores_of_complex(const Model& model, Matrix scores) {
  const auto* const means = std::get_if<MdmClassifier>(&model);
  if (means == nullptr) return scores;
  scores = scores.array().pow(1 / embedding_factor(means->comparison().metric, true)).eval();
  for (Index i = 0; i < scores.rows(); ++i) scores.row(i) /= scores.row(i).sum();
  return scores;
}

Model detail::recentring_groups(Model model) {
  if (const auto* const pipeline = std::get_if<Pipeline>(&model))
    return Pipeline(pipeline->members(), Recentring::groups);
  return std::visit(
      [](auto&& one) -> Model {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, Pipeline>) {
          return one;
        } else {
          std::vector<Pipeline::Member> members;
          members.push_back({Transform(), SimpleModel(std::forward<decltype(one)>(one))});
          return Pipeline(std::move(members), Recentring::groups);
        }
      },
      std::move(model));
}

}  // namespace dsk
