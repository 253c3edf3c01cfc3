#pragma once

#include <dsk/classify.hpp>
#include <dsk/engine.hpp>
#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>
#include <dsk/transform.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dsk {

/// Reads "linear" or "squared"; throws InvalidInput.
SoftMargin parse_margin(std::string_view text);

/// Which support vector machine is tuned and trained.
struct SvmVariant {
  SoftMargin margin = SoftMargin::linear;
  bool balanced = false;                   ///< weigh classes by 1 / their size, 1 in the mean over the training set
  std::vector<double> class_weights = {};  ///< factors of C in the order of the labels' names; not with `balanced`
};

/// A way to compare matrices and a classifier on top, by name.
struct Method {
  /// How a kernel is learned: its adjusted eigenvalues, or a subspace.
  struct Learning {
    Criterion criterion = Criterion::alignment;
    Adjustment adjustment = Adjustment::power;
    bool subspace = false;  ///< learn a subspace, and adjust nothing
    /// As the paper prints it: the kernel is adjusted whether or not that helps in cross-validation, theta is the
    /// criterion's, and the margin criteria have no penalty and their own C, used by an SVM with squared slacks.
    bool as_printed = false;
  };

  /// How the weights of a combined kernel are found.
  enum class Combining {
    chosen,   ///< one of the others, by cross-validation
    aligned,  ///< by centred alignment with the classes: align_kernels
    average   ///< all the same
  };

  Metric metric = Metric::stein;
  std::optional<Learning> learning = {};
  bool automatic = false;  ///< choose among plain and learned kernels, as in the paper: DSK-auto
  Classifier classifier = Classifier::knn;
  bool best = false;      ///< choose among all ways to compare and to classify: auto
  bool majority = false;  ///< always predict the most frequent class
  /// The name of a classifier that is not one of the library's: it is not trained here, its predictions are given.
  std::string outside = {};
  std::optional<Combining> combining = {};  ///< several kernels combined, in place of one: MK

  /// Reads
  ///  - auto: the best of everything below by cross-validation;
  ///  - AIRM, CHK, EUK, LEK, PEK, SK, ..., DSK-{KA,CS,RM,TM,CA,NN}-{p,c,a}, DSK-{KA,CS,CA,NN}-s (a subspace) or
  ///    DSK-auto, followed by :knn (the default), :svm or, except for adjusted eigenvalues, :mean; DLEK-, DPEK- and
  ///    DCHK- as DSK-, for kernels by other metrics;
  ///  - DSK-{KA,CS}-{p,c}-printed and DSK-{RM,TM}-{p,c}-printed:svm: exactly as the paper prints them;
  ///  - MK:svm: several kernels combined; MK-aligned:svm and MK-average:svm with one kind of weights;
  ///  - MDM or MDM-METRIC: the nearest class mean;
  ///  - TS:lr, TS:svm: logistic regression or a linear SVM on the tangent space;
  ///  - majority: always the most frequent class.
  /// Throws InvalidInput; also for AIRM:svm, which has no kernel.
  static Method parse(std::string_view text);
  /// Several, separated by commas, all different.
  static std::vector<Method> parse_list(std::string_view text);
  /// Without the classifier.
  std::string name() const;
  /// With it.
  std::string full_name() const;
};

/// Methods, which may be given by their names: `.methods = {"auto", "SK:knn", "MDM"}`.
struct Methods : std::vector<Method> {
  using std::vector<Method>::vector;
  Methods(std::vector<Method> methods) : std::vector<Method>(std::move(methods)) {}
  /// Throws InvalidInput as Method::parse does.
  Methods(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) push_back(Method::parse(name));
  }
};

/// All names of methods, for help and messages.
std::string method_choices();

/// Which theta an SVM's kernel may have.
enum class ThetaRange {
  automatic,  ///< both of the others are tried; in an evaluation of the paper's methods, and for kernels learned by the
              ///< paper's criteria, only valid ones
  valid,      ///< those for which the kernel is positive definite for every sample
  any         ///< all above 0; a training Gram matrix that turns out indefinite is clipped
};

