#pragma once

#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>
#include <dsk/train.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "learn/learn.hpp"

namespace dsk::detail {

/// Two hashes of the matrices, classes and weights of a training set: sets that differ hardly ever agree in both.
using Digest = std::pair<std::uint64_t, std::uint64_t>;
Digest digest_of(const Dataset& train);

/// What several methods learn from the same matrices. The first method to ask for something computes it; others, in
/// whatever thread, wait and take what it found. Nothing is kept of a computation that throws.
class SharedLearning {
 public:
  /// For methods whose other options are the same. The last is the number of components.
  using SubspaceKey = std::tuple<Digest, Criterion, Metric, Index>;
  /// The training set, and all options that decide what is learned from it.
  using KernelKey = std::pair<Digest, std::string>;
  static KernelKey key_of(const Dataset& train, const FitOptions& options);

  Mean mean(const Digest& of, const std::function<Mean()>& compute) { return means_.get(of, compute); }
  Matrix subspace(const SubspaceKey& key, const std::function<Matrix()>& learn) { return subspaces_.get(key, learn); }
  /// The best plain kernel by the criterion, whatever is to be adjusted and how strongly.
  PlainKernel plain(const Dataset& train, FitOptions options);
  LearnResult kernel(const KernelKey& key, const std::function<LearnResult()>& learn) {
    return kernels_.get(key, learn);
  }
  /// The settings of a plain kernel by cross-validation: those of the method itself, and what learned kernels with the
  /// same classifier must beat. The method is that of the caller.
  ChosenMethod plain_settings(const Dataset& train, const Method& method, const SelectionOptions& options,
                              const std::function<ChosenMethod()>& choose);

 private:
  template <class Key, class Value>
  class Results {
   public:
    Value get(const Key& key, const std::function<Value()>& compute) {
      Entry& entry = entry_of(key);
      const std::scoped_lock lock(entry.mutex);
      if (!entry.result) entry.result = compute();
      return *entry.result;
    }

   private:
    struct Entry {
      std::mutex mutex;
      std::optional<Value> result;
    };
    Entry& entry_of(const Key& key) {
      const std::scoped_lock lock(mutex_);
      return entries_[key];
    }

    std::mutex mutex_;
    std::map<Key, Entry> entries_;
  };

  Results<Digest, Mean> means_;
  Results<SubspaceKey, Matrix> subspaces_;
  Results<KernelKey, PlainKernel> plains_;
  Results<KernelKey, LearnResult> kernels_;
  Results<KernelKey, ChosenMethod> plain_settings_;
};

/// The same, of what `shared` holds, if it is not null.
PlainKernel shared_plain(const Dataset& train, const FitOptions& options, SharedLearning* shared);

}  // namespace dsk::detail
