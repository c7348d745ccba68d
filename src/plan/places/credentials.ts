import { groupsIn } from '../../host/bytes.ts';
import { LEFTOVERS } from './leftovers.ts';

/**
 * Where credentials are known to lie. A home shows none of it anyway, since it shows only what shown.ts lists; this list holds where
 * more is shown than that: in a workspace, with `--read ~`, outside of homes. It also gives `explain` its words.
 */

/** Places in a home folder, each a file or a folder; `*` is any part of one name. */
export interface PlaceGroup {
  readonly why: string;
  readonly places: readonly string[];
}

const KEYS = `
SSH keys and configuration: .ssh, .dropbear, .putty
GPG keys: .gnupg, .config/gnupg, .local/share/gnupg, .config/sops, .config/age, .age
password stores: .password-store, .local/share/pass, .local/share/gopass, .config/gopass
1Password: .config/op, .op, .config/1Password, .1password
Bitwarden: .config/Bitwarden CLI, .config/Bitwarden, .config/rbw, .local/share/rbw, .cache/rbw
other password managers: .config/keepassxc, .cache/keepassxc, .keepass, *.kdbx, .lpass, .config/lpass,
  .local/share/lpass, .config/dashlane
keyrings of the desktop: .local/share/keyrings, .gnome2/keyrings, .local/share/kwalletd, .kde/share/apps/kwallet,
  .cache/keyring-*
certificates and smart cards: .pki, .config/pki, .config/Yubico, .yubico, .cert, .config/mkcert, .local/share/mkcert,
  .step
wallets: .bitcoin, .ethereum, .electrum, .monero, .config/solana, .near-credentials, .foundry/keystores, .config/Exodus,
  .config/Ledger Live, .litecoin, .zcash
Kerberos and VPN: .krb5, .k5login, .config/openvpn, .config/wireguard, .cisco, .config/NetworkManager, .config/tailscale
`;

const CLOUDS = `
AWS: .aws, .saml2aws, .awsvault, .config/awsvault
Google Cloud: .config/gcloud, .gsutil, .boto, .appcfg_oauth2_tokens, .config/firebase, .config/configstore,
  .clasprc.json
Azure: .azure, .config/azure, .IdentityService, .local/share/.IdentityService
Kubernetes: .kube, .config/k9s, .config/helm/registry, .config/helm/repositories.yaml, .helm, .minikube, .talos,
  .config/argocd
Docker: .docker, .config/docker
Podman and other container tools: .config/containers/auth.json, .local/share/containers/auth.json, .config/oci, .oci,
  .config/regctl, .regctl
Terraform and Pulumi: .terraformrc, .terraform.d, .config/opentofu, .tofurc, .pulumi/credentials.json, .config/pulumi
HashiCorp Vault and its relatives: .vault-token, .vault, .config/doppler, .doppler, .infisical, .akeyless,
  .config/teleport, .tsh, .chef, .nomad
object storage: .s3cfg, .config/rclone, .rclone.conf, .mc, .mcli, .passwd-s3fs, .config/restic, .config/borg,
  .b2_account_info, .config/b2, .dropbox, .config/backblaze
hosting services: .config/heroku, .local/share/heroku, .config/netlify, .netlify, .config/vercel,
  .local/share/com.vercel.cli, .vercel, .now, .fly, .config/fly, .config/doctl, .config/hcloud, .config/linode-cli,
  .config/scw, .config/railway, .railway, .config/render, .render, .supabase, .config/supabase, .config/ngrok, .ngrok2,
  .ngrok
Cloudflare: .cloudflared, .wrangler, .config/.wrangler, .config/wrangler, .cf
services with a command line: .config/stripe, .sentryclirc, .config/sentry, .config/datadog, .circleci, .travis,
  .config/jira, .jira.d, .config/slack, .slack, .twilio-cli, .config/sendgrid, .config/snyk, .snowsql, .snowflake,
  .config/snowflake, .databrickscfg, .dbt/profiles.yml, .newrelic, .pagerduty, .todoist
`;

