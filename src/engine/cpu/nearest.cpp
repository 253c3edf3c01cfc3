#include <dsk/engine.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/cpu/nearest.hpp"
#include "engine/cpu/pair_sums.hpp"
#include "engine/cpu/threads.hpp"
#include "engine/cpu/tiles.hpp"

namespace dsk {
namespace {

using engine::AbandoningSearch;
using engine::NearestIndex;
using engine::NearestList;
using engine::PreparedBatch;
using engine::WholeSearch;

/// What an operation takes when giving up early, measured against computing all divergences: 1.3 at d = 12 and 16, 1.5
/// at 24 and 43, 1.0 at 100.
constexpr double price_of_giving_up = 1.5;

/// Of a call's matrices, these are looked up first to see whether giving up early pays.
constexpr Index probes = 16;

bool pays(double work) {
  return work * price_of_giving_up < 1;
}

std::vector<Index> ascending(Index count) {
  std::vector<Index> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

Index checked_count(Index count, const NearestIndex& index) {
  if (count < 1) throw InvalidInput(fmt::format("neighbours {} must be 1 or more", count));
  return std::min(count, index.size());
}

void check_dim(Index dim, const NearestIndex& index) {
  if (dim != index.dim())
    throw InvalidInput(
        fmt::format("matrices of size {} cannot be compared with matrices of size {}", dim, index.dim()));
}

/// For a matrix so much larger than those of the index that they need a scale in common.
void look_up_rescaled(const NearestIndex& index, const SpdBatch& one, int threads, NearestList& nearest) {
  const Matrix divergences =
      engine::pairwise_matrix(one, &index.known(), engine::PairQuantity::divergence, {.threads = threads});
  for (Index j = 0; j < index.size(); ++j) nearest.offer(j, divergences(0, j));
}

/// One call of NearestStein::find.
class BatchSearch {
 public:
  BatchSearch(const NearestIndex& index, const SpdBatch& x, const NearestOptions& options)
      : index_(index),
        options_(options),
        count_(checked_count(options.count, index)),
        x_(x, index.scale(), index.may_give_up() && options.search != NearestSearch::whole, options.threads),
        result_(static_cast<std::size_t>(x.size() * count_)) {}

  std::vector<Neighbour> run() {
    Index done = 0;
    if (x_.leading) {
      const bool all = options_.search == NearestSearch::abandoning;
      done = all ? size() : std::min(probes, size());
      const double work = abandon(0, done);
      if (!all && pays(work / static_cast<double>(done))) {
        abandon(done, size());
        done = size();
      }
    }
    look_at_all(done);
    return std::move(result_);
  }

 private:
  Index size() const { return x_.packed.size(); }
  double nanoseconds() const { return static_cast<double>(index_.size()) * engine::factor_cost(index_.dim()) / 20; }

  void keep(const NearestList& nearest, Index i) {
    std::copy(nearest.entries().begin(), nearest.entries().end(), result_.begin() + i * count_);
  }

  double abandon(Index begin, Index end) {
    std::vector<double> work(static_cast<std::size_t>(end - begin));
    detail::for_ranges(end - begin, options_.threads, nanoseconds(), [&](Index first, Index last) {
      AbandoningSearch search(index_);
      NearestList nearest(count_);
      for (Index k = first; k < last; ++k) {
        nearest.clear();
        work[static_cast<std::size_t>(k)] = search.run(x_, begin + k, nearest);
        keep(nearest, begin + k);
      }
    });
    return std::accumulate(work.begin(), work.end(), 0.0);
  }

  void look_at_all(Index begin) {
    const Index rows = engine::kLargestTile;
    const Index blocks = (size() - begin + rows - 1) / rows;
    detail::for_ranges(blocks, options_.threads, static_cast<double>(rows) * nanoseconds(),
                       [&](Index first, Index last) {
                         WholeSearch search(index_);
                         std::vector<NearestList> lists(static_cast<std::size_t>(rows), NearestList(count_));
                         for (Index block = first; block < last; ++block) {
                           const Index row = begin + block * rows, here = std::min(rows, size() - row);
                           for (NearestList& list : lists) list.clear();
                           search.run(x_, row, std::span(lists).first(static_cast<std::size_t>(here)));
                           for (Index k = 0; k < here; ++k) keep(lists[static_cast<std::size_t>(k)], row + k);
                         }
                       });
  }

  const NearestIndex& index_;
  const NearestOptions& options_;
  Index count_;
  PreparedBatch x_;
  std::vector<Neighbour> result_;
};

}  // namespace

NearestStein::NearestStein(const SpdBatch& known, int threads)
    : NearestStein(known, ascending(known.size()), threads) {}

NearestStein::NearestStein(const SpdBatch& known, std::span<const Index> order, int threads)
    : index_(std::make_shared<const NearestIndex>(known, order, threads)) {}

Index NearestStein::size() const {
  return index_->size();
}
Index NearestStein::dim() const {
  return index_->dim();
}

std::vector<Neighbour> NearestStein::find(const SpdBatch& x, const NearestOptions& options) const {
  check_dim(x.dim(), *index_);
  std::vector<Index> fitting, others;
  for (Index i = 0; i < x.size(); ++i) (index_->scale().fits(x[i]) ? fitting : others).push_back(i);
  if (others.empty()) return BatchSearch(*index_, x, options).run();
  const Index count = checked_count(options.count, *index_);
  std::vector<Neighbour> result(static_cast<std::size_t>(x.size() * count));
  const auto place = [&](std::span<const Index> rows, const auto& search) {
    if (rows.empty()) return;
    try {
      const std::vector<Neighbour> found = search(x.select(rows));
      for (std::size_t k = 0; k < rows.size(); ++k)
        std::copy_n(found.begin() + static_cast<Index>(k) * count, count, result.begin() + rows[k] * count);
    } catch (const PairFailure& failure) {
      throw PairFailure(rows[static_cast<std::size_t>(failure.row())], failure.column());
    }
  };
  place(fitting, [&](const SpdBatch& some) { return BatchSearch(*index_, some, options).run(); });
  for (const Index& row : others)
    place({&row, 1}, [&](const SpdBatch& one) {
      NearestList nearest(count);
      look_up_rescaled(*index_, one, options.threads, nearest);
      return std::vector<Neighbour>(nearest.entries().begin(), nearest.entries().end());
    });
  return result;
}

/// The memory of a NearestQuery.
class engine::NearestWorkspace {
 public:
  NearestWorkspace(std::shared_ptr<const NearestIndex> index, Index count, NearestSearch search)
      : index_(std::move(index)),
        gives_up_(index_->may_give_up() && search != NearestSearch::whole),
        always_(search == NearestSearch::abandoning),
        scratch_(nearest_scratch(index_->dim())),
        matrix_(index_->dim(), gives_up_),
        whole_(*index_),
        nearest_(checked_count(count, *index_)) {
    if (gives_up_) abandoning_.emplace(*index_);
  }

