#pragma once

#include <dsk/engine.hpp>

#include <algorithm>
#include <barrier>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace dsk::test {

/// What the ranks of a made team have laid on the table.
struct Table {
  explicit Table(int ranks) : meeting(ranks), texts(static_cast<std::size_t>(ranks)), numbers(texts.size()) {}
  std::barrier<> meeting;
  std::vector<std::string> texts;
  std::vector<std::span<const double>> numbers;
};

/// A rank that is a thread of this process.
class MadeRank : public Team {
 public:
  MadeRank(Table& table, int rank) : table_(table), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(table_.texts.size()); }

  void sum(std::span<double> values) const override {
    combine(values, [](double a, double b) { return a + b; });
  }
  void smallest(std::span<double> values) const override {
    combine(values, [](double a, double b) { return std::min(a, b); });
  }
  std::vector<std::string> gather(std::string_view mine) const override {
    table_.texts[static_cast<std::size_t>(rank_)] = mine;
    table_.meeting.arrive_and_wait();
    std::vector<std::string> all = table_.texts;
    table_.meeting.arrive_and_wait();
    return all;
  }
  void collect(std::span<const double> mine, const Taker& take) const override {
    table_.numbers[static_cast<std::size_t>(rank_)] = mine;
    table_.meeting.arrive_and_wait();
    for (int rank = 0; rank_ == 0 && rank < size(); ++rank) take(rank, table_.numbers[static_cast<std::size_t>(rank)]);
    table_.meeting.arrive_and_wait();
  }

 private:
  template <class Operation>
  void combine(std::span<double> values, const Operation& operation) const {
    const std::vector<double> mine(values.begin(), values.end());
    table_.numbers[static_cast<std::size_t>(rank_)] = mine;
    table_.meeting.arrive_and_wait();
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] = table_.numbers[0][k];
      for (std::size_t rank = 1; rank < table_.numbers.size(); ++rank)
        values[k] = operation(values[k], table_.numbers[rank][k]);
    }
    table_.meeting.arrive_and_wait();
  }

  Table& table_;
  int rank_;
};

/// Calls work(team) for each rank of a team at the same time. Exceptions must not leave it on some ranks only; that of
/// the first rank is rethrown.
inline void as_team(int ranks, const std::function<void(const Team&)>& work) {
  Table table(ranks);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      try {
        work(MadeRank(table, rank));
      } catch (...) {
        errors[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (errors[0]) std::rethrow_exception(errors[0]);
}

}  // namespace dsk::test
