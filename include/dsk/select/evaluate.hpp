#pragma once

#include <dsk/select/choose.hpp>
#include <dsk/select/protocol.hpp>
#include <dsk/select/statistics.hpp>

#include <map>

namespace dsk {

/// What one method did on one split.
struct SplitResult {
  std::string method;  ///< full name
  Index split = 0;
  std::vector<int> predicted;  ///< codes for the split's test part, in its order
  double accuracy = 0;         ///< share of them that is right
  double theta = 0;
  double setting = 0;
  double penalty = 0;
  double validation_accuracy = 0;
  std::string chosen;  ///< full name of what DSK-auto became, otherwise the method's
  double seconds = 0;
  /// Of a k-NN method, where asked for: the classes that other numbers of neighbours predict, the rest being the same.
  std::map<Index, std::vector<int>> by_neighbours = {};
};

struct EvaluationOptions {
  std::vector<Method> methods;
  Protocol protocol = {};
  std::uint64_t seed = 0;
  SelectionOptions selection = {};
  std::optional<Index> first_splits = {};    ///< only so many of the protocol's splits
  std::vector<Index> other_neighbours = {};  ///< to predict with as well, by methods with k-NN
  int threads = 0;                           ///< splits are shared among them; the results are the same for any number
  /// Results of an earlier run with the same data and options: these are not computed again.
  std::vector<SplitResult> finished = {};
  /// Called after each new result, by one thread at a time; false stops with Cancelled.
  std::function<bool(const SplitResult&)> on_result = {};
};

/// A method over all splits.
struct MethodResult {
  Method method;
  std::vector<double> accuracies;           ///< per split; a single one over all splits for leave-one-out
  std::vector<double> balanced_accuracies;  ///< mean over the classes of the share that was right
  Summary accuracy;
  Summary balanced_accuracy;
  Matrix confusion;  ///< rows: classes, columns: predicted
  /// The method it is compared with: SK with the same classifier, or the first SK, or the first method.
  std::size_t baseline = 0;
  std::optional<PairedComparison> against = {};  ///< for others than the baseline, from two splits on
  double seconds = 0;
};

struct Evaluation {
  std::vector<Split> splits;
  std::vector<SplitResult> results;   ///< by split, then method
  std::vector<MethodResult> methods;  ///< in the order asked for
};

/// Every method on every split; all that is free is chosen inside the split's training part.
/// The ranks of a team (in `selection.pairs`) share the splits; all get the result, rank 0's `on_result` is called.
/// Throws InvalidInput for no methods or one named twice, data without labels, or a training part that a method cannot
/// learn from.
Evaluation evaluate(const Dataset& data, const EvaluationOptions& options);

}  // namespace dsk
