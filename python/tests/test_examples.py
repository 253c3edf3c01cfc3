"""The examples run and leave their figures, if they draw any."""
import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
FIGURES = {
    "textures": ["textures.png", "textures.html"],
    "faces": ["faces.png", "faces.html"],
    "eeg_epochs": ["eeg_epochs.png"],
    "eeg_across_subjects": ["eeg_across_subjects.png"],
    "clustering": ["clustering.png"],
    "brain_connectivity": ["brain_connectivity.png", "brain_connectivity.html"],
    # These compare results with and without the patch themselves.
    "pyriemann_motor_imagery": [],
    "pyriemann_clustering": [],
    "pyriemann_embedding": [],
}


def test_every_example_is_listed():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_example_makes_its_figures(name, tmp_path):
    # Where figures are wanted, such as on a page, DSK_FIGURES names the folder.
    folder = pathlib.Path(os.environ.get("DSK_FIGURES", tmp_path))
    subprocess.run([sys.executable, FOLDER / f"{name}.py", folder], check=True, capture_output=True)
    for figure in FIGURES[name]:
        assert (folder / figure).stat().st_size > 10_000
