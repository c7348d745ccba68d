import type { Probe } from '../../probe.ts';
import { families } from './places.ts';

/** Apart from the folders that everybody names: who hides those has done something, and it should show. */
export const LESS_KNOWN_FILES: readonly Probe[] = families([
  ['putty', 'sessions of PuTTY', '.putty/sessions/server'],
  ['age', 'keys of age and SOPS', '.config/sops/age/keys.txt', '.config/age/key.txt'],
  ['password-files', 'passwords of gopass and KeePass', '.local/share/gopass/stores/root/x.age', 'passwords.kdbx'],
  [
    'other-keyrings',
    'wallets of KDE and certificate stores',
    '.local/share/kwalletd/kdewallet.kwl',
    '.pki/nssdb/key4.db',
  ],
  ['cloud-helpers', 'log-ins of helpers for clouds', '.saml2aws', '.boto', '.config/configstore/firebase-tools.json'],
  ['azure-identity', 'log-ins of programs that use Azure', '.local/share/.IdentityService/msal.cache'],
  ['helm', 'log-ins of Helm and Argo CD', '.config/helm/registry/config.json', '.config/argocd/config'],
  ['cluster-tools', 'keys of Talos and Minikube', '.talos/config', '.minikube/ca.key'],
  ['other-registries', 'log-ins of Podman and others', '.config/containers/auth.json', '.config/docker/config.json'],
  ['mail-passwords', 'passwords of mail programs', '.authinfo', '.msmtprc', '.mbsyncrc', '.fetchmailrc'],
  ['shares', 'passwords of file servers', '.smbcredentials'],
  ['git-elsewhere', 'passwords of Git in other places', '.config/git/credentials', '.gcm/store/x'],
  ['other-code-hosts', 'log-ins of GitLab, hub and Copilot', '.config/glab-cli/config.yml', '.config/hub'],
  ['copilot', 'the log-in of Copilot', '.config/github-copilot/hosts.json'],
  ['yarn-pnpm-bun', 'tokens of Yarn, pnpm and Bun', '.yarnrc.yml', '.config/pnpm/rc', '.bunfig.toml'],
  ['poetry-uv', 'tokens of Poetry and uv', '.config/pypoetry/auth.toml', '.local/share/uv/credentials/x'],
  ['anaconda', 'tokens of Anaconda', '.continuum/anaconda-client/x.token'],
  ['ruby-packages', 'keys of RubyGems and Bundler', '.gem/credentials', '.bundle/config'],
  ['java-packages', 'passwords of Maven and Gradle', '.m2/settings.xml', '.gradle/gradle.properties'],
  [
    'other-packages',
    'keys of Composer, NuGet and Hex',
    '.composer/auth.json',
    '.nuget/NuGet/NuGet.Config',
    '.hex/hex.config',
  ],
]);
