"""Pictures and recordings as matrices, against plain NumPy."""
import numpy as np
import pytest

import dsk


def padded(picture):
    return np.pad(picture, 1, mode="edge")


def texture_maps(grey):
    p = padded(grey)
    inner = (slice(1, -1), slice(1, -1))
    dx, dy = p[1:-1, 2:] - p[1:-1, :-2], p[2:, 1:-1] - p[:-2, 1:-1]
    dxx = 2 * p[inner] - p[1:-1, 2:] - p[1:-1, :-2]
    dyy = 2 * p[inner] - p[2:, 1:-1] - p[:-2, 1:-1]
    return np.array([grey, abs(dx), abs(dy), abs(dxx), abs(dyy)])


def test_texture_matrices_are_covariances_of_features():
    picture = np.random.default_rng(0).integers(0, 256, (20, 30), dtype=np.uint8)
    maps = texture_maps(picture / 255.0)
    np.testing.assert_allclose(dsk.describe_texture([picture])[0], np.cov(maps.reshape(5, -1)), rtol=1e-10)
    tiles = dsk.describe_texture([picture], tiles=(3, 2))
    assert tiles.shape == (6, 5, 5)
    np.testing.assert_allclose(tiles[4], np.cov(maps[:, 10:, 10:20].reshape(5, -1)), rtol=1e-10)
    windows = dsk.describe_texture([picture], windows=(10, 8), step=5)
    np.testing.assert_allclose(windows[1], np.cov(maps[:, :8, 5:15].reshape(5, -1)), rtol=1e-8)


def test_types_of_numbers_have_the_same_white():
    grey = np.random.default_rng(0).integers(0, 256, (16, 16))
    expected = dsk.describe_texture([grey / 255.0])
    np.testing.assert_allclose(dsk.describe_texture([grey.astype(np.uint8)]), expected, rtol=1e-12)
    np.testing.assert_allclose(dsk.describe_texture([(grey * 257).astype(np.uint16)]), expected, rtol=1e-12)
    np.testing.assert_allclose(dsk.describe_texture([(grey / 255.0).astype(np.float32)]), expected, rtol=1e-5, atol=1e-8)


def test_colours_and_sizes():
    generator = np.random.default_rng(1)
    coloured = generator.random((12, 14, 3))
    features = ["red", "green", "blue", "intensity"]
    found = dsk.describe_texture([coloured, generator.random((9, 20, 3))], features=features[:3])
    np.testing.assert_allclose(found[0], np.cov(coloured.reshape(-1, 3).T), rtol=1e-10)
    grey = coloured @ [0.299, 0.587, 0.114]
    found = dsk.describe_texture([coloured], features="intensity,x")
    np.testing.assert_allclose(found[0, 0, 0], grey.var(ddof=1), rtol=1e-10)
    assert np.array_equal(dsk.describe_texture([coloured] * 5, n_jobs=2), dsk.describe_texture([coloured] * 5, n_jobs=1))


def gabor_magnitude(grey, scale, orientation, orientations):
    """By the sum of its definition, on a picture whose edges do not matter."""
    sigma = 2 * np.pi
    k = np.pi / 2 / np.sqrt(2) ** scale
    angle = np.pi * orientation / orientations
    kx, ky = k * np.cos(angle), k * np.sin(angle)
    reach = int(6 * sigma / k)
    z = np.arange(-reach, reach + 1)
    x, y = np.meshgrid(z, z)
    wavelet = k**2 / sigma**2 * np.exp(-(k**2) * (x**2 + y**2) / (2 * sigma**2)) * np.exp(1j * (kx * x + ky * y))
    middle = grey.shape[0] // 2
    wide = np.pad(grey, reach + 1, mode="edge")
    patch = wide[middle + 1 : middle + 2 * reach + 2, middle + 1 : middle + 2 * reach + 2]
    return abs((patch * wavelet[::-1, ::-1]).sum())


def test_gabor_features_are_those_of_the_definition():
    side = 61
    y, x = np.mgrid[:side, :side]
    middle = side // 2
    # A blob in the middle of zeros: the mean that is taken away, and the edges, hardly matter.
    blob = np.exp(-((x - middle) ** 2 + (y - middle) ** 2) / 18.0) * np.cos(0.7 * x + 0.2 * y)
    # Maps are not to be had, but their covariances with the column are: in a window of 3 x 1 pixels that is half the
    # difference between the pixels to the right and to the left.
    window = dsk.describe_gabor([blob], features="x,gabor:2x4", windows=(3, 1), step=1, estimator="oas")
    assert window.shape == (side * (side - 2), 9, 9)
    pair = dsk.describe_gabor([blob], features="x,gabor:1x1", windows=(3, 1), step=1)[middle * (side - 2) + middle - 1]
    first, last = (gabor_magnitude(np.roll(blob, shift, axis=1), 0, 0, 1) for shift in (1, -1))
    assert 2 * pair[0, 1] == pytest.approx(last - first, rel=1e-3, abs=1e-4 * np.abs(blob).max())
    assert dsk.describe_gabor(np.random.default_rng(0).random((2, 40, 40))).shape == (2, 43, 43)


def test_series_are_covariances_of_recordings():
    generator = np.random.default_rng(0)
    trials = [generator.standard_normal((3, times)) for times in (50, 80)]
    for found, trial in zip(dsk.describe_series(trials), trials):
        np.testing.assert_allclose(found, np.cov(trial), rtol=1e-10)
    np.testing.assert_allclose(dsk.describe_series([trials[0]], "oas"), dsk.covariance([trials[0]], "oas"), rtol=1e-12)
    long = generator.standard_normal((2, 300))
    np.testing.assert_allclose(
        dsk.describe_series([long], bands=[(8, 12), (12, 30)], rate=100),
        dsk.Covariances(bands="8-12,12-30", rate=100).fit_transform(long[np.newaxis]),
        rtol=1e-10,
    )


@pytest.mark.parametrize("call, message", [
    (lambda p: dsk.describe_texture([p], features="colour"), "^feature 'colour' is unknown"),
    (lambda p: dsk.describe_texture([p, p * 0]), "^picture 1: "),
    (lambda p: dsk.describe_texture([p], tiles=(2, 2), windows=(3, 3), step=1), "tiles or windows, not both"),
    (lambda p: dsk.describe_texture([p], windows=(3, 3)), "windows and step"),
    (lambda p: dsk.describe_texture([p], tiles=(2.5, 2)), "tiles must be a pair of whole numbers"),
    (lambda p: dsk.describe_texture([p], tiles=(40, 2)), "^picture 0: a picture of 16 x 16 pixels cannot be cut"),
    (lambda p: dsk.describe_texture([]), "there are no pictures"),
    (lambda p: dsk.describe_texture([p[0]]), "picture 0 must have shape"),
    (lambda p: dsk.describe_texture([p.astype(str)]), "picture 0 must hold numbers"),
    (lambda p: dsk.describe_texture([p], estimator="best"), "estimator"),
    (lambda p: dsk.describe_series([p], bands="8-12"), "bands need rate"),
    (lambda p: dsk.describe_series([p, p[:3]]), "trial 1 has 3 channels, but trial 0 has 16"),
    (lambda p: dsk.describe_series([p[0]]), "trial 0 must have shape"),
])
def test_what_cannot_be_described_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng(0).random((16, 16)))
