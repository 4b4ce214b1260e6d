"""What a request asks for, in a line."""

from __future__ import annotations

from ...models.request import SCOPES, Request


def wish_of(request: Request) -> str:
    """Return what a request asks for.

    Parameters
    ----------
    request : Request
        Any request.

    Returns
    -------
    str
        Such as ``chat-70b, priority 400: 1 pod of 4 GPUs, pod in one numa (guaranteed)``.
    """
    wants = f"{request.name}, priority {request.priority}: {many(request.pods, 'pod')} of {many(request.gpus, 'GPU')}"
    if request.share != 1.0:
        wants += f" at {request.share:g}"
    for scope in SCOPES:
        asked = getattr(request.affinity, scope)
        if asked is not None:
            wants += f", {scope} in one {asked.island} ({asked.mode})"
    return wants


def many(number: int, what: str) -> str:
    """Return a number with its noun.

    Parameters
    ----------
    number : int
        How many.
    what : str
        The noun in the singular; its plural takes an s.

    Returns
    -------
    str
        Such as ``1 pod`` or ``1,200 pods``.
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
