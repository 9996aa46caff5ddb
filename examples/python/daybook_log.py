#!/usr/bin/env python3
"""A second reader of the canonical session log, written from docs/log-format.md alone.

    python3 daybook_log.py LOG.jsonl        prints turns, calls and usage as JSON

It needs nothing but Python 3.8 and passes the vectors in docs/log-vectors. It reads; it does not write, link sessions or
price anything.
"""
import json
import sys

TOKENS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_tokens",
    "cache_write_1h_tokens",
    "output_tokens",
    "reasoning_tokens",
)
# Of two statements with equal sums, the one with more of these counts, in this order.
TIES = ("output_tokens", "reasoning_tokens", "cache_write_1h_tokens", "cache_write_tokens", "input_tokens")
# What may precede the request that caused it.
BEFORE_A_REQUEST = ("context", "compacted", "usage", "usage_total", "user")
# The names of token counts where `assistant_finished` states them.
SHORT_USAGE = {
    "input": "input_tokens",
    "cached_input": "cached_input_tokens",
    "cache_write": "cache_write_tokens",
    "output": "output_tokens",
    "reasoning": "reasoning_tokens",
}


def records(path):
    """The records of a log, in the order of `seq`. Damaged lines are left out, as are types nobody knows yet."""
    found = []
    with open(path, "rb") as file:
        for line in file:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict) and record.get("schema_version") == 1:
                found.append(filled(record))
    return sorted(found, key=lambda record: record["seq"])


def filled(record):
    """Short forms in full."""
    kind = record["type"]
    if kind == "session_meta":
        record.setdefault("kind", "root")
    elif kind == "user" and "author" not in record:
        record["author"] = "human"
        if "turn_id" in record:
            record.setdefault("kind", "prompt")
    elif kind == "tool_finished" and record.get("status") == "skipped":
        record["status"] = "interrupted"
    elif kind == "failed":
        record.setdefault("turn_ended", True)
    elif kind == "cancelled":
        record.setdefault("reason", "unknown")
    return record


