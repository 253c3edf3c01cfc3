#include "files/archive_content.hpp"

namespace dsk::files {

ArchiveContent content(const MdmClassifier& mdm) {
  return matrices_content(mdm.comparison(), mdm.means());
}

MdmClassifier read_mdm(const Section& section) {
  const Comparison comparison = read_comparison(section);
  const Dataset means = read_matrices(section);
  if (comparison.learned) throw file_error(section.file, "a nearest mean cannot have a learned kernel");
  return checked(section.file, [&] {
    return MdmClassifier(means, {.metric = comparison.metric, .zeta = comparison.zeta, .threads = section.threads});
  });
}

ArchiveContent content(const MeanClassifier& mean) {
  ArchiveContent content = matrices_content(mean.comparison(), mean.training_set());
  content.fields["theta"] = mean.theta();
  content.fields["score_scale"] = mean.scale();
  content.add({"within", {mean.within().size()}, numbers(mean.within())});
  return content;
}

MeanClassifier read_mean(const Section& section) {
  MeanClassifier::Parts parts{.comparison = read_comparison(section),
                              .train = read_matrices(section),
                              .theta = section.fields.number("theta"),
                              .within = {},
                              .scale = section.fields.number("score_scale")};
  const auto classes = static_cast<Index>(parts.train.labels().names().size());
  parts.within = section.read_vector("within", classes).transpose();
  return checked(section.file, [&] { return MeanClassifier(std::move(parts), section.threads); });
}

ArchiveContent content(const TangentClassifier& tangent) {
  const Labels& classes = tangent.classes();
  const LinearModel& linear = tangent.linear();
  ArchiveContent content;
  content.fields = {{"dim", tangent.dim()},
                    {"present", classes.size()},
                    {"classes", classes.names()},
                    {"integral", classes.integral()},
                    {"c", tangent.c()}};
  content.add("codes", {classes.size()}, as_doubles(classes.codes()));
  content.add({"reference", {tangent.dim(), tangent.dim()}, numbers(tangent.space().reference())});
  content.add({"weights", {linear.weights.rows(), linear.weights.cols()}, numbers(linear.weights)});
  content.add({"offsets", {linear.offsets.size()}, numbers(linear.offsets)});
  return content;
}

TangentClassifier read_tangent(const Section& section, bool pairwise) {
  const Fields& fields = section.fields;
  const Index dim = fields.count("dim"), present = fields.count("present");
  // Arrays first: they prove that sizes are not made up.
  std::vector<int> codes = read_codes(section, "codes", present);
  const Matrix reference = section.read_matrix("reference", dim, dim);
  const Index features = dim * (dim + 1) / 2, outputs = pairwise ? present * (present - 1) / 2 : present;
  LinearModel linear{section.read_matrix("weights", features, outputs),
                     section.read_vector("offsets", outputs).transpose()};
  std::vector<std::string> names = fields.texts("classes");
  const bool integral = fields.flag("integral");
  const double c = fields.number("c");
  return checked(section.file, [&] {
    return TangentClassifier({.space = TangentSpace(reference),
                              .linear = std::move(linear),
                              .classes = Labels(std::move(names), std::move(codes), integral),
                              .pairwise = pairwise,
                              .c = c});
  });
}

}  // namespace dsk::files
