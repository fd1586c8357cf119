#!/usr/bin/env python3
"""Tries a sample of mutants of the modules that .cargo/mutants.toml names, all of them in one build.

usage: mutants.py [--sample N] [--seed N] [--modules LIST] [--mutants FILE] [--again FILE] [--jobs N] [--work DIR] [--report FILE]

`cargo mutants --list` says which small wrong changes there are. One build a change takes days on a small machine, so the
sampled ones are written together into a copy of the tree, each behind a switch that reads DRIFTLESS_MUTANT once. Those
that do not compile are taken out, the tests are built once, and their binaries run once a mutant, the first failing one
ending it. FILE adds changes made by hand, as JSON: [{"name", "file", "old", "new"}], where `old` is an expression that
stands once in the file. Needs cargo-mutants, and tree-sitter and tree-sitter-rust from PyPI.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import tree_sitter
import tree_sitter_rust

MODULES = ["update", "plan", "check", "finding", "transform", "resource", "yaml/edit", "report"]
# Cheap and telling first; what is not named here is not run.
ORDER = ["driftless", "conformance", "fixtures", "plan", "check", "cli", "git"]
SWITCH = """//! Which mutant is on.
/// Whether the mutant of this number is on.
pub fn on(number: u32) -> bool {
    static ON: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    let read = || std::env::var("DRIFTLESS_MUTANT").ok().and_then(|text| text.parse().ok());
    *ON.get_or_init(|| read().unwrap_or(0)) == number
}
"""
# Tests that clear the environment hand the switch on.
HANDED_ON = '.env_clear().envs(std::env::vars().filter(|(name, _)| name == "DRIFTLESS_MUTANT"))'
MEMORY = 6 << 30


class Mutant:
    """One small wrong change, and what came of it."""

    def __init__(self, number, name, file, listed):
        self.number, self.name, self.file, self.listed = number, name, file, listed
        self.state, self.by = "left", ""  # caught, missed, unviable, not switchable

    def on(self):
        """The expression that asks for it, in the library or in the binary."""
        crate = "driftless" if self.file.startswith("src/cli/") else "crate"
        return f"{crate}::mutant_switch::on({self.number})"

    def module(self):
        """The module of .cargo/mutants.toml that the change is in."""
        inside = self.file.removeprefix("src/").removesuffix(".rs")
        return next((name for name in MODULES if inside == name or inside.startswith(name + "/")), "others")


class File:
    """A source file, its tree, and the changes written into it."""

    def __init__(self, path):
        self.path, self.text = path, path.read_bytes()
        self.tree = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language())).parse(self.text)
        self.starts = [0] + [at + 1 for at, byte in enumerate(self.text) if byte == 10]

    def offset(self, place):
        """The byte at a line and column of cargo-mutants, which counts characters from 1."""
        line = self.text[self.starts[place["line"] - 1]:].decode()
        return self.starts[place["line"] - 1] + len(line[: place["column"] - 1].encode())

    def nodes(self, start, kinds):
        """The nodes of some kinds around a byte, innermost first."""
        node = self.tree.root_node.descendant_for_byte_range(start, start + 1)
        found = []
        while node is not None:
            if node.type in kinds:
                found.append(node)
            node = node.parent
        return found

    def part(self, start, end):
        """The text between two bytes."""
        return self.text[start:end].decode()

    def change(self, mutant):
        """How to write a mutant: ('wrap', start, end, other text), or ('insert', at, text); None where it cannot be."""
        if isinstance(mutant.listed, dict) and "old" in mutant.listed:
            old = mutant.listed["old"].encode()
            assert self.text.count(old) == 1, f"{mutant.name}: `old` stands {self.text.count(old)} times in {mutant.file}"
            at = self.text.index(old)
            return ("wrap", at, at + len(old), mutant.listed["new"])
        listed, on = mutant.listed, mutant.on()
        start, end = self.offset(listed["span"]["start"]), self.offset(listed["span"]["end"])
        genre, new = listed["genre"], listed["replacement"]
        if genre == "FnValue":
            if "impl " in listed["function"]["return_type"]:
                return None
            return ("insert", start, f"if {on} {{ return {new}; }} ")
        if genre == "BinaryOperator":
            for node in self.nodes(start, {"binary_expression", "compound_assignment_expr"}):
                sign = node.child_by_field_name("operator")
                if sign.start_byte == start:
                    left, right = self.part(node.start_byte, start), self.part(sign.end_byte, node.end_byte)
                    return ("wrap", node.start_byte, node.end_byte, left + new + right)
            return None
        if genre == "UnaryOperator":
            for node in self.nodes(start, {"unary_expression"}):
                if node.start_byte == start:
                    return ("wrap", start, node.end_byte, self.part(end, node.end_byte))
            return None
        if genre == "MatchArmGuard":
            if re.search(r"\blet\b", self.part(start, end)):
                return ("insert", start, f"!{on} && ") if new == "false" else None
            return ("wrap", start, end, new)
        if genre == "MatchArm":
            arm = next(node for node in self.nodes(start, {"match_arm"}) if node.start_byte == start)
            pattern = arm.child_by_field_name("pattern")
            guard = pattern.child_by_field_name("condition")
            if guard is None:
                return ("insert", pattern.end_byte, f" if !{on}")
            if re.search(r"\blet\b", self.part(guard.start_byte, guard.end_byte)):
                return ("insert", guard.start_byte, f"!{on} && ")
            return ("guard", guard.start_byte, guard.end_byte, "")
        if genre == "StructField":
            kinds = {"field_initializer", "shorthand_field_initializer"}
            field = next(node for node in self.nodes(start, kinds) if node.start_byte == start)
            base = next(node for node in field.parent.children if node.type == "base_field_initializer")
            base = self.part(base.start_byte, base.end_byte).removeprefix("..")
            if field.type == "shorthand_field_initializer":
                name = self.part(field.start_byte, field.end_byte)
                return ("field", field.start_byte, field.end_byte, (name, f"({base}).{name}"))
            value = field.child_by_field_name("value")
            name = self.part(field.start_byte, field.child_by_field_name("field").end_byte)
            return ("wrap", value.start_byte, value.end_byte, f"({base}).{name}")
        raise ValueError(genre)

    def write(self, mutants, kept, target):
        """Writes the file with every change, and without the `const` of functions that are not kept constant.

        Gives the bytes that each change takes in the written text.
        """
        wraps, items = collections.defaultdict(list), []
        for mutant in mutants:
            kind, start, *rest = self.change(mutant)
            if kind == "insert":
                items.append((start, start, [(kind, rest[0], mutant)]))
            else:
                wraps[(start, rest[0])].append((kind, rest[1], mutant))
        items += [(start, end, changes) for (start, end), changes in wraps.items()]
        for found in re.finditer(rb"\bconst (?=fn (\w+))", self.text):
            if found[1].decode() not in kept:
                items.append((found.start(), found.end(), []))
        out, regions = bytearray(), []

        def copy(start, end, items):
            """Copies a range, with the changes in it; one that holds others comes before them."""
            at = start
            while items:
                begin, finish, changes = items.pop(0)
                out.extend(self.text[at:begin])
                at = finish
                whole = len(out)
                if begin == finish:
                    out.extend(changes[0][1].encode())
                    regions.append((whole, len(out), changes[0][2]))
                elif changes:
                    inner = [item for item in items if begin <= item[0] < finish]
                    del items[: len(inner)]
                    field = next((other for kind, other, _ in changes if kind == "field"), None)
                    out.extend(f"{field[0]}: (".encode() if field else b"(")
                    for kind, other, mutant in sorted(changes, key=lambda change: change[0] != "guard"):
                        begun, on = len(out), mutant.on()
                        other = other[1] if kind == "field" else other
                        out.extend((f"!{on} && " if kind == "guard" else f"if {on} {{ {other} }} else ").encode())
                        regions.append((begun, len(out), mutant))
                    choice = any(kind != "guard" for kind, _, _ in changes)
                    out.extend(b"{ " if choice else b"(")
                    copy(begin, finish, inner)
                    out.extend(b" })" if choice else b"))")
                    regions.extend((whole, len(out), mutant) for _, _, mutant in changes)
            out.extend(self.text[at:end])

        copy(0, len(self.text), sorted(items, key=lambda item: (item[0], -item[1])))
        target.write_bytes(out)
        return regions


def listed(root):
    """What cargo-mutants would change."""
    text = subprocess.run(["cargo", "mutants", "--list", "--json"], cwd=root, check=True, capture_output=True, text=True).stdout
    return json.loads(text)


def sampled(mutants, size, seed, modules):
    """A sample of some modules by seed: of each its share, and at least eight."""
    mutants = [mutant for mutant in mutants if mutant.module() in modules]
    draw, chosen = random.Random(seed), []
    for module in modules:
        of = [mutant for mutant in mutants if mutant.module() == module]
        share = max(8, round(size * len(of) / len(mutants)))
        chosen += draw.sample(of, min(share, len(of)))
    return chosen


def copied(root, work):
    """A copy of the tracked and new files, with the switch and with tests that hand it on."""
    tree = work / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, check=True, capture_output=True)
    for name in names.stdout.decode().split("\0"):
        if name and (root / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, tree / name)
    (tree / "src/mutant_switch.rs").write_text(SWITCH)
    library = tree / "src/lib.rs"
    library.write_text(library.read_text().replace("\npub mod ", "\npub mod mutant_switch;\npub mod ", 1))
    for test in (tree / "tests").rglob("*.rs"):
        test.write_text(test.read_text().replace(".env_clear()", HANDED_ON))
    return tree


def cargo(tree, work, *arguments):
    """Runs cargo in the tree; gives its status and its messages."""
    environment = os.environ | {
        "CARGO_TARGET_DIR": str(work / "target"), "RUSTFLAGS": "--cap-lints allow", "CARGO_PROFILE_DEV_DEBUG": "0",
        "CARGO_PROFILE_TEST_DEBUG": "0", "CARGO_PROFILE_DEV_OPT_LEVEL": "1", "CARGO_PROFILE_TEST_OPT_LEVEL": "1",
    }
    command = [os.environ.get("CARGO_PROGRAM", "cargo"), *arguments, "--message-format", "json"]
    ran = subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True)
    return ran.returncode, [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]


def blamed(messages, regions):
    """The mutants that errors of the compiler stand in, and the functions that constants call."""
    found, constant, homeless = set(), set(), []
    for message in messages:
        error = message.get("message", {})
        if message.get("reason") != "compiler-message" or error.get("level") != "error" or not error["spans"]:
            continue
        called = re.search(r"cannot call non-const .*`(?:\S*::)?(\w+)(?:::<.*>)?`", error["message"])
        inside = [
            (end - start, mutant) for span in sorted(error["spans"], key=lambda span: not span["is_primary"])
            for start, end, mutant in regions.get(span["file_name"], []) if start <= span["byte_start"] < end
        ]
        if called and called[1] != "on":
            constant.add(called[1])
        elif inside:
            found.add((min(inside, key=lambda size: size[0])[1], bool(called)))
        else:
            homeless.append(error["rendered"])
    if not found and not constant:
        sys.exit("the tree does not build, and no mutant is to blame\n" + "\n".join(homeless[:3]))
    return found, constant


def build(tree, work, files, mutants):
    """Writes the mutants and builds the tests; mutants that do not compile are taken out. Gives the test binaries."""
    kept, status = set(), 1
    while status != 0:
        regions = {}
        for name, file in files.items():
            inside = [mutant for mutant in mutants if mutant.file == name and mutant.state == "left"]
            regions[name] = file.write(inside, kept, tree / name)
        status, messages = cargo(tree, work, "check", "--lib", "--bins")
        if status != 0:
            bad, constant = blamed(messages, regions)
            kept |= constant
            for mutant, is_constant in bad:
                mutant.state = "not switchable" if is_constant else "unviable"
            print(f"{len(bad)} do not compile, {len(constant)} functions stay constant", file=sys.stderr)
    tests = [argument for name in ORDER[1:] for argument in ("--test", name)]
    status, messages = cargo(tree, work, "test", "--no-run", "--lib", "--bins", *tests)
    if status != 0:
        sys.exit("the tests do not build")
    binaries = [
        (message["target"]["name"], message["executable"]) for message in messages
        if message.get("reason") == "compiler-artifact" and message["profile"]["test"] and message["executable"]
    ]
    return sorted(binaries, key=lambda binary: ORDER.index(binary[0]))


def run(tree, binary, number, limit):
    """Runs a test binary with a mutant on; gives None where it passes, else what failed."""
    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    environment = os.environ | {"DRIFTLESS_MUTANT": str(number), "PROPTEST_RNG_SEED": "20261130", "RUST_BACKTRACE": "0"}
    process = subprocess.Popen(
        [binary], cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        preexec_fn=bounded, start_new_session=True, text=True, errors="replace",
    )
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return f"no end within {limit:.0f} s"
    if process.returncode == 0:
        return None
    failed = re.findall(r"^test (\S+) .*FAILED$", output, re.MULTILINE)
    return ", ".join(failed[:4]) + (f" and {len(failed) - 4} more" if len(failed) > 4 else "") or f"status {process.returncode}"


def judge(tree, binaries, limits, mutant):
    """Runs the tests with a mutant on until one fails."""
    for name, binary in binaries:
        failed = run(tree, binary, mutant.number, limits[binary])
        if failed:
            mutant.state, mutant.by = "caught", f"{name}: {failed}"
            break
    else:
        mutant.state = "missed"
    print(f"{mutant.state:7} {mutant.name}  {mutant.by}", file=sys.stderr, flush=True)


def report(mutants):
    """The figures by module and what was missed, as text."""
    lines = [f"{'module':12} {'sample':>6} {'unviable':>8} {'caught':>6} {'missed':>6}   caught of viable"]
    counts = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        for row in (mutant.module(), "all"):
            counts[row][mutant.state] += 1
    for module in [*MODULES, "others", "all"]:
        of = counts.get(module)
        if of:
            viable = of["caught"] + of["missed"]
            share = f"{100 * of['caught'] / viable:.1f} %" if viable else ""
            lines.append(f"{module:12} {of.total():6} {of['unviable']:8} {of['caught']:6} {of['missed']:6}   {share}")
    left = [mutant for mutant in mutants if mutant.state == "not switchable"]
    if left:
        lines.append(f"\n{len(left)} cannot be switched at run time and are left to cargo mutants:")
        lines += [f"  {mutant.name}" for mutant in left]
    lines.append("\nmissed:")
    lines += [f"  {mutant.name}" for mutant in mutants if mutant.state == "missed"]
    return "\n".join(lines)


def main():
    """Samples, builds, runs and reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=170, help="how many are drawn; 0 draws none")
    parser.add_argument("--seed", type=int, default=20261201)
    parser.add_argument("--modules", default=",".join(MODULES), help="which modules are drawn from, with commas between")
    parser.add_argument("--mutants", type=pathlib.Path, help="changes made by hand, tried as well")
    parser.add_argument("--again", type=pathlib.Path, help="only those that this report of a run calls missed")
    parser.add_argument("--jobs", type=int, default=2)
    outside = pathlib.Path(tempfile.gettempdir(), "driftless-mutants")
    parser.add_argument("--work", type=pathlib.Path, default=outside, help="where the copy and its build are kept")
    parser.add_argument("--report", type=pathlib.Path, help="also writes what came of each, as JSON")
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    every = [Mutant(0, of["name"], of["file"], of) for of in listed(root)] if options.sample else []
    mutants = sampled(every, options.sample, options.seed, options.modules.split(",")) if every else []
    if options.mutants:
        made = json.loads(options.mutants.read_text())
        mutants += [Mutant(0, of["name"], of["file"], of) for of in made]
    if options.again:
        missed = {of["name"] for of in json.loads(options.again.read_text()) if of["state"] == "missed"}
        mutants = [mutant for mutant in mutants if mutant.name in missed]
    for number, mutant in enumerate(mutants, 1):
        mutant.number = number
    tree = copied(root, work)
    files = {str(path.relative_to(root)): File(path) for path in sorted((root / "src").rglob("*.rs"))}
    del files["src/lib.rs"]  # it names the switch, and holds no function
    for mutant in mutants:
        if files[mutant.file].change(mutant) is None:
            # `||` in a chain with `let` is no Rust; a function that returns `impl Trait` has one type only.
            mutant.state = "not switchable" if mutant.listed["genre"] != "BinaryOperator" else "unviable"
    binaries = build(tree, work, files, mutants)
    limits = {}
    for name, binary in binaries:
        start = time.monotonic()
        failed = run(tree, binary, 0, 600)
        if failed:
            sys.exit(f"{name} fails without any mutant: {failed}")
        limits[binary] = max(30.0, 6 * (time.monotonic() - start))
        print(f"{name}: {time.monotonic() - start:.1f} s without any mutant", file=sys.stderr)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        viable = [mutant for mutant in mutants if mutant.state == "left"]
        list(pool.map(lambda mutant: judge(tree, binaries, limits, mutant), viable))
    print(report(mutants))
    if options.report:
        results = [{"name": of.name, "module": of.module(), "state": of.state, "by": of.by} for of in mutants]
        options.report.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
