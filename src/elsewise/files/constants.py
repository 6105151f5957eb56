"""Numbers and names that decide something in this package."""

# Number of the layout of saved explainers; a file of another one is refused before anything of it is unpickled.
EXPLAINER_FORMAT = 7
# Bytes of the line that a saved explainer begins with, at most: what a file that is something else may make us read.
LONGEST_HEADER = 1 << 25
# zlib level of saved explainers: higher ones take several times as long for a few per cent.
COMPRESSION = 3
# Libraries whose major version must be the same for a saved explainer to be read: others unpickle into something else.
DECISIVE_LIBRARIES = ("elsewise", "scikit-learn", "numpy", "python")
# Libraries whose versions a saved explainer tells besides, for whoever looks for a difference.
TOLD_LIBRARIES = ("joblib", "pandas", "pyarrow", "scipy")
# Types in files without a pickle that skops asks about, by the ends of their names: dtypes run nothing when made.
HARMLESS_TYPES = {"numpy.": "dtype", "pandas.": "Dtype"}
# Attributes in which scikit-learn's estimators keep rows they were fitted to: neighbours and imputers by them, support
# vectors, Gaussian processes, kernel ridges.
ROWS_OF_MODELS = ("_fit_X", "support_vectors_", "X_train_", "X_fit_")
# Names listed in a message before it says "...".
MOST_NAMES = 8
# Number of the layout of audit trails.
TRAIL_FORMAT = 2
# Bytes of a file that holds something else, shown in a message.
LONGEST_START = 40
