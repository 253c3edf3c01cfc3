#pragma once

#include <span>
#include <string_view>

/// The figures that the paper prints: Zhang, Wang, Zhou & Li, "Learning Discriminative Stein Kernel for SPD Matrices
/// and Its Applications". Accuracies are in per cent.
namespace dsk::paper {

struct Accuracy {
  std::string_view method;  ///< full name
  double mean = 0;
  double deviation = 0;  ///< 0: not printed
};
using Table = std::span<const Accuracy>;

Table brodatz_pairs();  ///< Table IV
Table brodatz_all();    ///< Table V
Table faces();          ///< Table VI, FERET
Table objects();        ///< Table VII, ETH-80
Table brain();          ///< Table VIII, ADNI

/// Table III, with the pairs of the supplement in the order in which it lists them.
struct TexturePair {
  int first = 0, second = 0;
  double stein = 0, aligned = 0;  ///< SK and DSK-KA-p
};
std::span<const TexturePair> texture_pairs();

/// Table IX: the Stein kernel with an SVM on covariances with corrected eigenvalues.
struct Corrections {
  std::string_view data;
  std::string_view samples;  ///< over dimension, as printed
  double sample = 0, mestre = 0, efron_morris = 0, ben_david = 0, learned = 0;
};
std::span<const Corrections> corrections();

}  // namespace dsk::paper
