"""Types that a file without a pickle may hold: a fixed list, so that reading a file imports no module of its choice."""

from __future__ import annotations

# Classes of elsewise that fitted explainers are made of, by module. They hold data and run nothing when made.
_OWN = {
    "elsewise.tools.audit.baseline": "Baseline Observed",
    "elsewise.table.column": "Column OneHot Ordinal",
    "elsewise.table.table": "Table",
    "elsewise.table.wording": "ColumnLabel Wording",
    "elsewise.rules.conditions": "Joined Test",
    "elsewise.rules.constraints": "Constraints",
    "elsewise.rules.arithmetic.expressions": "Comparison Negative Number Operation Variable",
    "elsewise.rules.arithmetic.linear": "HalfSpace LinearRule",
    "elsewise.rules.learned.never_together": "NeverTogether NeverTogetherPair Trait",
    "elsewise.rules.learned.regularities": "Regularities",
    "elsewise.density.base": "ClassDensity",
    "elsewise.density.mixtures.gaussian_mixture": "GaussianMixtureDensity",
    "elsewise.density.mixtures.kernel": "KernelDensity",
    "elsewise.density.mixtures.low_rank_mixture": "LowRankMixture",
    "elsewise.density.mixtures.mixed_mixture": "MixedMixture",
    "elsewise.density.mixtures.mixed_mixture_density": "MixedMixtureDensity",
    "elsewise.density.threshold": "LogDensity TrainingQuantile",
    "elsewise.distances.mahalanobis": "Mahalanobis",
    "elsewise.distances.manhattan": "Manhattan",
    "elsewise.distances.scaled": "Scaled",
    "elsewise.explainer": "Explainer",
    "elsewise.lvq": "GeneralizedLVQ GeneralizedMatrixLVQ",
    "elsewise.fitted.black_box": "TrainingRows",
    "elsewise.fitted.fitted_model": "FittedModel",
    "elsewise.fitted.profiles": "ColumnProfile",
    "elsewise.pipeline.affine": "AffineMap",
    "elsewise.pipeline.columnwise": "Chains ColumnStep Times",
    "elsewise.questions.options": "Options",
    "elsewise.projection.distance": "ResolvedMahalanobis ResolvedManhattan",
    "elsewise.models.black_box": "BlackBox",
    "elsewise.rules.learned.column_facts": "ColumnFacts",
    "elsewise.search.relaxations.curves.base": "AffineCurve",
    "elsewise.search.relaxations.curves.known": "NamedCurve PowerCurve",
    "elsewise.search.relaxations.curves.polynomials": "PiecewisePolynomial",
    "elsewise.search.relaxations.curves.put_together": "Chained Weighted",
    "elsewise.search.relaxations.curves.tables": "PiecewiseLinear Ranks StepCurve",
    "elsewise.models.trees.boosters": "LightGBMBooster XGBoostBooster",
    "elsewise.models.trees.steps_before": "AsIs Stepped StepsBefore Warped",
    "elsewise.models.unit_sums.of_torch": "TorchNetwork",
    "elsewise.models.unit_sums.products": "BehindProducts",
}
# Dtypes of columns, by the modules in which versions of pandas have them.
_DTYPES = {
    "numpy": "dtype",
    "pandas": (
        "ArrowDtype BooleanDtype CategoricalDtype DatetimeTZDtype Float32Dtype Float64Dtype Int8Dtype Int16Dtype "
        "Int32Dtype Int64Dtype IntervalDtype PeriodDtype SparseDtype StringDtype UInt8Dtype UInt16Dtype UInt32Dtype "
        "UInt64Dtype"
    ),
    "pandas.core.arrays.boolean": "BooleanDtype",
    "pandas.core.arrays.floating": "Float32Dtype Float64Dtype",
    "pandas.core.arrays.integer": (
        "Int8Dtype Int16Dtype Int32Dtype Int64Dtype UInt8Dtype UInt16Dtype UInt32Dtype UInt64Dtype"
    ),
    "pandas.core.arrays.string_": "StringDtype",
    "pandas.core.dtypes.dtypes": ("ArrowDtype CategoricalDtype DatetimeTZDtype IntervalDtype PeriodDtype SparseDtype"),
}

HARMLESS_TYPES = frozenset(
    f"{module}.{name}" for listed in (_OWN, _DTYPES) for module, names in listed.items() for name in names.split()
)
