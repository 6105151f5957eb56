"""Large tree ensembles and networks with a density: answers within milliseconds, proofs within a second.

    python -m benchmarks.production                     # a made-up table like a bank's, ten models
    python -m benchmarks.production --models forest --rows 30 --seed 1
    python -m benchmarks.production --table heloc.csv --label RiskPerformance
    python -m benchmarks.production --beside --picture docs/benchmarks-production.png   # beside others, drawn

Every row is asked alone, with each time limit in turn, for a class that the model does not predict. Printed per model:
the share of rows with an answer at each limit, the median ratio of their distances to the best distance known of the
same row, the longest time beyond a limit, the share of rows proven at the longest limit, and the median and mean gap
there. Rows are held out from the model. Limits are of the clock: run it on an idle machine.

``--beside`` asks three others about the same rows within the longest limit: elsewise without a density, elsewise of a
model that it can only ask, and the exact search of treecf (``pip install treecf``), which knows no density: sums of
changes in standard deviations, a change of a level counting as one.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import elsewise as ew

from .ensembles import encoded

# Seconds a row.
LIMITS = (0.05, 0.15, 1.0)


def bank(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw a table like that of a bank's campaign: seven numbers, nine categories, and interactions between them."""
    rng = np.random.default_rng(seed)
    worth, debt = rng.normal(size=n), rng.normal(size=n)

    def level(names: str, tilt: float, by: np.ndarray = worth) -> np.ndarray:
        levels = names.split()
        score = tilt * np.outer(by, np.linspace(-1, 1, len(levels))) + rng.gumbel(size=(n, len(levels)))
        return np.array(levels, dtype=object)[score.argmax(axis=1)]

    frame = pd.DataFrame(
        {
            "age": np.clip(np.round(41 + 3 * worth + 10 * rng.normal(size=n)), 18, 90).astype(int),
            "job": level("services worker admin technician self student retired manager", 0.6),
            "marital": level("divorced married single", 0.3),
            "education": level("primary secondary tertiary", 0.7),
            "default": level("yes no", 0.6, -debt),
            "balance": np.round(np.exp(6.5 + 0.5 * worth - 0.4 * debt + 0.9 * rng.normal(size=n))).astype(int),
            "housing": level("no yes", 0.7, debt),
            "loan": level("no yes", 0.6, debt),
            "contact": level("unknown telephone cellular", 0.5),
            "day": rng.integers(1, 32, n),
            "month": level("may jun jul aug nov feb apr oct sep mar", 0.5),
            "duration": np.round(np.exp(5.2 + 0.3 * worth + 0.7 * rng.normal(size=n))).astype(int),
            "campaign": 1 + rng.poisson(np.exp(0.6 - 0.3 * worth)),
            "pdays": np.round(np.exp(4.5 + 0.6 * rng.normal(size=n))).astype(int),
            "previous": rng.poisson(np.exp(-0.3 + 0.4 * worth)),
            "poutcome": level("failure other unknown success", 0.7),
        }
    )
    long, young = np.log(frame["duration"]) - 5.2, (frame["age"] < 30).to_numpy()
    has_success, has_house = (frame["poutcome"] == "success").to_numpy(), (frame["housing"] == "yes").to_numpy()
    late = frame["month"].isin(["oct", "sep", "mar"]).to_numpy()
    score = 0.8 * worth - 0.6 * debt + 1.5 * long * np.where(has_house, 0.4, 1.2) + 1.2 * has_success * (long > 0)
    score += 0.9 * late * (frame["contact"] == "cellular") - 0.5 * young * has_house
    score += 0.4 * np.sin(frame["day"] / 5) + rng.logistic(0, 0.5, n)
    return frame, (score > np.quantile(score, 0.85)).astype(int)


def models() -> dict[str, Any]:
    """Models as they are used in production; those of other libraries where they are installed."""
    found: dict[str, Any] = {}
    try:
        import xgboost

        found["XGBoost 300x6"] = xgboost.XGBClassifier(n_estimators=300, max_depth=6, learning_rate=0.1, n_jobs=1)
    except ImportError:
        print("XGBoost is not installed: left out")
    try:
        import lightgbm

        found["LightGBM 500x6"] = lightgbm.LGBMClassifier(
            n_estimators=500, max_depth=6, learning_rate=0.05, n_jobs=1, verbose=-1
        )
    except ImportError:
        print("LightGBM is not installed: left out")
    found["histogram boosting 500x6"] = HistGradientBoostingClassifier(
        max_iter=500, max_depth=6, learning_rate=0.05, early_stopping=False, random_state=0
    )
    try:
        import catboost

        found["CatBoost 500x6"] = catboost.CatBoostClassifier(
            500, depth=6, learning_rate=0.05, verbose=0, thread_count=1, allow_writing_files=False
        )
    except ImportError:
        print("CatBoost is not installed: left out")
    found["forest 300, leaf 20"] = RandomForestClassifier(300, min_samples_leaf=20, random_state=0)
    found["forest 500, any depth"] = RandomForestClassifier(500, random_state=0)
    for hidden in ((20,), (50,), (100,), (50, 50)):
        network = MLPClassifier(hidden, early_stopping=True, max_iter=60, random_state=0)
        found[f"network {hidden}"] = make_pipeline(StandardScaler(), network)
    return found


