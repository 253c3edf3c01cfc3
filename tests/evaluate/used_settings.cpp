#include <dsk/evaluate.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "support/made_classes.hpp"

namespace dsk::test {
namespace {

struct Setting {
  std::string name;
  bool UsedSettings::*is_used;
  std::function<void(SelectionOptions&)> change;
};

const std::vector<Setting> settings{
    {"neighbours", &UsedSettings::neighbours, [](SelectionOptions& o) { o.neighbours = {5}; }},
    {"C", &UsedSettings::svm_cs, [](SelectionOptions& o) { o.svm_cs = {0.01}; }},
    {"theta", &UsedSettings::theta, [](SelectionOptions& o) { o.theta = 7.5; }},
    {"theta range", &UsedSettings::theta_range, [](SelectionOptions& o) { o.theta_range = ThetaRange::valid; }},
    {"zeta", &UsedSettings::zetas, [](SelectionOptions& o) { o.zetas = {0.9}; }},
    {"scale", &UsedSettings::adjusting, [](SelectionOptions& o) { o.scale = Scale::parse("100"); }},
    {"alpha0", &UsedSettings::adjusting, [](SelectionOptions& o) { o.alpha0 = {0.7}; }},
    {"penalty", &UsedSettings::learning, [](SelectionOptions& o) { o.penalty = 10; }},
    {"learn_on", &UsedSettings::learning, [](SelectionOptions& o) { o.learn_on = 6; }}};

/// Decision values of an SVM, scores of other classifiers.
Matrix scores_of(const Dataset& data, const Method& method, const SelectionOptions& selection) {
  const Trained trained = train(data, {.method = method, .selection = selection});
  if (const auto* const svm = std::get_if<SvmClassifier>(&trained.model.model))
    return decision_values(*svm, data.matrices());
  return predict(trained, data.matrices()).scores;
}

/// What a method is said not to look at does not change it.
TEST(UsedSettings, OthersHaveNoEffect) {
  const Dataset data = made_classes({.sizes = {9, 8}, .dim = 3, .seed = 4});
  for (const char* const name : {"SK:knn", "SK:svm", "LEK:svm", "SK:mean", "PEK:knn", "MDM", "TS:lr", "TS:svm",
                                 "DSK-CA-a:knn", "DSK-CA-s:mean"}) {
    const Method method = Method::parse(name);
    const SelectionOptions usual{.folds = 3};
    const UsedSettings used = used_settings(method, usual);
    const Matrix scores = scores_of(data, method, usual);
    for (const Setting& setting : settings) {
      if (used.*setting.is_used) continue;
      SelectionOptions changed = usual;
      setting.change(changed);
      EXPECT_EQ(scores_of(data, method, changed), scores) << name << " and " << setting.name;
    }
  }
}

TEST(UsedSettings, AreThoseThatChangeAMethod) {
  const Dataset data = made_classes({.sizes = {9, 8}, .dim = 3, .seed = 4});
  const auto changes = [&](const char* name, std::size_t which) {
    const Method method = Method::parse(name);
    SelectionOptions usual{.folds = 3, .neighbours = {1, 3}, .svm_cs = {10}}, changed = usual;
    if (method.learning) usual.penalty = changed.penalty = 1e-3;
    settings[which].change(changed);
    EXPECT_TRUE(used_settings(method, usual).*settings[which].is_used) << name << " and " << settings[which].name;
    EXPECT_NE(scores_of(data, method, changed), scores_of(data, method, usual))
        << name << " and " << settings[which].name;
  };
  changes("SK:knn", 0);
  changes("SK:svm", 1);
  changes("TS:lr", 1);
  changes("SK:svm", 2);
  changes("PEK:svm", 4);
  changes("DSK-CA-p:svm", 5);
  changes("DSK-CA-p:svm", 6);
  changes("DSK-CA-a:svm", 7);
  changes("DSK-CA-a:svm", 8);
}

TEST(UsedSettings, OfSeveralMethodsAreThoseOfAny) {
  const UsedSettings both = used_settings({Method::parse("SK:knn"), Method::parse("MDM")});
  EXPECT_TRUE(both.neighbours);
  EXPECT_FALSE(both.svm_cs || both.theta || both.zetas || both.learning);
  EXPECT_TRUE(used_settings(Method::parse("SK:svm")).theta);
  EXPECT_FALSE(used_settings(Method::parse("SK:svm"), {.recentre = Recentring::all}).theta);
  EXPECT_FALSE(used_settings(Method::parse("majority")).neighbours);
  EXPECT_TRUE(used_settings({.method = Method::parse("SK:knn"), .nystrom = NystromOptions{}}).theta);
}

TEST(TakesComplex, WhereNothingButMeansIsLearned) {
  for (const char* const name : {"SK:knn", "SK:svm", "MDM", "TS:lr"})
    EXPECT_TRUE(takes_complex(Method::parse(name))) << name;
  for (const char* const name : {"auto", "DSK-CA-a:knn", "DSK-CA-s:mean", "DSK-auto:knn", "MK:svm"})
    EXPECT_FALSE(takes_complex(Method::parse(name))) << name;
  EXPECT_FALSE(takes_complex(Method::parse("SK:knn"), {.project = Projecting::parse("2")}));
}

}  // namespace
}  // namespace dsk::test
