#pragma once

#include <dsk/classify.hpp>
#include <dsk/matrices.hpp>

#include <span>
#include <vector>

namespace dsk {

/// The classes of the nearest `neighbours`, nearest first; of equally near ones the first comes first. A number above
/// that of the distances takes all of them. Throws InvalidInput as below.
std::vector<int> nearest_classes(std::span<const double> distances, std::span<const int> classes, Index neighbours);

/// The class that occurs most often; of those that occur equally often the one that comes first.
int most_votes(std::span<const int> nearest_first);
/// The same for classes numbered from 0, in the memory of `counts`, one for each class.
int most_votes(std::span<const int> nearest_first, std::span<int> counts);

/// The class that most of the nearest `neighbours` have, for each of several numbers of neighbours. Of classes with
/// equally many votes the one with the nearest member wins; of equally near ones the first counts. A number above that
/// of the distances takes all of them. Throws InvalidInput for no distances, one that is not a number, a
/// number of neighbours below 1, or sizes that differ.
std::vector<int> nearest_votes(std::span<const double> distances, std::span<const int> classes,
                               std::span<const Index> neighbours);

namespace detail {

/// The options of the machine that train_svm trains with these labels: class weights in the order of the classes that
/// occur. Throws InvalidInput for class weights that do not fit the labels.
SvmOptions machine_options(const SvmTraining& training, const Labels& labels);

}  // namespace detail
}  // namespace dsk
