import { groupsIn, wordsIn } from '../../host/bytes.ts';

/**
 * What of a home is there inside: what programs need and what holds no secrets. Whatever is not listed is absent, so a name that is
 * forgotten here is a tool without its settings, never a leak. `*` is any part of one name. Credentials that lie in one of these
 * folders are hidden by credentials.ts.
 */
export interface ShownGroup {
  readonly what: string;
  readonly places: readonly string[];
}

const SHOWN = `
git's settings: .gitconfig, .config/git, .gitignore, .gitignore_global, .gitattributes, .gitmessage, .tigrc
shells and prompts: .profile, .bashrc, .bash_profile, .bash_login, .bash_logout, .bash_aliases, .bash_completion,
  .bashrc.d, .profile.d, .config/bash, .config/bash_completion, .bash_it, .oh-my-bash, .blerc, .zshenv, .zprofile,
  .zshrc, .zlogin, .zlogout, .zsh, .zsh_*, .zshrc.d, .config/zsh, .oh-my-zsh, .antigen, .antidote, .zplug, .zinit,
  .local/share/zinit, .zim, .zgen, .zprezto, .p10k.zsh, powerlevel10k, .powerlevel10k, .zcompdump*, .fzf, .fzf.bash,
  .fzf.zsh, .kshrc, .mkshrc, .shrc, .cshrc, .tcshrc, .aliases, .dircolors, .hushlogin, .config/fish, .local/share/fish,
  .config/nushell, .config/starship.toml, .config/oh-my-posh, .config/powerline, .config/direnv, .local/share/direnv,
  .config/atuin, .config/zoxide
editors: .editorconfig, .vimrc, .gvimrc, .vim, .config/vim, .config/nvim, .local/share/nvim, .nanorc, .config/nano,
  .emacs, .emacs.d, .config/emacs, .doom.d, .config/doom, .spacemacs, .config/helix, .config/micro, .config/kak, .exrc,
  .ideavimrc, .prettierrc, .clang-format
terminals and pagers: .inputrc, .config/readline, .editrc, .lesskey, .less, .config/lesskey, .screenrc, .tmux.conf,
  .tmux, .config/tmux, .config/zellij, .config/bat, .config/delta, .config/lazygit, .config/htop, .config/btop,
  .config/ripgrep, .ripgreprc, .config/fd, .config/lsd, .config/eza, .config/procps, .toprc, .dialogrc, .ackrc,
  .agignore, .rgignore, .fdignore, .ignore, .config/glow, .jq
toolchains: .nvm, .config/nvm, .fnm, .local/share/fnm, .volta, .n, .nodenv, .npm-global, .yarn, .bun, .config/yarn,
  .local/share/pnpm, .local/share/yarn, .deno, .corepack, .node-gyp, .nvmrc, .pyenv, .conda, miniconda3, anaconda3,
  miniforge3, mambaforge, .mamba, .virtualenvs, .poetry, .local/share/uv, .local/share/pipx, .local/pipx,
  .local/share/virtualenv, .local/share/hatch, .local/share/pypoetry, .config/matplotlib, .config/flake8, .config/black,
  .config/ruff, .pylintrc, .rbenv, .rvm, .gem, .local/share/gem, .irbrc, .rspec, .gemrc, .rubocop.yml, .cargo, .rustup,
  .config/rustfmt, go, .go, .goenv, .local/share/go, .m2, .gradle, .ivy2, .sbt, .sdkman, .jenv, .jbang, .coursier,
  .local/share/coursier, .kotlin, .konan, .mvn, .lein, .clojure, .config/clojure, .cljfmt.edn, .nuget/packages, .dotnet,
  .local/share/NuGet, .ghcup, .cabal, .stack, .opam, .elan, .asdf, .tool-versions, .asdfrc, .config/mise,
  .local/share/mise, .config/proto, .proto, .pub-cache, flutter, .flutter, .dart, .dartServer, .juliaup, .julia, .R,
  .local/share/R, .mix, .elixir, .nimble, .choosenim, .zvm, .swiftly, .local/share/swiftly, .ccache, .conan2,
  .config/ccache, .vcpkg, .platformio, .espressif, .linuxbrew, .nix-profile, .local/state/nix, .local/bin, .local/lib,
  .local/include, .local/share/man, .local/share/bash-completion, bin, .krew, .arkade/bin, .foundry/bin,
  .composer/vendor, .config/composer/vendor
caches: .npm, .pnpm-store, .bundle/cache
fonts, terminals, languages and kinds of files: .fonts, .fonts.conf, .local/share/fonts, .config/fontconfig, .terminfo,
  .config/locale.conf, .i18n, .config/user-dirs.dirs, .config/user-dirs.locale, .local/share/mime,
  .config/mimeapps.list, .mime.types, .mailcap, .local/share/applications, .local/share/icons, .icons, .themes,
  .XCompose, .magic, .config/gtk-3.0, .config/gtk-4.0, .config/qt5ct, .config/qt6ct, .ghostscript, .latexmkrc, texmf
`;

