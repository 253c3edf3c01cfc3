#pragma once

#include <dsk/classify/leave_one_out.hpp>
#include <dsk/io/files.hpp>
#include <dsk/kernel/kernel.hpp>
#include <dsk/metric/metric.hpp>
#include <dsk/pairs/airm.hpp>
#include <dsk/pairs/exponential.hpp>
#include <dsk/pairs/inverse_sums.hpp>
#include <dsk/pairs/simd.hpp>
#include <dsk/pairs/squared_distance.hpp>
#include <dsk/pairs/stein.hpp>
#include <dsk/report/page.hpp>
#include <dsk/spd/diagnose.hpp>
#include <dsk/spd/eigen.hpp>
#include <dsk/spd/generate.hpp>
#include <dsk/spd/repair.hpp>
#include <dsk/version.hpp>
