"""Numbers of the projector that decide something: tolerances and limits of rounding, each with its reason."""

# Half-spaces that a path of the kernel is followed through (its ALL_HALFSPACES), all but one that is about a form.
MOST_ON_PATH = 23
