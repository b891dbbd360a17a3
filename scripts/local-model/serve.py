"""Serves one GGUF file by llama.cpp's own OpenAI-compatible HTTP server.

Prints `READY http://127.0.0.1:PORT`. Ends when its stdin closes or at SIGTERM, so that it never
outlives who started it.
"""

import argparse
import os
import signal
import sys
import threading

import xllamacpp

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--context", type=int, default=8192)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--template", help="a chat template; without it, the model's own")
parser.add_argument("--alias", required=True)
arguments = parser.parse_args()

parameters = xllamacpp.CommonParams()
parameters.model.path = arguments.model
parameters.model_alias = {arguments.alias}
parameters.hostnames = ["127.0.0.1"]
parameters.port = arguments.port
parameters.n_ctx = arguments.context
parameters.n_parallel = 1
parameters.cpuparams.n_threads = arguments.threads
parameters.cpuparams_batch.n_threads = arguments.threads
parameters.use_jinja = True
parameters.ui = False
parameters.warmup = False
parameters.verbosity = -1
if arguments.template:
    with open(arguments.template, encoding="utf-8") as file:
        parameters.chat_template = file.read()

server = xllamacpp.Server(parameters)
print("READY " + server.listening_address, flush=True)

ended = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: ended.set())
# Ctrl-C reaches every process of the terminal; who started this one decides when it ends.
signal.signal(signal.SIGINT, signal.SIG_IGN)


def watch() -> None:
    sys.stdin.buffer.read()
    ended.set()


threading.Thread(target=watch, daemon=True).start()
while not ended.wait(0.5):
    pass
# The server's own threads would be joined by an ordinary exit.
os._exit(0)
