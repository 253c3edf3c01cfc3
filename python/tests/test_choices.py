"""The names in the type hints are those of the library's tables, which its messages list."""

import re
from typing import get_args

import numpy as np
import pytest

import dsk
from dsk import _options

X = np.array([k * np.eye(3) for k in (1.0, 2.0, 3.0, 4.0)])
Y = [0, 0, 1, 1]


@pytest.mark.parametrize(
    "hint, refuse",
    [
        (_options.MetricName, lambda: dsk.pairwise_distance(X, metric="nonsense")),
        (_options.Criterion, lambda: dsk.DiscriminativeStein(criterion="nonsense").fit(X, Y)),
        (_options.Adjustment, lambda: dsk.DiscriminativeStein(adjustment="nonsense").fit(X, Y)),
    ],
    ids=["metric", "criterion", "adjustment"],
)
def test_hints_have_every_name_and_alias(hint, refuse):
    with pytest.raises(ValueError, match="use one of") as error:
        refuse()
    listed = str(error.value).split("use one of ")[1]
    assert sorted(re.findall(r"[\w-]+", listed)) == sorted(get_args(hint))
