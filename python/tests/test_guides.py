"""The code of the guides: Python is run on small data, commands are run on small files, and C++ is compiled."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import numpy as np
import pytest

import dsk

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "site").glob("*.md")])
if not (ROOT / "docs").exists():
    pytest.skip("only the package is tested", allow_module_level=True)


def blocks(page, language):
    every = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [code for name, code in every if name == language]


def pages_with(language):
    return [page for page in PAGES if any(">>>" not in block for block in blocks(page, language))]


def names_of_the_guides():
    """What the guides take for granted."""
    import sklearn
    from pyriemann.classification import MDM
    from pyriemann.estimation import Covariances
    from sklearn.model_selection import LeaveOneGroupOut, cross_val_score
    from sklearn.pipeline import make_pipeline

    draw = np.random.default_rng(0)
    X, y = dsk.make_wishart_classes(n_per_class=24, dim=8, degrees=20, random_state=1)
    pictures = draw.random((2, 64, 64))
    return {"dsk": dsk, "np": np, "sklearn": sklearn, "MDM": MDM, "Covariances": Covariances, "LeaveOneGroupOut": LeaveOneGroupOut,
            "cross_val_score": cross_val_score, "make_pipeline": make_pipeline, "X": X, "y": y, "X_new": X[:9], "new": X[:9],
            "subjects": np.arange(len(X)) % 3, "new_subjects": np.arange(9) % 2, "epochs": draw.standard_normal((len(X), 8, 100)),
            "pictures": pictures, "faces": pictures, "labels": [1, 2], "trials": draw.standard_normal((4, 3, 500)),
            **{f"K{k}": dsk.kernel(X, theta=k) for k in (1, 2, 3)}}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", pages_with("python"), ids=lambda page: page.name)
def test_python_runs(page, tmp_path, monkeypatch):
    import sklearn

    monkeypatch.chdir(tmp_path)
    names = names_of_the_guides()
    try:
        with sklearn.config_context():
            for block in blocks(page, "python"):
                if ">>>" not in block:
                    exec(compile(block, page.name, "exec"), names)
    finally:
        dsk.unpatch_pyriemann()


def commands(page):
    """The commands of its blocks without a language: those of dsk as lists of words, without a launcher of ranks."""
    for block in blocks(page, ""):
        for line in block.replace("\\\n", "").splitlines():
            if not re.match(r"(mpirun|dsk|build/dsk|\./run)\s", line):
                continue
            words = shlex.split(line, comments=True)
            if words[:2] == ["mpirun", "-n"]:
                words = words[3:]
            yield [pathlib.Path(words[0]).name, *words[1:]]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with the files that the guides name."""
    folder = tmp_path_factory.mktemp("files")
    draw = np.random.default_rng(0)
    X, y = dsk.make_wishart_classes(n_per_class=24, dim=5, degrees=20, random_state=1)
    for name in ("X", "train", "test", "new", "many", "others", "fnc", "eth80", "subject1"):
        np.savez(folder / f"{name}.npz", X=X, y=y)
    np.savez(folder / "ssvep_covariances.npz", X=X, y=y, groups=np.arange(len(X)) % 3)
    for name in ("X", "big"):
        np.save(folder / f"{name}.npy", X)
    np.save(folder / "y.npy", y)
    np.savez(folder / "epochs.npz", X=draw.standard_normal((12, 3, 500)), y=np.arange(12) % 2)
    for pictures in ("brodatz", "faces", "five_views_each", "images", "orl"):
        for label in "ab":
            (folder / pictures / label).mkdir(parents=True)
            for k in range(4):
                (folder / pictures / label / f"{k}.pgm").write_bytes(b"P5 64 64 255\n" + draw.bytes(64 * 64))
    return folder


def on_small_data(words):
    """Fewer splits, landmarks and matrices in a block than a guide recommends for real data."""
    text = [re.sub(r"^halves:\d+$", "halves:2", re.sub(r"^nystrom:\d+$", "nystrom:10", word)) for word in words]
    text = ["30" if before == "--batch" else word for before, word in zip(["", *text], text)]
    return [word for before, word in zip(["", *text], text) if "--device" not in (before, word)]


@pytest.mark.parametrize("page", [page for page in PAGES if any(commands(page))], ids=lambda page: page.name)
def test_commands_run(page, files, tmp_path, program):
    folder = tmp_path / "folder"
    shutil.copytree(files, folder)
    explained = subprocess.run([ROOT / "run"], capture_output=True, text=True).stdout
    for words in commands(page):
        if words[0] == "run":
            assert re.search(rf"^  {words[1]} ", explained, re.MULTILINE), words
        elif words[1] == "experiment":  # of the paper's data
            assert words[2] in program("experiment", "list")
        else:
            done = subprocess.run([os.environ["DSK_PROGRAM"], *on_small_data(words[1:])], cwd=folder, capture_output=True, text=True)
            assert done.returncode == 0, (" ".join(words), done.stderr)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "bash")], ids=lambda page: page.name)
def test_scripts_are_bash(page):
    for block in blocks(page, "bash"):
        assert block.startswith("#!/bin/bash\n"), page.name
        done = subprocess.run(["bash", "-n"], input=block, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


CPP_NAMES = """
#include <dsk/dsk.hpp>
#include <dsk/describe.hpp>
#include <fmt/core.h>
#include <iostream>
void block_{number}(const dsk::Dataset& data, const dsk::Dataset& part, const dsk::Dataset& train, const dsk::Dataset& test,
                    const dsk::SpdBatch& fresh, const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, const Eigen::MatrixXd& large,
                    const Eigen::MatrixXd& matrix) {{
{{
{code}
}}
}}
"""


def test_cpp_compiles(tmp_path):
    compiler = shutil.which("c++")
    if not compiler or not (ROOT / "build" / "stage").exists():
        pytest.skip("without a compiler or the library's headers")
    code = []
    for page in PAGES:
        for block in blocks(page, "cpp"):
            if "int main" not in block:
                block = re.sub(r"//.*", "", block).replace("= ...;", "{};").replace("...", ";")
                code.append(CPP_NAMES.format(number=len(code), code=block))
    assert code
    (tmp_path / "guides.cpp").write_text("".join(code))
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{ROOT / 'build' / 'stage' / 'include'}", "-I/usr/include/eigen3",
                           tmp_path / "guides.cpp"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]
