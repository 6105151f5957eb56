"""What the name and the levels of a column say it means: phrases in English, German, French and Spanish.

A name is split into words (``snake_case``, ``camelCase``, digits, accents dropped), and a phrase matches whole words
that follow each other: "age" is in ``age_years`` and ``AgeYears``, not in ``mortgage``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")

# German words whose umlauts are written as two letters.
_GERMAN = {
    "beschaeftigt": "beschaftigt",
    "beschaeftigung": "beschaftigung",
    "betriebszugehoerigkeit": "betriebszugehorigkeit",
    "staatsangehoerigkeit": "staatsangehorigkeit",
    "nationalitaet": "nationalitat",
    "auslaender": "auslander",
    "bonitaet": "bonitat",
    "wohnflaeche": "wohnflache",
    "zahlungsausfaelle": "zahlungsausfalle",
    "maennlich": "mannlich",
}
# Letters at least of a word that may be written as two.
FEWEST_JOINED = 5

# Who somebody is: what is meant, and the phrases that say so.
WHO = {
    "age": "age; alter; lebensalter; edad; senior citizen; date of birth; birth; birthday; birthdate; birthyear; dob; "
    "birth order; "
    "parity; geburt; "
    "geburtsdatum; geburtsjahr; geburtstag; naissance; nacimiento",
    "sex": "sex; gender; male; female; geschlecht; sexe; sexo; genero",
    "ethnic origin": "race; ethnicity; ethnic; rasse; ethnie; herkunft; raza; etnia; skin color; skin colour",
    "nationality": "nationality; citizenship; citizen; native country; country of birth; birthplace; immigrant; "
    "foreign worker; foreigner; nationalitat; staatsangehorigkeit; auslander; nationalite; nacionalidad",
    "religion": "religion; religious; konfession; creed",
    "marital status": "marital; marital status; maritl; marstat; married; marr; spouse; relationship; familienstand; "
    "verheiratet; etat civil; "
    "situation familiale; situation matrimoniale; estado civil",
    "dependants": "children; child; kids; numdep; dep; deps; dependents; dependants; dependent; under maintenance; "
    "family size; fam size; famsize; fsize; household size; household members; persons; persons in household; "
    "siblings; "
    "kinder; kinderzahl; unterhaltspflichtige; enfants; personnes a charge; hijos; dependientes",
    "standing": "student; veteran; retired; retiree; pensioner; etudiant; retraite; rentner; estudiante; jubilado",
    "disability": "disability; disabled; handicap; behinderung; schwerbehindert; discapacidad",
    "health": "health; illness; disease; chronic; pregnant; gesundheit; krankheit; sante; maladie; salud; enfermedad",
    "parents": "mother; father; parents; parental; motheduc; fatheduc; meduc; feduc; mutter; vater; eltern; mere; "
    "pere; madre; padre",
}
# What makes something else of health: what is paid for it.
_OF_HEALTH = _set("insurance ins plan care cost costs expenses insured versicherung assurance seguro")
# Where somebody lives and what they own: they could change it, but not for an answer.
PLACE = (
    "origin; region; state; city; town; zip; zipcode; zip code; postcode; postal code; county; district; smsa; msa; "
    "urban; "
    "rural; north; south; east; west; housing; residence; residential; home ownership; home owner; homeowner; house "
    "owner; own home; property; real estate; floor area; living area; area; sqft; square feet; rooms; bedrooms; "
    "bathrooms; big city; bigcity; store; branch; filiale; population; country; us; usa; uk; land; pays; pais; "
    "wohnflache; zimmer; einwohner; neighborhood; neighbourhood; plz; postleitzahl; ort; wohnort; wohnen; "
    "wohneigentum; immobilie; bundesland; ville; logement; immobilier; ciudad; provincia; vivienda; inmueble"
)
# What somebody asks for.
REQUEST = "purpose; loan purpose; zweck; verwendungszweck; objet du pret; finalite; finalidad; proposito"
# What others compute about somebody, or grant them.
SCORES = (
    "risk estimate; external estimate; credit score; credit rating; bureau score; external score; risk score; "
    "risk rating; rank; ranking; rangliste; classement; clasificacion; "
    "fico; schufa; bonitat; limit; credit limit; credit line; kreditlimit; kreditrahmen; plafond; limite"
)
# Ages of things, which rise with time.
_AGES_OF_THINGS = _set(
    "account accounts car vehicle house home building property file credit contract company firm loan policy"
)
TENURE = (
    "tenure; seniority; years employed; employment length; emp length; length of employment; years at company; "
    "years experience; experience; present emp since; employed since; present res since; residence since; "
    "years at residence; years at address; exper; betriebszugehorigkeit; dienstjahre; berufserfahrung; "
    "beschaftigt seit; wohnhaft seit; anciennete; antiguedad"
)
# What is a time where its levels are ranges of numbers: "employment", with levels "<1" and "1<=X<4".
TIME_IN_RANGES = "employment; employed; job time; beschaftigung; anstellung; emploi; empleo"
# A time in a place, "months at address", "AverageMInFile", which only grows, too.
_UNITS_OF_TIME = _set("years year yrs yr months month mths m days weeks time jahre monate ans annees mois anos meses")
_YEARS = _set("years year yrs yr jahre annees anos")
# Units of time and how many make a year, the shortest first.
_IN_A_YEAR = (
    (_set("days day tage jours dias"), 365),
    (_set("weeks week wochen semaines semanas"), 52),
    (_set("months month mths mth m monate monaten mois meses"), 12),
)
# What makes years ones that are still to come, or a number of the calendar.
_AHEAD = _set("left remaining ahead duration term old built sold made model")
_IN_A_PLACE = _set("at in with employed working resident bei im am chez en")
# Past facts. Those of the first list say so by themselves, those of the second usually do.
PAST = (
    "history; hist; chist; loyal; loyalty; credhist; previous; prev; prior; priors; total trades; satisfactory "
    "trades; total accounts; total acc; open accounts; open acc; number of accounts; trades opened; charge offs; "
    "chargeoffs; collections; judgments; judgements; default; defaults; defaulted; sat; act; gre; gmat; iq; hsrank; "
    "hsperc; hsgpa; prigpa; prior gpa; actmth; acteng; test score; "
    "high school; exam; abiturnote; late payments; late; overdue; past due; delinquency; "
    "warnings; complaints; claims; accidents; violations; incidents; infractions; fines; cancelled; cancellations; "
    "received; impagos; impaye; impayes; siniestros; sinistres; schaden; unfalle; "
    "delinquencies; delinquent; public record; public records; pubrec; delinq; delq; arrears; bankruptcy; "
    "bankruptcies; derogatory; derog; foreclosure; convictions; arrests; offences; offenses; recidivism; juvenile; "
    "poutcome; pdays; pregnancies; months since; m since; days since; years since; time since; vorstrafen; "
    "zahlungsverzug; zahlungsausfall; zahlungsausfalle; mahnungen; "
    "vorherige; historie; anterieur; antecedents; historique; anterior; historial; antecedentes; "
    "morosidad"
)
PERHAPS_PAST = "last; ever; past; former; campaign; dernier; letzte; ultimo; inquiries; inq"
IDENTITY = (
    "uuid; guid; ssn; iban; rowid; rownum; row number; row index; record number; account number; customer number; "
    "serial number; case number; kundennummer; aktenzeichen; kontonummer; identifiant; matricule; email; first name; "
    "last name; surname; full name; unnamed 0"
)
DATES = (
    "date; datum; fecha; timestamp; datetime; uhrzeit; weekday; working day; workingday; holiday; season; day of "
    "week; day of month; time of day; wochentag; jahreszeit; feiertag; jour ferie; saison; weather; weathersit; "
    "temperature; week of; weekof; temp; atemp; humidity; windspeed; wind speed; rain; rainfall; precipitation; "
    "snow; wetter; temperatur; meteo"
)
# Names that are a time on the calendar where they are the whole name: "month", not "duration_in_month".
_ON_THE_CALENDAR = _set(
    "year jahr annee month mnth mon day hour hr week quarter monat tag stunde mois jour heure mes dia hora hum"
)
EDUCATION = (
    "education; educational; educ; sch; degree; schooling; school leaving; qualification; bildung; schulabschluss; "
    "abschluss; diplome; formation; niveau d etudes; educacion; estudios; titulacion"
)
# Which way is better for whoever asks for more credit, money or trust: up and down.
UP = (
    "income; inc; faminc; hhinc; net pay; gross pay; salary; wage; wages; earnings; revenue; savings; deposit; "
    "deposits; down payment; payments; repayment; repayments; collateral; equity; einkommen; gehalt; lohn; "
    "ersparnisse; guthaben; anzahlung; revenu; revenus; salaire; epargne; apport; ingresos; ingreso; salario; ahorros; "
    "account balance; account check; checking account; checking status"
)
# What is spent: less is better, but who earns more spends more: it does not tell which outcome is the good one.
SPENDING = "rent; rents; expenses; costs; miete; mieten; ausgaben; kosten; loyer; loyers; depenses; alquiler; gastos"
DOWN = (
    f"{SPENDING}; "
    "debt; debts; utilization; utilisation; debt to income; debt ratio; dti; revolving balance; revolving burden; "
    "burden; loan; loans; loanamt; balance; balance owed; amount owed; owed; liabilities; loan amount; credit amount; "
    "schulden; verschuldung; "
    "installment as income; installment rate; kreditbetrag; auslastung; dette; dettes; endettement; deuda; deudas; "
    "endeudamiento"
)
# Words that make something else of an amount: a share of it.
_SHARES = _set("ratio perc percent percentage pct rate share per fraction of as to")

# Levels that give a column away, whatever it is called.
_SEX_WORDS = _set("male female man woman men women masculine feminine mannlich weiblich homme femme hombre mujer")
_SEX_LETTERS = (frozenset("mf"), frozenset("mw"))
_MARITAL_WORDS = _set(
    "married single divorced widowed separated unmarried husband wife verheiratet ledig geschieden verwitwet "
    "marie mariee celibataire divorce divorcee veuf veuve casado casada soltero soltera divorciado viudo"
)
_ORIGIN_WORDS = _set("white black asian hispanic hispan latino caucasian african indigenous nonwhite")
_MONTHS = _set("jan feb mar apr may jun jul aug sep oct nov dec")
_DAYS = _set("mon tue wed thu fri sat sun")
# Levels of education from the lowest, by a word of each.
_LADDER = (
    "none preschool",
    "elementary primary grundschule",
    "school secondary hauptschule",
    "hs highschool abitur bac bachillerato",
    "college some",
    "assoc associate vocational",
    "bachelors bachelor undergraduate licence licenciatura university",
    "masters master graduate",
    "prof professional doctorate phd doctoral doctor",
)


def words_of(text: Any) -> tuple[str, ...]:
    """Return the words of a name or level, in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", str(text).replace("ß", "ss")).encode("ascii", "ignore").decode()
    return tuple(_GERMAN.get(word, word) for word in map(str.lower, _WORD.findall(plain)))


