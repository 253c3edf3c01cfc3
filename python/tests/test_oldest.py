"""The oldest NumPy and scikit-learn that the package promises to work with, in an environment of their own."""
import os
import pathlib
import shutil
import subprocess
import sys
import venv

import pytest

import dsk

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "venv-oldest"
OLDEST = ["numpy==1.24.*", "scikit-learn==1.2.*", "pytest", "pandas==2.0.*"]
# Those that need no peers.
TESTS = ["test_input.py", "test_svc.py", "test_typing.py"]


@pytest.fixture(scope="module")
def python():
    stamp = FOLDER / "packages.txt"
    if not stamp.exists() or stamp.read_text() != "\n".join(OLDEST):
        venv.create(FOLDER, with_pip=True)
        installed = subprocess.run([FOLDER / "bin" / "python", "-m", "pip", "install", "--quiet", "--only-binary=:all:",
                                    "--disable-pip-version-check", *OLDEST], capture_output=True, text=True)
        if installed.returncode != 0:
            pytest.skip(f"cannot be installed here: {installed.stderr.strip().splitlines()[-1]}")
        stamp.write_text("\n".join(OLDEST))
    return FOLDER / "bin" / "python"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="these versions were not made for this Python")
def test_package_works_with_the_oldest_numpy_and_scikit_learn(python, tmp_path):
    shutil.copytree(pathlib.Path(dsk.__file__).parent, tmp_path / "dsk")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    versions = "import dsk, numpy, sklearn; print(dsk.__file__, numpy.__version__, sklearn.__version__)"
    found = subprocess.run([python, "-c", versions], capture_output=True, text=True, check=True, env=environment).stdout
    assert found.startswith(str(tmp_path)) and " 1.24." in found and " 1.2." in found
    tests = [ROOT / "python" / "tests" / name for name in TESTS]
    done = subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ROOT, *tests],
                          capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout
