// The settings of malloc that a process of the study runs with.
#pragma once

#include <string>

namespace onaxis {

struct Settings {
  bool mmap_each = false;  // M_MMAP_THRESHOLD=0
  bool keep = false;       // M_MMAP_MAX=0 and no M_TRIM_THRESHOLD: what was had is never given back
  bool lock = false;       // mlockall, now and in future
};

// Applies them. Returns "" or what the system refused.
std::string apply(const Settings& settings);

}  // namespace onaxis