def finds(phrases: str, words: Sequence[str]) -> str:
    """Return the first phrase of a list, separated by semicolons, that is among words; nothing if none is."""
    joined = {first + second for first, second in pairwise(words)}  # "hsGPA" is "hsgpa", too
    for phrase in phrases.split(";"):
        parts = tuple(phrase.split())
        if any(tuple(words[i : i + len(parts)]) == parts for i in range(len(words) - len(parts) + 1)):
            return " ".join(parts)
        if len(parts) == 1 and len(parts[0]) >= FEWEST_JOINED and parts[0] in joined:
            return parts[0]
    return ""


def who_by_name(words: Sequence[str]) -> str:
    """Return which part of who somebody is a name speaks of; nothing if none."""
    for meaning, phrases in WHO.items():
        about = {"age": _AGES_OF_THINGS, "health": _OF_HEALTH}.get(meaning, frozenset())
        if finds(phrases, words) and not about & set(words):
            return meaning
    return "ethnic origin" if len(words) == 1 and words[0] in _ORIGIN_WORDS else ""


def is_tenure(words: Sequence[str]) -> bool:
    """Whether a name speaks of a time that only grows: in a job, at an address, of a contract or a thing."""
    is_of_years = len(words) == 2 and words[0] in _YEARS and words[1] not in _AHEAD  # "years_licensed"
    is_short = any(word.endswith("years") or word.startswith("yrs") for word in words if len(word) > len("years"))
    if is_of_years or is_short or (len(words) == 1 and words[0] in _YEARS - {"year"}):  # "pyears", "yrsmarr"
        return True
    in_place = any(unit in _UNITS_OF_TIME and at in _IN_A_PLACE for unit, at in pairwise(words))
    is_of_thing = "age" in words and bool(_AGES_OF_THINGS & set(words))
    return bool(finds(TENURE, words)) or is_of_thing or (in_place and not finds(PAST, words))


