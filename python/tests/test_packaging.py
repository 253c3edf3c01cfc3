"""Wheels. What ./run build compiled is not compiled again; DSK_WHOLE_WHEEL=1 also makes a wheel of a clean clone, with
the library inside, which takes minutes."""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

import dsk

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "build" / "stage" / "lib" / "cmake" / "dsk"


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """What git knows of, or would if it were added, without anything that was built."""
    folder = tmp_path_factory.mktemp("clone")
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
                            capture_output=True, check=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


def make_wheel(source, folder, *options):
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
                    "--no-build-isolation", "--wheel-dir", folder, *options, source], check=True)
    (wheel,) = folder.glob("dsk-*.whl")
    return wheel


def installed_elsewhere(wheel, folder):
    """The answer of the package unpacked from the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    script = "import dsk; print(dsk.__file__, dsk.pairwise_distance(dsk.random_spd(5, 3)).sum())"
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(folder)})
    file, total = done.stdout.split()
    assert file.startswith(str(folder))
    return float(total)


def test_wheel_holds_the_package_and_nothing_else(clone, tmp_path):
    wheel = make_wheel(ROOT, tmp_path, "--config-settings", f"cmake.define.dsk_DIR={LIBRARY}", "--config-settings",
                       f"build-dir={ROOT / 'build' / 'python'}")
    assert wheel.name.startswith(f"dsk-{dsk.__version__}-")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {"dsk/py.typed", "dsk/_dsk.pyi"} <= set(names)
    package = clone / "python" / "dsk"
    assert {f"dsk/{path.relative_to(package)}" for path in package.rglob("*") if path.is_file()} <= set(names)
    assert any(name.startswith("dsk/_dsk.") and name.endswith(".so") for name in names)
    # Nothing of the library's own installation, and no tests.
    assert all(name.startswith(("dsk/", f"dsk-{dsk.__version__}.dist-info/")) for name in names), names
    expected = dsk.pairwise_distance(dsk.random_spd(5, 3)).sum()
    assert installed_elsewhere(wheel, tmp_path / "unpacked") == expected


def test_source_archive_holds_what_a_wheel_is_built_from(clone, tmp_path, monkeypatch):
    from scikit_build_core.build import build_sdist

    monkeypatch.chdir(ROOT)
    with tarfile.open(tmp_path / build_sdist(str(tmp_path))) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name} - {"PKG-INFO"}
    for folder in ("src", "include", "cmake", "python"):
        wanted = {str(path.relative_to(clone)) for path in (clone / folder).rglob("*") if path.is_file()}
        assert wanted <= names
    assert {"pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE"} <= names
    assert not {name for name in names if not (clone / name).exists()}


def test_a_clean_clone_can_be_configured_on_its_own(clone, tmp_path):
    subprocess.run(["cmake", "-S", clone / "python", "-B", tmp_path, "-G", "Ninja", "-DDSK_UNITY=OFF",
                    f"-DPython_EXECUTABLE={sys.executable}"], check=True, capture_output=True)
    built = subprocess.run(["ninja", "-C", tmp_path, "-t", "commands", "_dsk"], check=True, capture_output=True, text=True).stdout
    assert "stein.cpp" in built and "/tests/" not in built and "/cli/" not in built


def test_missing_packages_are_named_in_one_line(clone, tmp_path):
    without = [word for name in ("fmt", "ZLIB") for word in ("--config-settings", f"cmake.define.CMAKE_DISABLE_FIND_PACKAGE_{name}=ON")]
    done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--disable-pip-version-check", "--no-deps", "--no-build-isolation",
                           "--wheel-dir", tmp_path, *without, clone], capture_output=True, text=True)
    assert done.returncode != 0
    said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if "Missing" in line]
    assert said == ["Missing packages; on Debian and Ubuntu: apt-get install libfmt-dev zlib1g-dev"]
    assert "Traceback" not in done.stdout + done.stderr


def test_missing_headers_of_python_are_named_with_the_rest(clone, tmp_path):
    without = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("Python", "ZLIB")]
    done = subprocess.run(["cmake", "-S", clone / "python", "-B", tmp_path / "build", "-G", "Ninja", *without], capture_output=True, text=True)
    assert done.returncode != 0
    assert "Missing packages; on Debian and Ubuntu: apt-get install python3-dev zlib1g-dev\n" in done.stderr


def test_without_a_compiler_everything_is_named(clone, tmp_path):
    for name in ("cmake", "ninja"):
        (tmp_path / name).symlink_to(shutil.which(name))
    plain = {name: value for name, value in os.environ.items() if name not in ("CXX", "CC")}
    done = subprocess.run(["cmake", "-S", clone / "python", "-B", tmp_path / "build", "-G", "Ninja"], capture_output=True, text=True,
                          env={**plain, "PATH": str(tmp_path)})
    assert done.returncode != 0
    (said,) = [line.strip() for line in done.stderr.splitlines() if "Missing" in line]
    assert said.startswith("Missing a C++ compiler; on Debian and Ubuntu: apt-get install g++ python3-dev libeigen3-dev ")
    assert said.endswith(" libhwy-dev libzip-dev")


@pytest.mark.skipif("DSK_WHOLE_WHEEL" not in os.environ, reason="takes minutes; DSK_WHOLE_WHEEL=1 asks for it")
def test_wheel_of_a_clean_clone_has_the_library_inside(clone, tmp_path):
    wheel = make_wheel(clone, tmp_path)
    expected = dsk.pairwise_distance(dsk.random_spd(5, 3)).sum()
    assert installed_elsewhere(wheel, tmp_path / "unpacked") == expected


def test_version_is_that_of_the_library(program):
    assert program("--version").split()[-1] == dsk.__version__
    from importlib.metadata import version

    assert version("dsk") == dsk.__version__
