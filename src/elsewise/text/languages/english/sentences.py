"""English: the reference that every other language follows, key by key.

``{decides}``, ``{decide}`` and ``{deciding}`` are what the model does, as in "it predicts", "it would predict" and "a
row that makes it predict"; a language takes whichever form its sentence needs.
"""

TEXTS = {
    # Numbers, values and lists.
    "decimal": ".",
    "thousands": ",",
    "quoted": '"{text}"',
    "not a number": "not a number",
    "infinity": "infinity",
    "less than": "less than {number}",
    "more than": "more than {number}",
    "at most": "at most {number}",
    "percent": "{number} %",
    "missing": "not given",
    "yes": "yes",
    "no": "no",
    "or": "{first} or {last}",
    "and": "{first} and {last}",
    "and more": "and {n} more",
    "range.any": "any number",
    "range.least": "at least {low}",
    "range.most": "at most {high}",
    "range.exact": "exactly {low}",
    "range.between": "between {low} and {high}",
    # What a model does.
    "decides.predict": "predicts {label}",
    "decide.predict": "predict {label}",
    "deciding.predict": "predict {label}",
    "decides.say": "says {label}",
    "decide.say": "say {label}",
    "deciding.say": "say {label}",
    "decides.probability": "gives {label} a probability of at least {least}",
    "decide.probability": "give {label} a probability of at least {least}",
    "deciding.probability": "give {label} a probability of at least {least}",
    # Statuses of answers.
    "status.optimal": "optimal",
    "status.feasible": "feasible",
    "status.densest": "most typical",
    "status.infeasible": "infeasible",
    "status.unknown": "unknown",
    "status.error": "error",
    # One answer.
    "answer.error": "This row cannot be explained: {reason}",
    "answer.none": "The model {decides}. {reason}",
    "answer.none proven": "No allowed change is enough (proven).",
    "answer.none found": "No change was found.",
    "answer.changes": "The model {decides}. It would {decide} with: {changes}.",
    "answer.unmet": (
        "The model already {decides}, but the row does not meet every requirement. It would meet all of them with: {changes}."
    ),
    "answer.nothing": "The model {decides}. Nothing has to change.",
    "answer.nothing, probability": "The model {decides}. It {has}. Nothing has to change.",
    "answer.change": "{column} {then} (now {now})",
    "answer.pixels.one": "{n} of {total} pixels changed",
    "answer.pixels.many": "{n} of {total} pixels changed",
    "answer.lasting": "The same holds for every row within distance {radius} of it.",
    "answer.typical": "This is at least as typical as {share} of {cases}{given}.",
    "answer.typical row": "The row is at least as typical as {share} of {cases}{given}.",
    "answer.typical enough": "This is as typical as requested.",
    "answer.typical enough row": "The row is as typical as requested.",
    "answer.most typical": "No {case} is more typical{given}.",
    "answer.least typical": "Every {case} is more typical{given}.",
    "answer.given": " given the columns that cannot change",
    "answer.less typical": "Nothing is as typical as requested.",
    "cases": "real cases",
    "cases of": "real {label} cases",
    "case": "real case",
    "case of": "real {label} case",
    "proof.smallest": "No smaller change exists (proven).",
    "proof.smallest other.one": "No smaller change differs enough from the nearer answer (proven).",
    "proof.smallest other.many": "No smaller change differs enough from the {n} nearer answers (proven).",
    "proof.smallest typical": "No smaller change is as typical as this one (proven).",
    "proof.open": "Whether a smaller change exists is not known.",
    "proof.open other.one": "Whether a smaller change differs enough from the nearer answer is not known.",
    "proof.open other.many": "Whether a smaller change differs enough from the {n} nearer answers is not known.",
    "proof.gap": "A smaller change, if there is one, saves {gap} (proven).",
    "proof.gap other.one": "A smaller change that differs enough from the nearer answer, if there is one, saves {gap} (proven).",
    "proof.gap other.many": "A smaller change that differs enough from the {n} nearer answers, if there is one, saves {gap} (proven).",
    # The last line of an answer.
    "certificate.error": "error: the row was not explained",
    "certificate.infeasible": "infeasible: proven",
    "certificate.unknown": "unknown: not proven; no change with a distance below {bound} is enough",
    "certificate.distance": "{status}: distance {distance}, {proof}",
    "certificate.smallest": "proven smallest",
    "certificate.smallest other.one": "proven smallest that differs enough from the nearer answer",
    "certificate.smallest other.many": "proven smallest that differs enough from the {n} nearer answers",
    "certificate.open": "not proven smallest",
    "certificate.open other.one": "not proven smallest that differs enough from the nearer answer",
    "certificate.open other.many": "not proven smallest that differs enough from the {n} nearer answers",
    "certificate.gap": "the smallest is at least {bound} (gap {gap})",
    "certificate.gap other.one": "the smallest that differs enough from the nearer answer is at least {bound} (gap {gap})",
    "certificate.gap other.many": "the smallest that differs enough from the {n} nearer answers is at least {bound} (gap {gap})",
    "certificate.density": "log density {density}, at least {threshold} required",
    "certificate.model free": "no smaller change is as typical as required, whatever the model (Theorem 2)",
    "ranges.lead": "ranges: {ranges}",
    # Many answers.
    "headline": "{prediction} -> {target}: {status}",
    "headline.distance": "{prediction} -> {target}: {status}, distance {distance}",
    "headline.error": "error: the row cannot be explained",
    "headline.another class": "another class",
    "many.count.one": "{n} explanation: {counts}",
    "many.count.many": "{n} explanations: {counts}",
    "many.none": "none",
    "many.median": "median distance {distance}",
    "many.median typical": "the median is as typical as {share} of real cases",
    "many.columns": "columns that change: {columns}",
    "many.more": "... and {n} more",
    "short.nothing": "nothing has to change",
    "short.none": "none",
    "head.row": "row",
    "head.predicted": "predicted",
    "head.target": "target",
    "head.status": "status",
    "head.distance": "distance",
    "head.changes": "changes",
    "head.typical": "as typical as",
    "head.column": "column",
    "head.columns": "columns",
    "head.now": "now",
    "head.then": "then",
    "head.difference": "difference",
    "head.share of distance": "share of the distance",
    "head.changes in": "changes in",
    "head.of answers": "of {n} answers",
    "head.quantile": "threshold",
    "head.at most": "at most",
    "head.step": "step",
    "head.what changes": "what changes",
    "head.share of way": "share of the path",
    "head.what to do": "what to do",
    "head.probability": "probability",
    "head.without rule": "without this rule",
    "head.costs": "the smallest change costs",
    "head.band": "band or better",
    "head.reason": "reason",
    "head.direction": "direction",
    "head.alone": "by itself",
    "head.nearest that works": "nearest that works",
    "head.values that work": "values that work by themselves",
    # Frontiers.
    "frontier.none": "{n} thresholds from {low} to {high}: no answer",
    "frontier.all": "{n} thresholds from {low} to {high}: distance {near} to {far}",
    "frontier.some": "{n} thresholds from {low} to {high}: distance {near} to {far}, answers up to {most}",
    "frontier.shown": "{shown} of {n} thresholds are shown",
    "changes frontier.none": "at most {most} changes: no answer",
    "changes frontier.count.one": "answers with {n} change: distance {distance}",
    "changes frontier.count.many": "answers with {n} changes: distance {distance}",
    "changes frontier.to": "{first} to {last}",
    "changes frontier.down to": "{far} down to {near}",
    "changes frontier.shown": "{shown} of {n} lines are shown",
    # Reasons why there is no answer, or what is to be said of it.
    "ended.rounding": "Not proven smallest: the limits of rounding were reached.",
    "ended.black box": "Not proven smallest: the model could only be queried.",
    "ended.size": "Not proven smallest: the allowed amount of work was done.",
    "ended.time": "Not proven smallest: the time limit was reached.",
    "ended.lasting": "Not proven smallest: smaller changes may be as robust, but are not known to be.",
    "ended.end": "Not proven smallest: only paths to the nearest answer were searched.",
    "reason.no other class": "The model knows no other class.",
    "reason.no class reachable": "No other class can be reached. {last}",
    "reason.nothing to change": "The model already {decides}: nothing has to change.",
    "reason.nothing to change, typical": (
        "The model already {decides} and the row is typical enough: nothing has to change."
    ),
    "reason.unconfirmed": (
        "No row that makes the model {deciding} was confirmed: every candidate failed the last check with the model "
        "itself. Whether one exists is not known."
    ),
    "reason.out of time": (
        "No change that makes the model {deciding} was found within the time limit. Whether one exists is not known."
    ),
    "reason.out of room": (
        "No change that makes the model {deciding} was found before the allowed amount of work was done. Whether one exists is "
        "not known."
    ),
    "reason.none that lasts": (
        "No change was found that makes the model {deciding} for all rows near it, too. Whether one exists is not known."
    ),
    "reason.would cost": "It would cost at least {bound} (proven).",
    "reason.never": "No row at all makes the model {deciding} (proven).",
    "reason.never, unproven": "No row at all makes the model {deciding}.",
    "reason.not found": (
        "No realistic change that makes the model {deciding} was found. Whether one exists is not known."
    ),
    "reason.untypical": "No row that makes the model {deciding} is as typical as required.",
    "reason.untypical, proven": "No row that makes the model {deciding} is as typical as required (proven).",
    "reason.no quantile": "No threshold between 0 and 1 is low enough; {density} is.",
    "reason.every quantile": "Every threshold between 0 and 1 works, and so does {density}.",
    "reason.no quantile, rules": "No threshold between 0 and 1 is low enough, with or without the rules.",
    "reason.every quantile, rules": "Without the rules every threshold between 0 and 1 works, and so does {density}.",
    "reason.best quantile": "The most typical one is as typical as {share} of real cases (threshold={quantile}).",
    "reason.some quantile": "At least one is as typical as {share} of real cases (threshold={quantile}).",
    "reason.no threshold": "The same holds for every lower threshold.",
    "reason.less typical": (
        "Nothing is as typical as requested. This is the nearest answer among the most typical ones, at "
        "threshold={quantile}."
    ),
    "reason.less typical instead": (
        "Nothing is as typical as requested. This is the nearest answer among the most typical ones, at "
        "threshold={quantile} instead of {asked}."
    ),
    "reason.no order": (
        "No order of the {n} changes keeps the rules at every step. Columns that depend on each other may have to "
        "change together."
    ),
    "reason.no order found": (
        "No order of the {n} changes that was tried keeps the rules at every step. Columns that depend on each other "
        "may have to change together."
    ),
    "reason.no further.one": "This is the only answer that was found; {asked} were requested. Others may exist.",
    "reason.no further.many": "Only {n} of {asked} answers were found. Others may exist.",
    "reason.no further, proven.one": "This is the only answer; {asked} were requested, but no other differs enough (proven).",
    "reason.no further, proven.many": "There are only {n} answers; {asked} were requested, but no other differs enough (proven).",
    "reason.no way": (
        "No path to where the model would {decide} stays as typical as required: even the best passes a point where "
        "{share} of real cases are more typical."
    ),
    "reason.no way at all": (
        "No path to where the model would {decide} stays realistic: even the best passes a point less typical than any "
        "real case."
    ),
    "reason.each way": (
        "No path to where the model would {decide} stays as typical as required: each passes a point where {share} of "
        "real cases are more typical."
    ),
    "reason.each way at all": (
        "No path to where the model would {decide} stays realistic: each passes a point less typical than any real case."
    ),
    "reason.each way, rules": (
        "No path to where the model would {decide} within the rules stays as typical as required: each passes a point "
        "where {share} of real cases are more typical."
    ),
    "reason.each way at all, rules": (
        "No path to where the model would {decide} within the rules stays realistic: each passes a point less typical "
        "than any real case."
    ),
    "reason.no typical way": "No path to where the model would {decide} stays as typical as required.",
    "reason.no typical way, rules": (
        "No path to where the model would {decide} within the rules stays as typical as required."
    ),
    "reason.under rules": "Under these rules no change makes the model {deciding} (proven).",
    "reason.under rules, realistic": "Under these rules no realistic change makes the model {deciding} (proven).",
    "reason.in common": (
        "No change makes the model {deciding} as long as answers keep what all training rows have in common (proven)."
    ),
    "reason.in common, realistic": (
        "No realistic change makes the model {deciding} as long as answers keep what all training rows have in common "
        "(proven)."
    ),
    "reason.in columns": "No change makes the model {deciding}: the columns cannot hold such a row (proven).",
    "reason.in columns, realistic": (
        "No realistic change makes the model {deciding}: the columns cannot hold such a row (proven)."
    ),
    "reason.advice": "explainer.why_not(row, target, constraints) finds the rules that leave none.",
    # Why there is no answer under rules.
    "why not.queried": "The model could only be queried: what was not found may exist.",
    "why not.none": "Under these rules there is a change that makes the model {deciding}.",
    "why not.unknown": "Whether any change makes the model {deciding} was not found out within the time limit.",
    "why not.kept, best": (
        "If all rules stay, changes that are enough are as typical as {share} of real cases at most "
        "(threshold={quantile})."
    ),
    "why not.kept, some": (
        "If all rules stay, there is a change that is enough and as typical as {share} of real cases "
        "(threshold={quantile})."
    ),
    "why not.kept, none": "If all rules stay, no less typical change is enough either.",
    "why not.cut": "The search ended at its time limit.",
    "why not.no change": "No change",
    "why not.no realistic change": "No realistic change",
    "why not.proven": " (proven)",
    "why not.which unknown": (
        "{no_change} within the rules makes the model {deciding}{proven}. Which rules prevent it is not known yet."
    ),
    "why not.stays": "{no_change} makes the model {deciding} while {rule}{proven}.",
    "why not.stays, smallest": (
        "{no_change} makes the model {deciding} while {rule}{proven}; if it may change, the smallest change costs {cost}."
    ),
    "why not.stays, known": (
        "{no_change} makes the model {deciding} while {rule}{proven}; if it may change, a change is known that costs "
        "{cost}."
    ),
    "why not.rule": "{no_change} makes the model {deciding} under this rule{proven}: {rules}.",
    "why not.rules": "{no_change} makes the model {deciding} under these rules together{proven}: {rules}.",
    "why not.without it, smallest": "Without it the smallest change costs {cost}.",
    "why not.without it, known": "Without it a change is known that costs {cost}.",
    "why not.without, smallest": "Without {rule} the smallest change costs {cost}.",
    "why not.without, known": "Without {rule} a change is known that costs {cost}.",
    "why not.it is not enough": "Without it other rules still leave no answer.",
    "why not.one is not enough": "Dropping any one rule is not enough.",
    "why not.lead unknown": "Some of these rules leave no answer; which ones is not known yet",
    "why not.lead one": "This rule leaves no answer",
    "why not.lead many": "These rules together leave no answer",
    # Paths and plans.
    "steps.one": "{n} step",
    "steps.many": "{n} steps",
    "path.headline": "{prediction} -> {target}: {status}",
    "path.headline, length": "{prediction} -> {target}: {status}, {steps}, length {length}",
    "path.none": "The model {decides}. {reason}",
    "path.nothing": "The model {decides}. Nothing has to change.",
    "path.steps": "The model {decides}. It would {decide} after {steps}.",
    "path.enters": "The first leads to where real cases are.",
    "path.typical": "Every point on the path is at least as typical as {share} of all real cases.",
    "path.least typical": "Every point on the path is as typical as required, but less typical than any real case.",
    "path.shortest": "No shorter path is as typical (proven).",
    "path.open": "Whether a shorter path is as typical is not known.",
    "path.gap": "A shorter path, if there is one, saves {gap} (proven).",
    "path.certificate": (
        "{status}: length {length}, proven shortest; lowest log density {density}, at least {level} required"
    ),
    "path.certificate, open": (
        "{status}: length {length}, the shortest is at least {bound}; lowest log density {density}, at least {level} "
        "required"
    ),
    "path.profile": (
        "How typical each point of the path is, as a percentile of all real cases; the lowest is {lowest}."
    ),
    "step.change": "{column} from {now} to {then}",
    "step.given": "{column} to {then}",
    "step.nothing": "nothing",
    "do.raise": "raise {column} from {now} to {then}",
    "do.lower": "lower {column} from {now} to {then}",
    "do.change": "change {column} from {now} to {then}",
    "do.give": "set {column} to {then}",
    "plan.first": "First ",
    "plan.then": ", then ",
    "plan.headline": "{prediction} -> {target}: {status}",
    "plan.headline, steps": "{prediction} -> {target}: {status}, {steps}",
    "plan.nothing": "Nothing has to change.",
    "plan.from the beginning": "The model {decides} from the beginning.",
    "plan.after only": "Then the model {decides}.",
    "plan.after last": "After the last step the model {decides}.",
    "plan.after step": "After step {step} the model {decides}.",
    "plan.after only, probability": "Then the probability of {label} is at least {least}.",
    "plan.after last, probability": "After the last step the probability of {label} is at least {least}.",
    "plan.after step, probability": "After step {step} the probability of {label} is at least {least}.",
    "plan.least typical": (
        "Between the steps, the least typical row (after step {step}) is at least as typical as {share} of all real "
        "cases."
    ),
    "plan.untypical": "Between the steps, the least typical row (after step {step}) is less typical than any real case.",
    "plan.best": "No other order stays closer to real data (proven).",
    "plan.open": (
        "Another order may stay closer to real data, but its least typical row is at most as typical as {share} of all real "
        "cases (proven)."
    ),
    "plan.open, untypical": (
        "Another order may stay closer to real data, but none stays as typical as any real case (proven)."
    ),
    "stage.typical": "as typical as {share} of real cases",
    "stage.model": "the model {decides}",
    "stage.probability": "probability of the target {share}",
    # Levers.
    "levers.nothing": "The model already {decides}: nothing has to change.",
    "levers.enough": "Each of these alone is enough to make the model {deciding}, smallest change first: {levers}.",
    "levers.none.one": "No single column is enough by itself to make the model {deciding}{proven}.",
    "levers.none.many": "No set of at most {n} columns is enough by itself to make the model {deciding}{proven}.",
    "levers.proven": " (proven)",
    "levers.as far as known": ", as far as is known",
    "levers.not enough.one": "Of {total} sets of columns, {n} is proven not to be enough.",
    "levers.not enough.many": "Of {total} sets of columns, {n} are proven not to be enough.",
    "levers.unknown.one": "For {n} set it is not known whether it is enough.",
    "levers.unknown.many": "For {n} sets it is not known whether they are enough.",
    # Bands.
    "ladder.now": "The row is in {band}. {steps}",
    "ladder.nowhere": "The row is in no band yet. {steps}",
    "ladder.best": "The row is in {band}, the best there is.",
    "ladder.best, none": "The row is in no band, and there is none to reach.",
    "ladder.unreachable": "{band} cannot be reached.",
    "ladder.not reached": "No way to {band} was found; whether there is one is not known.",
    "ladder.step": "{band} takes {changes} (distance {distance}).",
    "ladder.step, open": "{band} takes {changes} (distance {distance}, not proven to be the nearest).",
    "ladder.current": "now: {band}",
    "ladder.no band": "no band",
    "ladder.band": "band {name}",
    # Reasons for a decision.
    "reasons.too low": "{column} too low (now {now}; {then} {works})",
    "reasons.too high": "{column} too high (now {now}; {then} {works})",
    "reasons.other": "{column} {now} ({then} {works})",
    "reasons.alone": "would be enough by itself",
    "reasons.with others": "would be enough with other changes",
    "reasons.already": "The model already {decides}: there is no reason against it.",
    "reasons.no recourse": (
        "No realistic change makes the model {deciding}: there is no recourse, and no reason is given."
    ),
    "reasons.unknown": "Why the model would not {decide} could not be proven.",
    "reasons.all": (
        "Why the model would not {decide}: {reasons}. No realistic change that leaves all of this as it is makes the "
        "model {deciding} (proven)."
    ),
    "reasons.some.one": "Why the model would not {decide}: {reasons}. At least one of {total} columns has to change; {n} less important one is not named here.",
    "reasons.some.many": "Why the model would not {decide}: {reasons}. At least one of {total} columns has to change; {n} less important ones are not named here.",
    "reasons.count": "{n} of {total}",
    "direction.too low": "too low",
    "direction.too high": "too high",
    "direction.other": "other",
    # Ranges of values that work.
    "ranges.nothing": "Nothing has to change.",
    "ranges.value": "{column} {which} (now {now})",
    "ranges.any": "any value",
    "ranges.most": "{high} or less",
    "ranges.least": "{low} or more",
    "ranges.between": "between {low} and {high}",
    "ranges.unproven": "{ranges}; ranges around these are not proven",
    # Columns that act in one direction.
    "monotone.increase, proven": "Raising {column} never reduces {what}: proven for every row.",
    "monotone.decrease, proven": "Lowering {column} never reduces {what}: proven for every row.",
    "monotone.increase, refuted": (
        "Raising {column} can reduce {what}, for example from {first} to {second}: the answer holds two such rows."
    ),
    "monotone.decrease, refuted": (
        "Lowering {column} can reduce {what}, for example from {first} to {second}: the answer holds two such rows."
    ),
    "monotone.increase, unknown": (
        "Whether raising {column} reduces {what} anywhere is not known: no such rows were found."
    ),
    "monotone.decrease, unknown": (
        "Whether lowering {column} reduces {what} anywhere is not known: no such rows were found."
    ),
    "monotone.prediction": "the prediction",
    "monotone.score": "the score of {label}",
    # How well a model is known.
    "exactness.exact": "exact: every answer is proven to be the smallest change, unless a limit ends the proof",
    "exactness.bounded": "bounded: every answer comes with a proof of how much smaller a change could be at most",
    "exactness.black box": (
        "black box: the model can only be queried; few answers are proven to be the smallest change"
    ),
    # Audits.
    "head.rows": "rows",
    "audit.infeasible_share": "rows without an answer",
    "audit.distance": "median distance",
    "audit.n_changes": "mean number of changes",
    "audit.plausibility": "median plausibility",
    "audit.difference": "{by} {group}: {measure} {own}, of all others {others} (p = {p} after correction)",
    "audit.significant": "Significant differences:",
    "audit.not significant": "No difference is significant at {level}.",
    "audit.left out": "Left out: {stated}.",
    "audit.unchanged.one": "{n} row needs no change",
    "audit.unchanged.many": "{n} rows need no change",
    "audit.wrong.one": "{n} row could not be read",
    "audit.wrong.many": "{n} rows could not be read",
    "audit.small": "too few rows of {groups}",
    "audit.no recourse": "Proven to have no recourse: {groups}.",
    "audit.reasons": "Reasons:",
    # Letters.
    "letter.page": "Explanation of a decision",
    "letter.date": "{month} {day}, {year}",
    "letter.reasons": "No realistic change that leaves all of these as they are would have led to the result {target}; this is proven. The most important comes first:",
    "letter.main reasons": "These were most in the way of the result {target}, the most important first:",
    "letter.fixed reasons": "These were in the way of the result {target}. Nothing that the rules allow would have been enough.",
    "letter.too high": "{column} too high",
    "letter.too low": "{column} too low",
    "letter.other": "{column}",
    "letter.code": "{code}: {text}",
    "letter.alone": "{what} (yours: {now}). {then} would have been enough by itself.",
    "letter.together": "{what} (yours: {now}). {then}, together with other changes, would have been enough.",
    "letter.no recourse": "{what} (yours: {now}).",
    "letter.change": "{column}: {then} (yours: {now})",
    "letter.value": "{column}: {now}",
    "letter.changes": "All of the following together, with everything else unchanged, would have led to the result {target}:",
    "letter.no change": "No realistic change that the rules allow would have led to another decision. This is proven.",
    "letter.smallest": "No smaller change would have been enough; this is proven.",
    "letter.smallest as typical": "No smaller change would have been as typical; this is proven.",
    "letter.gap": "A smaller change, if there is one, saves at most {share} of it; this is proven.",
    "letter.unknown": "Whether a smaller change would have been enough is not known.",
    "letter.typical": "Such a case is at least as typical as {share} of the real cases with that outcome.",
    "letter.as typical": "Such a case is as typical as requested.",
    "letter.any typical": "How typical such a case is was not considered.",
    "letter.months": "January February March April May June July August September October November December",
    # Rules.
    "rule.stays": "{column} stays as it is",
    "rule.missing": "{column}: what is missing stays missing",
    "rule.is missing": "{column} is missing and stays so",
    "rule.whole": "{column} is a whole number",
    "rule.increase": "{column} may only increase",
    "rule.decrease": "{column} may only decrease",
    "rule.increase by": "{column} may only increase, by at most {most}",
    "rule.decrease by": "{column} may only decrease, by at most {most}",
    "rule.most": "{column} at most {end}",
    "rule.least": "{column} at least {end}",
    "rule.between": "{column} between {low} and {high}",
    "rule.allowed": "{column}: only to {levels}",
    "rule.allowed from": "{column}: from {level} only to {levels}",
    "rule.stuck": "{column}: to no other level",
    "rule.stuck from": "{column}: from {level} to no other level",
    "rule.codes": "{column} does not move to or from {codes}",
    "rule.number or code": "{column} is a number of the regular range or one of {codes}",
    "rule.least change": "{column} stays or moves by at least {least}",
    "rule.step": "{column} is a multiple of {step}",
    "rule.if": "if {condition} then {then}",
    "rule.no changes": "no column changes",
    "rule.few changes.one": "at most {n} column changes",
    "rule.few changes.many": "at most {n} columns change",
    "rule.range": "{column} stays in the range of the training rows ({ends})",
    "rule.range ends": "{low} to {high}",
    "rule.ranges": "numbers stay in the range of the training rows",
    "rule.never together": "never seen together: {pair}",
    "rule.all never together": "nothing that was never seen together",
    # What the command line says at its end.
    "summary.rows": "rows",
    "summary.answered": "with an answer",
    "summary.proven": "{n} of them proven smallest",
    "summary.unchanged": "nothing has to change",
    "summary.infeasible": "without an answer",
    "summary.wrong": "unreadable rows",
    "summary.answers": "answers in all",
    "summary.distance": "median distance",
    "summary.changes": "median number of changes",
    "summary.changed": "changed most often",
    "summary.count.one": "{n} row",
    "summary.count.many": "{n} rows",
    "summary.why": "Why there is no answer",
    "summary.written": "Written to {file}",
}
