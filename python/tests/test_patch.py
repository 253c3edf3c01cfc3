"""dsk.patch_pyriemann replaces pyRiemann's functions, says where calls run, and leaves nothing behind."""
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest
from pyriemann.classification import MDM

import dsk
from dsk._pyriemann import TABLE
from patching import geometry, unpatched_afterwards  # noqa: F401 (a fixture of all tests here)


def bindings():
    """Everything that the modules of pyRiemann have by name or in tables."""
    found = {}
    for name, module in sys.modules.items():
        if name.split(".")[0] == "pyriemann" and module is not None:
            for key, value in vars(module).items():
                found[name, key] = value
                if isinstance(value, dict) and not key.startswith("__"):
                    found.update({(name, key, entry): v for entry, v in value.items()})
                if isinstance(value, type) and value.__module__.startswith("pyriemann"):
                    found.update({(name, key, entry): v for entry, v in vars(value).items()})
    return found


def test_everything_is_replaced_and_restored():
    before = bindings()
    originals = {id(original) for original, _ in dsk._patch._originals()}
    assert len(originals) == len(TABLE)
    patch = dsk.patch_pyriemann()
    assert patch.replaced == tuple(row.name for row in TABLE)
    patched = bindings()
    assert not originals & {id(value) for value in patched.values()}
    changed = {key for key in before if before[key] is not patched[key]}
    assert len(changed) > 2 * len(TABLE)  # modules import from each other, and there are tables of functions
    dsk.unpatch_pyriemann()
    after = bindings()
    assert before.keys() == after.keys() and all(before[key] is after[key] for key in before)


def test_a_module_imported_while_patched_is_restored():
    code = """
import dsk
with dsk.patch_pyriemann():
    import pyriemann.embedding as module
    assert module.pairwise_distance.__wrapped__
assert not hasattr(module.pairwise_distance, "__wrapped__")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_replacements_look_like_the_originals():
    original = geometry("mean").mean_riemann
    with dsk.patch_pyriemann():
        replacement = geometry("mean").mean_riemann
        assert replacement is not original
        assert replacement.__name__ == original.__name__ and replacement.__doc__ == original.__doc__
        assert inspect.signature(replacement) == inspect.signature(original)
        assert pickle.loads(pickle.dumps(replacement)) is replacement


def test_patches_nest():
    original = geometry("base").logm
    dsk.patch_pyriemann()
    with dsk.patch_pyriemann():
        pass
    assert geometry("base").logm is not original
    dsk.unpatch_pyriemann()
    assert geometry("base").logm is original
    dsk.unpatch_pyriemann()


def test_verbose_tells_what_is_replaced_and_where_calls_run(capsys, random_matrices):
    with dsk.patch_pyriemann(verbose=True) as patch:
        geometry("base").logm(random_matrices(3, 4))
        geometry("base").logm(random_matrices(3, 4).astype(np.float32))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("dsk: replaced in pyRiemann: ") and "mean_riemann" in lines[0]
    assert lines[1:] == ["dsk: logm runs in dsk", "dsk: logm runs in pyRiemann: not of dtype float64"]
    assert "1 logm: dsk" in patch.report()
    with dsk.patch_pyriemann():
        geometry("base").logm(random_matrices(3, 4))
    assert capsys.readouterr().err == ""


def test_command_runs_a_script(tmp_path):
    (tmp_path / "helper.py").write_text("name = 'beside'\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, numpy as np, helper\n"
        "from pyriemann.classification import MDM\n"
        "X = np.array([np.eye(3) * k for k in (1.0, 1.1, 5.0, 5.5)])\n"
        "print(helper.name, __name__, sys.argv[1:], MDM().fit(X, [0, 0, 1, 1]).predict(X))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-m", "dsk.patch", "--report", str(script), "--flag", "2"],
        check=True, capture_output=True, text=True,
    )
    assert done.stdout == "beside __main__ ['--flag', '2'] [0 0 1 1]\n"
    assert "2 mean_riemann: dsk" in done.stderr and "1 MDM._predict_distances: dsk" in done.stderr


def test_without_pyriemann_the_error_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyriemann", None)
    with pytest.raises(ImportError, match="pip install pyriemann"):
        dsk.patch_pyriemann()
