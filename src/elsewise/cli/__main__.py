"""``python -m elsewise.cli``, where the command ``elsewise`` is not on the path."""

import sys

from .main import main

sys.exit(main())
