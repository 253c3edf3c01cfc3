"""Models and data sets that go between Python and the command line, in both directions."""
import json
import zipfile

import numpy as np
import pytest

import dsk


def prediction_of_command_line(program, tmp_path, X):
    dsk.save_dataset(tmp_path / "new.npz", X)
    program("predict", tmp_path / "model.dsk", tmp_path / "new.npz", "-o", tmp_path / "labels.csv")
    return (tmp_path / "labels.csv").read_text().split()


@pytest.mark.parametrize(
    "classifier",
    [
        dsk.KNeighborsClassifier(n_neighbors=3),
        dsk.KNeighborsClassifier(kernel="powereuclidean", n_neighbors=3, zeta=0.25),
        dsk.KNeighborsClassifier(kernel=dsk.DiscriminativeStein(penalty=0.1), n_neighbors=3),
        dsk.SVC(C=1, theta=2),
        dsk.SVC(kernel="logeuclidean", C=5, theta=0.2, class_weight={"dog": 2.0}, margin="squared"),
        dsk.SVC(kernel=dsk.DiscriminativeStein(penalty=0.1), C=1, class_weight="balanced", probability=True),
        dsk.MDM(),
        dsk.MDM("powereuclidean", zeta=0.25),
    ],
    ids=str,
)
def test_saved_classifier_is_the_same_everywhere(classifier, classes, program, tmp_path):
    X, y = classes
    names = np.array(["cat", "dog"])[y]
    classifier.fit(X, names).save(tmp_path / "model.dsk")
    expected = classifier.predict(X)
    assert prediction_of_command_line(program, tmp_path, X) == expected.tolist()
    loaded = dsk.load(tmp_path / "model.dsk")
    assert type(loaded) is type(classifier)
    np.testing.assert_array_equal(loaded.predict(X), expected)
    np.testing.assert_array_equal(loaded.classes_, classifier.classes_)
    for name in ("C_", "theta_", "n_neighbors_", "zeta_", "metric_"):
        assert getattr(loaded, name, None) == getattr(classifier, name, None)
    refitted = loaded.fit(X, names)
    np.testing.assert_array_equal(refitted.predict(X), expected)


@pytest.mark.parametrize("kind", ["knn", "svm"])
def test_model_of_the_command_line_is_loaded(kind, classes, program, tmp_path):
    X, y = classes
    dsk.save_dataset(tmp_path / "train.npz", X, y)
    program("train", tmp_path / "train.npz", "--classifier", kind, "-o", tmp_path / "model.dsk")
    loaded = dsk.load(tmp_path / "model.dsk")
    assert loaded.classes_.dtype == np.int64
    expected = prediction_of_command_line(program, tmp_path, X)
    assert [str(label) for label in loaded.predict(X)] == expected
    same = dsk.KNeighborsClassifier() if kind == "knn" else dsk.SVC()
    assert [str(label) for label in same.fit(X, y).predict(X)] == expected


@pytest.mark.parametrize(
    "flags, kind",
    [
        (["--classifier", "mdm"], dsk.MDM),
        (["--classifier", "mean"], dsk.Classifier),
        (["--classifier", "logistic"], dsk.Classifier),
        (["--classifier", "tangent-svm"], dsk.Classifier),
        (["--classifier", "knn", "--project", "2"], dsk.Classifier),
        (["--classifier", "mean", "--project", "ladder"], dsk.Classifier),
        (["--classifier", "svm", "--recentre", "groups"], dsk.Classifier),
    ],
    ids=str,
)
def test_every_kind_of_model_is_loaded(flags, kind, classes, program, tmp_path):
    X, y = classes
    groups = np.arange(len(y)) % 3
    dsk.save_dataset(tmp_path / "train.npz", X, y, groups)
    program("train", tmp_path / "train.npz", *flags, "-o", tmp_path / "model.dsk")
    loaded = dsk.load(tmp_path / "model.dsk")
    general = dsk.Classifier.load(tmp_path / "model.dsk")
    assert type(loaded) is kind and loaded.n_features_in_ == 4
    by_group = {"groups": groups} if kind is dsk.Classifier else {}
    program("predict", tmp_path / "model.dsk", tmp_path / "train.npz", "-o", tmp_path / "labels.csv")
    assert [str(label) for label in loaded.predict(X, **by_group)] == (tmp_path / "labels.csv").read_text().split()
    np.testing.assert_allclose(loaded.predict_proba(X, **by_group).sum(axis=1), 1)
    np.testing.assert_array_equal(general.predict_proba(X, groups), loaded.predict_proba(X, **by_group))
    loaded.save(tmp_path / "again.dsk")
    assert (tmp_path / "again.dsk").read_bytes() == (tmp_path / "model.dsk").read_bytes()
    if kind is dsk.Classifier:
        assert "80 matrices" in loaded.summary() and loaded.candidates_ == []
        assert loaded.recentre == ("groups" if "--recentre" in flags else "none")


