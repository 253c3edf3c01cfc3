#pragma once

// All of dsk::dsk. What describes pictures and signals (dsk/describe.hpp) is in dsk::describe, the experiments of the
// paper (dsk/experiment.hpp) in dsk::experiment.

#include <dsk/classify.hpp>
#include <dsk/cluster.hpp>
#include <dsk/covariance.hpp>
#include <dsk/engine.hpp>
#include <dsk/errors.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/files.hpp>
#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>
#include <dsk/mean.hpp>
#include <dsk/method.hpp>
#include <dsk/metric.hpp>
#include <dsk/model.hpp>
#include <dsk/report.hpp>
#include <dsk/train.hpp>
#include <dsk/transform.hpp>
#include <dsk/version.hpp>
