"""Secrets inside texts that a machine answers: they are taken out before anything is kept."""

import re
from typing import Final

_USER_INFO: Final = re.compile(r"(?P<scheme>\b[A-Za-z][A-Za-z0-9+.-]{0,20}://)[^/\s@'\"<>\\]{1,300}@")
_QUERY_SECRET: Final = re.compile(r"(?i)([?&](?:token|key|api_?key|password|secret|sig|signature|access_token|x-amz-signature)=)[^&\s'\"<>]+")
_ASSIGNED: Final = re.compile(r"(?im)^(\s*(?:[\w.-]*(?:password|token|secret|api[_-]?key)[\w.-]*)\s*[=:]\s*)\S.*$")
_SECRET_NAME: Final = re.compile(r"(?i)(password|passwd|token|secret|api_?key|credential)")


def without_credentials(text: str) -> str:
    """The text with user names and passwords of URLs, tokens in queries and assigned secrets replaced by `***`."""
    if "://" in text:
        text = _USER_INFO.sub(r"\g<scheme>***@", text)
        text = _QUERY_SECRET.sub(r"\1***", text)
    return _ASSIGNED.sub(r"\1***", text)


def names_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret, so that its value is never kept."""
    return _SECRET_NAME.search(name) is not None
