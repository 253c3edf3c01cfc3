import numpy as np
import pytest

import dsk

X, Y = dsk.make_wishart_classes(n_per_class=150, dim=3, degrees=10, tau=0.8, random_state=0)


@pytest.mark.parametrize("criterion", ["alignment", "separability", "centred", "neighbour"])
def test_agrees_with_all_pairs_within_the_standard_error(criterion):
    whole = dsk.DiscriminativeStein(criterion, "affine", penalty=0.01).fit(X, Y)
    found = dsk.DiscriminativeStein(criterion, "affine", penalty=0.01, batch=80).fit(X, Y)
    assert whole.standard_error_ == 0
    assert found.standard_error_ > 0
    assert abs(found.criterion_value_ - whole.criterion_value_) < 4 * found.standard_error_


def test_follows_from_the_seed_and_not_from_threads():
    kernels = [
        dsk.DiscriminativeStein("centred", penalty=0.01, batch=60, random_state=seed, n_jobs=jobs).fit(X, Y)
        for seed, jobs in [(1, 1), (1, 2), (2, 1)]
    ]
    assert np.array_equal(kernels[0].alpha_, kernels[1].alpha_)
    assert not np.array_equal(kernels[0].alpha_, kernels[2].alpha_)


def test_other_metrics_and_an_automatic_penalty():
    kernel = dsk.DiscriminativeKernel("logeuclidean", "centred", batch=60).fit(X, Y)
    assert kernel.penalty_scores_
    assert dsk.SVC(kernel=kernel.learned_, C=10).fit(X, Y).score(X, Y) > 0.6


def test_a_batch_of_more_matrices_than_there_are():
    with pytest.warns(UserWarning, match="learned from all pairs"):
        found = dsk.DiscriminativeStein("centred", penalty=0.01, batch=1000).fit(X, Y)
    assert np.array_equal(found.alpha_, dsk.DiscriminativeStein("centred", penalty=0.01).fit(X, Y).alpha_)


@pytest.mark.parametrize("batch", [0, 1, -5, 2.5, True, "many"])
def test_refuses_sizes_that_are_none(batch):
    with pytest.raises(ValueError, match="batch must be None or a whole number"):
        dsk.DiscriminativeStein(batch=batch).fit(X, Y)


def test_refuses_what_cannot_be():
    with pytest.raises(ValueError, match="use 24 or more"):
        dsk.DiscriminativeStein("centred", batch=5).fit(X, Y)
    with pytest.raises(ValueError, match="radius-margin"):
        dsk.DiscriminativeStein("rm", batch=50).fit(X, Y)
    with pytest.raises(ValueError, match="fit it first"):
        dsk.SVC(kernel=dsk.DiscriminativeStein(batch=50)).fit(X, Y)
    with pytest.raises(ValueError, match="works on the CPU"):
        dsk.DiscriminativeStein(batch=50, device="cuda").fit(X, Y)
