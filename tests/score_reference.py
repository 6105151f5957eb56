"""The nearest point at which one of several scores is the largest, by SCIP."""

from __future__ import annotations


def distance_by_scip(scores_of, x, prices, index, reach):
    """Solve for the nearest point with the largest score.

    Parameters
    ----------
    scores_of : function of SCIP's variables
        Writes a score for every class.
    x, prices : arrays of shape (n_features,)
    index : int
        Of the class.
    reach : float
        No distance beyond it matters.

    Returns
    -------
    value, lower bound
    """
    from pyscipopt import Model, quicksum

    scip = Model()
    scip.hideOutput()
    for name, value in {"limits/time": 30.0, "limits/gap": 1e-6, "numerics/feastol": 1e-8}.items():
        scip.setParam(name, value)
    room = reach / prices * (1 + 1e-6)
    v = [scip.addVar(lb=float(a - r), ub=float(a + r)) for a, r in zip(x, room)]
    cost = [scip.addVar(lb=0.0) for _ in v]
    for entry, a, price, spent in zip(v, x, prices, cost):
        scip.addCons(spent >= float(price) * (entry - float(a)))
        scip.addCons(spent >= float(price) * (float(a) - entry))
    scores = scores_of(v)
    for k, score in enumerate(scores):
        if k != index:
            scip.addCons(scores[index] - score >= 0)
    scip.setObjective(quicksum(cost), "minimize")
    scip.optimize()
    return scip.getObjVal(), scip.getDualbound()
