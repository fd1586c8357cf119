#!/usr/bin/env python3
"""Runs commands side by side and prints the medians of what they took.

usage: measure.py RUNS DIRECTORY 'NAME|STATUS|COMMAND'...

Each round runs every command once in DIRECTORY, the first one first; a ratio is the median over the rounds, not the
ratio of medians. CPU is user and system time of the process and its children. A command that ends with another STATUS
or prints nothing is an error, not a time. The first round warms the caches and is not counted.
"""

import os
import shlex
import statistics
import sys
import tempfile
import time


def run(name, status, command, directory):
    """One run: wall seconds, CPU seconds, peak MB, bytes printed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        child = os.fork()
        if child == 0:
            try:
                os.chdir(directory)
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                words = shlex.split(command)
                os.execvp(words[0], words)
            finally:
                os._exit(127)
        _, ended, usage = os.wait4(child, 0)
        wall = time.monotonic() - start
        printed = out.seek(0, os.SEEK_END)
        code = os.waitstatus_to_exitcode(ended)
        if code != status or printed == 0:
            err.seek(0)
            said = err.read(2000).decode(errors="replace")
            sys.exit(f"{name}: `{command}` ended with {code}, not {status}, and printed {printed} bytes\n{said}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, printed


def main():
    """Runs the rounds and prints the table."""
    runs, directory = int(sys.argv[1]), sys.argv[2]
    commands = [argument.split("|", 2) for argument in sys.argv[3:]]
    rounds = [
        [run(name, int(status), command, directory) for name, status, command in commands] for _ in range(runs + 1)
    ][1:]
    print(f"{'':34} {'CPU s':>8} {'wall s':>8} {'peak MB':>8} {'first / this':>12}")
    for at, (name, _, _) in enumerate(commands):
        wall, cpu, peak = (statistics.median(of[at][what] for of in rounds) for what in range(3))
        ratio = statistics.median(of[0][1] / max(of[at][1], 0.001) for of in rounds)
        share = "" if at == 0 else f"{ratio:.3f}"
        print(f"{name:34} {cpu:8.3f} {wall:8.3f} {peak:8.1f} {share:>12}")


main()
