"""`python -m tests.model.keys_run HOME SOURCES`: two refreshes under Prefect with the environment's model, one of which fails."""

import logging
import os
import sys
import traceback
from pathlib import Path

from flows.running import run
from schemas.errors import KoujingError
from warehouse.home import open_home

logging.basicConfig()
for talker in ("openai", "langchain_core", "langchain_openai", "flows"):
    logging.getLogger(talker).setLevel(logging.DEBUG)
logging.getLogger("httpx").setLevel(logging.INFO)


def main() -> None:
    """A model that cannot be made ends the first run; its traceback is printed, as a careless caller would."""
    home, sources = open_home(Path(sys.argv[1])).root, sys.argv[2]
    options = os.environ.pop("KOUJING_MODEL_OPTIONS", "")
    os.environ["KOUJING_MODEL_OPTIONS"] = '{"n": 0}'
    try:
        run(home, sources, allow_loopback=True)
    except KoujingError:
        traceback.print_exc()
    os.environ["KOUJING_MODEL_OPTIONS"] = options
    print(run(home, sources, allow_loopback=True))


if __name__ == "__main__":
    main()
