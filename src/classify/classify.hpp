#pragma once

#include <dsk/classify.hpp>

#include <span>
#include <utility>
#include <vector>

namespace dsk {

/// The classes of the `neighbours` nearest points, nearest first; ties go to the lower index. If `neighbours` is larger
/// than the number of distances, all points are used. Throws InvalidInput as nearest_votes does.
std::vector<int> nearest_classes(std::span<const double> distances, std::span<const int> classes, Index neighbours);

/// The most frequent class; ties go to the class that comes first. Throws InvalidInput if there are no classes.
int most_votes(std::span<const int> nearest_first);
/// The same for classes numbered from 0, without allocating memory: `counts` has one element for each class.
int most_votes(std::span<const int> nearest_first, std::span<int> counts);

/// The majority class among the nearest points, for each of several numbers of neighbours. Ties between classes go to
/// the class with the nearest member, ties between distances to the lower index. If a number is larger than the number
/// of distances, all points vote. Throws InvalidInput if there are no distances, a distance is not a number, a number
/// of neighbours is below 1, or the sizes differ.
std::vector<int> nearest_votes(std::span<const double> distances, std::span<const int> classes,
                               std::span<const Index> neighbours);

namespace detail {

/// Collects the votes for one matrix after another into a prediction. Different matrices may be added by different
/// threads.
class Votes {
 public:
  Votes(const Labels& known, Index count)
      : known_(known),
        codes_(static_cast<std::size_t>(count)),
        scores_(Matrix::Zero(count, static_cast<Index>(known.names().size()))) {}

  void add(Index i, std::span<const int> nearest_first) {
    codes_[static_cast<std::size_t>(i)] = most_votes(nearest_first);
    for (const int c : nearest_first) scores_(i, c) += 1;
    scores_.row(i) /= static_cast<double>(nearest_first.size());
  }

  Prediction prediction() && {
    return {Labels(known_.names(), std::move(codes_), known_.integral()), std::move(scores_)};
  }

 private:
  const Labels& known_;
  std::vector<int> codes_;
  Matrix scores_;
};

/// The options of the machine that train_svm trains with these labels: class weights in the order of the classes that
/// occur. Throws InvalidInput for class weights that do not fit the labels.
SvmOptions machine_options(const SvmTraining& training, const Labels& labels);

}  // namespace detail
}  // namespace dsk