  std::span<const Neighbour> look_up(const MatrixView& matrix) {
    check_dim(matrix.rows(), *index_);
    if (!matrix.allFinite()) throw InvalidInput("the matrix has an entry that is not finite");
    if (!index_->scale().fits(matrix)) return look_up_rescaled(matrix);
    matrix_.set(matrix, index_->scale(), scratch_.data());
    nearest_.clear();
    // Where it did not pay it is tried again now and then: the next matrices may be of another kind.
    if (gives_up_ && (always_ || pays(last_work_) || looked_up_ % probes == 0)) {
      work_ = last_work_ = abandoning_->run(matrix_, 0, nearest_);
    } else {
      work_ = 1;
      whole_.run(matrix_, 0, {&nearest_, 1});
    }
    ++looked_up_;
    return nearest_.entries();
  }

  double work() const { return work_; }

 private:
  std::span<const Neighbour> look_up_rescaled(const MatrixView& matrix) {
    nearest_.clear();
    dsk::look_up_rescaled(*index_, SpdBatch({matrix.data(), static_cast<std::size_t>(matrix.size())}, 1, matrix.rows()),
                          1, nearest_);
    work_ = 1;
    return nearest_.entries();
  }

  std::shared_ptr<const NearestIndex> index_;
  bool gives_up_;
  bool always_;
  AlignedArray<double> scratch_;
  PreparedBatch matrix_;
  std::optional<AbandoningSearch> abandoning_;
  WholeSearch whole_;
  NearestList nearest_;
  double work_ = 0;
  double last_work_ = 0;
  Index looked_up_ = 0;
};

NearestQuery::NearestQuery(const NearestStein& known, Index count, NearestSearch search)
    : workspace_(std::make_unique<engine::NearestWorkspace>(known.index_, count, search)) {}
NearestQuery::~NearestQuery() = default;
NearestQuery::NearestQuery(NearestQuery&&) noexcept = default;
NearestQuery& NearestQuery::operator=(NearestQuery&&) noexcept = default;

std::span<const Neighbour> NearestQuery::operator()(const MatrixView& matrix) {
  return workspace_->look_up(matrix);
}

double NearestQuery::work() const {
  return workspace_->work();
}

}  // namespace dsk