class Reader:
    def __init__(self):
        self.kind = "root"
        self.turns = []
        self.calls = {}
        self.settled = {}
        self.responses = {}
        # How many turns have a stated normal end: if none has, the agent may not write such ends at all.
        self.ends = 0
        # Turns that may still be worked on: the newest, and those that run in other windows.
        self.live = []

    def turn(self, turn_id):
        return next((turn for turn in self.turns if turn["turn_id"] == turn_id), None)

    def read(self, record):
        kind = record["type"]
        if kind == "session_meta":
            self.kind = record["kind"]
        elif kind == "user":
            self.user(record)
        elif kind == "tool_started":
            self.started(record)
        elif kind == "tool_finished":
            self.finished(record)
        elif kind in ("assistant_started", "reasoning_finished"):
            self.worked(self.owner(record), "no")
        elif kind == "assistant_finished":
            self.said(record)
        elif kind == "usage":
            self.usage(record, record["response_id"], {name: record.get(name, 0) for name in TOKENS})
        elif kind == "cancelled":
            self.cancelled(record)
        elif kind == "failed" and record["turn_ended"]:
            self.end(self.owner(record), "failed")

    def owner(self, record):
        """The turn that owns a record: the one it names, or in a session nobody speaks to the newest one."""
        if "turn_id" in record:
            return self.turn(record["turn_id"])
        return self.turns[-1] if self.kind != "root" and self.turns else None

    def user(self, record):
        turn_id, author = record.get("turn_id"), record["author"]
        if turn_id is not None and self.turn(turn_id) is None and author == "human":
            self.begin(record)
        elif author == "agent" and self.kind != "root" and self.owner(record) is None:
            self.begin(record)

    def begin(self, record):
        previous = self.turns[-1] if self.turns else None
        follows = self.turn(record["follows"]) if "follows" in record else previous
        if follows is not previous:
            self.restore(follows)
        # A request ends the turn it continues; one that runs in another window goes on.
        self.live = [turn for turn in self.live if turn is not follows and self.at_work(turn)]
        turn = {
            "turn_id": record.get("turn_id"),
            "seq": record["seq"],
            "line": record.get("origin", {}).get("line"),
            "kind": record.get("kind", "prompt"),
            "follows": follows,
            "states_end": record.get("ends_stated", False),
            "outcome": None,
            "assumed": False,
            "worked": False,
            "answered": "no",
            "taken_back": None,
            "final_text": "",
        }
        self.turns.append(turn)
        self.live.append(turn)

    def restore(self, turn):
        """What goes on was not taken back."""
        while turn is not None and turn["taken_back"] == "rewound":
            turn["taken_back"] = None
            turn = turn["follows"]

    def at_work(self, turn):
        waits = any(call["turn"] is turn and key not in self.settled for key, call in self.calls.items())
        return turn["worked"] and turn["outcome"] is None and (turn["answered"] in ("no", "partly") or waits)

    def is_live(self, turn):
        return any(one is turn for one in self.live)

    def worked(self, turn, answered):
        if turn is None:
            return
        turn["worked"] = True
        if not self.is_live(turn):
            self.live.append(turn)
            self.restore(turn)
        # Output after a normal end, or after one that was only assumed, reopens the turn.
        if turn["outcome"] == "completed" or turn["assumed"]:
            self.ends -= turn["outcome"] == "completed"
            turn["outcome"], turn["assumed"] = None, False
        turn["answered"] = answered

    def said(self, record):
        turn = self.owner(record)
        if record.get("usage"):
            tokens = dict.fromkeys(TOKENS, 0)
            for short, name in SHORT_USAGE.items():
                tokens[name] = record["usage"].get(short, 0)
            self.usage(record, record.get("message_id"), tokens)
        if turn is None:
            return
        if record["text"] != "" or not record.get("turn_ended"):
            unfinished = record.get("unfinished")
            self.worked(turn, "unstated" if unfinished is None else "partly" if unfinished else "yes")
        if record["text"] != "":
            turn["final_text"] = record["text"]
        if record.get("turn_ended"):
            self.end(turn, "completed")

    def end(self, turn, outcome, assumed=False):
        if turn is None:
            return
        if turn["assumed"]:
            turn["outcome"], turn["assumed"] = None, False
        was = turn["outcome"]
        turn["assumed"] = assumed and was is None
        # A normal end undoes neither an abort nor a failure.
        if was not in (None, "completed") and outcome == "completed":
            return
        turn["outcome"] = outcome
        self.ends += (outcome == "completed") - (was == "completed")

    def cancelled(self, record):
        reason = record["reason"]
        if reason == "rolled_back":
            standing = [turn for turn in self.turns if turn["taken_back"] is None]
            count = record.get("turns", 1)
            for turn in standing[len(standing) - count :] if count > 0 else []:
                turn["taken_back"] = reason
        elif reason == "rewound":
            for turn in self.turns:
                if self.is_rewound(turn, record):
                    turn["taken_back"] = reason
        else:
            self.end(self.owner(record), "aborted", record.get("assumed", False))

    def is_rewound(self, turn, record):
        """`from_seq` and `from_turn` say it more exactly than `from_line`, which may be a line of another file."""
        if turn["seq"] >= record["seq"]:
            return False
        if "from_seq" in record:
            return turn["seq"] >= record["from_seq"]
        if "from_turn" in record:
            first = self.turn(record["from_turn"])
            return first is not None and turn["seq"] >= first["seq"]
        line = record.get("origin", {}).get("line")
        return turn["line"] is not None and record["from_line"] <= turn["line"] < (line or float("inf"))

    def started(self, record):
        turn = self.owner(record)
        # What runs inside another call is that call's work.
        if not record.get("parent_call_id"):
            self.worked(turn, "no")
        self.calls.setdefault(
            record["call_id"], {"call_id": record["call_id"], "turn_id": turn and turn["turn_id"], "turn": turn}
        )

    def finished(self, record):
        self.settled[record["call_id"]] = record["status"]
        turn = self.owner(record)
        if turn is not None:
            turn["answered"] = "no"

    def usage(self, record, response_id, tokens):
        if record.get("verdict", "counted") != "counted":
            return
        turn = self.owner(record)
        # Usage may precede the request that caused it, so the turn is found at the end.
        entry = self.responses.setdefault(response_id, {"turn_id": record.get("turn_id") or (turn and turn["turn_id"])})
        if "tokens" not in entry or larger(tokens, entry["tokens"]):
            entry["tokens"] = tokens

    def state(self):
        pending = {id(call["turn"]) for key, call in self.calls.items() if key not in self.settled}
        outcomes = {}
        for i in range(len(self.turns) - 1, -1, -1):
            outcomes[i] = self.outcome(i, outcomes, pending)
        turns = []
        for i, turn in enumerate(self.turns):
            usage = dict.fromkeys(TOKENS, 0)
            for entry in self.responses.values():
                if entry["turn_id"] == turn["turn_id"]:
                    add(usage, entry["tokens"])
            shown = {name: turn[name] for name in ("turn_id", "taken_back", "final_text")}
            turns.append({**shown, "outcome": outcomes[i], "outcome_stated": turn["outcome"] is not None, "usage": usage})
        totals = dict.fromkeys(TOKENS, 0)
        for entry in self.responses.values():
            add(totals, entry["tokens"])
        return {"turns": turns, "calls": self.call_states({id(turn): outcomes[i] for i, turn in enumerate(self.turns)}), "usage": totals}

    def outcome(self, i, outcomes, pending):
        turn = self.turns[i]
        if turn["outcome"] is not None:
            return turn["outcome"]
        queued = next((j for j in range(i + 1, len(self.turns)) if self.is_queued_into(turn, self.turns[j])), None)
        if queued is not None:
            return outcomes[queued]
        spoke = turn["answered"] != "no"
        if self.is_live(turn):
            spoke = turn["answered"] == "yes" or (turn["answered"] == "unstated" and self.ends == 0)
        if spoke and not turn["states_end"] and id(turn) not in pending:
            return "completed"
        return "open" if self.is_live(turn) else "aborted"

    def is_queued_into(self, turn, later):
        return later["kind"] == "queued" and later["follows"] is turn

    def call_states(self, outcomes):
        found = []
        for call_id, call in self.calls.items():
            status = self.settled.get(call_id)
            if status is None:
                running = call["turn"] is not None and self.is_live(call["turn"])
                status = "pending" if running and outcomes[id(call["turn"])] == "open" else "interrupted"
            shown = {"call_id": call_id, "turn_id": call["turn_id"], "status": status}
            found.append({**shown, "settled": call_id in self.settled})
        return found


def larger(a, b):
    """Whether the numbers of `a` count rather than those of `b`."""
    return [total(a)] + [a[name] for name in TIES] > [total(b)] + [b[name] for name in TIES]


def total(tokens):
    return tokens["input_tokens"] + tokens["cached_input_tokens"] + tokens["cache_write_tokens"] + tokens["output_tokens"]


def add(totals, tokens):
    for name in TOKENS:
        totals[name] += tokens[name]


def read(path):
    reader = Reader()
    for record in records(path):
        reader.read(record)
    return reader.state()


if __name__ == "__main__":
    print(json.dumps(read(sys.argv[1]), indent=2, ensure_ascii=False))
