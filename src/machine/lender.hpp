#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace dsk::detail {

/// Lends out work space that was given back before: for large matrices, new memory takes a good part of the time of a
/// factor.
template <class Space>
class Lender {
 public:
  /// Space for one piece of work, which goes back at its end. The arguments make a new one if none is idle.
  class Loan {
   public:
    template <class... Arguments>
    explicit Loan(Lender& lender, const Arguments&... arguments) : lender_(lender), space_(lender.take()) {
      if (!space_) space_ = std::make_unique<Space>(arguments...);
    }
    ~Loan() { lender_.give_back(std::move(space_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Space& operator*() { return *space_; }
    Space* operator->() { return space_.get(); }

   private:
    Lender& lender_;
    std::unique_ptr<Space> space_;
  };

 private:
  std::unique_ptr<Space> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<Space> space = std::move(idle_.back());
    idle_.pop_back();
    return space;
  }
  void give_back(std::unique_ptr<Space> space) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(space));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Space>> idle_;
};

}  // namespace dsk::detail