const CODE = `
passwords for hosts: .netrc, .authinfo, .authinfo.gpg, .fetchmailrc, .msmtprc, .config/msmtp, .mbsyncrc,
  .config/neomutt, .mutt, .muttrc, .smbcredentials
settings with a password in them: .wgetrc, .curlrc, .pip/pip.conf, .config/pip/pip.conf, .condarc
Git credentials: .git-credentials, .git-credential-cache, .cache/git/credential, .config/git/credentials, .gcm,
  .config/git-credential-manager
command lines of code hosts: .config/gh, .config/glab-cli, .config/hub, .config/tea, .config/lab, .config/berg,
  .config/github-copilot, .config/gitui/key
npm, Yarn and their like: .npmrc, .config/npm, .yarnrc, .yarnrc.yml, .config/pnpm/rc, .config/pnpm/auth.ini,
  .bunfig.toml, .jsr
Python packages: .pypirc, .config/pypoetry/auth.toml, .local/share/uv/credentials, .config/uv/credentials, .continuum,
  .config/conda
packages of other languages: .cargo/credentials, .cargo/credentials.toml, .gem/credentials,
  .local/share/gem/credentials, .bundle/config, .composer/auth.json, .config/composer/auth.json, .m2/settings.xml,
  .m2/settings-security.xml, .gradle/gradle.properties, .sbt/.credentials, .sbt/credentials, .sbt/*/credentials.sbt,
  .sbt/*/plugins/credentials.sbt, .lein/credentials.clj*, .pub-cache/credentials.json,
  .config/dart/pub-credentials.json, .dotnet/corefx, .julia/servers, .conan/.conan.db, .conan2/.conan.db,
  .conan2/credentials.json, .platformio/appstate.json, .ivy2/.credentials, .nuget/NuGet, .config/NuGet, .hex,
  .config/hex, .cabal/config, .stack/upload, .config/coursier/credentials.properties, .luarocks
databases: .pgpass, .pg_service.conf, .my.cnf, .mylogin.cnf, .mongorc.js, .mongodb, .rediscli_auth, .redisclirc,
  .config/redis, .cassandra, .clickhouse-client, .config/usql, .usqlpass, .dbshell, .config/pgcli, .config/mycli,
  .config/litecli, .local/share/DBeaverData, .dbeaver4
machine learning services: .cache/huggingface/token, .cache/huggingface/stored_tokens, .huggingface, .kaggle,
  .config/kaggle, .config/wandb, .config/lightning, .lightning, .replicate, .config/replicate, .modal.toml, .together,
  .config/vastai
`;

/** An adapter exposes what its own agent needs. */
const AGENTS = `
log-ins of coding agents: .claude/.credentials.json, .claude.json, .config/anthropic, .anthropic, .codex/auth.json,
  .config/openai, .openai, .gemini/oauth_creds.json, .gemini/google_accounts.json, .gemini/.env, .qwen/oauth_creds.json,
  .qwen/.env, .local/share/opencode/auth.json, .local/share/amp, .config/amp, .config/goose/secrets.yaml,
  .config/cursor, .cursor/auth.json, .copilot, .aider.conf.yml, .aider/oauth-keys.env,
  .config/io.datasette.llm/keys.json, .config/llm, .codeium, .continue, .config/sourcegraph, .config/crush,
  .local/share/crush, .factory, .config/mods
keys of the servers that assistants are connected to: .cursor/mcp.json, .config/Claude, .config/Code*/User/mcp.json,
  .config/Cursor*/User/mcp.json
`;

/** Through these a process outside would act for the command. A layer cuts sockets; what is read or written through does not. */
const DAEMONS = `
SSH connections that are open: .ansible/cp
container daemons: .rd/docker.sock, .colima, .config/colima, .lima, .local/share/containers/podman/machine
terminals that take commands: .screen
editors that take commands: .config/Code*/*.sock, .config/Cursor*/*.sock, .config/VSCodium*/*.sock,
  .config/Windsurf*/*.sock, .cache/JetBrains/*/.port, .emacs.d/server, .config/emacs/server
`;

const PEOPLE = `
variables for the whole session: .pam_environment
browser profiles: .mozilla, .config/mozilla, .librewolf, .waterfox, .zen, .config/google-chrome*, .config/chromium,
  .config/BraveSoftware, .config/microsoft-edge*, .config/opera*, .config/vivaldi*, .config/Arc,
  .config/net.imput.helium, .tor-browser, .local/share/torbrowser, .local/share/epiphany, .local/share/qutebrowser,
  .config/falkon, snap/firefox, snap/chromium, snap/brave, snap/opera, .var/app/org.mozilla.firefox,
  .var/app/com.google.Chrome*, .var/app/org.chromium.Chromium, .var/app/com.brave.Browser, .var/app/com.microsoft.Edge*,
  .var/app/io.gitlab.librewolf-community, .var/app/com.vivaldi.Vivaldi, .var/app/com.opera.Opera, .cache/mozilla,
  .cache/google-chrome*, .cache/chromium, .cache/BraveSoftware, .cache/microsoft-edge*
mail and chat: .thunderbird, .icedove, .var/app/org.mozilla.Thunderbird, snap/thunderbird, .local/share/evolution,
  .config/evolution, .local/share/geary, .config/Signal, .var/app/org.signal.Signal, .config/Slack, .config/discord,
  .local/share/TelegramDesktop, .config/Element, .config/weechat, .weechat, .irssi, .purple, .config/Microsoft,
  .config/teams-for-linux, .local/share/gnome-online-accounts, .config/goa-1.0, .config/zoomus.conf
histories, where secrets are typed: .*_history, .*-history, .*_hist, .histfile, .history, .zhistory, .sh_history,
  .lesshst, .viminfo, .bash_sessions, .zsh_sessions, .local/share/fish/fish_history, .local/state/zsh,
  .local/state/bash, .local/share/atuin, .local/share/mcfly, .local/share/nvim/shada, .local/state/nvim/shada,
  .node_repl_history, .local/state/psql_history, .local/share/nushell, .config/nushell/history.txt,
  .local/share/powershell, .ipython/profile_default/history.sqlite, .local/state/python_history, .python_history,
  .rediscli_history, .mongodb/mongosh
the screen and its copies: .Xauthority, .ICEauthority, .xauth*, .local/share/xorg, .xsession-errors,
  .cache/clipman.json, .cache/cliphist, .local/share/klipper, .cache/gpaste, .local/share/clipman.json,
  .local/share/RecentDocuments, .local/share/recently-used.xbel
`;