def longest_wait(words: Sequence[str]) -> int:
    """Return a year in the unit that a name of a time states; in years where it states none."""
    return next((count for units, count in _IN_A_YEAR if units & set(words)), 1)


def is_identity(words: Sequence[str]) -> bool:
    """Whether a name is that of a number or name by which rows are known; an index only if it is called just that."""
    return bool(finds(IDENTITY, words)) or words in (("index",), ("key",)) or "id" in (*words[:1], *words[-1:])


def direction_by_name(words: Sequence[str]) -> str:
    """Return in which direction a column of this name gets better: "increase", "decrease", or nothing if unknown."""
    down, up = finds(DOWN, words), finds(UP, words)
    if down and not (down == "balance" and up):
        return "decrease"
    # "appinc" and "nettoeinkommen" are incomes, too
    up = up or next((word for word in words if word.endswith(("inc", "einkommen", "gehalt")) and word != "zinc"), "")
    return "increase" if up and not _SHARES & set(words) else ""


def who_by_levels(levels: Iterable[Any]) -> str:
    """Return which part of who somebody is the levels of a category speak of; nothing if none."""
    stated = [set(words_of(level)) for level in levels]
    stated = [words for words in stated if words and not words & {"unknown", "other", "na", "nan", "missing"}]
    if len(stated) < 2:
        return ""
    seen = set().union(*stated)
    if all(words & _SEX_WORDS for words in stated) or seen in _SEX_LETTERS:
        return "sex"
    if all(words & _MARITAL_WORDS for words in stated):
        return "marital status"
    return "ethnic origin" if len(stated) > 2 and sum(bool(words & _ORIGIN_WORDS) for words in stated) > 2 else ""