/// Reads "auto", "valid" or "any"; throws InvalidInput.
ThetaRange parse_theta_range(std::string_view text);
std::string_view name(ThetaRange range);

/// Whether and how matrices are projected to a subspace before they are compared.
struct Projecting {
  enum class Kind {
    none,
    automatic,  ///< the number of components by cross-validation, among them all
    ladder,     ///< no choice: class means on subspaces of several sizes, whose scores are added
    start,      ///< as automatic, with the closed-form start alone and nothing learned
    number      ///< as many components as given
  };
  Kind kind = Kind::none;
  Index components = 0;      ///< of Kind::number
  bool closed_form = false;  ///< of Kind::number: with the start alone and nothing learned

  /// Reads "none", "auto", "ladder", "start" or a number of components; throws InvalidInput.
  static Projecting parse(std::string_view text);
  std::string text() const;
};

/// A part of a data set to learn from and the rest to score on, as positions in ascending order.
struct Split {
  std::vector<Index> train;
  std::vector<Index> test;
};

/// What cross-validation tries.
struct SelectionOptions {
  Index folds = 5;
  std::vector<Split> given_folds = {};  ///< in place of `folds`; not with an approximate kernel
  std::uint64_t seed = 0;
  std::vector<Index> neighbours = {1, 3, 5, 7, 9};
  std::vector<double> svm_cs = {1, 10, 100, 1000};
  /// Tried for the SVM, over the median squared distance; for a learned kernel its criterion's theta beside them, or
  /// that alone with a given penalty.
  std::vector<double> relative_thetas = {0.0625, 0.25, 1, 4, 16};
  std::vector<double> zetas = {0.25, 0.5, 0.75, 1};
  std::optional<double> theta = {};    ///< in place of the search
  std::optional<double> penalty = {};  ///< of learned kernels, in place of the search
  /// Of learned kernels, times the criterion of the plain kernel; infinity: no adjustment. Must not be empty.
  std::vector<double> relative_penalties = {1e-3, 1e-2, 1e-1, 1, std::numeric_limits<double>::infinity()};
  /// By how many standard errors of the paired difference an adjusted kernel must beat the plain one in
  /// cross-validation to be used: the best of many is a little better by chance alone. Does not apply to a given
  /// penalty.
  double required_gain_knn = 0.5;
  double required_gain_svm = 1;  ///< more: it chooses among several times as many settings
  Index learn_on = 0;  ///< learn kernels from a balanced sample of this many matrices, and choose by all; 0: from all
  ThetaRange theta_range = ThetaRange::automatic;
  Projecting project = {};
  Recentring recentre = Recentring::none;
  SvmVariant svm = {};  ///< used in cross-validation and in the trained model
  Scale scale = {};
  std::vector<double> alpha0 = {};  ///< as in FitOptions; an adjustment that does not help is still none
  int max_iterations = FitOptions().max_iterations;  ///< of learning
  double tolerance = FitOptions().tolerance;         ///< of learning
  /// Called after each of `total` kernels learned in the search for one method's penalty; false stops with Cancelled.
  std::function<bool(int done, int total)> on_progress = {};
  PairOptions pairs = {};
};

/// Which settings of SelectionOptions a method looks at. The others have no effect on it.
struct UsedSettings {
  bool neighbours = false;
  bool svm_cs = false;
  bool theta = false;
  bool theta_range = false;
  bool zetas = false;
  bool adjusting = false;  ///< scale, alpha0 and the required gains
  bool learning = false;   ///< penalty and learn_on
};
UsedSettings used_settings(const Method& method, const SelectionOptions& options = {});
/// Those that any of several methods looks at.
UsedSettings used_settings(const std::vector<Method>& methods, const SelectionOptions& options = {});

/// Whether a method, with these options, does for embedded complex matrices (see embed_hermitian) what it would do for
/// the complex ones: not where more than means is learned from the matrices.
bool takes_complex(const Method& method, const SelectionOptions& options = {});

}  // namespace dsk
