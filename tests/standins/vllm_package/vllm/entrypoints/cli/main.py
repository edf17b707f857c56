"""A small OpenAI-compatible server: /health, /v1/models, /v1/completions, guarded by VLLM_API_KEY as vLLM guards /v1."""

import argparse
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

parser = argparse.ArgumentParser()
serve = parser.add_subparsers(required=True).add_parser("serve")
serve.add_argument("model")
serve.add_argument("--host", required=True)
serve.add_argument("--port", type=int, default=8000)
serve.add_argument("--gpu-memory-utilization", type=float, default=0.92)
serve.add_argument("--max-model-len", type=lambda text: text if text == "auto" else int(text))
serve.add_argument("--max-num-seqs", type=int)
serve.add_argument("--enforce-eager", action="store_true")
options = parser.parse_args()
if options.model == "too-large":
    raise SystemExit("torch.OutOfMemoryError: CUDA out of memory.")
key = os.environ.get("VLLM_API_KEY") if options.model != "open" else None
ready = time.monotonic() + 0.5


class Handler(BaseHTTPRequestHandler):
    def answer(self, status: int, value: object) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        if self.path == "/health":
            self.answer(200 if time.monotonic() > ready else 503, None)
        elif key and self.headers.get("Authorization") != f"Bearer {key}":
            self.answer(401, {"error": "Unauthorized"})
        else:
            self.answer(200, {"data": [{"id": options.model}]})

    def do_POST(self) -> None:
        if key and self.headers.get("Authorization") != f"Bearer {key}":
            self.answer(401, {"error": "Unauthorized"})
            return
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if options.model == "slow":
            print("INFO: thinking", flush=True)
            time.sleep(60)
        text = "" if options.model == "mute" else f" Paris ({body['max_tokens']})"
        self.answer(200, {"choices": [{"text": text}]})

    def log_message(self, *_: object) -> None:
        pass


print(f"INFO: key is {key}", flush=True)
ThreadingHTTPServer((options.host, options.port), Handler).serve_forever()
