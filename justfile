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