def ask(
    explainer: ew.Explainer, rows: pd.DataFrame, targets: np.ndarray, limits: tuple[float, ...] | None = None
) -> pd.DataFrame:
    """Ask every row at every limit: distance, lower bound, status and seconds, a line each."""
    # what is made once
    explainer.explain(rows.iloc[[0]], targets[0].item(), time_limit=LIMITS[0])
    lines = []
    for k, target in enumerate(targets.tolist()):
        row = rows.iloc[[k]]
        for limit in limits or LIMITS:
            started = time.perf_counter()
            answer = explainer.explain(row, target, time_limit=limit)
            seconds = time.perf_counter() - started
            lines.append((k, limit, answer.distances[0], answer.lower_bounds[0], answer.statuses[0], seconds))
    return pd.DataFrame(lines, columns=["row", "limit", "distance", "lower_bound", "status", "seconds"])


def summary(asked: pd.DataFrame) -> dict[str, float]:
    """Shares, ratios and gaps of one model."""
    asked = asked.assign(distance=asked["distance"].fillna(np.inf))
    best = asked.groupby("row")["distance"].transform("min")
    asked = asked[np.isfinite(best)].assign(ratio=asked["distance"] / best.where(best > 0, 1.0))
    found: dict[str, float] = {}
    for limit, some in asked.groupby("limit"):
        name = f"{1e3 * limit:.0f} ms"
        found[f"answered in {name}"] = float(np.isfinite(some["distance"]).mean())
        found[f"ratio at {name}"] = float(some["ratio"].median())
        found[f"beyond {name}"] = 1e3 * float((some["seconds"] - limit).max())
    last = asked[asked["limit"] == LIMITS[-1]]
    gap = (1 - last["lower_bound"] / last["distance"].where(last["distance"] > 0, 1.0)).clip(lower=0.0)
    found["proven"] = float((last["status"] == "optimal").mean())
    found["median gap"], found["mean gap"] = float(gap.median()), float(gap.mean())
    return found


def without_density(model: Any, frame: pd.DataFrame, y: np.ndarray, rows: pd.DataFrame, targets: np.ndarray) -> Any:
    """Ask the same without a density."""
    return ask(ew.Explainer(model, density=None).fit(frame, y), rows, targets, LIMITS[-1:])


def only_asked(model: Any, frame: pd.DataFrame, y: np.ndarray, rows: pd.DataFrame, targets: np.ndarray) -> Any:
    """Ask the same of a model of which nothing is known but its predictions."""
    box = ew.BlackBox(model.predict, classes=[0, 1])
    return ask(ew.Explainer(box).fit(frame, y), rows, targets, LIMITS[-1:])


def by_treecf(model: Any, frame: pd.DataFrame, y: np.ndarray, rows: pd.DataFrame, targets: np.ndarray) -> Any:
    """Ask treecf's exact search, without a density; None for models that it does not read."""
    try:
        import treecf
    except ImportError:
        return None
    codes, trees = model[0], model[-1]
    X = np.asarray(codes.transform(frame), dtype=np.float64)
    columns = codes.get_feature_names_out()
    groups = np.array([name.rsplit("_", 1)[0] if name.startswith("onehot") else "" for name in columns])
    sigma = np.where(groups == "", np.maximum(X.std(axis=0), 1e-12), 2.0)  # a change of a level moves two columns
    try:
        plain = treecf.Explainer(trees, normalizers=sigma)
        names = np.array(plain.ir.feature_names)
        one_hot = [treecf.OneHot(tuple(names[groups == group])) for group in np.unique(groups[groups != ""])]
        explainer = treecf.Explainer(trees, normalizers=sigma, constraints=one_hot)
    except treecf.TreecfError as error:
        print(f"treecf: {error}")
        return None
    above = float(np.nextafter(np.float32(0.5), np.float32(1.0)))
    # what forests sum are probabilities
    outputs = treecf.Target.raw if isinstance(trees, RandomForestClassifier) else treecf.Target.probability
    lines = []
    for k, (row, target) in enumerate(zip(np.asarray(codes.transform(rows), dtype=np.float64), targets.tolist())):
        wanted = outputs(range=(above, 1.0) if target else (0.0, 0.5))
        started = time.perf_counter()
        answer = explainer.explain(row, wanted, backend="exact", time_budget_s=LIMITS[-1], seed=0)
        seconds = time.perf_counter() - started
        distance = answer.distance if isinstance(answer, treecf.Counterfactual) else np.nan
        status = "optimal" if answer.proof in ("optimal", "certified") else "feasible"
        lines.append((k, LIMITS[-1], distance, 0.0, status, seconds))
    return pd.DataFrame(lines, columns=["row", "limit", "distance", "lower_bound", "status", "seconds"])


