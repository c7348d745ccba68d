/**
 * What programs keep in a home to be faster, and can do without. What a command writes there is put aside without a word and lies under the
 * next launch of the same policy in the same workspace; nobody else gets it, since a forged cache is code that another project would run.
 */
export const COMES_BACK_IN_HOME: readonly string[] = [
  ...[
    '.cache',
    '.npm',
    '.pnpm-store',
    '.local/share/pnpm',
    '.local/state/pnpm',
    '.yarn/cache',
    '.yarn/berry',
    '.node-gyp',
  ],
  ...['.bun/install/cache', '.config/configstore', '.cargo/registry', '.cargo/git', '.cargo/.package-cache'],
  ...['.cargo/.global-cache', 'go/pkg', '.go/pkg', '.local/share/go/pkg', '.config/go/telemetry', '.m2/repository'],
  ...['.gradle/caches', '.gradle/wrapper', '.gradle/daemon', '.gradle/native', '.ivy2/cache', '.sbt/boot', '.coursier'],
  ...['.nuget/packages', '.local/share/NuGet', '.dotnet', '.templateengine', '.bundle/cache', '.ccache', '.conan2/p'],
  ...['.pub-cache', '.cabal/packages', '.stack/pantry', '.opam/download-cache', '.julia/registries', '.julia/compiled'],
  ...['.hex/packages', '.composer/cache', '.local/share/virtualenv', '.local/share/uv/cache', '.matplotlib', '.keras'],
];
