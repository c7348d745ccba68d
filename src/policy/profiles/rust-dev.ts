import type { ProfileData } from '../profile/schema.ts';

/** Without RUSTFLAGS, which can name a linker to run, and CARGO_*, which would admit registry tokens. */
export const RUST_DEV: ProfileData = {
  meta: { name: 'rust-dev', description: 'Rust work: cargo and rustup, no registry tokens' },
  extends: 'default',
  environment: {
    allow_vars: [
      ...['CARGO_HOME', 'CARGO_TARGET_DIR', 'CARGO_TERM_COLOR', 'CARGO_INCREMENTAL', 'CARGO_NET_OFFLINE'],
      ...['RUSTUP_HOME', 'RUSTUP_TOOLCHAIN', 'RUST_BACKTRACE', 'RUST_LOG', 'CI'],
    ],
  },
};
