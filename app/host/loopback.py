"""Asks a server on this very machine. There is no way to name another one."""

from typing import Any


def ask_loopback(port: int, path: str, key: str | None = None, body: dict[str, Any] | None = None, timeout_s: float = 10.0) -> tuple[int, Any]:
    """Status and parsed answer of 127.0.0.1; status 0 where nothing answers. `body` makes it a POST; the answer is None if it is no JSON."""
    # Not at the top: it takes a fifth of a second, and most starts of this program ask no server.
    import httpx

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        # trust_env: a proxy of the person must never see a key that is meant for this machine.
        with httpx.Client(trust_env=False, timeout=timeout_s) as client:
            answer = client.request("POST" if body is not None else "GET", f"http://127.0.0.1:{port}{path}", headers=headers, json=body)
    except httpx.HTTPError:
        return 0, None
    try:
        return answer.status_code, answer.json()
    except ValueError:
        return answer.status_code, None
