# SPDX-License-Identifier: MIT
"""The table of budgets, for benchmarks in Python: its lines are those that the others print."""

RULE = "+----------------------------------------------+--------------+---------------------+-------+--------+"


class Table:
    """Prints each line as soon as it is known, and remembers whether a limit was missed."""

    def __init__(self):
        self.missed = False

    def print_row(self, name, value, unit, ratio, to, limit, kept):
        """A line: what it is, in which unit, and as a ratio to something else, which has a limit, or None."""
        shown, verdict = (f"{limit:5.2f}", "ok" if kept else "MISSED") if limit else ("", "")
        print(f"| {name:44} | {value:9.2f} {unit:2} | {ratio:6.2f} x {to:10} | {shown:5} | {verdict:6} |", flush=True)
        self.missed |= not kept

    def row(self, name, value, unit, ratio, to, limit):
        """The same where less is better."""
        self.print_row(name, value, unit, ratio, to, limit, ratio <= limit and value > 0)

    def head(self):
        self.rule()
        print(f"| {'case':44} | {'best':>12} | {'ratio':19} | {'limit':5} | {'':6} |")
        self.rule()

    def rule(self):
        print(RULE, flush=True)