/** Also mail programs, indexes of documents and browsers keep things in .cache, so the folder is not shown as a whole. */
const IN_CACHE = wordsIn(`
pip uv pypoetry pipenv virtualenv pre-commit ruff mypy black pylint pytest go-build golangci-lint gopls goimports
staticcheck yarn pnpm node node-gyp npm bun deno esbuild typescript turbo nx vite prettier eslint ms-playwright
puppeteer Cypress electron electron-builder prisma coursier sbt bloop gradle kotlin jbang ccache sccache
mozilla-sccache bazel bazelisk composer hex rebar3 zig nix cabal stack hie-bios ghcide dune opam dart dotnet NuGet
nuget cargo rust-analyzer clangd jdtls nvim vim helix matplotlib fontconfig mesa_shader_cache huggingface torch
pytorch tensorflow whisper starship gitstatus oh-my-zsh zsh p10k-* bat tealdeer tldr trivy act mise fnm direnv
lua-language-server texlive conan vcpkg Homebrew go pyright opencode
`);

export const SHOWN_IN_HOME: readonly ShownGroup[] = groupsIn(SHOWN).map(([what, places]) => ({
  what,
  places: what === 'caches' ? [...places, ...IN_CACHE.map((name) => `.cache/${name}`)] : places,
}));

/** Programs, their plugins and pages, with nothing of anybody's in them. */
const OF_PROGRAMS = new Set(
  wordsIn(`
.oh-my-bash .antigen .antidote .zplug .zinit .local/share/zinit .zim .zgen .zprezto powerlevel10k .powerlevel10k .fzf
.local/share/direnv .local/share/fish .local/share/nvim .corepack .node-gyp .poetry .local/share/virtualenv .rustup
.goenv .jenv .konan .kotlin .nuget/packages .local/share/NuGet .ghcup .elan .pub-cache flutter .flutter .dart
.dartServer .juliaup .choosenim .zvm .swiftly .local/share/swiftly .espressif .linuxbrew .composer/vendor
.config/composer/vendor .local/share/R .local/bin .local/lib .local/include .local/share/man
.local/share/bash-completion bin .krew .arkade/bin .foundry/bin .hushlogin .nix-profile .local/state/nix
`),
);

/** Where settings lie among what is shown; caches are fetched anew, and looks hold nothing. */
export const SETTINGS_IN_HOME: readonly string[] = SHOWN_IN_HOME.filter(
  ({ what }) => what !== 'caches' && !what.startsWith('fonts'),
).flatMap(({ places }) => places.filter((place) => !OF_PROGRAMS.has(place)));

/** What shells read when they start, in a home. A shim has no copies of them, so it leaves them out. */
export const STARTUP_IN_HOME: readonly string[] = wordsIn(`
.profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .bashrc.d .profile.d
.config/bash .config/bash_completion .zshenv .zprofile .zshrc .zlogin .zlogout .zshrc.d .config/zsh .kshrc .mkshrc
.shrc .cshrc .tcshrc .aliases .config/fish .config/nushell .config/environment.d
`);

/** The same of the machine: what they export comes back into every login shell. */
export const STARTUP_IN_SYSTEM: readonly string[] = wordsIn(`
/etc/profile /etc/profile.d /etc/bash.bashrc /etc/bashrc /etc/bash.bash_logout /etc/environment /etc/zsh /etc/zshenv
/etc/zshrc /etc/zprofile /etc/zlogin /etc/fish /etc/csh.cshrc /etc/csh.login /etc/ksh.kshrc /etc/environment.d
`);

/**
 * What programs keep in a home to be faster, and can do without. What a command writes there is put aside without a word and lies under the
 * next launch of the same policy in the same workspace; nobody else gets it, since a forged cache is code that another project would run.
 */
export const COMES_BACK_IN_HOME: readonly string[] = wordsIn(`
.cache .npm .pnpm-store .local/share/pnpm .local/state/pnpm .yarn/cache .yarn/berry .node-gyp .bun/install/cache
.config/configstore .cargo/registry .cargo/git .cargo/.package-cache .cargo/.global-cache go/pkg .go/pkg
.local/share/go/pkg .config/go/telemetry .m2/repository .gradle/caches .gradle/wrapper .gradle/daemon .gradle/native
.ivy2/cache .sbt/boot .coursier .nuget/packages .local/share/NuGet .dotnet .templateengine .bundle/cache .ccache
.conan2/p .pub-cache .cabal/packages .stack/pantry .opam/download-cache .julia/registries .julia/compiled
.hex/packages .composer/cache .local/share/virtualenv .local/share/uv/cache .matplotlib .keras
`);
