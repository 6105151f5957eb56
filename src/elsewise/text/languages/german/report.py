"""The report, in German."""

TEXTS = {
    # The page.
    "report.title": "Bericht über Alternativen: {model}",
    "report.contents": "Inhalt",
    "report.made": "Erstellt {when} mit {programs}.",
    "report.folded": "Verfahren, Modell, Daten und Regeln",
    "report.alone.one": "{n} Antwort. Diese Datei ist vollständig: Sie lädt nichts aus einem Netz.",
    "report.alone.many": "{n} Antworten. Diese Datei ist vollständig: Sie lädt nichts aus einem Netz.",
    "report.lead": "{rows}, {found} mit Antwort.",
    "report.rows.one": "{n} Zeile",
    "report.rows.many": "{n} Zeilen",
    "report.columns.one": "{n} Spalte",
    "report.columns.many": "{n} Spalten",
    "report.changes.one": "{n} Änderung",
    "report.changes.many": "{n} Änderungen",
    "report.more changes.one": "{n} weitere Änderung",
    "report.more changes.many": "{n} weitere Änderungen",
    "report.all of": "alle",
    "report.found.none": "keinem",
    # Summary.
    "report.summary": "Überblick",
    "report.no rows": "Dieser Bericht enthält keine Zeilen.",
    "report.card rows.one": "Zeile",
    "report.card rows.many": "Zeilen",
    "report.card answered": "mit Antwort ({share})",
    "report.card answers": "Antworten insgesamt",
    "report.card unchanged": "ohne nötige Änderung",
    "report.card distance": "mittlerer Abstand (Median)",
    "report.card changes": "Spalten ändern sich (Median)",
    "report.card typical": "der echten Fälle sind nicht typischer (Median)",
    "report.status optimal": "als kleinste bewiesen",
    "report.status feasible": "gefunden, aber nicht als kleinste bewiesen",
    "report.status densest": "weniger typisch als verlangt",
    "report.status infeasible": "ohne Antwort, bewiesen",
    "report.status error": "fehlerhafte Zeilen, nicht erklärt",
    "report.status unknown": "keine gefunden, nichts bewiesen",
    "report.moves": "Von wo nach wo",
    "report.head wanted": "gewünscht",
    "report.head rows": "Zeilen",
    "report.head answered": "mit Antwort",
    "report.others": "{n} andere",
    "report.how far": "Wie weit",
    "report.distances": (
        "Die Hälfte der Antworten, die etwas ändern, hat einen Abstand zwischen {first} und {third}; der Median ist {median}. Die nächste ist "
        "bei {low}, die fernste bei {high}."
    ),
    "report.histogram": "Histogramm der Abstände",
    "report.bar.one": "{n} Zeile von {low} bis {high}",
    "report.bar.many": "{n} Zeilen von {low} bis {high}",
    "report.histogram caption.one": "Abstand von {n} Antwort",
    "report.histogram caption.many": "Abstände von {n} Antworten",
    "report.what changes": "Was sich ändert",
    "report.nothing changes": "In keiner Zeile muss sich etwas ändern.",
    "report.what changes, how often": "Was sich ändert, wie oft und wie weit",
    "report.head of the answers": "der Antworten",
    "report.head usual": "übliche Änderung",
    "report.head adds": "Beitrag zum Abstand",
    "report.columns that change": "Spalten, die sich ändern",
    "report.more columns": "Weitere Spalten",
    "report.further columns.one": "{n} weitere Spalte",
    "report.further columns.many": "{n} weitere Spalten",
    "report.how often lead": (
        "Wie oft sich jede Spalte ändert, die übliche Änderung (in Klammern ihr Anteil, wo es andere gibt) und was sie zum "
        "Abstand beiträgt, wenn sie sich ändert: der Median, in Klammern die mittlere Hälfte."
    ),
    "report.obstacles": "Was im Weg steht",
    "report.obstacles lead.one": "{n} Zeile hat keine Antwort.",
    "report.obstacles lead.many": "{n} Zeilen haben keine Antwort.",
    "report.other reasons.one": "{n} weiterer Grund",
    "report.other reasons.many": "{n} weitere Gründe",
    "report.head of": "von {n}",
    # Rows.
    "report.row by row": "Zeile für Zeile",
    "report.would have to change": "Was sich ändern müsste",
    "report.row": "Zeile {row}",
    "report.row answer": "Zeile {row}, Antwort {turn} von {n}",
    "report.certificate": "Zertifikat: {certificate}.",
    "report.proof checked": "Beweis von einem unabhängigen Programm geprüft, SHA-256 {sha256}.",
    "report.proof refused": "Das unabhängige Programm weist den Beweis zurück, SHA-256 {sha256}.",
    "report.proof none": "Für diese Antwort gibt es keinen Beweis als Datei.",
    "report.proof file": "Der Beweis als Datei",
    "report.aside": "Abstand {distance}, {changes}",
    "report.whole row": "Die ganze Zeile, wie sie war",
    "report.head share": "Anteil",
    "report.head among": "unter {cases}",
    "report.image now": "jetzt {label}",
    "report.image then": "dann {label}",
    "report.image difference": "Unterschied",
    "report.image of": "Bild der Zeile: {what}",
    "report.how to read": (
        "Zu jeder Zeile gibt es einen Satz, eine Tabelle der nötigen Änderungen und ein Zertifikat. Der Anteil einer "
        "Änderung ist ihr Teil des Abstands."
    ),
    "report.how to read pictures": "Die kleinen Bilder zeigen, wo die Werte liegen: {marks}.",
    "report.how to read captions": (
        "„Perzentil 40“ heißt, dass 40 % dieser Fälle keinen größeren Wert haben; „bei 20 %“, dass jeder fünfte diese Stufe "
        "hat. Werte außerhalb des Bildes sind an seinem Rand gezeichnet."
    ),
    "report.how to read images": (
        "Zu jeder Zeile gibt es einen Satz, ihre Bilder und ein Zertifikat. In den Bildern ist dunkler mehr; im Unterschied "
        "ist Orange mehr und Violett weniger. Werte außerhalb des Bereichs der Zeilen sind an seinen Enden gezeichnet."
    ),
    "report.find": "Suchen",
    "report.find hint": "Wörter einer Zeile",
    "report.show": "Zeigen",
    "report.show all": "alle Zeilen",
    "report.show infeasible": "bewiesen ohne Antwort",
    "report.show unknown": "keine gefunden",
    "report.show error": "fehlerhafte Zeilen",
    "report.order": "Ordnen",
    "report.order given": "wie in der Datei",
    "report.order near": "nächste zuerst",
    "report.order far": "fernste zuerst",
    "report.order few": "wenigste Änderungen zuerst",
    "report.percentile": "Perzentil {then}",
    "report.percentiles": "Perzentil {now} → {then}",
    "report.had by": "bei {now} → {then}",
    "report.ladder": "Was bessere Stufen verlangen",
    "report.plan": "In welcher Reihenfolge",
    "report.plan, steps": "In welcher Reihenfolge: {steps}",
    "report.path": "Ein Weg durch echte Fälle",
    "report.no path": "Kein Weg durch echte Fälle",
    "report.head least typical": "am wenigsten typisch: so typisch wie",
    "report.ways": "Andere Wege",
    "report.ways fewer": "Mit weniger Änderungen, die dafür größer sein können. Jede Zeile ist die kleinste Änderung so weniger Spalten.",
    "report.ways others": "Mit Änderungen anderer Spalten, die kleinste zuerst.",
    "report.ways none": "Ein anderer Weg wurde nicht gefunden.",
    "report.way none proven": "keine Änderung so weniger Spalten genügt (bewiesen)",
    "report.way none found": "in der Zeit nichts gefunden",
    "report.head with": "mit",
    # Guarantees.
    "report.guarantees": "Was garantiert ist",
    "report.proven": "Was bewiesen ist",
    "report.not promised": "Was nicht versprochen ist",
    "report.valid": "Gültig.",
    "report.valid text": (
        "Jede Alternative wurde dem Modell selbst vorgelegt, genau wie sie hier steht, und das Modell sagte das gewünschte "
        "Ergebnis voraus. Danach wurde nichts gerundet."
    ),
    "report.realistic": "Realistisch.",
    "report.realistic none": "Es wurde keine Alternative gefunden, für die das gelten müsste.",
    "report.realistic text": (
        "Jede Alternative ist mindestens so typisch für echte Zeilen mit dem gewünschten Ergebnis, wie verlangt war. An der "
        "Schwelle gemessen wird eine untere Schranke der Dichte; also erreicht auch die Dichte selbst sie."
    ),
    "report.realistic given": (
        "Wo Spalten sich nicht ändern können, werden die übrigen bei diesen beurteilt: Niemand gilt als weniger typisch "
        "wegen etwas, das sich nicht ändern kann."
    ),
    "report.realistic densest": (
        "Antworten mit dem Vermerk „Weniger typisch als verlangt“ sind genau das: Nichts erreicht die Schwelle, und sie sind "
        "die nächsten unter den typischsten."
    ),
    "report.unrealistic": "Nicht unbedingt realistisch.",
    "report.unrealistic text": "Die Erklärungen haben keine Dichte; Antworten können echten Zeilen unähnlich sein.",
    "report.smallest": "Am kleinsten.",
    "report.smallest text": (
        "„Als kleinste bewiesen“ heißt: Keine Zeile, die das Modell annimmt, die realistisch ist und die Regeln einhält, "
        "ist näher (bis auf ein Millionstel)."
    ),
    "report.feasible.one": (
        "{n} Antwort ist „nicht als kleinste bewiesen“: gültig und realistisch, aber der Beweis wurde nicht fertig. Ihr Zertifikat sagt, "
        "um wie viel eine Antwort höchstens näher sein könnte."
    ),
    "report.feasible.many": (
        "{n} Antworten sind „nicht als kleinste bewiesen“: gültig und realistisch, aber der Beweis wurde nicht fertig. Ihre Zertifikate "
        "sagen, um wie viel eine Antwort höchstens näher sein könnte."
    ),
    "report.nearer": "Hat eine Zeile weitere Antworten, ist jede die nächste, die sich von den vorigen unterscheidet.",
    "report.none proven.one": "{n} Zeile hat keine Antwort; bewiesen ist das für {proven} von 1.",
    "report.none proven.many": "{n} Zeilen haben keine Antwort; bewiesen ist das für {proven} davon.",
    "report.none rest": "Für die übrigen wurde keine gefunden, was nichts beweist.",
    "report.wrong.one": "{n} Zeile ist fehlerhaft (der Grund sagt, wie) und wurde nicht erklärt.",
    "report.wrong.many": "{n} Zeilen sind fehlerhaft (der Grund sagt, wie) und wurden nicht erklärt.",
    "report.no answers": "Dieser Bericht enthält keine Antworten.",
    "report.repeatable": "Wiederholbar.",
    "report.repeatable text": (
        "Die Suche verwendet keinen Zufall: Modell, Daten, Regeln und Schwelle ergeben dieselben Antworten bis zur letzten "
        "Stelle, einzeln oder gemeinsam, auf einem Prozessor oder auf vielen."
    ),
    "report.repeatable limit": "Ausgenommen sind Antworten, die ein Zeitlimit abgebrochen hat.",
    "report.not causes": "Keine Ursachen.",
    "report.not causes text": (
        "Eine Antwort sagt, bei welcher Zeile das Modell anders entscheiden würde. Sie sagt nicht, dass beim Ändern in der "
        "Welt alles Übrige gleich bleibt oder dass dieser Mensch es ändern kann: Was sich ändern darf, sagen nur die Regeln."
    ),
    "report.not quality": "Nicht die Güte des Modells.",
    "report.not quality text": (
        "Dass das Modell anders entscheiden würde, macht seine Entscheidung weder richtig noch gerecht. Ein Bericht über "
        "ein falsches Modell ist ein richtiger Bericht über ein falsches Modell."
    ),
    "report.not beyond": "Nichts jenseits der Trainingszeilen.",
    "report.not beyond text": (
        "„Realistisch“ misst eine Dichte, die aus den Trainingszeilen gelernt ist. Sie ist so gut wie diese Zeilen und "
        "beschreibt sie durch eine Mischung: eine Beschreibung, nicht die Wahrheit."
    ),
    "report.not another": "Nicht für ein anderes Modell.",
    "report.not another text": (
        "Wird das Modell neu trainiert oder ändern sich Schwelle oder Regeln, sind die Antworten neu zu berechnen."
    ),
    "report.checked": "Beim Schreiben dieses Berichts noch einmal geprüft",
    "report.holds": "gilt",
    "report.fails": "gilt nicht",
    "report.check.one": "{promise}.",
    "report.check.many": "für {held} von {n} Antworten: {promise}.",
    "report.warning": "Einige Antworten gelten nicht.",
    "report.warning text": (
        "Sie stammen von einem anderen Modell, von anderen Regeln oder einer anderen Schwelle oder wurden nachträglich "
        "verändert. Verlassen Sie sich nicht darauf."
    ),
    "report.promise valid": "das Modell selbst sagt das gewünschte Ergebnis voraus",
    "report.promise distance": "der Abstand, neu zusammengezählt, ist der angegebene",
    "report.promise rest": "Spalten, die sich nicht ändern sollen, sind wie zuvor",
    "report.promise density": "sie ist, neu berechnet, typisch genug",
    "report.promise rules": "jede Regel ist eingehalten",
    # Model and data.
    "report.model": "Modell und Daten",
    "report.fact model": "Modell",
    "report.fact outcomes": "Ergebnisse",
    "report.fact proofs": "Beweise",
    "report.fact data": "Trainingsdaten",
    "report.fact realistic": "Realistisch heißt",
    "report.fact distance": "Abstand heißt",
    "report.fact unused": "Vom Modell nicht verwendet",
    "report.classifier": "{steps}, ein Klassifikator",
    "report.regressor": "{steps}, eine Regression",
    "report.step of.one": "{step} von {n} Spalte",
    "report.step of.many": "{step} von {n} Spalten",
    "report.numbers": "Zahlen",
    "report.training rows.one": "{n} Trainingszeile",
    "report.training rows.many": "{n} Trainingszeilen",
    "report.no density": "Nichts: Es gibt keine Dichte. Die Antworten sind die nächsten, ob realistisch oder nicht.",
    "report.density of target": "wie wahrscheinlich eine Zeile unter den Trainingszeilen mit dem gewünschten Ergebnis ist, ",
    "report.density of all": "wie wahrscheinlich eine Zeile unter den Trainingszeilen ist, ",
    "report.density numbers": "gemessen an der Dichte einer daraus gelernten Mischung von Normalverteilungen.",
    "report.density mixed": (
        "gemessen an der Dichte einer daraus gelernten Mischung: Normalverteilungen für die Zahlen, Häufigkeiten der Stufen "
        "für die Kategorien."
    ),
    "report.reach log": "Eine Alternative muss die log-Dichte {density} erreichen.",
    "report.reach training": (
        "Eine Alternative muss mindestens so typisch sein wie {share} der Zeilen, aus denen die Dichte gelernt wurde."
    ),
    "report.reach new": (
        "Eine Alternative muss mindestens so typisch sein wie {share} dieser Zeilen, jede an der Dichte der übrigen gemessen."
    ),
    "report.densities": "Dichten",
    "report.densities in figures": "Dichten in Zahlen",
    "report.head outcome": "Ergebnis",
    "report.head training rows": "Trainingszeilen",
    "report.head components": "Komponenten",
    "report.head log density": "nötige log-Dichte",
    "report.mahalanobis": (
        "der Mahalanobis-Abstand: Änderungen werden daran gemessen, wie die Spalten gemeinsam schwanken; eine Änderung "
        "entlang des üblichen Musters ist klein, eine dagegen groß (die quadratische Form, nicht ihre Wurzel)."
    ),
    "report.sum": "eine Summe über die Spalten, die sich ändern",
    "report.sum scaled": "{sum}, in der ein üblicher Unterschied zweier Zeilen in jeder Spalte etwa 1 zählt. Zahlen kosten "
    "nach ihrem Unterschied{levels}. Der Preis steht in der Tabelle unten.",
    "report.sum plain": (
        "{sum}: Jede Zahl kostet nach ihrem Unterschied{levels}. Der Preis steht in der Tabelle unten."
    ),
    "report.sum levels": "; bei einer Kategorie kostet jede Änderung gleich viel",
    "report.sum each": "; jede Spalte, die sich ändert, kostet {price} mehr",
    "report.columns of the model.one": "Die {n} Spalte des Modells",
    "report.columns of the model.many": "Die {n} Spalten des Modells",
    "report.all columns": "Spalten",
    "report.head kind": "Art",
    "report.head values": "Werte im Training",
    "report.head price": "ein Abstand von 1 ist",
    "report.kind number": "Zahl",
    "report.kind integer": "ganze Zahl",
    "report.kind ordinal": "geordnete Stufen",
    "report.kind category": "Kategorie",
    "report.kind boolean": "ja oder nein",
    "report.values": "{low} bis {high}, Median {median}",
    "report.values filled": "{low} bis {high}, Median {median}; ein fehlender Wert zählt als {fill}",
    "report.empty": "(leer)",
    "report.any change": "jede Änderung",
    "report.any change costs": "jede Änderung kostet {price}",
    # Rules.
    "report.rules": "Regeln",
    "report.rules not given": "Dem Bericht wurden keine Regeln genannt: Alternativen dürfen jede Spalte ändern.",
    "report.rules none": "Keine: Alternativen dürfen jede Spalte ändern.",
    "report.rules lead": "Jede Alternative hält alle diese Regeln ein.",
    "report.rules found.one": "Ebenfalls eingehalten, weil alle Trainingszeilen es tun: {n} Regel",
    "report.rules found.many": "Ebenfalls eingehalten, weil alle Trainingszeilen es tun: {n} Regeln",
    # Groups.
    "report.groups": "Nach Gruppen",
    "report.groups title": "Aufwand nach {column}",
    "report.groups lead": (
        "Zeilen, die ein anderes Ergebnis brauchen, nach Gruppen. In Klammern: 95-%-Intervalle. Nicht mitgezählt sind "
        "fehlerhafte Zeilen ({wrong}) und Zeilen, in denen sich nichts ändern muss ({unchanged})."
    ),
    "report.groups small": "Gruppen mit zu wenigen Zeilen fehlen ebenfalls: {groups}.",
    "report.groups significant": "Signifikante Unterschiede",
    "report.groups not significant": "Kein Unterschied einer Gruppe zu allen anderen ist signifikant bei {level}.",
    "report.groups note": (
        "Jede Gruppe wird mit allen anderen verglichen: Anteile nach Fisher (exakt), das Übrige nach Mann und Whitney, "
        "korrigiert für die Zahl der Vergleiche (Holm). Ein Unterschied sagt, dass der Aufwand für diese Zeilen größer oder "
        "kleiner ist, nicht warum."
    ),
}