def test_kernels_go_both_ways(classes, program, tmp_path):
    X, y = classes
    dsk.save_dataset(tmp_path / "train.npz", X, y)
    program("learn", tmp_path / "train.npz", "--criterion", "centred", "--adjust", "affine", "--penalty", "0.01",
            "--seed", "3", "-o", tmp_path / "theirs.dsk", "--json", tmp_path / "facts.json")
    facts = json.loads((tmp_path / "facts.json").read_text())
    ours = dsk.DiscriminativeStein("centred", "affine", penalty=0.01, random_state=3).fit(X, y)
    theirs = dsk.load(tmp_path / "theirs.dsk")
    for stein in (ours, theirs):
        np.testing.assert_allclose(stein.alpha_, facts["alpha"], rtol=1e-12)
        np.testing.assert_allclose(stein.beta_, facts["beta"], rtol=1e-12)
        np.testing.assert_allclose(stein.history_, facts["history"], rtol=1e-12)
        assert (stein.theta_, stein.penalty_, stein.stop_) == (facts["theta"], facts["penalty"], facts["stop"])
    ours.save(tmp_path / "ours.dsk")
    program("kernel", tmp_path / "train.npz", "--kernel", tmp_path / "ours.dsk", "-o", tmp_path / "K.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "K.npy"), ours.kernel(X))
    np.testing.assert_array_equal(theirs.kernel(X), ours.kernel(X))
    np.testing.assert_array_equal(theirs.classes_, ours.classes_)


def test_penalty_is_chosen_as_by_the_command_line(classes, program, tmp_path):
    X, y = classes
    dsk.save_dataset(tmp_path / "train.npz", X, y)
    program("learn", tmp_path / "train.npz", "-o", tmp_path / "k.dsk", "--json", tmp_path / "facts.json")
    facts = json.loads((tmp_path / "facts.json").read_text())
    ours = dsk.DiscriminativeStein().fit(X, y)
    scores = [score["accuracy"] for score in facts["cross_validation"]["scores"]]
    assert [score["accuracy"] for score in ours.penalty_scores_] == scores


def test_files_are_readable_with_numpy_alone(classes, tmp_path):
    dsk.KNeighborsClassifier(n_neighbors=3).fit(*classes).save(tmp_path / "model.dsk")
    with zipfile.ZipFile(tmp_path / "model.dsk") as archive:
        assert json.loads(archive.read("meta.json"))["kind"] == "knn"
        for name in archive.namelist():
            if name.endswith(".npy"):
                np.lib.format.read_array(archive.open(name), allow_pickle=False)


def test_bad_files_are_named(tmp_path, classes):
    text = tmp_path / "text.dsk"
    text.write_text("no model")
    with pytest.raises(ValueError, match=text.name):
        dsk.load(text)
    fitted = dsk.KNeighborsClassifier(n_neighbors=1).fit(*classes)
    with pytest.raises(ValueError, match="dsk"):
        fitted.save(tmp_path / "model.zip")


@pytest.mark.parametrize("meta", [b"[" * 100000, b" " * (1 << 26), b"{}"], ids=["deep", "long", "empty"])
def test_odd_archives_are_refused_in_one_line(meta, tmp_path):
    with zipfile.ZipFile(tmp_path / "odd.dsk", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("meta.json", meta)
    with pytest.raises(ValueError, match="odd.dsk"):
        dsk.load(tmp_path / "odd.dsk")
    for wrong in (None, 3):
        with pytest.raises(TypeError):
            dsk.load(wrong)
    with pytest.raises(ValueError):
        dsk.load("/dev/zero")


@pytest.mark.parametrize("names", [["01", "1"], ["--5", "7"], ["9" * 20, "1"], ["\u0661", "\u0662"], [3, -4]], ids=str)
def test_kernels_keep_their_class_names(names, tmp_path, classes):
    X, y = classes
    fitted = dsk.DiscriminativeStein(penalty=0.1).fit(X, np.array(names)[y])
    fitted.save(tmp_path / "k.dsk")
    assert dsk.load(tmp_path / "k.dsk").classes_.tolist() == fitted.classes_.tolist()



@pytest.mark.parametrize("extension", ["npz", "mat", "csv"])
def test_data_sets_survive(extension, classes, tmp_path):
    X, y = classes
    names = np.array(["cat", "dog"])[y]
    path = tmp_path / f"X.{extension}"
    dsk.save_dataset(path, X, names)
    loaded = dsk.load_dataset(path)
    np.testing.assert_array_equal(loaded.X, X)
    np.testing.assert_array_equal(loaded.y, names)
    assert loaded.groups is None
    groups = np.arange(len(y)) % 5
    dsk.save_dataset(tmp_path / "grouped.npz", X, y, groups)
    loaded_X, loaded_y, loaded_groups = dsk.load_dataset(tmp_path / "grouped.npz")
    np.testing.assert_array_equal(loaded_y, y)
    np.testing.assert_array_equal(loaded_groups, groups)


def test_generated_data_are_those_of_the_library(program, tmp_path):
    program("demo", "-o", tmp_path, "--seed", "7")
    ours = dsk.make_wishart_classes(3, 60, dim=8, degrees=20, tau=0.5, random_state=7)
    theirs = dsk.load_dataset(tmp_path / "matrices.npz")
    np.testing.assert_array_equal(ours[0], theirs.X)
    np.testing.assert_array_equal(ours[1], theirs.y)
