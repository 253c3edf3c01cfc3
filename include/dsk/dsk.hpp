#pragma once

#include <dsk/classify.hpp>
#include <dsk/covariance.hpp>
#include <dsk/describe.hpp>
#include <dsk/engine.hpp>
#include <dsk/errors.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/files.hpp>
#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>
#include <dsk/mean.hpp>
#include <dsk/metric.hpp>
#include <dsk/report.hpp>
#include <dsk/train.hpp>
#include <dsk/transform.hpp>
#include <dsk/version.hpp>
