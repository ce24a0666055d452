"""The child process: a llama.cpp server that lives exactly as long as its parent.

Run as a script by `core.providers.embedded.model_server`, never imported. One JSON line on standard
input says what to serve, one JSON line on standard output says where; after that the parent's end
of standard input is the life line. The operating system closes it however the parent dies, `kill
-9` included.
"""

import json
import os
import select
import sys
from typing import Any


def serve(settings: dict[str, Any]) -> Any:
    """Load the model and listen on a free loopback port; the server runs on threads of its own.

    Raises `RuntimeError` if llama.cpp cannot load the file.
    """
    # The threads wait for each other thousands of times a second. By default they spin then for so
    # long that sampling comes to a near stop when another program wants one of the cores; not at
    # all costs a quarter of the speed on a machine of one's own. Read when OpenMP is loaded.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["model"]
    params.model_alias = {settings["name"]}
    params.api_keys = [settings["key"]]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["slots"] * settings["context"]
    params.kv_unified = settings["unified"]
    params.kv_unified_per_slot = settings["context"] if settings["unified"] else 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    # Weights in another order would be a second copy: 600 MB of 1.1 GB, and no faster to ask.
    params.no_extra_bufts = settings["lean"]
    params.cache_ram_mib = settings["kept"]
    params.endpoint_slots = False
    params.ui = False
    params.verbosity = 1
    return xllamacpp.Server(params)


def outlive_nobody(parent: int) -> None:
    """Return once the parent is gone or has closed its end of standard input.

    The process id is asked for as well, for a parent whose own forks keep the pipe open.
    """
    while os.getppid() == parent:
        if select.select([0], [], [], 1.0)[0]:
            return


def main() -> None:
    """Serve until the parent is gone."""
    settings = json.loads(sys.stdin.buffer.readline())
    with os.fdopen(os.dup(1), "wb") as report:
        os.dup2(2, 1)  # llama.cpp may write to standard output too
        try:
            server = serve(settings)
        except RuntimeError:
            os._exit(1)  # llama.cpp has said why on standard error
        report.write(json.dumps({"address": server.listening_address}).encode())
    outlive_nobody(settings["parent"])
    os._exit(0)  # nothing to save, and the server's own shutdown may take its time


if __name__ == "__main__":
    main()
