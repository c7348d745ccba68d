import { groupsIn } from '../../host/bytes.ts';

/**
 * Variables that make an innocent program run someone's code, load someone's library or hand over its session.
 * One list for everything. Why each group is here stands in docs/code-injection-list.md.
 */
interface InjectionGroup {
  readonly group: string;
  readonly names: readonly string[];
}

/** No policy, set value or credential target brings these in. */
export const NEVER: readonly InjectionGroup[] = [
  ...groupsIn(`
loader: LD_*, DYLD_*, GCONV_PATH, GETCONF_DIR, GLIBC_TUNABLES, LOCPATH, NLSPATH, MALLOC_TRACE, TZDIR
resolver: HOSTALIASES, LOCALDOMAIN, RES_OPTIONS, RESOLV_HOST_CONF, NIS_PATH
shell: BASH_FUNC_*, BASH_ENV, ENV, CDPATH, GLOBIGNORE, PROMPT_COMMAND, IFS, PS0, PS4, SHELLOPTS, BASHOPTS,
  BASH_XTRACEFD, BASH_LOADABLES_PATH, ZDOTDIR, FPATH, NULLCMD, READNULLCMD, fish_function_path, fish_complete_path
python: PYTHONSTARTUP, PYTHONPATH, PYTHONHOME, PYTHONINSPECT, PYTHONWARNINGS, PYTHONBREAKPOINT, PYTHONUSERBASE,
  PYTHONEXECUTABLE, PYTHONPLATLIBDIR, PYTHONPYCACHEPREFIX, PYTHONCASEOK
node: NODE_OPTIONS, NODE_PATH, NODE_V8_COVERAGE, NODE_REPL_EXTERNAL_MODULE, NODE_COMPILE_CACHE, NODE_REDIRECT_WARNINGS,
  NODE_CHANNEL_FD, NODE_CHANNEL_SERIALIZATION_MODE, NODE_UNIQUE_ID, BUN_OPTIONS, BUN_INSPECT*, ELECTRON_RUN_AS_NODE
perl: PERL5OPT, PERL5LIB, PERL5DB, PERLLIB, PERL5SHELL, PERL_MM_OPT, PERL_MB_OPT
ruby: RUBYOPT, RUBYLIB, RUBYPATH, RUBYSHELL, GEM_PATH, GEM_HOME
java: JAVA_TOOL_OPTIONS, _JAVA_OPTIONS, JDK_JAVA_OPTIONS
dotnet: DOTNET_STARTUP_HOOKS, DOTNET_ADDITIONAL_DEPS, CORECLR_PROFILER*, CORECLR_ENABLE_PROFILING, COR_PROFILER*,
  COR_ENABLE_PROFILING, MONO_PATH, MONO_CONFIG
go: GOFLAGS
rust: RUSTC_WRAPPER, RUSTC_WORKSPACE_WRAPPER, CARGO_BUILD_RUSTC*, CARGO_TARGET_*_RUNNER, CARGO_TARGET_*_LINKER
compilers: GCC_EXEC_PREFIX, COMPILER_PATH, MAKEFILES
tls: OPENSSL_CONF, OPENSSL_CONF_INCLUDE, OPENSSL_MODULES, OPENSSL_ENGINES, SSLKEYLOGFILE
lua-php: LUA_INIT*, PHPRC, PHP_INI_SCAN_DIR
pagers-archives: LESSOPEN, LESSCLOSE, TAR_OPTIONS
editors: VIMINIT, GVIMINIT, EXINIT, EMACSLOADPATH
desktop-modules: GTK_MODULES, GTK_PATH, GIO_EXTRA_MODULES, GIO_MODULE_DIR, GDK_PIXBUF_MODULE_FILE, GST_PLUGIN_PATH*,
  QT_PLUGIN_PATH
git: GIT_CONFIG*, GIT_EXEC_PATH, GIT_EXTERNAL_DIFF, GIT_TEMPLATE_DIR, GIT_PROXY_COMMAND, GIT_ASKPASS
ssh: SSH_ASKPASS, SUDO_ASKPASS, SSH_SK_PROVIDER, SSH_SK_HELPER, SSH_PKCS11_HELPER
password-managers: OP_SESSION_*, OP_SERVICE_ACCOUNT_TOKEN, OP_CONNECT_TOKEN, OP_CONNECT_HOST, BW_SESSION, BW_PASSWORD,
  BW_CLIENTSECRET
`).map(([group, names]) => ({ group, names })),
  {
    group: 'npm',
    names: ['script_shell', 'node_options', 'shell', 'git', 'onload_script'].map((key) => npmSetting(key)),
  },
];

/**
 * A wildcard or `all` does not admit these; an exact name does. `shell` is commands run at every prompt, `compilers` options of make
 * that hold makefile text; prompts and nested makes are told by these names, too.
 */
export const ONLY_BY_NAME: readonly InjectionGroup[] = groupsIn(`
git: GIT_SSH_COMMAND, GIT_SSH, GIT_EDITOR, GIT_SEQUENCE_EDITOR, GIT_PAGER
shell: PS1, PS2
compilers: MAKEFLAGS, GNUMAKEFLAGS
java: CLASSPATH
ruby: BUNDLE_GEMFILE
python: PIP_CONFIG_FILE
delegated-authority: SSH_AUTH_SOCK, DBUS_SESSION_BUS_ADDRESS, VAULT_TOKEN, KUBECONFIG, DOCKER_HOST, CONTAINER_HOST
`).map(([group, names]) => ({ group, names }));

/** npm reads its settings from the environment in any case, with `_` or `-` between words. */
function npmSetting(key: string): string {
  const anyCase = (text: string) => text.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
  return anyCase('npm_config_') + anyCase(key).replaceAll('_', '[_-]');
}
