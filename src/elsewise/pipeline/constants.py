"""Numbers that decide how pipelines are followed and checked."""

import numpy as np

# Largest difference between the map and the pipeline's own transform, relative to the size of the terms summed. Double
# precision leaves about 1e-13 after a dozen steps; a wrong map is off by far more than this.
MAP_TOLERANCE = 1e-9

# Largest number that may reach a step which is not affine, or leave it: trees read 32-bit floats.
LARGEST_WARPED = float(np.finfo(np.float32).max)

# Numbers at which a function of a column is checked to be monotone, or constant between its steps: so many between the
# smallest and the largest training value, and so many of all sizes a double has.
N_NUMBERS_CHECKED = 1000

# Limits of what steps take that are so many times larger than all training values are not kept in mind: no answer comes
# near them, and powers overflow somewhere.
FAR_LIMIT = 1e6
