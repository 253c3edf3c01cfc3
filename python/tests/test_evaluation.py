"""evaluate and its report, against the command line's."""
import json
import re

import numpy as np
import pandas as pd
import pytest

import dsk

METHODS = ["SK:knn", "DSK-KA-p:knn", "LEK:svm"]
ROWS = [*METHODS, "majority"]


@pytest.fixture(scope="module")
def evaluation(classes):
    return dsk.evaluate(*classes, METHODS, "halves:3", penalty=0.01, random_state=4)


def test_rows_make_a_table(evaluation):
    assert [row["method"] for row in evaluation] == ROWS
    frame = evaluation.to_frame()
    assert list(frame.index) == ROWS and frame["mean"].between(0, 1).all()
    pd.testing.assert_frame_equal(pd.DataFrame(evaluation).set_index("method"), frame)
    per_split = evaluation.results_frame()
    assert len(per_split) == 9
    np.testing.assert_allclose(per_split.groupby("method")["accuracy"].mean()[METHODS], frame["mean"][METHODS])
    assert frame.loc["SK:knn", ["difference", "p", "p_holm", "p_student", "test"]].isna().all()
    assert set(frame.loc[ROWS[1:], "test"]) == {"corrected resampled t-test"}
    others = frame.loc[ROWS[1:]].astype({"p": float, "p_holm": float, "p_student": float})
    assert (others["p_holm"] >= others["p"]).all() and (others["p"] >= others["p_student"]).all()
    assert all(low < mean < high for (low, high), mean in zip(frame["interval"], frame["mean"]))
    assert frame.loc["majority", "answers_one_class"] and evaluation.protocol == "3 random halves"
    assert "Nadeau" in evaluation.tests and evaluation.not_scored == []
    assert evaluation.answer in repr(evaluation)


def test_equals_the_command_line(classes, evaluation, program, tmp_path):
    dsk.save_dataset(tmp_path / "X.npz", *classes)
    program("evaluate", tmp_path / "X.npz", "--methods", ",".join(METHODS), "--protocol", "halves:3", "--penalty",
            "0.01", "--seed", "4", "--json", tmp_path / "r.json", "--report", tmp_path / "r.html")
    theirs = json.loads((tmp_path / "r.json").read_text())["methods"]
    for ours, row in zip(evaluation, theirs):
        assert (ours["method"], ours["mean"], ours["std"]) == (row["method"], row["mean"], row["std"])
        if "against" in row:
            for name in ("baseline", "difference", "low", "high", "test", "p", "p_holm", "p_student", "p_wilcoxon"):
                assert ours[name] == row["against"][name]
        assert list(ours["interval"]) == row["interval"] and ours["answers_one_class"] == row["answers_one_class"]
        np.testing.assert_array_equal(evaluation.confusion(row["method"]), row["confusion"])


