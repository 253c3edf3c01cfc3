#pragma once

#include "evaluate/candidate.hpp"

namespace dsk::detail {

/// Whether a method, with these options, is chosen among candidates; the paper's methods are not.
bool is_chosen_among_candidates(const Method& method, const SelectionOptions& options);

/// What a method chooses among for matrices of this size, simple ways first. Settings that the options give are kept.
/// Throws InvalidInput for options that do not go with the method.
std::vector<Candidate> candidates_of(const Method& method, Index dim, const SelectionOptions& options);

/// What these candidates share.
CandidateOptions candidate_options(const Method& method, Index dim, const SelectionOptions& options);

/// The one that describe() gives this name, if there is one.
std::optional<Candidate> candidate_named(std::string_view name, const Method& method, Index dim,
                                         const SelectionOptions& options);

/// The best of the candidates by repeated cross-validation, trained on the whole training set.
ChosenMethod choose_candidate(const Dataset& train, const Method& method, const SelectionOptions& options);

}  // namespace dsk::detail
