"""What the converter knows of Hermes' tables: what the rows become, and what tells them apart."""

from __future__ import annotations

from dataclasses import dataclass

FORMAT = "hermes-state-sqlite"
PRODUCER = "com.nousresearch.hermes"


@dataclass(frozen=True)
class Kind:
    """What the rows of a converted table become.

    `entity` is the entity type. `keys` are the key columns, newest layout first. `session` is the column that
    names the session in whose stream a row is (None: the store's own stream).
    """

    entity: str
    keys: tuple[tuple[str, ...], ...]
    session: str | None = None


MESSAGES = "messages"
SESSIONS = "sessions"
USAGE = "session_model_usage"
EXECUTIONS = "worker_executions"
RECEIPTS = "worker_receipts"

CONVERTED: dict[str, Kind] = {
    MESSAGES: Kind("message", (("id",),), "session_id"),
    # Receipts never change: they come before what does.
    RECEIPTS: Kind("receipt", (("execution_id", "sequence"),)),
    SESSIONS: Kind("session", (("id",),), "id"),
    USAGE: Kind(
        "model-usage",
        (("session_id", "model", "billing_provider", "billing_base_url", "billing_mode", "task"),),
        "session_id",
    ),
    "system_prompts": Kind("instructions", (("hash",),)),
    "delivery_obligations": Kind("delivery", (("obligation_id",),)),
    "async_delegations": Kind("delegation", (("delegation_id",),)),
    "gateway_routing": Kind("routing", (("scope", "session_key"),)),
    "telegram_dm_topic_mode": Kind("routing", (("profile_name", "chat_id"), ("chat_id",))),
    "telegram_dm_topic_bindings": Kind("routing", (("profile_name", "chat_id", "thread_id"), ("chat_id", "thread_id"))),
    "conversation_generations": Kind("generation", (("source", "session_key"),)),
    "session_admissions": Kind("admission", (("seq",),), "target_session_id"),
    EXECUTIONS: Kind("execution", (("execution_id",),), "session_id"),
}
"""In the order of the stream."""

UNKNOWN = Kind("unknown", ())

CONTEXT = frozenset(
    {
        "state_meta",
        "schema_version",
        "compression_locks",
        "session_turn_leases",
        "gateway_hygiene_state",
        "gateway_heartbeats",
        "runtime_epoch",
    }
)
"""Tables about the store and its writers, not about a session: no records."""

_DERIVED_PREFIX = "messages_fts"
_SHADOWS = (
    "data",
    "idx",
    "content",
    "docsize",
    "config",
    "segments",
    "segdir",
    "stat",
    "node",
    "rowid",
    "parent",
)


def kind_of(name: str, virtual: frozenset[str]) -> Kind | None:
    """What a table's rows become; None for context and derived tables. `virtual` are the virtual tables."""
    if name in CONVERTED:
        return CONVERTED[name]
    if name in CONTEXT or name.startswith(("sqlite_", _DERIVED_PREFIX)) or name in virtual:
        return None
    owner, _, part = name.rpartition("_")
    if part in _SHADOWS and owner in virtual:
        return None
    return UNKNOWN
