# What CI runs, in the same order.
check:
    bash .ci/run

# Rewrites every generated or recorded-by-us file, for review.
update:
    UPDATE=1 cargo test

# Equality with KubeVirt's recorded answers; `just conformance mutate` runs one family.
conformance family="":
    cargo test --test conformance -- {{family}}
