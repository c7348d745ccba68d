/** Hosts that belong together, by domain: `@` is the domain itself, `*` everything below it. Each with the page that says so. */
export interface HostSet {
  readonly about: string;
  readonly source: string;
  readonly hosts: Readonly<Record<string, readonly string[]>>;
}

export const HOST_SETS: Readonly<Record<string, HostSet>> = {
  npm: {
    about: "npm's registry, for npm, pnpm and yarn",
    source: 'https://docs.npmjs.com/cli/v11/using-npm/registry',
    hosts: { 'npmjs.org': ['registry'], 'npmjs.com': ['registry', 'www'], 'yarnpkg.com': ['registry', 'repo'] },
  },
  nodejs: {
    about: 'Node itself: releases and headers',
    source: 'https://nodejs.org/en/download',
    hosts: { 'nodejs.org': ['@'] },
  },
  pypi: {
    about: 'the Python Package Index',
    source: 'https://docs.pypi.org/api/index-api/',
    hosts: { 'pypi.org': ['@'], 'pythonhosted.org': ['files'] },
  },
  crates: {
    about: 'crates.io and the Rust toolchain',
    source: 'https://doc.rust-lang.org/cargo/reference/registry-index.html',
    hosts: { 'crates.io': ['@', 'index', 'static'], 'rust-lang.org': ['static'] },
  },
  go: {
    about: "Go's module proxy, checksums and toolchain",
    source: 'https://go.dev/ref/mod#module-proxy',
    hosts: { 'golang.org': ['proxy', 'sum'], 'go.dev': ['@'], 'google.com': ['dl'] },
  },
  maven: {
    about: 'Maven Central and the Gradle portal',
    source: 'https://central.sonatype.org/consume/',
    hosts: {
      'maven.org': ['repo1'],
      'apache.org': ['repo.maven'],
      'gradle.org': ['plugins', 'services', 'downloads'],
    },
  },
  rubygems: {
    about: 'RubyGems',
    source: 'https://guides.rubygems.org/rubygems-org-api/',
    hosts: { 'rubygems.org': ['@', 'index'] },
  },
  nuget: {
    about: 'NuGet',
    source: 'https://learn.microsoft.com/nuget/api/overview',
    hosts: { 'nuget.org': ['api', 'www'] },
  },
  docker: {
    about: 'Docker Hub, for pulling images',
    source: 'https://docs.docker.com/desktop/setup/allow-list/',
    hosts: { 'docker.io': ['auth', 'registry-1'], 'docker.com': ['production.cloudflare', 'hub'] },
  },
  github: {
    about: 'GitHub: git over HTTPS and SSH, its API, raw files, releases and packages',
    source: 'https://api.github.com/meta',
    hosts: {
      'github.com': ['@', '@:22', 'api', 'codeload', 'uploads', 'gist', 'npm.pkg'],
      'githubusercontent.com': ['*'],
      'ghcr.io': ['@'],
    },
  },
  gitlab: {
    about: 'GitLab.com: git over HTTPS and SSH, its API, registry and packages',
    source: 'https://docs.gitlab.com/user/gitlab_com/',
    hosts: { 'gitlab.com': ['@', '@:22', 'registry'] },
  },
  bitbucket: {
    about: 'Bitbucket Cloud: git over HTTPS and SSH, and its API',
    source:
      'https://support.atlassian.com/bitbucket-cloud/docs/what-are-the-bitbucket-cloud-ip-addresses-i-should-use-to-configure-my-corporate-firewall/',
    hosts: { 'bitbucket.org': ['@', '@:22', 'api'] },
  },
  debian: {
    about: "Debian's packages",
    source: 'https://www.debian.org/mirror/list',
    hosts: { 'debian.org': ['deb', 'security', 'ftp', 'snapshot'] },
  },
  ubuntu: {
    about: "Ubuntu's packages",
    source: 'https://ubuntu.com/server/docs/package-management',
    hosts: { 'ubuntu.com': ['archive', '*.archive', 'security', 'ports'] },
  },
  alpine: {
    about: "Alpine's packages",
    source: 'https://wiki.alpinelinux.org/wiki/Repositories',
    hosts: { 'alpinelinux.org': ['dl-cdn'] },
  },
  anthropic: {
    about: 'Claude: the API, log-in and the settings of its command line',
    source: 'https://docs.anthropic.com/en/docs/claude-code/corporate-proxy',
    hosts: { 'anthropic.com': ['api', 'console', 'statsig'], 'claude.com': ['platform'], 'claude.ai': ['@'] },
  },
  openai: {
    about: 'OpenAI: the API, ChatGPT and its log-in',
    source: 'https://platform.openai.com/docs/api-reference',
    hosts: { 'openai.com': ['api', 'auth'], 'chatgpt.com': ['@'] },
  },
  google: {
    about: 'Gemini: the API, Code Assist and log-in',
    source: 'https://ai.google.dev/gemini-api/docs',
    hosts: {
      'googleapis.com': ['generativelanguage', 'cloudcode-pa', 'oauth2', 'www', 'aiplatform', '*.aiplatform'],
      'google.com': ['accounts'],
    },
  },
  mistral: {
    about: "Mistral's API",
    source: 'https://docs.mistral.ai/api/',
    hosts: { 'mistral.ai': ['api', 'codestral'] },
  },
  openrouter: {
    about: "OpenRouter's API",
    source: 'https://openrouter.ai/docs/api-reference/overview',
    hosts: { 'openrouter.ai': ['@'] },
  },
  groq: { about: "Groq's API", source: 'https://console.groq.com/docs/api-reference', hosts: { 'groq.com': ['api'] } },
  deepseek: {
    about: "DeepSeek's API",
    source: 'https://api-docs.deepseek.com/',
    hosts: { 'deepseek.com': ['api'] },
  },
  qwen: {
    about: "Qwen's API and log-in",
    source: 'https://www.alibabacloud.com/help/en/model-studio/',
    hosts: { 'aliyuncs.com': ['dashscope', 'dashscope-intl'], 'qwen.ai': ['chat', 'portal'] },
  },
  huggingface: {
    about: 'Hugging Face: models, data sets and the API',
    source: 'https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables',
    hosts: { 'huggingface.co': ['@', '*'], 'hf.co': ['@', '*'] },
  },
};

/** The entries a set stands for, as a list of hosts would have them. */
export function hostsOfSet(name: string): readonly string[] | undefined {
  if (!Object.hasOwn(HOST_SETS, name)) return undefined;
  return Object.entries(HOST_SETS[name]?.hosts ?? {}).flatMap(([domain, parts]) =>
    parts.map((part) => {
      const [label, port] = part.split(':');
      return `${label === '@' ? domain : `${label}.${domain}`}${port === undefined ? '' : `:${port}`}`;
    }),
  );
}
