"""Numbers that decide something in this package."""

# Share by which a closed-form bound is lowered: rounding of ``a·x0 - b`` must not lift it above the truth.
BOUND_ROUNDING = 1e-12
# Stands for a size of zero where something is divided by it: the smallest normal double, about.
TINY = 1e-300
