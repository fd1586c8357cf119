# What CI runs, in the same order.
check:
    bash .ci/run

# Formats everything, the rules too: they are modules of a list, which `cargo fmt` does not look into.
fmt:
    cargo fmt
    find src/rules -name "*.rs" -exec rustfmt --edition 2024 {} +

# Rewrites every generated or recorded-by-us file, for review.
update:
    UPDATE=1 cargo test

# Equality with KubeVirt's recorded answers; `just conformance mutate` runs one family.
conformance family="":
    cargo test --test conformance -- {{family}}

# A sample of mutants, by seed, all in one build; says which of them no test noticed. `just mutants --sample 300 --seed 2`
mutants *arguments:
    cargo mutants --version || cargo install --locked cargo-mutants
    python3 -m venv target/mutants/python
    target/mutants/python/bin/pip install --quiet tree-sitter tree-sitter-rust
    target/mutants/python/bin/python scripts/mutants.py {{arguments}}
