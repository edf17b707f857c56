"""Running the server at logon: a task of Windows' own Task Scheduler that starts this program, which knows the key.

Sources: learn.microsoft.com/windows-server/administration/windows-commands/schtasks-create and the task schema beside it.
"""

from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape

TASK: Final = "TritonSetup vLLM"


def task_document(program: str, arguments: Sequence[str]) -> str:
    """The task as XML: at logon of this user, no time limit, again after a failure, never elevated."""
    joined = " ".join(f'"{argument}"' if " " in argument else argument for argument in arguments)
    return f"""<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>
  <Principals><Principal id="Author"><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>3</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author"><Exec><Command>{escape(program)}</Command><Arguments>{escape(joined)}</Arguments></Exec></Actions>
</Task>
"""


def create_command(document: str) -> tuple[str, ...]:
    """Registers the task from the file `document`."""
    return ("schtasks.exe", "/create", "/tn", TASK, "/xml", document, "/f")


def delete_command() -> tuple[str, ...]:
    return ("schtasks.exe", "/delete", "/tn", TASK, "/f")
