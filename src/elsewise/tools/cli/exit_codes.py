"""What the exit codes of ``elsewise`` mean, in one place."""

ALL_ANSWERED = 0
WENT_WRONG = 1
WRONG_USAGE = 2
SOME_WITHOUT_ANSWER = 3
CHANGED = 4
INTERRUPTED = 130

IN_WORDS = (
    "0 done (for explain: every row has an answer); 1 it went wrong, said on stderr; 2 wrong usage; 3 explain is done, "
    "but some rows have no answer (the column `reason` says why); 4 monitor --alert has found a change; 130 "
    "interrupted with Ctrl-C; 143 ended by SIGTERM."
)
