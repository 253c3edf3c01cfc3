// What the names of methods stand for, for readers who do not know the letters.

#include <fmt/format.h>

#include <string>

#include "report/report.hpp"

namespace dsk {
namespace {

std::string in_words(Metric metric) {
  switch (metric) {
    case Metric::airm:
      return "affine-invariant";
    case Metric::cholesky:
      return "Cholesky";
    case Metric::euclidean:
      return "Euclidean";
    case Metric::harmonic:
      return "harmonic";
    case Metric::kullback:
      return "Kullback-Leibler";
    case Metric::kullback_right:
      return "right Kullback-Leibler";
    case Metric::kullback_sym:
      return "symmetric Kullback-Leibler";
    case Metric::logcholesky:
      return "log-Cholesky";
    case Metric::logeuclidean:
      return "log-Euclidean";
    case Metric::powereuclidean:
      return "power-Euclidean";
    case Metric::stein:
      return "Stein";
    case Metric::thompson:
      return "Thompson";
    case Metric::wasserstein:
      return "Bures-Wasserstein";
  }
  return std::string(name(metric));
}

std::string in_words(Criterion criterion) {
  switch (criterion) {
    case Criterion::alignment:
      return "kernel alignment";
    case Criterion::separability:
      return "class separability";
    case Criterion::radius_margin:
      return "the radius-margin bound";
    case Criterion::trace_margin:
      return "the trace-margin criterion";
    case Criterion::centred:
      return "centred kernel alignment";
    case Criterion::neighbour:
      return "the probability of neighbours of the same class";
  }
  return std::string(name(criterion));
}

std::string in_words(Classifier classifier, const std::string& metric) {
  switch (classifier) {
    case Classifier::knn:
      return fmt::format("k nearest neighbours by the {} distance", metric);
    case Classifier::svm:
      return fmt::format("support vector machine with the {} kernel", metric);
    case Classifier::mean:
      return fmt::format("nearest class mean in the space of the {} kernel", metric);
    case Classifier::mdm:
      return fmt::format("nearest class mean by the {} distance", metric);
    case Classifier::logistic:
      return "logistic regression on the tangent space";
    case Classifier::tangent_svm:
      return "linear support vector machine on the tangent space";
  }
  return {};
}

std::string in_words(Method::Combining combining) {
  switch (combining) {
    case Method::Combining::chosen:
      return "weights by centred alignment or equal ones, chosen by cross-validation";
    case Method::Combining::aligned:
      return "weights by centred alignment";
    case Method::Combining::average:
      return "equal weights";
  }
  return {};
}

std::string in_words(const Method::Learning& learning) {
  if (learning.subspace) return fmt::format("in a subspace learned by {}", in_words(learning.criterion));
  return fmt::format("eigenvalues adjusted ({}) by {}{}", name(learning.adjustment), in_words(learning.criterion),
                     learning.as_printed ? ", exactly as the paper prints it" : "");
}

}  // namespace

std::string in_words(const Method& method) {
  if (!method.outside.empty()) return "a classifier that is not part of dsk";
  if (method.best)
    return "the average of the best ways to compare and classify matrices, or the best one, by cross-validation";
  if (method.majority) return "always the most frequent class of the training part";
  if (method.combining) return "support vector machine with several kernels, " + in_words(*method.combining);
  const std::string text = in_words(method.classifier, in_words(method.metric));
  if (method.automatic) return text + ", plain or learned by one of four criteria, chosen by cross-validation";
  return method.learning ? text + ", " + in_words(*method.learning) : text;
}

}  // namespace dsk
