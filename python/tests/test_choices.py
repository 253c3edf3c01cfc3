"""The names in the type hints are those of the library's tables, which its messages list."""

import re
from typing import get_args

import numpy as np
import pytest

import dsk
from dsk import _covariance, _options
from dsk._library import library

X = np.array([k * np.eye(3) for k in (1.0, 2.0, 3.0, 4.0)])
Y = [0, 0, 1, 1]


@pytest.mark.parametrize(
    "hint, refuse",
    [
        (_options.MetricName, lambda: dsk.pairwise_distance(X, metric="nonsense")),
        (_options.Criterion, lambda: dsk.DiscriminativeStein(criterion="nonsense").fit(X, Y)),
        (_options.Adjustment, lambda: dsk.DiscriminativeStein(adjustment="nonsense").fit(X, Y)),
        (_options.Margin, lambda: library.Selection().set_margin("nonsense")),
        (_options.ThetaRange, lambda: library.Selection().set_theta_range("nonsense")),
        (_options.Recentring, lambda: library.Selection().set_recentre("nonsense")),
        (_options.Projection, lambda: library.Selection().set_project("nonsense")),
        (_covariance.EstimatorName, lambda: dsk.covariance(np.eye(3, 9)[None], "nonsense")),
    ],
    ids=["metric", "criterion", "adjustment", "margin", "theta_range", "recentre", "project", "estimator"],
)
def test_hints_have_every_name_and_alias(hint, refuse):
    with pytest.raises(ValueError, match="use one of") as error:
        refuse()
    listed = str(error.value).split("use one of ")[1].removesuffix(" or a number of components")
    assert sorted(re.findall(r"[\w-]+", listed)) == sorted(get_args(hint))


def test_hints_have_every_device():
    with pytest.raises(ValueError, match=f"use {' or '.join(get_args(_options.Device))}$"):
        library.Selection().set_device("nonsense")


def test_classifier_takes_every_projection():
    matrices, classes = dsk.make_wishart_classes(n_per_class=8, dim=3, degrees=20, tau=1, random_state=1)
    with pytest.raises(ValueError, match="projection 'nonsense'; use one of none, auto, ladder, start or a number"):
        dsk.Classifier(project="nonsense").fit(matrices, classes)
    for project in get_args(_options.Projection):
        assert dsk.Classifier(project=project, cv=2).fit(matrices, classes).score(matrices, classes) > 0.7