def is_date(words: Sequence[str]) -> bool:
    """Whether a name is that of a date, a time on the calendar or the weather."""
    return bool(finds(DATES, words)) or (len(words) == 1 and words[0] in _ON_THE_CALENDAR)


def are_dates(levels: Iterable[Any]) -> bool:
    """Whether levels are months or days of the week."""
    stated = {str(level).strip().lower()[:3] for level in levels}
    return len(stated) > 2 and (stated <= _MONTHS or stated <= _DAYS)


def education_ranks(levels: Sequence[Any]) -> dict[Any, float]:
    """Return the rank of every level of education; nothing where fewer than three, or two thirds, are known."""
    numbered = number_ranks(levels)  # "1. < HS Grad", "2. HS Grad"
    if len(numbered) == len(levels):
        return numbered
    ranks: dict[Any, float] = {}
    for level in levels:
        words = set(words_of(level))
        found = [place for place, known in enumerate(_LADDER) if words & set(known.split())]
        if found:
            # "HS-grad" and "Some-college" name the school they are about; "high school" is more than school alone.
            ranks[level] = 3.0 if {"high", "school"} <= words or "hs" in words else float(found[-1])
    return ranks if len(set(ranks.values())) > 2 and 3 * len(ranks) >= 2 * len(levels) else {}


def number_ranks(levels: Sequence[Any]) -> dict[Any, float]:
    """Return what levels that are ranges of numbers begin at, "1 <= ... < 4 years"; nothing where they are none."""
    ranks: dict[Any, float] = {}
    for level in levels:
        found = re.match(r"\D*?(<=|>=|<|>)?[\s.]*(-?\d+(?:\.\d+)?)", str(level))
        if found:
            is_below = found[1] in ("<", "<=")
            ranks[level] = float(found[2]) - (0.5 if is_below else 0.0)
    is_order = len(set(ranks.values())) == len(ranks) > 2
    return ranks if is_order and 2 * len(ranks) > len(levels) else {}
