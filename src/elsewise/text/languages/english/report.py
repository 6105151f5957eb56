"""The report, in English."""

TEXTS = {
    # The page.
    "report.title": "Counterfactual report: {model}",
    "report.contents": "Contents",
    "report.made": "Made {when} by {programs}.",
    "report.folded": "Method, model, data and rules",
    "report.alone.one": "{n} answer. This file is complete: it loads nothing from any network.",
    "report.alone.many": "{n} answers. This file is complete: it loads nothing from any network.",
    "report.lead": "{rows}, {found} with an answer.",
    "report.rows.one": "{n} row",
    "report.rows.many": "{n} rows",
    "report.columns.one": "{n} column",
    "report.columns.many": "{n} columns",
    "report.changes.one": "{n} change",
    "report.changes.many": "{n} changes",
    "report.more changes.one": "{n} more change",
    "report.more changes.many": "{n} more changes",
    "report.all of": "all",
    "report.found.none": "none",
    # Summary.
    "report.summary": "Summary",
    "report.no rows": "There are no rows in this report.",
    "report.card rows.one": "row",
    "report.card rows.many": "rows",
    "report.card answered": "with an answer ({share})",
    "report.card answers": "answers in all",
    "report.card unchanged": "with nothing to change",
    "report.card distance": "median distance",
    "report.card changes": "columns change (median)",
    "report.card typical": "of real cases are no more typical (median)",
    "report.status optimal": "proven smallest",
    "report.status feasible": "found, but not proven smallest",
    "report.status densest": "less typical than requested",
    "report.status infeasible": "without an answer, proven",
    "report.status error": "unreadable rows, not explained",
    "report.status unknown": "none found, nothing proven",
    "report.moves": "From what to what",
    "report.head wanted": "wanted",
    "report.head rows": "rows",
    "report.head answered": "with an answer",
    "report.others": "{n} others",
    "report.how far": "How far",
    "report.distances": (
        "Half of the answers that change something have a distance between {first} and {third}; the median is {median}. "
        "The nearest is at {low}, the farthest at {high}."
    ),
    "report.histogram": "Histogram of the distances",
    "report.bar.one": "{n} row from {low} to {high}",
    "report.bar.many": "{n} rows from {low} to {high}",
    "report.histogram caption.one": "Distance of {n} answer",
    "report.histogram caption.many": "Distances of {n} answers",
    "report.what changes": "What changes",
    "report.nothing changes": "Nothing has to change in any row.",
    "report.what changes, how often": "What changes, how often and how far",
    "report.head of the answers": "of the answers",
    "report.head usual": "usual change",
    "report.head adds": "adds to the distance",
    "report.columns that change": "Columns that change",
    "report.more columns": "More columns",
    "report.further columns.one": "{n} more column",
    "report.further columns.many": "{n} more columns",
    "report.how often lead": (
        "How often each column changes, the usual change (in brackets its share, where there are others), and how much "
        "it adds to the distance when it changes: the median, and in brackets the middle half."
    ),
    "report.obstacles": "What stands in the way",
    "report.obstacles lead.one": "{n} row has no answer.",
    "report.obstacles lead.many": "{n} rows have no answer.",
    "report.other reasons.one": "{n} other reason",
    "report.other reasons.many": "{n} other reasons",
    "report.head of": "of {n}",
    # Rows.
    "report.row by row": "Row by row",
    "report.would have to change": "What would have to change",
    "report.row": "Row {row}",
    "report.row answer": "Row {row}, answer {turn} of {n}",
    "report.certificate": "Certificate: {certificate}.",
    "report.proof checked": "Proof checked by an independent program, SHA-256 {sha256}.",
    "report.proof refused": "The independent program refuses the proof, SHA-256 {sha256}.",
    "report.proof none": "This answer has no proof as a file.",
    "report.proof file": "The proof as a file",
    "report.aside": "distance {distance}, {changes}",
    "report.whole row": "The whole row as it was",
    "report.head share": "share",
    "report.head among": "among {cases}",
    "report.image now": "now {label}",
    "report.image then": "then {label}",
    "report.image difference": "difference",
    "report.image of": "Image of the row: {what}",
    "report.how to read": (
        "Each row below has a sentence, a table of what would have to change, and a certificate. The share of a change is "
        "its part of the distance."
    ),
    "report.how to read pictures": "The small pictures show where the values lie: {marks}.",
    "report.how to read captions": (
        "“Percentile 40” means that 40 % of these cases have no larger value; “had by 20 %” that one in five has this "
        "level. Values outside of the picture’s range are drawn at its edge."
    ),
    "report.how to read images": (
        "Each row below has a sentence, its images, and a certificate. In the images darker is more; in the difference "
        "orange is more and purple is less. Values beyond the range of the rows are drawn at its ends."
    ),
    "report.find": "Find",
    "report.find hint": "words in a row",
    "report.show": "Show",
    "report.show all": "all rows",
    "report.show infeasible": "proven without an answer",
    "report.show unknown": "none found",
    "report.show error": "unreadable rows",
    "report.order": "Order",
    "report.order given": "as in the file",
    "report.order near": "nearest first",
    "report.order far": "farthest first",
    "report.order few": "fewest changes first",
    "report.percentile": "percentile {then}",
    "report.percentiles": "percentile {now} → {then}",
    "report.had by": "had by {now} → {then}",
    "report.ladder": "What better bands take",
    "report.plan": "In which order",
    "report.plan, steps": "In which order: {steps}",
    "report.path": "A path through real cases",
    "report.no path": "No path through real cases",
    "report.head least typical": "least typical: as typical as",
    "report.ways": "Other ways",
    "report.ways fewer": "With fewer changes, which may have to be larger. Each line is the smallest change with so few columns.",
    "report.ways others": "With changes of other columns, the smallest first.",
    "report.ways none": "No other way was found.",
    "report.way none proven": "no change of so few columns is enough (proven)",
    "report.way none found": "none found in time",
    "report.head with": "with",
    # Guarantees.
    "report.guarantees": "What is guaranteed",
    "report.proven": "What is proven",
    "report.not promised": "What is not promised",
    "report.valid": "Valid.",
    "report.valid text": (
        "Each counterfactual was given to the model itself, exactly as it stands here, and the model predicted the wanted "
        "outcome. Nothing was rounded afterwards."
    ),
    "report.realistic": "Realistic.",
    "report.realistic none": "No counterfactual was found to which this would apply.",
    "report.realistic text": (
        "Each counterfactual is at least as typical of real rows with the wanted outcome as was requested. The check "
        "uses a lower bound of the density, so the density itself reaches the threshold, too."
    ),
    "report.realistic given": (
        "Where columns cannot change, the others are judged given these: nobody counts as less typical for what cannot "
        "change."
    ),
    "report.realistic densest": (
        "Answers called “less typical than requested” are just that: nothing reaches the threshold, and they are the nearest "
        "of the most typical."
    ),
    "report.unrealistic": "Not necessarily realistic.",
    "report.unrealistic text": "The explainer has no density, so answers may be unlike real rows.",
    "report.smallest": "Smallest.",
    "report.smallest text": (
        "“Proven smallest” means: no row that the model accepts, that is realistic and that keeps the rules is nearer "
        "(up to one part in a million)."
    ),
    "report.feasible.one": (
        "{n} answer is “not proven smallest”: valid and realistic all the same, but the proof was not finished. Its "
        "certificate says how much nearer an answer could be at most."
    ),
    "report.feasible.many": (
        "{n} answers are “not proven smallest”: valid and realistic all the same, but the proof was not finished. Their "
        "certificates say how much nearer an answer could be at most."
    ),
    "report.nearer": "Where a row has further answers, each is the nearest that differs from those before it.",
    "report.none proven.one": "{n} row has no answer, and this is proven for {proven} of 1.",
    "report.none proven.many": "{n} rows have no answer, and this is proven for {proven} of them.",
    "report.none rest": "For the others none was found, which proves nothing.",
    "report.wrong.one": "{n} row could not be read (the reason says why) and was not explained.",
    "report.wrong.many": "{n} rows could not be read (the reason says why) and were not explained.",
    "report.no answers": "There are no answers in this report.",
    "report.repeatable": "Repeatable.",
    "report.repeatable text": (
        "The search uses no random numbers: the same model, data, rules and threshold give the same answers to the last "
        "digit, one by one or many at once, on one processor or on many."
    ),
    "report.repeatable limit": "Answers that a time limit cut short are the exception.",
    "report.not causes": "Not causes.",
    "report.not causes text": (
        "An answer says for which row the model would decide otherwise. It does not say that changing these things in the "
        "world leaves other things as they are, or that this person can change them: only the rules say what may change."
    ),
    "report.not quality": "Not the quality of the model.",
    "report.not quality text": (
        "That the model would decide otherwise does not make its decision right or fair. A report on a wrong model is a "
        "correct report on a wrong model."
    ),
    "report.not beyond": "Nothing beyond the training rows.",
    "report.not beyond text": (
        "“Realistic” is measured by a density learned from the training rows. It is as good as these rows, and it "
        "describes them by a mixture: a description, not the truth."
    ),
    "report.not another": "Not for another model.",
    "report.not another text": (
        "When the model is trained again, or the threshold or the rules change, answers have to be computed again."
    ),
    "report.checked": "Checked again while this report was written",
    "report.holds": "holds",
    "report.fails": "does not hold",
    "report.check.one": "{promise}.",
    "report.check.many": "for {held} of {n} answers: {promise}.",
    "report.warning": "Some answers do not hold.",
    "report.warning text": (
        "They were made by another model, with other rules or another threshold, or they were changed afterwards. Do not rely on "
        "them."
    ),
    "report.promise valid": "the model itself predicts the wanted outcome",
    "report.promise distance": "the distance, added up again, is the stated one",
    "report.promise rest": "columns that are not said to change are as they were",
    "report.promise density": "how typical it is, computed again, is enough",
    "report.promise rules": "every rule is kept",
    # Model and data.
    "report.model": "Model and data",
    "report.fact model": "Model",
    "report.fact outcomes": "Outcomes",
    "report.fact proofs": "Proofs",
    "report.fact data": "Training data",
    "report.fact realistic": "Realistic means",
    "report.fact distance": "Distance means",
    "report.fact unused": "Not used by the model",
    "report.classifier": "{steps}, a classifier",
    "report.regressor": "{steps}, a regressor",
    "report.step of.one": "{step} of {n} column",
    "report.step of.many": "{step} of {n} columns",
    "report.numbers": "numbers",
    "report.training rows.one": "{n} training row",
    "report.training rows.many": "{n} training rows",
    "report.no density": "Nothing: the explainer has no density. Answers are the nearest of all, realistic or not.",
    "report.density of target": "how likely a row is among the training rows with the wanted outcome, ",
    "report.density of all": "how likely a row is among the training rows, ",
    "report.density numbers": "measured by the density of a mixture of Gaussians learned from them.",
    "report.density mixed": (
        "measured by the density of a mixture learned from them: Gaussians for the numbers, frequencies of the levels for "
        "the categories."
    ),
    "report.reach log": "A counterfactual must reach the log density {density}.",
    "report.reach training": (
        "A counterfactual must be at least as typical as {share} of the rows that the density was learned from."
    ),
    "report.reach new": (
        "A counterfactual must be at least as typical as {share} of these rows, each judged by the density of the others."
    ),
    "report.densities": "Densities",
    "report.densities in figures": "Densities in figures",
    "report.head outcome": "outcome",
    "report.head training rows": "training rows",
    "report.head components": "components",
    "report.head log density": "log density to reach",
    "report.mahalanobis": (
        "the Mahalanobis distance: changes are measured against how columns vary together, so that a change along the "
        "usual pattern is small and one against it is large (the quadratic form, not its root)."
    ),
    "report.sum": "a sum over the columns that change",
    "report.sum scaled": "{sum}, so that a usual difference between two rows counts about 1 in every column. "
    "Numbers cost in proportion to their difference{levels}. The price is in the table below.",
    "report.sum plain": (
        "{sum}: each number costs in proportion to its difference{levels}. The price is in the table below."
    ),
    "report.sum levels": "; a category costs the same for any change",
    "report.sum each": "; every column that changes costs {price} more",
    "report.columns of the model.one": "The {n} column of the model",
    "report.columns of the model.many": "The {n} columns of the model",
    "report.all columns": "Columns",
    "report.head kind": "kind",
    "report.head values": "values in training",
    "report.head price": "a distance of 1 is",
    "report.kind number": "number",
    "report.kind integer": "whole number",
    "report.kind ordinal": "ordered levels",
    "report.kind category": "category",
    "report.kind boolean": "yes or no",
    "report.values": "{low} to {high}, median {median}",
    "report.values filled": "{low} to {high}, median {median}; a missing value counts as {fill}",
    "report.empty": "(empty)",
    "report.any change": "any change",
    "report.any change costs": "any change costs {price}",
    # Rules.
    "report.rules": "Rules",
    "report.rules not given": "The report was given no rules: counterfactuals may change any column.",
    "report.rules none": "None: counterfactuals may change any column.",
    "report.rules lead": "Every counterfactual keeps all of these.",
    "report.rules found.one": "Also kept, because all training rows keep it: {n} rule",
    "report.rules found.many": "Also kept, because all training rows keep them: {n} rules",
    # Groups.
    "report.groups": "By group",
    "report.groups title": "Cost of recourse by {column}",
    "report.groups lead": (
        "Rows that need another outcome, by group. In brackets: 95 % intervals. Left out are rows that could not be read "
        "({wrong}) and rows in which nothing has to change ({unchanged})."
    ),
    "report.groups small": "Groups with too few rows are left out, too: {groups}.",
    "report.groups significant": "Significant differences",
    "report.groups not significant": "No difference between a group and all others is significant at {level}.",
    "report.groups note": (
        "Each group is compared with all others: shares by Fisher's exact test, the rest by the test of Mann and Whitney, "
        "corrected for the number of comparisons (Holm). A difference says that recourse costs these rows more or less, "
        "not why."
    ),
}
