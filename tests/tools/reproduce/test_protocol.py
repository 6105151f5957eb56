"""One fold: the same every time, judged by independent formulas."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp

from elsewise.tools.reproduce import Protocol, load, run, runner, summarise
from elsewise.tools.reproduce import protocol as protocol_module
from elsewise.tools.reproduce.fold_result import FoldResult
from elsewise.tools.reproduce.protocol import ESTIMATORS, MODELS, prepare_fold, run_model

QUICK = Protocol(seed=3, n_rows=12, only_first_fold=True)


@pytest.fixture(scope="module")
def iris_set():
    return load(["iris"])[0][0]


@pytest.fixture(scope="module")
def prepared(iris_set):
    train, test = QUICK.split(iris_set, 0)
    return prepare_fold(iris_set, QUICK, train), test


def test_folds_part_the_rows_and_keep_the_shares_of_classes(iris_set):
    protocol = Protocol(seed=1)
    parts = [protocol.split(iris_set, fold) for fold in protocol.folds]
    np.testing.assert_array_equal(np.sort(np.concatenate([test for _, test in parts])), np.arange(150))
    for train, test in parts:
        assert not set(train) & set(test)
        assert np.ptp(np.bincount(iris_set.y[test])) <= 1
    _, some = replace(protocol, n_rows=9).split(iris_set, 0)
    assert set(some) < set(parts[0][1])
    assert len(set(iris_set.y[some])) > 1


def test_targets_are_other_labels_drawn_evenly_with_the_seed(iris_set):
    targets = Protocol(seed=5).targets(iris_set)
    np.testing.assert_array_equal(targets, Protocol(seed=5).targets(iris_set))
    assert (targets != Protocol(seed=6).targets(iris_set)).any()
    for label in range(3):
        drawn = targets[iris_set.y == label]
        assert set(drawn) == {0, 1, 2} - {label}
        assert 10 <= np.bincount(drawn, minlength=3).max() <= 40


def test_kernel_log_densities_are_exact(iris_set, prepared):
    fold, test = prepared
    points = iris_set.X[test]
    for label, kernel in fold.kernels.items():
        rows_of_label = fold.Z[fold.y == label]
        h = kernel.mixture_.covariances_[0] ** 0.5
        squared = ((points[:, None] - rows_of_label[None]) ** 2).sum(axis=2)
        log_norm = np.log(len(rows_of_label)) + 4 * np.log(h * np.sqrt(2 * np.pi))
        expected = logsumexp(-0.5 * squared / h**2, axis=1) - log_norm
        np.testing.assert_allclose(kernel.log_mixture(points), expected, rtol=1e-10)


@pytest.mark.parametrize("estimators", ESTIMATORS)
@pytest.mark.parametrize("model", list(MODELS))
def test_answers_of_the_definition_are_valid_dense_and_nearest(iris_set, estimators, model):
    protocol = replace(QUICK, estimators=estimators)
    train, test = protocol.split(iris_set, 0)
    result = run_model(iris_set, protocol, prepare_fold(iris_set, protocol, train), test, model)
    closest, plausible = result.answers["defined_closest"], result.answers["defined_plausible"]
    assert plausible.found.all()
    assert plausible.valid.all()
    assert plausible.dense.all()
    assert closest.valid.all()
    assert result.gaps.max() <= 1e-6
    assert (closest.distance <= plausible.distance * (1 + 1e-9)).all()
    expected = np.abs(plausible.points - iris_set.X[test]).sum(axis=1)
    np.testing.assert_array_equal(plausible.distance, expected)
    np.testing.assert_array_equal(closest.distance > 0, result.asked)


def test_judge_finds_invalid_and_sparse_points(iris_set, prepared):
    fold, test = prepared
    X, targets = iris_set.X[test], QUICK.targets(iris_set)[test]
    model = MODELS["softmax"][1]().fit(fold.X, fold.y)
    explainer = protocol_module.Explainer(model, density=fold.mixtures).fit(fold.X, fold.y)
    judged = protocol_module._Judge(model, fold, explainer, X, targets)(X)
    np.testing.assert_array_equal(judged.valid, model.predict(X) == targets)
    assert not judged.dense.all()
    nowhere = protocol_module._Judge(model, fold, explainer, X, targets)(np.full_like(X, np.nan))
    assert not nowhere.found.any()
    assert not nowhere.valid.any()
    assert not nowhere.dense.any()


def _same(left, right):
    for name in left.answers:
        for field in left.answers[name].__dataclass_fields__:
            np.testing.assert_array_equal(getattr(left.answers[name], field), getattr(right.answers[name], field))
    np.testing.assert_array_equal(left.model_free, right.model_free)


def test_same_seed_same_answers_and_the_file_keeps_them(iris_set, prepared, tmp_path):
    fold, test = prepared
    first = run_model(iris_set, QUICK, fold, test, "tree")
    again = run_model(iris_set, QUICK, prepare_fold(iris_set, QUICK, QUICK.split(iris_set, 0)[0]), test, "tree")
    _same(first, again)
    path = tmp_path / "folder" / "tree.npz"
    first.save(path)
    stored = FoldResult.load(path)
    _same(first, stored)
    assert stored.seconds == first.seconds
    assert [each.name for each in path.parent.iterdir()] == ["tree.npz"]


def test_unreadable_results_count_as_missing(tmp_path):
    assert FoldResult.load(tmp_path / "none.npz") is None
    half = tmp_path / "half.npz"
    half.write_bytes(b"PK half a file")
    assert FoldResult.load(half) is None


def test_a_run_goes_on_where_it_stopped(iris_set, tmp_path, monkeypatch):
    protocol = replace(QUICK, only_first_fold=False, n_folds=3)
    whole = run([iris_set], ["softmax", "tree"], protocol, cache=tmp_path / "whole")
    calls = []
    real = runner.run_model

    def stops(data, protocol, fold, test, model):
        calls.append(model)
        if len(calls) == 4:
            raise KeyboardInterrupt("by hand")
        return real(data, protocol, fold, test, model)

    monkeypatch.setattr(runner, "run_model", stops)
    with pytest.raises(KeyboardInterrupt, match="by hand"):
        run([iris_set], ["softmax", "tree"], protocol, cache=tmp_path / "parts")
    done = []
    results = run([iris_set], ["softmax", "tree"], protocol, cache=tmp_path / "parts", progress=done.append)
    assert len(calls) == 3 + 1 + 3  # three were kept, one was interrupted, three were left
    assert done == ["iris 1", "iris 2", "iris 3"]
    assert summarise(results) == summarise(whole)
    # Another seed is another experiment: nothing of the first is taken for it.
    run([iris_set], ["softmax"], replace(protocol, seed=4), cache=tmp_path / "parts")
    assert len(calls) == 7 + 3
