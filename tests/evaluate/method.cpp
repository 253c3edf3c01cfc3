#include <dsk/evaluate.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "evaluate/evaluate.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

std::vector<std::string> all_names() {
  std::vector<std::string> names{"AIRM", "CHK", "EUK", "LEK", "PEK", "HEK", "SK",
                                 "LCK",  "KL",  "KLR", "KLS", "TH",  "BW",  "DSK-auto"};
  for (const std::string criterion : {"KA", "CS", "RM", "TM", "CA", "NN"})
    for (const std::string adjustment : {"p", "c", "a"})
      for (const std::string kernel : {"DSK-", "DLEK-", "DPEK-", "DCHK-"})
        names.push_back(kernel + criterion + "-" + adjustment);
  return names;
}

TEST(Method, NamesAreReadAndWrittenAlike) {
  for (const std::string& name : all_names()) {
    EXPECT_EQ(Method::parse(name).name(), name);
    EXPECT_EQ(Method::parse(name).full_name(), name + ":knn");
    EXPECT_EQ(Method::parse(name + ":knn").full_name(), name + ":knn");
    if (theta_rule(Method::parse(name).metric) != ThetaRule::none) {
      EXPECT_EQ(Method::parse(name + ":svm").full_name(), name + ":svm");
      EXPECT_EQ(Method::parse(name + ":svm").classifier, Classifier::svm);
    }
  }
}

TEST(Method, NamesMeanWhatThePaperMeans) {
  EXPECT_EQ(Method::parse("LEK").metric, Metric::logeuclidean);
  EXPECT_FALSE(Method::parse("SK").learning);
  EXPECT_TRUE(Method::parse("DSK-auto").automatic);
  const Method method = Method::parse("DSK-TM-c:svm");
  EXPECT_EQ(method.metric, Metric::stein);
  EXPECT_FALSE(method.automatic);
  EXPECT_EQ(method.learning->criterion, Criterion::trace_margin);
  EXPECT_EQ(method.learning->adjustment, Adjustment::coefficient);
  EXPECT_EQ(Method::parse("DSK-NN-a").learning->criterion, Criterion::neighbour);
  EXPECT_EQ(Method::parse("DLEK-CA-a").metric, Metric::logeuclidean);
  EXPECT_EQ(Method::parse("DCHK-CA-a").learning->criterion, Criterion::centred);
}

TEST(Method, BadNames) {
  for (const std::string name :
       {"", "sk", "SK ", " SK", "DSK", "DSK-", "DSK-KA", "DSK-KA-", "DSK-KA-x", "DSK-XX-p", "DSK-KA-p-p", "DSK-AUTO",
        "?", "DSK-?-?", "DEUK-KA-p", "DAIRM-KA-p", "DLEK-KA-p-printed"})
    EXPECT_TRUE(message_of([&] { Method::parse(name); }).starts_with(fmt::format("unknown method '{}'", name))) << name;
  for (const std::string classifier : {"", "tree", "KNN", "knn ", "knn:svm"})
    EXPECT_EQ(message_of([&] { Method::parse("SK:" + classifier); }),
              fmt::format("unknown classifier '{}' of method SK; use one of knn, svm, mean", classifier));
}

TEST(Method, BadNamesAreAnsweredWithAllThatIsAccepted) {
  const std::string message = message_of([] { Method::parse("luck"); });
  for (const std::string part :
       {"AIRM", "CHK", "EUK", "LEK", "PEK", "SK", "DSK-auto", "DSK-{KA,CS,RM,TM,CA,NN}-{p,c,a}", ":knn", ":svm"})
    EXPECT_SAYS(message, part);
  EXPECT_EQ(message_of([] { parse_margin("soft"); }), "unknown margin 'soft'; use one of linear, squared");
  EXPECT_EQ(message_of([] { parse_theta_range("wide"); }), "unknown theta range 'wide'; use one of auto, valid, any");
  EXPECT_EQ(parse_margin("squared"), SoftMargin::squared);
  EXPECT_EQ(parse_theta_range("any"), ThetaRange::any);
}

TEST(Method, SubspacesMeansAndTangentSpaces) {
  for (const std::string name : {"auto", "majority", "MDM", "MDM-stein", "MDM-logeuclidean", "TS:lr", "TS:svm",
                                 "SK:mean", "LEK:mean", "DSK-CA-s:knn", "DSK-KA-s:svm", "DSK-NN-s:mean",
                                 "DSK-CS-s:mean", "DLEK-CA-s:mean", "DPEK-KA-s:knn", "DCHK-NN-s:svm"}) {
    EXPECT_EQ(Method::parse(name).full_name(), name);
    EXPECT_FALSE(is_from_paper(Method::parse(name))) << name;
  }
  EXPECT_EQ(Method::parse("DSK-CA-s").full_name(), "DSK-CA-s:knn");
  EXPECT_TRUE(is_from_paper(Method::parse("DSK-CA-a")));
  EXPECT_TRUE(Method::parse("auto").best);
  EXPECT_EQ(Method::parse("MDM").metric, Metric::airm);
  EXPECT_SAYS(message_of([] { Method::parse("DSK-RM-s"); }), "unknown method 'DSK-RM-s'");
  EXPECT_SAYS(message_of([] { Method::parse("auto:knn"); }), "unknown method 'auto:knn'");
  EXPECT_EQ(message_of([] { Method::parse("DSK-KA-p:mean"); }),
            "DSK-KA-p has no class means; use DSK-KA-p:knn or DSK-KA-p:svm");
  EXPECT_EQ(message_of([] { Method::parse("AIRM:mean"); }), "AIRM has no positive definite kernel; use AIRM:knn");
}

TEST(Projecting, IsReadAndWrittenAlike) {
  for (const std::string text : {"none", "auto", "ladder", "start", "1", "12"})
    EXPECT_EQ(Projecting::parse(text).text(), text);
  for (const std::string text : {"", "0", "-3", "6.5", "Auto", "six"})
    EXPECT_EQ(
        message_of([&] { Projecting::parse(text); }),
        fmt::format("unknown projection '{}'; use one of none, auto, ladder, start or a number of components", text));
}

TEST(Method, AirmHasNoKernelForAnSvm) {
  EXPECT_EQ(message_of([] { Method::parse("AIRM:svm"); }), "AIRM has no positive definite kernel; use AIRM:knn");
}

TEST(Method, Lists) {
  const std::vector<Method> methods = Method::parse_list("SK,DSK-KA-p:svm,SK:svm");
  ASSERT_EQ(methods.size(), 3u);
  EXPECT_EQ(methods[0].full_name(), "SK:knn");
  EXPECT_EQ(methods[1].full_name(), "DSK-KA-p:svm");
  EXPECT_EQ(methods[2].full_name(), "SK:svm");
  EXPECT_EQ(Method::parse_list("PEK").size(), 1u);
  EXPECT_EQ(message_of([] { Method::parse_list("SK,CHK,SK:knn"); }), "method SK:knn is named twice");
  for (const std::string list : {"", ",", "SK,", ",SK", "SK,,CHK", "SK, ,CHK", "SK;CHK"})
    EXPECT_SAYS(message_of([&] { Method::parse_list(list); }), "unknown method '");
}

TEST(Methods, MayHaveSpacesBetweenThem) {
  const std::vector<Method> methods = Method::parse_list(" SK:knn, MDM ,TS:lr");
  ASSERT_EQ(methods.size(), 3u);
  EXPECT_EQ(methods[1].full_name(), "MDM");
  EXPECT_EQ(methods[2].full_name(), "TS:lr");
}

}  // namespace
}  // namespace dsk::test