/** Credentials of the user, hidden wherever something of a home is shown. */
export const HIDDEN_IN_HOME: readonly PlaceGroup[] = [
  ...groupsIn(KEYS + CLOUDS + CODE + AGENTS + DAEMONS + PEOPLE).map(([why, places]) => ({ why, places })),
  ...LEFTOVERS,
];

/** Absolute places. */
export const HIDDEN_IN_SYSTEM: readonly PlaceGroup[] = groupsIn(`
secrets handed to this container: /run/secrets, /var/run/secrets, /run/credentials, /run/agenix, /run/keys
password hashes: /etc/shadow, /etc/shadow-, /etc/gshadow, /etc/gshadow-, /etc/security/opasswd, /etc/master.passwd
keys of this machine: /etc/ssh/ssh_host_*_key, /etc/ssl/private, /etc/pki/tls/private, /etc/letsencrypt,
  /etc/krb5.keytab, /var/lib/tailscale, /etc/wireguard, /etc/openvpn, /etc/NetworkManager/system-connections,
  /etc/ppp/chap-secrets, /etc/ppp/pap-secrets, /etc/wpa_supplicant, /etc/ipsec.secrets, /etc/swanctl/private,
  /var/lib/systemd/credential.secret, /etc/credstore, /etc/credstore.encrypted, /etc/age
clusters and registries: /etc/rancher/k3s/k3s.yaml, /etc/rancher/rke2/rke2.yaml, /etc/kubernetes/admin.conf,
  /etc/kubernetes/super-admin.conf, /etc/kubernetes/pki, /var/lib/kubelet, /etc/docker/key.json, /etc/boto.cfg,
  /etc/netrc, /etc/mysql/debian.cnf, /etc/redis/redis.conf
`).map(([why, places]) => ({ why, places }));

/** How a variable of the parent names files: one, several with `:` between, or one behind a word such as `FILE:`. */
export type NamingForm = 'path' | 'paths' | 'url';

export interface NamingVariable {
  readonly name: string;
  readonly form: NamingForm;
  readonly why: string;
}

const NAMING: Readonly<Record<NamingForm, string>> = {
  paths: 'Kubernetes: KUBECONFIG',
  url: 'Kerberos: KRB5CCNAME, KRB5_KTNAME',
  path: `
GPG keys: GNUPGHOME
the screen and its copies: XAUTHORITY, ICEAUTHORITY
AWS: AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE, AWS_WEB_IDENTITY_TOKEN_FILE,
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE
Google Cloud: GOOGLE_APPLICATION_CREDENTIALS, CLOUDSDK_CONFIG, BOTO_CONFIG, BOTO_PATH
Azure: AZURE_CONFIG_DIR, AZURE_FEDERATED_TOKEN_FILE, AZURE_CLIENT_CERTIFICATE_PATH
registries: DOCKER_CONFIG, REGISTRY_AUTH_FILE, HELM_REGISTRY_CONFIG
passwords for hosts: NETRC, CURLOPT_NETRC_FILE, PGPASSFILE, PGSERVICEFILE, MYSQL_TEST_LOGIN_FILE, REDISCLI_RCFILE,
  SMBCREDENTIALS
packages: NPM_CONFIG_USERCONFIG, npm_config_userconfig, PIP_CONFIG_FILE, CONDARC, BUNDLE_USER_CONFIG
services with a command line: GH_CONFIG_DIR, GLAB_CONFIG_DIR, TF_CLI_CONFIG_FILE, RCLONE_CONFIG,
  DATABRICKS_CONFIG_FILE, OCI_CLI_CONFIG_FILE, VAULT_TOKEN_PATH, DOPPLER_CONFIG_DIR, SENTRY_PROPERTIES,
  ANSIBLE_VAULT_PASSWORD_FILE
password stores: PASSWORD_STORE_DIR, SOPS_AGE_KEY_FILE, BITWARDENCLI_APPDATA_DIR
machine learning services: HF_TOKEN_PATH, KAGGLE_CONFIG_DIR
histories, where secrets are typed: HISTFILE, LESSHISTFILE, MYSQL_HISTFILE, PSQL_HISTORY, SQLITE_HISTORY,
  PYTHON_HISTORY, NODE_REPL_HISTORY, REDISCLI_HISTFILE
`,
};

/** The credential lies where the variable says. */
export const NAMING_VARIABLES: readonly NamingVariable[] = Object.entries(NAMING).flatMap(([form, text]) =>
  groupsIn(text).flatMap(([why, names]) => names.map((name) => ({ name, form: form as NamingForm, why }))),
);
