"""Files without a pickle: a fixed list of types is read, whatever modules of elsewise a file names."""

import hashlib
import io
import json
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PowerTransformer, SplineTransformer

import elsewise as ew
from elsewise.tools.files.bodies import HARMLESS_TYPES

pytest.importorskip("skops", reason="files without a pickle need skops")

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"x": RNG.normal(size=80), "z": RNG.integers(0, 9, 80), "k": RNG.choice(list("abc"), 80)})
LABELS = (FRAME["x"] + (FRAME["k"] == "a") > 0.3).astype(int).to_numpy()
NUMBERS = FRAME[["x", "z"]]
ARRAY = NUMBERS.to_numpy()


def rewritten(path, module, name):
    """Replace the class of the explainer in a saved file by something else."""
    start, header, body = path.read_bytes().split(b"\n", 2)
    archive, out = zipfile.ZipFile(io.BytesIO(body)), io.BytesIO()
    with zipfile.ZipFile(out, "w") as new:
        for item in archive.namelist():
            content = archive.read(item)
            if item == "schema.json":
                schema = json.loads(content)
                schema["__module__"], schema["__class__"] = module, name
                content = json.dumps(schema).encode()
            new.writestr(item, content)
    told = json.loads(header)
    told["body_bytes"], told["body_sha256"] = len(out.getvalue()), hashlib.sha256(out.getvalue()).hexdigest()
    path.write_bytes(b"\n".join([start, json.dumps(told).encode(), out.getvalue()]))


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("elsewise.__main__", "main"),
        ("elsewise.__main__", "Explainer"),
        ("elsewise.tools.app.serving.server", "Explainer"),
        ("elsewise.tools.files.bodies", "read_model"),
        ("elsewise.explainer", "save"),
        ("numpy.f2py.__main__", "dtype"),
        ("pandas.io.clipboard", "OddDtype"),
    ],
)
def test_a_file_that_names_another_module_is_refused_before_it_is_imported(module, name, tmp_path, monkeypatch):
    path = tmp_path / "hostile.ew"
    ew.Explainer(LogisticRegression().fit(NUMBERS, LABELS), density=None).fit(NUMBERS).save(path, safe=True)
    rewritten(path, module, name)
    is_known = module == "elsewise.explainer"
    if not is_known:
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(ew.SavedExplainerError, match=f"not known to be harmless: {module}.{name}"):
        ew.load(path, safe=True)
    assert is_known or module not in sys.modules


def encoded(estimator):
    encoder = make_column_transformer((OneHotEncoder(), ["k"]), remainder="passthrough")
    return make_pipeline(encoder, estimator).fit(FRAME, LABELS)


FAMILIES = {
    "table": (lambda: encoded(LogisticRegression()), {}),
    "rules": (
        lambda: encoded(LogisticRegression()),
        {"constraints": ew.Constraints(immutable=["k"], implies={"x > 0": "z > 1"}, linear=["x + z <= 30"])},
    ),
    "forest": (lambda: RandomForestClassifier(3, max_depth=3, random_state=0).fit(NUMBERS, LABELS), {}),
    "kernel": (lambda: LogisticRegression().fit(NUMBERS, LABELS), {"density": "kernel"}),
    "mahalanobis": (lambda: LogisticRegression().fit(NUMBERS, LABELS), {"distance": "mahalanobis"}),
    "training quantile": (lambda: LogisticRegression().fit(NUMBERS, LABELS), {"threshold": ew.TrainingQuantile(0.5)}),
    "ordinal": (lambda: LinearRegression().fit(NUMBERS, LABELS), {"columns": {"z": ew.Ordinal(list(range(9)))}}),
    "power": (lambda: make_pipeline(PowerTransformer(), LogisticRegression()).fit(NUMBERS, LABELS), {}),
    "splines": (lambda: make_pipeline(SplineTransformer(), LogisticRegression()).fit(NUMBERS, LABELS), {}),
    "prototypes": (lambda: ew.lvq.GeneralizedLVQ(random_state=0).fit(NUMBERS.to_numpy(), LABELS), {}),
    "unread": (lambda: make_pipeline(SplineTransformer(), RandomForestClassifier(3)).fit(ARRAY, LABELS), {}),
}


@pytest.mark.filterwarnings("ignore:safe.ew holds training rows")
@pytest.mark.parametrize("family", FAMILIES)
def test_explainers_of_every_family_hold_known_types_of_elsewise_alone(family, tmp_path):
    model, options = FAMILIES[family]
    rows = {"table": FRAME, "rules": FRAME, "unread": ARRAY}.get(family, NUMBERS)
    explainer = ew.Explainer(model(), **options).fit(rows, LABELS)
    path = tmp_path / "safe.ew"
    explainer.save(path, safe=True)
    try:
        again = ew.load(path, safe=True)
    except ew.SavedExplainerError as error:  # types of scikit-learn that skops does not trust
        unknown = str(error).partition("trusted=")[2]
        assert unknown
        assert "elsewise" not in unknown
        again = ew.load(path, safe=True, trusted=json.loads(unknown.replace("'", '"')))
    assert again.exactness_ == explainer.exactness_
    assert again.table_.dtypes == explainer.table_.dtypes


def test_the_list_names_classes_that_exist():
    from importlib import import_module

    for name in HARMLESS_TYPES:
        module, _, last = name.rpartition(".")
        if module.startswith("elsewise."):
            assert isinstance(getattr(import_module(module), last), type), name


def test_categories_of_text_are_written_without_a_pickle(tmp_path):
    frame = FRAME.astype({"k": "category"})
    encoder = make_column_transformer((OneHotEncoder(), ["k"]), remainder="passthrough")
    model = make_pipeline(encoder, LogisticRegression()).fit(frame, LABELS)
    explainer = ew.Explainer(model).fit(frame, LABELS)
    explainer.save(tmp_path / "safe.ew", safe=True)
    again = ew.load(tmp_path / "safe.ew", safe=True)
    assert again.table_.dtypes == explainer.table_.dtypes
    before, after = (one.explain(frame.head(5), 1).counterfactuals for one in (explainer, again))
    pd.testing.assert_frame_equal(before, after)