BESIDE = {"elsewise, no density": without_density, "elsewise, only asked": only_asked, "treecf, no density": by_treecf}


def beside(asked: pd.DataFrame, others: dict[str, pd.DataFrame | None]) -> str:
    """Say what others answer and prove within the longest limit, beside the distances found with a density."""
    own = asked[asked["limit"] == LIMITS[-1]].set_index("row")["distance"]
    said = []
    for name, found in others.items():
        if found is None:
            continue
        distances = found.set_index("row")["distance"]
        proven = (found["status"] == "optimal").mean()
        text = f"{name}: answered {np.isfinite(distances).mean():.0%}, proven {proven:.0%}"
        if "asked" in name:
            gap = (1 - found["lower_bound"] / found["distance"]).fillna(1.0)
            text += f", median gap {gap.median():.2f}, distance over ours {(distances / own).median():.2f}"
        said.append(f"{text}, longest {found['seconds'].max():.1f} s")
    return "; ".join(said)


def draw(lines: pd.DataFrame, path: Path) -> None:
    """Draw the share of rows that are proven, and the mean gap, against time, a line a model."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    distance = lines["distance"].where(lines["distance"] > 0, 1.0)
    lines = lines.assign(gap=(1 - lines["lower_bound"] / distance).fillna(1.0))
    for z, (name, some) in enumerate(lines.groupby("model", sort=False)):
        each, style = some.groupby("limit"), {"marker": "o", "color": f"C{z}", "ls": "--" if "network" in name else "-"}
        proven = each["status"].agg(lambda status: 100 * (status == "optimal").mean())
        left.plot(proven.index, proven, label=name, **style)
        right.plot(proven.index, 100 * each["gap"].mean().clip(lower=0.0), **style)
    for axes, title in ((left, "rows proven, %"), (right, "mean gap, %")):
        axes.set(xscale="log", xlabel="seconds a row", title=title, ylim=(-3, 103))
        axes.set_xticks(LIMITS, [f"{limit:g}" for limit in LIMITS])
        axes.minorticks_off()
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right center", frameon=False, fontsize="small")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--samples", type=int, default=8000, help="rows of the made-up table (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the table, and of the held-out rows")
    parser.add_argument("--table", help="a CSV file instead of the made-up table")
    parser.add_argument("--label", help="its column of labels, of two classes")
    parser.add_argument("--models", default="", help="only models whose name contains this")
    parser.add_argument("--out", help="a CSV file for every row at every limit")
    parser.add_argument("--beside", action="store_true", help="ask others about the same rows, too")
    parser.add_argument("--picture", type=Path, help="an image file: rows proven and gaps against time")
    given = parser.parse_args()
    if given.table is None:
        frame, y = bank(given.samples, given.seed)
    else:
        frame = pd.read_csv(given.table)
        y = np.unique(frame.pop(given.label), return_inverse=True)[1]
    order = np.random.default_rng(given.seed).permutation(len(frame))
    train, rest = order[: int(0.75 * len(order))], order[int(0.75 * len(order)) :][: given.rows]
    lines = []
    for name, model in models().items():
        if given.models not in name:
            continue
        with threadpool_limits(1):
            model = encoded(model, frame).fit(frame.iloc[train], y[train])
            explainer = ew.Explainer(model).fit(frame.iloc[train], y[train])
            rows = frame.iloc[rest]
            targets = 1 - np.asarray(model.predict(rows)).astype(int)
            asked = ask(explainer, rows, targets)
            others = {}
            if given.beside and "network" not in name:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # treecf tells that its time is over
                    others = {
                        who: question(model, frame.iloc[train], y[train], rows, targets)
                        for who, question in BESIDE.items()
                    }
        lines.append(asked.assign(model=name))
        print(name, ", ".join(f"{what} {value:.3g}" for what, value in summary(asked).items()), flush=True)
        if others:
            print("   ", beside(asked, others), flush=True)
    if given.picture:
        draw(pd.concat(lines), given.picture)
    if given.out:
        pd.concat(lines).to_csv(given.out, index=False)


if __name__ == "__main__":
    main()
