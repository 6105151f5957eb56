"""Deutsch."""

TEXTS = {
    "decimal": ",",
    "thousands": ".",
    "quoted": "„{text}“",
    "not a number": "keine Zahl",
    "infinity": "unendlich",
    "less than": "weniger als {number}",
    "more than": "mehr als {number}",
    "at most": "höchstens {number}",
    "percent": "{number} %",
    "missing": "nicht angegeben",
    "yes": "ja",
    "no": "nein",
    "or": "{first} oder {last}",
    "and": "{first} und {last}",
    "and more": "und {n} weitere",
    "range.any": "eine beliebige Zahl",
    "range.least": "mindestens {low}",
    "range.most": "höchstens {high}",
    "range.exact": "genau {low}",
    "range.between": "einen Wert zwischen {low} und {high}",
    "decides.predict": "sagt {label} voraus",
    "decide.predict": "{label} vorhersagen",
    "deciding.predict": "{label} vorhersagt",
    "decides.say": "sagt {label}",
    "decide.say": "{label} sagen",
    "deciding.say": "{label} sagt",
    "decides.probability": "gibt {label} eine Wahrscheinlichkeit von mindestens {least}",
    "decide.probability": "{label} eine Wahrscheinlichkeit von mindestens {least} geben",
    "deciding.probability": "{label} eine Wahrscheinlichkeit von mindestens {least} gibt",
    "status.optimal": "optimal",
    "status.feasible": "zulässig",
    "status.densest": "am typischsten",
    "status.infeasible": "unmöglich",
    "status.unknown": "unbekannt",
    "status.error": "Fehler",
    "answer.error": "Diese Zeile lässt sich nicht erklären: {reason}",
    "answer.none": "Das Modell {decides}. {reason}",
    "answer.none proven": "Keine erlaubte Änderung reicht aus (bewiesen).",
    "answer.none found": "Es wurde keine Änderung gefunden.",
    "answer.changes": "Das Modell {decides}. Es würde {decide} mit: {changes}.",
    "answer.unmet": (
        "Das Modell {decides}, aber die Zeile erfüllt noch nicht jede Anforderung. Sie würde sie erfüllen mit: {changes}."
    ),
    "answer.nothing": "Das Modell {decides}. Nichts muss sich ändern.",
    "answer.nothing, probability": "Das Modell {decides}. Es {has}. Nichts muss sich ändern.",
    "answer.change": "{column} {then} (jetzt {now})",
    "answer.pixels.one": "Änderungen an {n} von {total} Pixeln",
    "answer.pixels.many": "Änderungen an {n} von {total} Pixeln",
    "answer.lasting": "Dasselbe gilt für jede Zeile, die höchstens {radius} davon entfernt ist.",
    "answer.typical": "Das ist{given} mindestens so typisch wie {share} der {cases}.",
    "answer.typical row": "Die Zeile ist{given} mindestens so typisch wie {share} der {cases}.",
    "answer.typical enough": "Das ist so typisch wie verlangt.",
    "answer.typical enough row": "Die Zeile ist so typisch wie verlangt.",
    "answer.most typical": "Kein {case} ist{given} typischer.",
    "answer.least typical": "Alle {cases} sind{given} typischer.",
    "answer.given": " bei dem, was sich nicht ändern kann,",
    "answer.less typical": "Nichts ist so typisch wie verlangt.",
    "cases": "echten Fälle",
    "cases of": "echten Fälle mit {label}",
    "case": "echter Fall",
    "case of": "echter Fall mit {label}",
    "proof.smallest": "Eine kleinere Änderung gibt es nicht (bewiesen).",
    "proof.smallest other.one": "Keine kleinere Änderung unterscheidet sich genug von der näheren Antwort (bewiesen).",
    "proof.smallest other.many": (
        "Keine kleinere Änderung unterscheidet sich genug von den {n} näheren Antworten (bewiesen)."
    ),
    "proof.smallest typical": "Keine kleinere Änderung ist so typisch wie diese (bewiesen).",
    "proof.open": "Ob es eine kleinere Änderung gibt, ist nicht bekannt.",
    "proof.open other.one": "Ob sich eine kleinere Änderung genug von der näheren Antwort unterscheidet, ist nicht bekannt.",
    "proof.open other.many": (
        "Ob sich eine kleinere Änderung genug von den {n} näheren Antworten unterscheidet, ist nicht bekannt."
    ),
    "proof.gap": "Eine kleinere Änderung, falls es sie gibt, spart {gap} (bewiesen).",
    "proof.gap other.one": "Eine kleinere Änderung, die sich genug von der näheren Antwort unterscheidet, spart {gap}, falls es sie gibt (bewiesen).",
    "proof.gap other.many": (
        "Eine kleinere Änderung, die sich genug von den {n} näheren Antworten unterscheidet, spart {gap}, falls es sie gibt (bewiesen)."
    ),
    "certificate.error": "Fehler: Die Zeile wurde nicht erklärt",
    "certificate.infeasible": "unmöglich: bewiesen",
    "certificate.unknown": "unbekannt: nicht bewiesen; keine Änderung ist kleiner als Abstand {bound}",
    "certificate.distance": "{status}: Abstand {distance}, {proof}",
    "certificate.smallest": "als kleinste bewiesen",
    "certificate.smallest other.one": "als kleinste bewiesen von denen, die sich genug von der näheren unterscheiden",
    "certificate.smallest other.many": "als kleinste bewiesen von denen, die sich genug von den {n} näheren unterscheiden",
    "certificate.open": "nicht als kleinste bewiesen",
    "certificate.open other.one": "nicht als kleinste bewiesen von denen, die sich genug von der näheren unterscheiden",
    "certificate.open other.many": "nicht als kleinste bewiesen von denen, die sich genug von den {n} näheren unterscheiden",
    "certificate.gap": "der kleinste ist mindestens {bound} (Lücke {gap})",
    "certificate.gap other.one": (
        "der kleinste von denen, die sich genug vom näheren unterscheiden, ist mindestens {bound} (Lücke {gap})"
    ),
    "certificate.gap other.many": (
        "der kleinste von denen, die sich genug von den {n} näheren unterscheiden, ist mindestens {bound} (Lücke {gap})"
    ),
    "certificate.density": "log-Dichte {density}, verlangt sind mindestens {threshold}",
    "certificate.model free": (
        "keine kleinere Änderung ist so typisch wie verlangt, ganz gleich, was das Modell sagt (Satz 2)"
    ),
    "ranges.lead": "Bereiche: {ranges}",
    "headline": "{prediction} -> {target}: {status}",
    "headline.distance": "{prediction} -> {target}: {status}, Abstand {distance}",
    "headline.error": "Fehler: Die Zeile lässt sich nicht erklären",
    "headline.another class": "eine andere Klasse",
    "many.count.one": "{n} Erklärung: {counts}",
    "many.count.many": "{n} Erklärungen: {counts}",
    "many.none": "keine",
    "many.median": "mittlerer Abstand (Median) {distance}",
    "many.median typical": "der Median ist so typisch wie {share} der echten Fälle",
    "many.columns": "Spalten, die sich ändern: {columns}",
    "many.more": "... und {n} weitere",
    "short.nothing": "nichts muss sich ändern",
    "short.none": "keine",
    "head.row": "Zeile",
    "head.predicted": "Vorhersage",
    "head.target": "Ziel",
    "head.status": "Status",
    "head.distance": "Abstand",
    "head.changes": "Änderungen",
    "head.typical": "so typisch wie",
    "head.column": "Spalte",
    "head.columns": "Spalten",
    "head.now": "jetzt",
    "head.then": "dann",
    "head.difference": "Unterschied",
    "head.share of distance": "Anteil am Abstand",
    "head.changes in": "ändert sich in",
    "head.of answers": "von {n} Antworten",
    "head.quantile": "Schwelle",
    "head.at most": "höchstens",
    "head.step": "Schritt",
    "head.what changes": "was sich ändert",
    "head.share of way": "Anteil am Weg",
    "head.what to do": "was zu tun ist",
    "head.probability": "Wahrscheinlichkeit",
    "head.without rule": "ohne diese Regel",
    "head.costs": "kostet die kleinste Änderung",
    "head.band": "Stufe oder besser",
    "head.reason": "Grund",
    "head.direction": "Richtung",
    "head.alone": "allein",
    "head.nearest that works": "nächster Wert, der genügt",
    "head.values that work": "Werte, die allein genügen",
    "frontier.none": "{n} Schwellen von {low} bis {high}: keine Antwort",
    "frontier.all": "{n} Schwellen von {low} bis {high}: Abstand {near} bis {far}",
    "frontier.some": "{n} Schwellen von {low} bis {high}: Abstand {near} bis {far}, Antworten bis {most}",
    "frontier.shown": "{shown} von {n} Schwellen sind zu sehen",
    "changes frontier.none": "höchstens {most} Änderungen: keine Antwort",
    "changes frontier.count.one": "Antworten mit {n} Änderung: Abstand {distance}",
    "changes frontier.count.many": "Antworten mit {n} Änderungen: Abstand {distance}",
    "changes frontier.to": "{first} bis {last}",
    "changes frontier.down to": "{far} herab bis {near}",
    "changes frontier.shown": "{shown} von {n} Zeilen sind zu sehen",
    "ended.rounding": "Nicht als kleinste bewiesen: Die Rechengenauigkeit reichte nicht weiter.",
    "ended.black box": "Nicht als kleinste bewiesen: Das Modell konnte nur befragt werden.",
    "ended.size": "Nicht als kleinste bewiesen: Der erlaubte Aufwand war erreicht.",
    "ended.time": "Nicht als kleinste bewiesen: Die Zeit war abgelaufen.",
    "ended.lasting": (
        "Nicht als kleinste bewiesen: Kleinere Änderungen könnten ebenso robust sein, bekannt ist es nicht."
    ),
    "ended.end": "Nicht als kleinste bewiesen: Nur Wege zur nächsten Antwort wurden durchsucht.",
    "reason.no other class": "Das Modell kennt keine andere Klasse.",
    "reason.no class reachable": "Keine andere Klasse ist erreichbar. {last}",
    "reason.nothing to change": "Das Modell {decides}, wie gewünscht: Nichts muss sich ändern.",
    "reason.nothing to change, typical": (
        "Das Modell {decides}, wie gewünscht, und die Zeile ist typisch genug: Nichts muss sich ändern."
    ),
    "reason.unconfirmed": (
        "Keine Zeile, für die das Modell {deciding}, wurde bestätigt: Alle Kandidaten bestanden die letzte Prüfung "
        "durch das Modell selbst nicht. Ob es eine gibt, ist nicht bekannt."
    ),
    "reason.out of time": (
        "In der gegebenen Zeit wurde keine Änderung gefunden, nach der das Modell {deciding}. Ob es eine gibt, ist "
        "nicht bekannt."
    ),
    "reason.out of room": (
        "Bevor der erlaubte Aufwand erreicht war, wurde keine Änderung gefunden, nach der das Modell {deciding}. Ob es eine "
        "gibt, ist nicht bekannt."
    ),
    "reason.none that lasts": (
        "Es wurde keine Änderung gefunden, nach der das Modell auch für alle Zeilen in der Nähe {deciding}. Ob es eine "
        "gibt, ist nicht bekannt."
    ),
    "reason.would cost": "Sie würde mindestens {bound} kosten (bewiesen).",
    "reason.never": "Es gibt keine Zeile, für die das Modell {deciding} (bewiesen).",
    "reason.never, unproven": "Es gibt keine Zeile, für die das Modell {deciding}.",
    "reason.not found": (
        "Es wurde keine realistische Änderung gefunden, nach der das Modell {deciding}. Ob es eine gibt, ist nicht "
        "bekannt."
    ),
    "reason.untypical": "Keine Zeile, für die das Modell {deciding}, ist so typisch wie verlangt.",
    "reason.untypical, proven": "Keine Zeile, für die das Modell {deciding}, ist so typisch wie verlangt (bewiesen).",
    "reason.no quantile": "Keine Schwelle zwischen 0 und 1 ist niedrig genug; {density} ist es.",
    "reason.every quantile": "Jede Schwelle zwischen 0 und 1 genügt, und auch {density}.",
    "reason.no quantile, rules": "Keine Schwelle zwischen 0 und 1 ist niedrig genug, mit oder ohne die Regeln.",
    "reason.every quantile, rules": "Ohne die Regeln genügt jede Schwelle zwischen 0 und 1, und auch {density}.",
    "reason.best quantile": "Die typischste ist so typisch wie {share} der echten Fälle (threshold={quantile}).",
    "reason.some quantile": ("Mindestens eine ist so typisch wie {share} der echten Fälle (threshold={quantile})."),
    "reason.no threshold": "Das gilt auch für jede niedrigere Schwelle.",
    "reason.less typical": (
        "Nichts ist so typisch wie verlangt. Dies ist die nächste unter den typischsten Antworten, bei "
        "threshold={quantile}."
    ),
    "reason.less typical instead": (
        "Nichts ist so typisch wie verlangt. Dies ist die nächste unter den typischsten Antworten, bei "
        "threshold={quantile} statt {asked}."
    ),
    "reason.no order": (
        "Keine Reihenfolge der {n} Änderungen hält die Regeln bei jedem Schritt ein. Spalten, die voneinander "
        "abhängen, müssen sich vielleicht gemeinsam ändern."
    ),
    "reason.no order found": (
        "Keine der versuchten Reihenfolgen der {n} Änderungen hält die Regeln bei jedem Schritt ein. Spalten, die "
        "voneinander abhängen, müssen sich vielleicht gemeinsam ändern."
    ),
    "reason.no further.one": "Dies ist die einzige gefundene Antwort; verlangt waren {asked}. Es kann weitere geben.",
    "reason.no further.many": "Nur {n} von {asked} Antworten wurden gefunden. Es kann weitere geben.",
    "reason.no further, proven.one": "Dies ist die einzige Antwort; verlangt waren {asked}, aber keine andere unterscheidet sich genug (bewiesen).",
    "reason.no further, proven.many": "Es gibt nur {n} Antworten; verlangt waren {asked}, aber keine andere unterscheidet sich genug (bewiesen).",
    "reason.no way": (
        "Kein Weg dorthin, wo das Modell {deciding}, bleibt so typisch wie verlangt: Selbst der beste führt an eine Stelle, an der "
        "{share} der echten Fälle typischer sind."
    ),
    "reason.no way at all": (
        "Kein Weg dorthin, wo das Modell {deciding}, bleibt realistisch: Selbst der beste führt an eine Stelle, die "
        "untypischer ist als jeder echte Fall."
    ),
    "reason.each way": (
        "Kein Weg dorthin, wo das Modell {deciding}, bleibt so typisch wie verlangt: Jeder führt an eine Stelle, an der {share} der "
        "echten Fälle typischer sind."
    ),
    "reason.each way at all": (
        "Kein Weg dorthin, wo das Modell {deciding}, bleibt realistisch: Jeder führt an eine Stelle, die untypischer "
        "ist als jeder echte Fall."
    ),
    "reason.each way, rules": (
        "Kein Weg dorthin, wo das Modell {deciding}, bleibt unter den Regeln so typisch wie verlangt: Jeder führt an eine Stelle, "
        "an der {share} der echten Fälle typischer sind."
    ),
    "reason.each way at all, rules": (
        "Kein Weg dorthin, wo das Modell {deciding}, bleibt unter den Regeln so typisch wie verlangt: Jeder führt an eine Stelle, "
        "die untypischer ist als jeder echte Fall."
    ),
    "reason.no typical way": "Kein Weg dorthin, wo das Modell {deciding}, bleibt so typisch wie verlangt.",
    "reason.no typical way, rules": (
        "Kein Weg dorthin, wo das Modell {deciding}, bleibt unter den Regeln so typisch wie verlangt."
    ),
    "reason.under rules": "Unter diesen Regeln gibt es keine Änderung, nach der das Modell {deciding} (bewiesen).",
    "reason.under rules, realistic": (
        "Unter diesen Regeln gibt es keine realistische Änderung, nach der das Modell {deciding} (bewiesen)."
    ),
    "reason.in common": (
        "Solange Antworten einhalten, was allen Trainingszeilen gemeinsam ist, gibt es keine Änderung, nach der das "
        "Modell {deciding} (bewiesen)."
    ),
    "reason.in common, realistic": (
        "Solange Antworten einhalten, was allen Trainingszeilen gemeinsam ist, gibt es keine realistische Änderung, "
        "nach der das Modell {deciding} (bewiesen)."
    ),
    "reason.in columns": (
        "Es gibt keine Änderung, nach der das Modell {deciding}: Die Spalten können eine solche Zeile nicht enthalten "
        "(bewiesen)."
    ),
    "reason.in columns, realistic": (
        "Es gibt keine realistische Änderung, nach der das Modell {deciding}: Die Spalten können eine solche Zeile "
        "nicht enthalten (bewiesen)."
    ),
    "reason.advice": "explainer.why_not(row, target, constraints) findet die Regeln, an denen es liegt.",
    "why not.queried": "Das Modell konnte nur befragt werden: Was nicht gefunden wurde, kann es trotzdem geben.",
    "why not.none": "Unter diesen Regeln gibt es eine Änderung, nach der das Modell {deciding}.",
    "why not.unknown": (
        "Ob es eine Änderung gibt, nach der das Modell {deciding}, ließ sich in der gegebenen Zeit nicht klären."
    ),
    "why not.kept, best": (
        "Bleiben alle Regeln, sind Änderungen, die genügen, höchstens so typisch wie {share} der echten Fälle "
        "(threshold={quantile})."
    ),
    "why not.kept, some": (
        "Bleiben alle Regeln, gibt es eine Änderung, die genügt und so typisch ist wie {share} der echten Fälle "
        "(threshold={quantile})."
    ),
    "why not.kept, none": "Bleiben alle Regeln, genügt auch keine weniger typische Änderung.",
    "why not.cut": "Die Suche endete, weil die Zeit abgelaufen war.",
    "why not.no change": "Keine Änderung",
    "why not.no realistic change": "Keine realistische Änderung",
    "why not.proven": " (bewiesen)",
    "why not.which unknown": (
        "{no_change} innerhalb der Regeln bewirkt, dass das Modell {deciding}{proven}. An welchen Regeln es liegt, ist "
        "noch nicht bekannt."
    ),
    "why not.stays": "{no_change} bewirkt, dass das Modell {deciding}, solange gilt: {rule}{proven}.",
    "why not.stays, smallest": (
        "{no_change} bewirkt, dass das Modell {deciding}, solange gilt: {rule}{proven}; sonst kostet die kleinste "
        "Änderung {cost}."
    ),
    "why not.stays, known": (
        "{no_change} bewirkt, dass das Modell {deciding}, solange gilt: {rule}{proven}; sonst ist eine Änderung "
        "bekannt, die {cost} kostet."
    ),
    "why not.rule": "{no_change} bewirkt unter dieser Regel, dass das Modell {deciding}{proven}: {rules}.",
    "why not.rules": "{no_change} bewirkt unter diesen Regeln zusammen, dass das Modell {deciding}{proven}: {rules}.",
    "why not.without it, smallest": "Ohne sie kostet die kleinste Änderung {cost}.",
    "why not.without it, known": "Ohne sie ist eine Änderung bekannt, die {cost} kostet.",
    "why not.without, smallest": "Ohne {rule} kostet die kleinste Änderung {cost}.",
    "why not.without, known": "Ohne {rule} ist eine Änderung bekannt, die {cost} kostet.",
    "why not.it is not enough": "Ohne sie lassen andere Regeln immer noch keine Antwort.",
    "why not.one is not enough": "Eine einzelne Regel wegzulassen genügt nicht.",
    "why not.lead unknown": "Einige dieser Regeln lassen keine Antwort zu; welche, ist noch nicht bekannt",
    "why not.lead one": "Diese Regel lässt keine Antwort zu",
    "why not.lead many": "Diese Regeln zusammen lassen keine Antwort zu",
    "steps.one": "{n} Schritt",
    "steps.many": "{n} Schritten",
    "path.headline": "{prediction} -> {target}: {status}",
    "path.headline, length": "{prediction} -> {target}: {status}, in {steps}, Länge {length}",
    "path.none": "Das Modell {decides}. {reason}",
    "path.nothing": "Das Modell {decides}. Nichts muss sich ändern.",
    "path.steps": "Das Modell {decides}. Nach {steps} würde es {decide}.",
    "path.enters": "Der erste führt dorthin, wo echte Fälle sind.",
    "path.typical": "Jede Stelle des Weges ist mindestens so typisch wie {share} aller echten Fälle.",
    "path.least typical": ("Jede Stelle des Weges ist so typisch wie verlangt, aber untypischer als jeder echte Fall."),
    "path.shortest": "Kein kürzerer Weg ist so typisch (bewiesen).",
    "path.open": "Ob ein kürzerer Weg so typisch ist, ist nicht bekannt.",
    "path.gap": "Ein kürzerer Weg, falls es ihn gibt, spart {gap} (bewiesen).",
    "path.certificate": (
        "{status}: Länge {length}, bewiesen am kürzesten; niedrigste log-Dichte {density}, verlangt sind mindestens "
        "{level}"
    ),
    "path.certificate, open": (
        "{status}: Länge {length}, der kürzeste ist mindestens {bound}; niedrigste log-Dichte {density}, verlangt sind "
        "mindestens {level}"
    ),
    "path.profile": (
        "Wie typisch jede Stelle des Weges ist, als Perzentil aller echten Fälle; die niedrigste liegt bei {lowest}."
    ),
    "step.change": "{column} von {now} auf {then}",
    "step.given": "{column} auf {then}",
    "step.nothing": "nichts",
    "do.raise": "{column} von {now} auf {then} erhöhen",
    "do.lower": "{column} von {now} auf {then} senken",
    "do.change": "{column} von {now} auf {then} ändern",
    "do.give": "{column} auf {then} setzen",
    "plan.first": "Zuerst ",
    "plan.then": ", dann ",
    "plan.headline": "{prediction} -> {target}: {status}",
    "plan.headline, steps": "{prediction} -> {target}: {status}, in {steps}",
    "plan.nothing": "Nichts muss sich ändern.",
    "plan.from the beginning": "Das Modell {decides}, von Anfang an.",
    "plan.after only": "Dann gilt: Das Modell {decides}.",
    "plan.after last": "Nach dem letzten Schritt gilt: Das Modell {decides}.",
    "plan.after step": "Nach Schritt {step} gilt: Das Modell {decides}.",
    "plan.after only, probability": "Dann ist die Wahrscheinlichkeit von {label} mindestens {least}.",
    "plan.after last, probability": (
        "Nach dem letzten Schritt ist die Wahrscheinlichkeit für {label} mindestens {least}."
    ),
    "plan.after step, probability": "Nach Schritt {step} ist die Wahrscheinlichkeit für {label} mindestens {least}.",
    "plan.least typical": (
        "Zwischen den Schritten ist die am wenigsten typische Zeile (nach Schritt {step}) mindestens so typisch wie "
        "{share} aller echten Fälle."
    ),
    "plan.untypical": (
        "Zwischen den Schritten ist die am wenigsten typische Zeile (nach Schritt {step}) untypischer als jeder echte "
        "Fall."
    ),
    "plan.best": "Keine andere Reihenfolge bleibt näher an echten Daten (bewiesen).",
    "plan.open": (
        "Eine andere Reihenfolge könnte näher an echten Daten bleiben, aber ihre am wenigsten typische Zeile ist höchstens "
        "so typisch wie {share} aller echten Fälle (bewiesen)."
    ),
    "plan.open, untypical": (
        "Eine andere Reihenfolge könnte näher an echten Daten bleiben, aber keine so typisch wie irgendein echter Fall "
        "(bewiesen)."
    ),
    "stage.typical": "so typisch wie {share} der echten Fälle",
    "stage.model": "das Modell {decides}",
    "stage.probability": "Wahrscheinlichkeit des Ziels {share}",
    "levers.nothing": "Das Modell {decides}, wie gewünscht: Nichts muss sich ändern.",
    "levers.enough": "Jedes davon genügt allein, damit das Modell {deciding}, die kleinste Änderung zuerst: {levers}.",
    "levers.none.one": "Keine einzelne Spalte genügt, damit das Modell {deciding}{proven}.",
    "levers.none.many": "Keine Gruppe von höchstens {n} Spalten genügt, damit das Modell {deciding}{proven}.",
    "levers.proven": " (bewiesen)",
    "levers.as far as known": ", soweit bekannt",
    "levers.not enough.one": "Von {n} der {total} Gruppen von Spalten ist bewiesen, dass sie nicht genügt.",
    "levers.not enough.many": "Von {n} der {total} Gruppen von Spalten ist bewiesen, dass sie nicht genügen.",
    "levers.unknown.one": "Von {n} Gruppe ist nicht bekannt, ob sie genügt.",
    "levers.unknown.many": "Von {n} Gruppen ist nicht bekannt, ob sie genügen.",
    "ladder.now": "Die Zeile ist in {band}. {steps}",
    "ladder.nowhere": "Die Zeile ist noch in keiner Stufe. {steps}",
    "ladder.best": "Die Zeile ist in {band}, der besten.",
    "ladder.best, none": "Die Zeile ist in keiner Stufe, und keine ist zu erreichen.",
    "ladder.unreachable": "{band} ist nicht erreichbar.",
    "ladder.not reached": "Kein Weg zu {band} wurde gefunden; ob es einen gibt, ist nicht bekannt.",
    "ladder.step": "{band} braucht {changes} (Abstand {distance}).",
    "ladder.step, open": "{band} braucht {changes} (Abstand {distance}, nicht als kleinster bewiesen).",
    "ladder.current": "jetzt: {band}",
    "ladder.no band": "keine Stufe",
    "ladder.band": "Stufe {name}",
    "reasons.too low": "{column} zu niedrig (jetzt {now}; {then} {works})",
    "reasons.too high": "{column} zu hoch (jetzt {now}; {then} {works})",
    "reasons.other": "{column} {now} ({then} {works})",
    "reasons.alone": "würde allein genügen",
    "reasons.with others": "würde mit anderen Änderungen genügen",
    "reasons.already": "Das Modell {decides}: Es gibt keinen Grund dagegen.",
    "reasons.no recourse": (
        "Keine realistische Änderung bewirkt, dass das Modell {deciding}: Es gibt keinen Ausweg, und kein Grund wird "
        "genannt."
    ),
    "reasons.unknown": "Warum das Modell nicht {deciding}, ließ sich nicht beweisen.",
    "reasons.all": (
        "Warum das Modell nicht {deciding}: {reasons}. Keine realistische Änderung, die all dies so lässt, bewirkt, "
        "dass das Modell {deciding} (bewiesen)."
    ),
    "reasons.some.one": "Warum das Modell nicht {deciding}: {reasons}. Von {total} Spalten muss sich mindestens eine ändern; {n} weniger wichtige ist hier nicht genannt.",
    "reasons.some.many": "Warum das Modell nicht {deciding}: {reasons}. Von {total} Spalten muss sich mindestens eine ändern; {n} weniger wichtige sind hier nicht genannt.",
    "reasons.count": "{n} von {total}",
    "direction.too low": "zu niedrig",
    "direction.too high": "zu hoch",
    "direction.other": "anders",
    "ranges.nothing": "Nichts muss sich ändern.",
    "ranges.value": "{column} {which} (jetzt {now})",
    "ranges.any": "beliebig",
    "ranges.most": "{high} oder weniger",
    "ranges.least": "{low} oder mehr",
    "ranges.between": "zwischen {low} und {high}",
    "ranges.unproven": "{ranges}; Bereiche darum sind nicht bewiesen",
    "monotone.increase, proven": "{column} zu erhöhen verringert {what} nie: bewiesen für jede Zeile.",
    "monotone.decrease, proven": "{column} zu senken verringert {what} nie: bewiesen für jede Zeile.",
    "monotone.increase, refuted": (
        "{column} zu erhöhen kann {what} verringern, zum Beispiel von {first} auf {second}: Die Antwort enthält zwei "
        "solche Zeilen."
    ),
    "monotone.decrease, refuted": (
        "{column} zu senken kann {what} verringern, zum Beispiel von {first} auf {second}: Die Antwort enthält zwei "
        "solche Zeilen."
    ),
    "monotone.increase, unknown": (
        "Ob es {what} irgendwo verringert, {column} zu erhöhen, ist nicht bekannt: Solche Zeilen wurden nicht gefunden."
    ),
    "monotone.decrease, unknown": (
        "Ob es {what} irgendwo verringert, {column} zu senken, ist nicht bekannt: Solche Zeilen wurden nicht gefunden."
    ),
    "monotone.prediction": "die Vorhersage",
    "monotone.score": "den Wert für {label}",
    "exactness.exact": (
        "exakt: Jede Antwort ist als kleinste Änderung bewiesen, sofern keine Grenze den Beweis beendet"
    ),
    "exactness.bounded": (
        "beschränkt: Von jeder Antwort ist bewiesen, um wie viel eine Änderung höchstens kleiner sein könnte"
    ),
    "exactness.black box": (
        "Blackbox: Das Modell kann nur befragt werden; wenige Antworten sind als kleinste Änderung bewiesen"
    ),
    "rule.stays": "{column} bleibt unverändert",
    "rule.missing": "{column}: Was fehlt, bleibt fehlend",
    "rule.is missing": "{column} fehlt, und das bleibt so",
    "rule.whole": "{column} ist eine ganze Zahl",
    "rule.increase": "{column} darf nur steigen",
    "rule.decrease": "{column} darf nur sinken",
    "rule.increase by": "{column} darf nur steigen, höchstens um {most}",
    "rule.decrease by": "{column} darf nur sinken, höchstens um {most}",
    "rule.most": "{column} höchstens {end}",
    "rule.least": "{column} mindestens {end}",
    "rule.between": "{column} zwischen {low} und {high}",
    "rule.allowed": "{column}: nur zu {levels}",
    "rule.allowed from": "{column}: von {level} nur zu {levels}",
    "rule.stuck": "{column}: zu keinem anderen Wert",
    "rule.stuck from": "{column}: von {level} zu keinem anderen Wert",
    "rule.codes": "{column} wechselt nicht von oder zu {codes}",
    "rule.number or code": "{column} ist eine gewöhnliche Zahl oder einer der Werte {codes}",
    "rule.least change": "{column} bleibt oder ändert sich um mindestens {least}",
    "rule.step": "{column} ist ein Vielfaches von {step}",
    "rule.if": "wenn {condition}, dann {then}",
    "rule.no changes": "keine Spalte ändert sich",
    "rule.few changes.one": "höchstens {n} Spalte ändert sich",
    "rule.few changes.many": "höchstens {n} Spalten ändern sich",
    "rule.range": "{column} bleibt im Bereich der Trainingszeilen ({ends})",
    "rule.range ends": "{low} bis {high}",
    "rule.ranges": "Zahlen bleiben im Bereich der Trainingszeilen",
    "rule.never together": "nie zusammen gesehen: {pair}",
    "rule.all never together": "nichts, was nie zusammen gesehen wurde",
    "head.rows": "Zeilen",
    "audit.infeasible_share": "Zeilen ohne Antwort",
    "audit.distance": "mittlerer Abstand (Median)",
    "audit.n_changes": "mittlere Zahl der Änderungen",
    "audit.plausibility": "mittlere Plausibilität (Median)",
    "audit.difference": "{by} {group}: {measure} {own}, bei allen anderen {others} (p = {p} nach Korrektur)",
    "audit.significant": "Signifikante Unterschiede:",
    "audit.not significant": "Kein Unterschied ist signifikant auf dem Niveau {level}.",
    "audit.left out": "Nicht mitgezählt: {stated}.",
    "audit.unchanged.one": "{n} Zeile, in der sich nichts ändern muss",
    "audit.unchanged.many": "{n} Zeilen, in denen sich nichts ändern muss",
    "audit.wrong.one": "{n} Zeile, die nicht zu lesen war",
    "audit.wrong.many": "{n} Zeilen, die nicht zu lesen waren",
    "audit.small": "zu wenige Zeilen von {groups}",
    "audit.no recourse": "Bewiesen ohne jede Möglichkeit: {groups}.",
    "audit.reasons": "Gründe:",
    "letter.page": "Erläuterung einer Entscheidung",
    "letter.date": "{day}. {month} {year}",
    "letter.reasons": "Keine realistische Änderung, die alle diese Angaben unverändert lässt, hätte zum Ergebnis {target} geführt; das ist bewiesen. Die wichtigste steht zuerst:",
    "letter.main reasons": "Diese Angaben standen dem Ergebnis {target} am meisten entgegen; die wichtigste steht zuerst:",
    "letter.fixed reasons": "Diese Angaben standen dem Ergebnis {target} entgegen. Nichts, was die Regeln zulassen, hätte genügt.",
    "letter.too high": "{column} zu hoch",
    "letter.too low": "{column} zu niedrig",
    "letter.other": "{column}",
    "letter.code": "{code}: {text}",
    "letter.alone": "{what} (bei Ihnen: {now}). {then} hätte für sich allein genügt.",
    "letter.together": "{what} (bei Ihnen: {now}). {then} hätte zusammen mit weiteren Änderungen genügt.",
    "letter.no recourse": "{what} (bei Ihnen: {now}).",
    "letter.change": "{column}: {then} (bei Ihnen: {now})",
    "letter.value": "{column}: {now}",
    "letter.changes": "Hätte alles Folgende zugleich zugetroffen, bei sonst unveränderten Angaben, so hätte das Ergebnis {target} gelautet:",
    "letter.no change": "Keine realistische Änderung, die die Regeln zulassen, hätte zu einer anderen Entscheidung geführt. Das ist bewiesen.",
    "letter.smallest": "Eine kleinere Änderung hätte nicht genügt; das ist bewiesen.",
    "letter.smallest as typical": "Keine kleinere Änderung wäre ebenso typisch gewesen; das ist bewiesen.",
    "letter.gap": "Eine kleinere Änderung, falls es sie gibt, spart höchstens {share} davon; das ist bewiesen.",
    "letter.unknown": "Ob eine kleinere Änderung genügt hätte, ist nicht bekannt.",
    "letter.typical": "Ein solcher Fall ist mindestens so typisch wie {share} der tatsächlichen Fälle mit diesem Ergebnis.",
    "letter.as typical": "Ein solcher Fall ist so typisch wie verlangt.",
    "letter.any typical": "Wie typisch ein solcher Fall ist, wurde nicht betrachtet.",
    "letter.months": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "summary.rows": "Zeilen",
    "summary.answered": "mit Antwort",
    "summary.proven": "{n} davon als kleinste bewiesen",
    "summary.unchanged": "nichts muss sich ändern",
    "summary.infeasible": "ohne Antwort",
    "summary.wrong": "falsche Zeilen, nicht gefragt",
    "summary.answers": "Antworten insgesamt",
    "summary.distance": "mittlerer Abstand (Median)",
    "summary.changes": "Änderungen (Median)",
    "summary.changed": "am häufigsten geändert",
    "summary.count.one": "{n} Zeile",
    "summary.count.many": "{n} Zeilen",
    "summary.why": "Warum es keine Antwort gibt",
    "summary.written": "Geschrieben nach {file}",
}
