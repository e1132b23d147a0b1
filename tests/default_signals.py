#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command with the default action of SIGHUP, SIGINT and SIGQUIT, which nohup and shells in the background ignore.

usage: tests/default_signals.py COMMAND [ARGUMENT]...
"""

import os
import signal
import sys

for number in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT:
    signal.signal(number, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
