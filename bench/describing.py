"""Descriptors from pictures: texture beside NumPy, Gabor wavelets beside scikit-image, and a whole folder of pictures."""
import pathlib
import subprocess
import time

import numpy as np
from skimage import filters, io

from measuring import agree, take_turns, timed

TEXTURE_SIZE, TEXTURE_TILES = 256, 8
GABOR_WIDTH, GABOR_HEIGHT = 92, 112
FOLDER_PICTURES, FOLDER_SIZE = 112, 640


def picture(height, width, seed):
    """Noise over stripes, in 0..1."""
    x, y = np.arange(width), np.arange(height)[:, None]
    noise = np.random.default_rng(seed).random((height, width))
    return 0.6 * noise + 0.2 + 0.2 * np.sin((x + 2 * y) / (3 + seed % 7))


def numpy_maps(grey):
    wide = np.pad(grey, 1, mode="edge")
    left, right, above, below = wide[1:-1, :-2], wide[1:-1, 2:], wide[:-2, 1:-1], wide[2:, 1:-1]
    return np.stack([grey, abs(right - left), abs(below - above), abs(2 * grey - left - right), abs(2 * grey - above - below)])


def numpy_texture(grey):
    """The five features and a covariance per tile, all tiles at once."""
    side = len(grey) // TEXTURE_TILES
    tiles = numpy_maps(grey).reshape(5, TEXTURE_TILES, side, TEXTURE_TILES, side).transpose(1, 3, 0, 2, 4).reshape(-1, 5, side * side)
    centred = tiles - tiles.mean(axis=2, keepdims=True)
    return centred @ centred.transpose(0, 2, 1) / (side * side - 1)


def numpy_texture_by_tile(grey):
    """The same with np.cov, a tile at a time."""
    side = len(grey) // TEXTURE_TILES
    maps = numpy_maps(grey)
    corners = [(y, x) for y in range(0, len(grey), side) for x in range(0, len(grey), side)]
    return np.array([np.cov(maps[:, y : y + side, x : x + side].reshape(5, -1)) for y, x in corners])


def skimage_gabor(grey):
    """|Gabor| at 5 scales x 8 orientations by scikit-image's own filter, a loop over all of them, and the covariance."""
    y, x = np.mgrid[: grey.shape[0], : grey.shape[1]]
    maps = [grey, x, y]
    for scale in range(5):
        wave = np.pi / 2 / np.sqrt(2) ** scale
        for orientation in range(8):
            real, imaginary = filters.gabor(
                grey, frequency=wave / (2 * np.pi), theta=np.pi * orientation / 8, sigma_x=2 * np.pi / wave, sigma_y=2 * np.pi / wave, mode="nearest")
            maps.append(np.hypot(real, imaginary))
    return np.cov([feature.ravel() for feature in maps])


def texture_case(folder, ours, rounds):
    grey = picture(TEXTURE_SIZE, TEXTURE_SIZE, 1)
    file = str(folder / "texture.npy")
    np.save(file, grey)
    best = take_turns(
        {
            "dsk": lambda: ours(what="texture", file=file, width=TEXTURE_SIZE, height=TEXTURE_SIZE, tiles=TEXTURE_TILES, budget=0.1),
            "numpy": lambda: timed(lambda: numpy_texture(grey), 0.1),
            "numpy by tile": lambda: timed(lambda: numpy_texture_by_tile(grey), 0.1),
        },
        rounds,
    )
    agree("texture, dsk and NumPy", best["dsk"][1], best["numpy"][1])
    agree("texture, NumPy and NumPy by tile", best["numpy by tile"][1], best["numpy"][1])
    seconds = {name: best[name][0] for name in best}
    return {"dsk_seconds": seconds["dsk"], "numpy_seconds": seconds["numpy"], "numpy_by_tile_seconds": seconds["numpy by tile"],
            "over_numpy": min(seconds["numpy"], seconds["numpy by tile"]) / seconds["dsk"]}


def gabor_case(folder, ours, rounds):
    grey = picture(GABOR_HEIGHT, GABOR_WIDTH, 2)
    file = str(folder / "gabor.npy")
    np.save(file, grey)
    best = take_turns({"dsk": lambda: ours(what="gabor", file=file, width=GABOR_WIDTH, height=GABOR_HEIGHT, tiles=1, budget=0.2)}, rounds)
    # Scaled and cut off differently, so that only times can be compared.
    seconds, _ = timed(lambda: skimage_gabor(grey), 0)
    return {"dsk_seconds": best["dsk"][0], "skimage_seconds": seconds, "over_skimage": seconds / best["dsk"][0]}


def folder_case(folder, command):
    pictures = folder / "pictures"
    pictures.mkdir()
    for k in range(FOLDER_PICTURES):
        io.imsave(pictures / f"D{k}.png", np.round(255 * picture(FOLDER_SIZE, FOLDER_SIZE, k)).astype(np.uint8), check_contrast=False)
    start = time.perf_counter()
    subprocess.run([command, "describe", "texture", pictures, "--resize", "256x256", "--tiles", "8x8", "-o", folder / "X.npz"], check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    return {"pictures": FOLDER_PICTURES, "descriptors": int(len(np.load(folder / "X.npz")["X"])), "seconds": seconds}


def measure(folder, ours, programs, rounds):
    return {
        "texture": texture_case(folder, ours, rounds),
        "gabor": gabor_case(folder, ours, min(rounds, 3)),
        "folder": folder_case(folder, pathlib.Path(programs) / "dsk"),
    }


def show(result):
    texture, gabor, folder = result["texture"], result["gabor"], result["folder"]
    print(f"\nDescriptors of a picture of {TEXTURE_SIZE} x {TEXTURE_SIZE} in {TEXTURE_TILES} x {TEXTURE_TILES} tiles, texture features: {texture['dsk_seconds'] * 1e3:.2f} ms;"
          f" NumPy {texture['numpy_seconds'] * 1e3:.2f} ms, tile by tile {texture['numpy_by_tile_seconds'] * 1e3:.2f} ms: {texture['over_numpy']:.1f}x")
    print(f"43 Gabor features of a picture of {GABOR_WIDTH} x {GABOR_HEIGHT}: {gabor['dsk_seconds'] * 1e3:.1f} ms;"
          f" scikit-image {gabor['skimage_seconds']:.2f} s, {gabor['over_skimage']:.0f}x")
    print(f"dsk describe texture, all cores: {folder['descriptors']} descriptors of {folder['pictures']} pictures of {FOLDER_SIZE} x {FOLDER_SIZE} in {folder['seconds']:.2f} s")