def test_report_is_the_same_page(classes, evaluation, tmp_path):
    page = dsk.report(evaluation, tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page == evaluation.report()
    words = re.sub("<[^>]*>", "", page).replace("\u00a0", " ")
    assert evaluation.answer in words
    for text in (*METHODS, "The learned kernel", "halves:3", "<svg"):
        assert text in page
    call = "dsk.evaluate(X, y, methods=(&#39;SK:knn&#39;, &#39;DSK-KA-p:knn&#39;, &#39;LEK:svm&#39;), "
    assert call + "protocol=&#39;halves:3&#39;, penalty=0.01, random_state=4)" in words
    assert f"<dt>shape</dt><dd>{len(classes[0])} x " in page and "<dt>date</dt>" in page and dsk.__version__ in page
    assert "http://" not in page.replace("http://www.w3.org", "") and "<script" not in page


def test_splits_are_disjoint_and_threads_do_not_matter(classes, evaluation):
    for number in range(3):
        train, test = evaluation.split(number)
        assert not set(train) & set(test) and len(train) + len(test) == len(classes[0])
    again = dsk.evaluate(*classes, ",".join(METHODS), "halves:3", penalty=0.01, random_state=4, n_jobs=1)
    assert [row["mean"] for row in again] == [row["mean"] for row in evaluation]


def test_results_file_is_resumed(classes, tmp_path):
    file = tmp_path / "r.json"
    first = dsk.evaluate(*classes, "SK:knn,LEK:knn", "halves:2", results_file=file)
    assert len(json.loads(file.read_text())["splits"]) == 4
    again = dsk.evaluate(*classes, "SK:knn,LEK:knn", "halves:2", results_file=str(file))
    assert again.results == first.results, "seconds, too, are those of the first run"
    with pytest.raises(ValueError, match="other data or settings"):
        dsk.evaluate(*classes, "SK:knn", "halves:3", results_file=file)


def test_feature_names_are_those_of_the_matrices_as_given(classes, tmp_path):
    X, y = classes
    names = [f"channel {k}" for k in range(X.shape[1])]
    file = tmp_path / "r.json"
    for matrices, kept in [(X, names), (X + 0j, None)]:
        file.unlink(missing_ok=True)
        dsk.evaluate(matrices, y, "SK:knn", "halves:2", feature_names=names, results_file=file)
        assert json.loads(file.read_text()).get("channels") == kept, "rows of embedded matrices have no names"
        for wrong in (names[1:], names + names):
            with pytest.raises(ValueError, match=f"{len(wrong)} feature_names do not match matrices of size {len(names)}"):
                dsk.evaluate(matrices, y, "SK:knn", "halves:2", feature_names=wrong)


def test_results_of_version_0_2_are_not_mixed_in(classes, tmp_path):
    file = tmp_path / "r.json"
    dsk.evaluate(*classes, "SK:knn", "halves:2", results_file=file)
    results = json.loads(file.read_text())
    results["settings"]["format"] = 1
    file.write_text(json.dumps(results))
    with pytest.raises(ValueError, match="results of another version of dsk, which chose settings by other rules"):
        dsk.evaluate(*classes, "SK:knn,LEK:knn", "halves:2", results_file=file)
    assert json.loads(file.read_text()) == results


def test_classes_in_one_group_are_refused(classes):
    X, y = classes
    with pytest.raises(ValueError, match="each class lies in a single group"):
        dsk.evaluate(X, y, "SK:knn", "halves:2", groups=y)
    some = np.where(y == 0, 0, 1 + np.arange(len(y)) % 4)
    assert "single group" in dsk.evaluate(X, y, "SK:knn", "halves:2", groups=some).warnings[0]


def test_groups_protocols_and_bad_arguments(classes):
    X, y = classes
    dsk.evaluate(X, y, "SK:knn", "kfold:3", groups=np.arange(len(y)) % 6)
    one_by_one = dsk.evaluate(X[::4], y[::4], "SK:knn,EUK:knn", "loo", n_neighbors=1)
    assert len(one_by_one) == 3 and one_by_one[1]["test"] == "McNemar's exact test"
    assert one_by_one[0]["std"] is None and "± –" in repr(one_by_one)
    single = dsk.evaluate(X, y, "SK:knn", "halves:1")
    assert single[0]["std"] is None and single[0]["interval"] is None and single[1]["p"] is None
    by_group = dsk.evaluate(X, y, "SK:knn,EUK:knn", "logo", groups=np.arange(len(y)) % 4)
    assert by_group[1]["test"] == "paired t-test" and by_group.protocol == "leave one subject out (4 groups)"
    for arguments, message in [
        (dict(methods="XX:knn"), "XX"),
        (dict(protocol="thirds:3"), "thirds"),
        (dict(methods="SK:knn,SK:knn"), "twice"),
        (dict(theta_range="all"), "theta_range"),
        (dict(n_neighbors=0), "n_neighbors"),
    ]:
        with pytest.raises(ValueError, match=message):
            dsk.evaluate(X, y, **{"protocol": "halves:2", **arguments})
    with pytest.raises(ValueError, match="unknown method"):
        dsk.evaluate(X, y, "SK:knn", "halves:2").confusion("LEK:knn")


def test_scores_that_mislead_are_named(classes):
    X, y = classes
    labels = np.where(np.arange(len(y)) == 0, "rare", y.astype(str))
    evaluation = dsk.evaluate(X, labels, "SK:knn", "kfold:3")
    assert evaluation.not_scored == ["rare"] and "never scored ('rare')" in evaluation.warnings[0]
    confusion = evaluation.confusion("SK:knn")
    scored = confusion.sum(axis=1) > 0
    balanced = np.mean(np.diag(confusion)[scored] / confusion.sum(axis=1)[scored])
    assert evaluation[0]["balanced_mean"] == pytest.approx(balanced)


def test_new_methods_recentring_and_projection(classes, program, tmp_path):
    X, y = classes
    methods, groups = ["auto", "MDM", "TS:lr", "DSK-CA-s:mean", "majority", "SK:knn"], np.arange(len(y)) % 3
    ours = dsk.evaluate(X, y, methods, "logo", groups=groups, recentre="groups", cv=2)
    assert [row["method"] for row in ours] == methods and len(ours.results) == 18
    assert ours[4]["mean"] <= 0.6 < ours[0]["mean"]
    dsk.save_dataset(tmp_path / "X.npz", X, y, groups)
    program("evaluate", tmp_path / "X.npz", "--methods", ",".join(methods), "--protocol", "logo", "--recentre", "groups",
            "--folds", "2", "--json", tmp_path / "r.json")
    theirs = json.loads((tmp_path / "r.json").read_text())["methods"]
    assert [row["mean"] for row in ours] == [row["mean"] for row in theirs]
    for project in ("start", 2):
        dsk.evaluate(X, y, "SK:mean", "halves:2", project=project, theta_range="any")
    for arguments, message in [
        (dict(recentre="subjects"), "subjects"),
        (dict(recentre="groups"), "groups"),
        (dict(project="some"), "some"),
        (dict(protocol="logo"), "groups"),
    ]:
        with pytest.raises(ValueError, match=message):
            dsk.evaluate(X, y, "SK:knn", **{"protocol": "halves:2", **arguments})


def test_verbose_shows_progress(classes, capfd):
    dsk.evaluate(*classes, "SK:knn,LEK:knn", "halves:2", verbose=True)
    assert "methods on splits" in capfd.readouterr().err
    dsk.DiscriminativeStein(verbose=True).fit(*classes)
    assert "25/25" in capfd.readouterr().err
    dsk.SVC(kernel=dsk.DiscriminativeStein(), verbose=True).fit(*classes)
    assert "kernels learned" in capfd.readouterr().err
    dsk.evaluate(*classes, "SK:knn", "halves:2")
    assert capfd.readouterr().err == ""


def test_progress_without_tqdm_is_told_in_lines(monkeypatch, capsys):
    import sys
    import time

    from dsk._progress import Progress

    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    clock = iter([0.0, 0.5, 2.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    with Progress("kernels learned", True) as progress:
        progress.tell(1, 3)
        progress.tell(2, 3)
    assert capsys.readouterr().err == "dsk: kernels learned: 2 of 3\n"
