"""Run in a Python with vLLM's requirements: parses every command line given, tells the options, as one JSON document.

Arguments: a JSON list of command lines (what follows `serve`), and a JSON list of options to tell. The device is named here, because
without a card vLLM cannot tell which it is for.
"""

import json
import sys

import vllm.platforms
from vllm.platforms.cpu import CpuPlatform

vllm.platforms._current_platform = CpuPlatform()

from vllm.entrypoints.cli.serve import validate_parsed_serve_args  # noqa: E402
from vllm.entrypoints.common.cli_args import make_arg_parser  # noqa: E402
from vllm.utils.argparse_utils import FlexibleArgumentParser  # noqa: E402

lines, wanted = json.loads(sys.argv[1]), json.loads(sys.argv[2])
parser = make_arg_parser(FlexibleArgumentParser(exit_on_error=False))
parsed = []
for line in lines:
    options = parser.parse_args(line)
    validate_parsed_serve_args(options)
    names = ("model_tag", "host", "port", "gpu_memory_utilization", "max_model_len", "max_num_seqs", "enforce_eager")
    parsed.append({name: getattr(options, name) for name in names})
told = {option: next(({"takes_value": action.nargs != 0} for action in parser._actions if option in action.option_strings), None) for option in wanted}
print(json.dumps({"parsed": parsed, "options": told}))
