#include "describe/opencv.hpp"

#include <mutex>
#include <opencv2/core/utils/logger.hpp>

namespace dsk::detail {
namespace {

namespace logging = cv::utils::logging;

struct Settings {
  std::mutex mutex;
  int users = 0;
  int threads = 0;
  logging::LogLevel level = logging::LOG_LEVEL_WARNING;
};

Settings& settings() {
  static Settings kept;
  return kept;
}

}  // namespace

QuietOpenCv::QuietOpenCv() {
  Settings& kept = settings();
  const std::scoped_lock lock(kept.mutex);
  if (kept.users++ > 0) return;
  kept.threads = cv::getNumThreads();
  kept.level = logging::getLogLevel();
  cv::setNumThreads(1);
  logging::setLogLevel(logging::LOG_LEVEL_SILENT);
}

QuietOpenCv::~QuietOpenCv() {
  Settings& kept = settings();
  const std::scoped_lock lock(kept.mutex);
  if (--kept.users > 0) return;
  cv::setNumThreads(kept.threads);
  logging::setLogLevel(kept.level);
}

}  // namespace dsk::detail
