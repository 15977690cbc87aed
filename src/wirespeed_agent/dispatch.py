"""The agent's life: one command after another on the app's event loop, until ``shutdown``."""

from __future__ import annotations

import asyncio
import os
from typing import Any, Callable, Dict

from .errors import OperationError
from .lifeline import die_with
from .memory_limit import explain_shortage, limit_memory
from .operations import OPERATIONS
from .protocol import Channel
from .session import Session
from .tracebacks import full_traceback, last_line
from .whereabouts import whereabouts

Command = Dict[str, Any]


def run_agent(in_fd: int, out_fd: int, lifeline_fd: int) -> None:
    """Serve the conductor's commands; the app is imported inside the running loop, as uvicorn does it."""
    os.set_inheritable(lifeline_fd, False)
    die_with(lifeline_fd)
    limit_memory()
    loop = _new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(_serve(Channel(in_fd, out_fd), loop))
    finally:
        _end(loop)


async def _serve(channel: Channel, loop: asyncio.AbstractEventLoop) -> None:
    session = Session(channel, loop)
    commands: asyncio.Queue[Command] = asyncio.Queue()
    channel.listen(_hand_over(commands, channel, loop))
    while True:
        command = await commands.get()
        _answer(channel, command["id"], await _outcome(session, command))
        if command["op"] == "shutdown":
            return


def _hand_over(
    commands: asyncio.Queue[Command], channel: Channel, loop: asyncio.AbstractEventLoop
) -> Callable[[Command], None]:
    def hand_over(command: Command) -> None:
        # The one question that must not wait for the loop: it is asked when the loop does not answer.
        if command["op"] == "whereabouts":
            channel.send({"id": command["id"], "result": _whereabouts(loop)})
        else:
            loop.call_soon_threadsafe(commands.put_nowait, command)

    return hand_over


def _whereabouts(loop: asyncio.AbstractEventLoop) -> str:
    try:
        return whereabouts(loop)
    # Looking into a running program may fail; the thread that notices the conductor's end must not.
    except Exception as error:
        return f"cannot be told ({last_line(error)})"


async def _outcome(session: Session, command: Command) -> Dict[str, Any]:
    """The result or error of one operation. Nothing an app raises, SystemExit included, ends the agent."""
    operation = OPERATIONS.get(command["op"])
    try:
        if operation is None:
            raise OperationError("internal", f"The agent has no operation {command['op']!r}.")
        return {"result": await operation(session, command.get("args") or {})}
    except OperationError as failure:
        return {"error": failure.as_message()}
    except MemoryError:
        return {"error": OperationError("endpoint", explain_shortage()).as_message()}
    except BaseException as error:
        return {"error": _unforeseen(command["op"], error).as_message()}


def _answer(channel: Channel, command_id: int, outcome: Dict[str, Any]) -> None:
    try:
        channel.send({"id": command_id, **outcome})
    except (TypeError, ValueError) as error:
        channel.send({"id": command_id, "error": _unforeseen("answering", error).as_message()})


def _unforeseen(doing: str, error: BaseException) -> OperationError:
    return OperationError("internal", f"{doing}: {last_line(error)}", traceback=full_traceback(error))


def _new_event_loop() -> asyncio.AbstractEventLoop:
    """uvloop where the app's environment has it, as uvicorn chooses."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


def _end(loop: asyncio.AbstractEventLoop) -> None:
    """What ``asyncio.run`` does at its end; tasks of the app are cancelled and seen out."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.run_until_complete(loop.shutdown_default_executor())
    asyncio.set_event_loop(None)
    loop.close()
