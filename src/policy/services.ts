/** A service people have keys for: where they go, and what hands out further ones. Each with the page that says so. */
export interface Service {
  readonly about: string;
  readonly source: string;
  /** Variables that its programs read a key from. */
  readonly variables: readonly string[];
  readonly hosts: readonly string[];
  /** As in `as`: where in a request the key stands. */
  readonly places: readonly string[];
  readonly mints?: readonly ServiceMint[];
}

export interface ServiceMint {
  readonly about: string;
  readonly source: string;
  readonly host: string;
  readonly methods?: readonly string[];
  readonly path: string;
  /** Where credentials stand in its JSON answer; none: refused. */
  readonly fields?: readonly string[];
  /** Where what it hands out is good for, if not at the hosts of the service. */
  readonly hosts?: readonly string[];
}

const NPM = 'npmjs.org';
const BEARER = ['authorization'];

export const SERVICES: Readonly<Record<string, Service>> = {
  aws: {
    about: 'AWS: requests are signed anew with the real key',
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html',
    variables: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
    hosts: ['*.amazonaws.com', '*.api.aws'],
    places: ['aws'],
  },
  github: {
    about: 'GitHub: its API, git over HTTPS, packages',
    source: 'https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api',
    variables: ['GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_PERSONAL_ACCESS_TOKEN'],
    hosts: [
      'api.github.com',
      'github.com',
      'uploads.github.com',
      'raw.githubusercontent.com',
      'codeload.github.com',
      'npm.pkg.github.com',
      'gist.github.com',
    ],
    places: BEARER,
    mints: [
      {
        about: 'an installation token of a GitHub app',
        source: 'https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app',
        host: 'api.github.com',
        path: '/app/installations/*/access_tokens',
        fields: ['token'],
      },
      {
        about: 'a token that another token is made into',
        source: 'https://docs.github.com/en/rest/apps/oauth-applications',
        host: 'api.github.com',
        methods: ['POST', 'PATCH'],
        path: '/applications/*/token/**',
      },
      {
        about: 'a log-in',
        source: 'https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps',
        host: 'github.com',
        path: '/login/oauth/access_token',
      },
      {
        about: 'a token for runners',
        source: 'https://docs.github.com/en/rest/actions/self-hosted-runners',
        host: 'api.github.com',
        path: '/**/actions/runners/*-token',
        fields: ['token'],
      },
      {
        about: 'a configuration of a runner, with its key',
        source: 'https://docs.github.com/en/rest/actions/self-hosted-runners',
        host: 'api.github.com',
        path: '/**/actions/runners/generate-jitconfig',
      },
      {
        about: 'the keys of a new GitHub app',
        source: 'https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest',
        host: 'api.github.com',
        path: '/app-manifests/*/conversions',
      },
    ],
  },
  gitlab: {
    about: 'GitLab.com: its API, git over HTTPS, registry',
    source: 'https://docs.gitlab.com/api/rest/authentication/',
    variables: ['GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN', 'GL_TOKEN'],
    hosts: ['gitlab.com', 'registry.gitlab.com'],
    places: [...BEARER, 'header private-token', 'header job-token'],
    mints: [
      {
        about: 'a new access token',
        source: 'https://docs.gitlab.com/api/personal_access_tokens/',
        host: 'gitlab.com',
        path: '/api/v4/**/*access_tokens/**',
      },
      {
        about: 'a new token for a deployment',
        source: 'https://docs.gitlab.com/api/deploy_tokens/',
        host: 'gitlab.com',
        path: '/api/v4/**/deploy_tokens',
      },
      {
        about: 'a token in the name of another user',
        source: 'https://docs.gitlab.com/api/user_tokens/',
        host: 'gitlab.com',
        path: '/api/v4/users/*/impersonation_tokens',
      },
      {
        about: 'a token that starts pipelines',
        source: 'https://docs.gitlab.com/api/pipeline_triggers/',
        host: 'gitlab.com',
        path: '/api/v4/projects/*/triggers',
      },
      {
        about: 'a token for runners',
        source: 'https://docs.gitlab.com/api/runners/',
        host: 'gitlab.com',
        path: '/api/v4/**/runners/**',
      },
      {
        about: 'a token for runners',
        source: 'https://docs.gitlab.com/api/users/#create-a-runner-linked-to-a-user',
        host: 'gitlab.com',
        path: '/api/v4/user/runners',
      },
      {
        about: 'a token for an agent of a cluster',
        source: 'https://docs.gitlab.com/api/cluster_agents/',
        host: 'gitlab.com',
        path: '/api/v4/projects/*/cluster_agents/*/tokens',
      },
      { about: 'a log-in', source: 'https://docs.gitlab.com/api/oauth2/', host: 'gitlab.com', path: '/oauth/token' },
    ],
  },
  anthropic: {
    about: 'Claude: the API',
    source: 'https://docs.anthropic.com/en/api/overview',
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    hosts: ['api.anthropic.com'],
    places: ['header x-api-key', ...BEARER],
    mints: [
      {
        about: 'a new key made from a log-in',
        source: 'https://docs.anthropic.com/en/docs/claude-code/iam',
        host: 'api.anthropic.com',
        path: '/api/oauth/claude_cli/create_api_key',
      },
      {
        about: 'a log-in',
        source: 'https://docs.anthropic.com/en/docs/claude-code/iam',
        host: 'api.anthropic.com',
        path: '/v1/oauth/token',
      },
    ],
  },
  openai: {
    about: 'OpenAI: the API',
    source: 'https://platform.openai.com/docs/api-reference/authentication',
    variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    hosts: ['api.openai.com'],
    places: BEARER,
    mints: [
      {
        about: 'a short-lived key for a browser',
        source: 'https://platform.openai.com/docs/api-reference/realtime-sessions',
        host: 'api.openai.com',
        path: '/v1/realtime/client_secrets',
        fields: ['value'],
      },
      {
        about: 'a short-lived key for a browser',
        source: 'https://platform.openai.com/docs/api-reference/realtime-sessions',
        host: 'api.openai.com',
        path: '/v1/realtime/*sessions',
        fields: ['client_secret.value'],
      },
      {
        about: 'a new key',
        source: 'https://platform.openai.com/docs/api-reference/admin-api-keys',
        host: 'api.openai.com',
        path: '/v1/organization/**',
      },
    ],
  },
  gemini: {
    about: 'Gemini: the API with a key',
    source: 'https://ai.google.dev/gemini-api/docs/api-key',
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    hosts: ['generativelanguage.googleapis.com', 'aiplatform.googleapis.com'],
    places: ['header x-goog-api-key', 'query key'],
    mints: [
      {
        about: 'a short-lived token',
        source: 'https://ai.google.dev/gemini-api/docs/ephemeral-tokens',
        host: 'generativelanguage.googleapis.com',
        path: '/*/auth_tokens',
        fields: ['name'],
      },
      {
        about: 'a log-in',
        source: 'https://developers.google.com/identity/protocols/oauth2',
        host: 'www.googleapis.com',
        path: '/oauth2/*/token',
      },
      {
        about: 'a log-in',
        source: 'https://developers.google.com/identity/protocols/oauth2',
        host: 'accounts.google.com',
        path: '/o/oauth2/**token',
      },
    ],
  },
  mistral: {
    about: "Mistral's API",
    source: 'https://docs.mistral.ai/api/',
    variables: ['MISTRAL_API_KEY', 'CODESTRAL_API_KEY'],
    hosts: ['api.mistral.ai', 'codestral.mistral.ai'],
    places: BEARER,
  },
  openrouter: {
    about: "OpenRouter's API",
    source: 'https://openrouter.ai/docs/api-reference/authentication',
    variables: ['OPENROUTER_API_KEY'],
    hosts: ['openrouter.ai'],
    places: BEARER,
    mints: [
      {
        about: 'a new key',
        source: 'https://openrouter.ai/docs/features/provisioning-api-keys',
        host: 'openrouter.ai',
        path: '/api/v1/keys/**',
      },
    ],
  },
  groq: {
    about: "Groq's API",
    source: 'https://console.groq.com/docs/api-reference',
    variables: ['GROQ_API_KEY'],
    hosts: ['api.groq.com'],
    places: BEARER,
  },
  deepseek: {
    about: "DeepSeek's API",
    source: 'https://api-docs.deepseek.com/',
    variables: ['DEEPSEEK_API_KEY'],
    hosts: ['api.deepseek.com'],
    places: BEARER,
  },
  xai: {
    about: "xAI's API",
    source: 'https://docs.x.ai/docs/api-reference',
    variables: ['XAI_API_KEY'],
    hosts: ['api.x.ai'],
    places: BEARER,
  },
  cohere: {
    about: "Cohere's API",
    source: 'https://docs.cohere.com/reference/about',
    variables: ['COHERE_API_KEY', 'CO_API_KEY'],
    hosts: ['api.cohere.com'],
    places: BEARER,
  },
  together: {
    about: "Together's API",
    source: 'https://docs.together.ai/reference/authentication',
    variables: ['TOGETHER_API_KEY'],
    hosts: ['api.together.xyz'],
    places: BEARER,
  },
  perplexity: {
    about: "Perplexity's API",
    source: 'https://docs.perplexity.ai/api-reference',
    variables: ['PERPLEXITY_API_KEY'],
    hosts: ['api.perplexity.ai'],
    places: BEARER,
  },
  dashscope: {
    about: "Qwen's API",
    source: 'https://www.alibabacloud.com/help/en/model-studio/',
    variables: ['DASHSCOPE_API_KEY'],
    hosts: ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com'],
    places: BEARER,
  },
  cursor: {
    about: "Cursor's agent",
    source: 'https://docs.cursor.com/en/cli/reference/authentication',
    variables: ['CURSOR_API_KEY'],
    hosts: ['api2.cursor.sh', 'api.cursor.com'],
    places: BEARER,
  },
  sourcegraph: {
    about: 'Amp',
    source: 'https://ampcode.com/manual',
    variables: ['AMP_API_KEY'],
    hosts: ['ampcode.com'],
    places: BEARER,
  },
  replicate: {
    about: "Replicate's API",
    source: 'https://replicate.com/docs/reference/http',
    variables: ['REPLICATE_API_TOKEN'],
    hosts: ['api.replicate.com'],
    places: BEARER,
  },
  elevenlabs: {
    about: "ElevenLabs' API",
    source: 'https://elevenlabs.io/docs/api-reference/authentication',
    variables: ['ELEVENLABS_API_KEY'],
    hosts: ['api.elevenlabs.io'],
    places: ['header xi-api-key'],
  },
  tavily: {
    about: "Tavily's search",
    source: 'https://docs.tavily.com/documentation/api-reference',
    variables: ['TAVILY_API_KEY'],
    hosts: ['api.tavily.com'],
    places: [...BEARER, 'body api_key'],
  },
  brave: {
    about: "Brave's search",
    source: 'https://api-dashboard.search.brave.com/app/documentation',
    variables: ['BRAVE_API_KEY'],
    hosts: ['api.search.brave.com'],
    places: ['header x-subscription-token'],
  },
  npm: {
    about: "npm's registry: installing private packages, publishing",
    source: 'https://docs.npmjs.com/using-private-packages-in-a-ci-cd-workflow',
    variables: ['NPM_TOKEN', 'NODE_AUTH_TOKEN'],
    hosts: [`registry.${NPM}`],
    places: BEARER,
    mints: [
      {
        about: 'a new token',
        source: 'https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md',
        host: `registry.${NPM}`,
        path: '/-/npm/v1/tokens/**',
      },
      {
        about: 'a log-in',
        source: 'https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md',
        host: `registry.${NPM}`,
        methods: ['PUT', 'POST'],
        path: '/-/user/**',
      },
      {
        about: 'a log-in',
        source: 'https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md',
        host: `registry.${NPM}`,
        path: '/-/v1/login',
      },
      {
        about: 'a token for publishing',
        source: 'https://docs.npmjs.com/trusted-publishers',
        host: `registry.${NPM}`,
        path: '/-/npm/v1/oidc/token/exchange/**',
        fields: ['token'],
      },
    ],
  },
  pypi: {
    about: 'PyPI: publishing',
    source: 'https://pypi.org/help/#apitoken',
    variables: ['PYPI_TOKEN', 'TWINE_PASSWORD', 'UV_PUBLISH_TOKEN', 'POETRY_PYPI_TOKEN_PYPI'],
    hosts: ['upload.pypi.org', 'test.pypi.org', 'pypi.org'],
    places: BEARER,
    mints: [
      {
        about: 'a token for publishing',
        source: 'https://docs.pypi.org/trusted-publishers/using-a-publisher/',
        host: 'pypi.org',
        path: '/_/oidc/mint-token',
        fields: ['token'],
        hosts: ['upload.pypi.org'],
      },
    ],
  },
  crates: {
    about: 'crates.io: publishing',
    source: 'https://doc.rust-lang.org/cargo/reference/registry-web-api.html',
    variables: ['CARGO_REGISTRY_TOKEN', 'CARGO_REGISTRIES_CRATES_IO_TOKEN'],
    hosts: ['crates.io'],
    places: BEARER,
    mints: [
      {
        about: 'a new token',
        source: 'https://crates.io/docs/trusted-publishing',
        host: 'crates.io',
        methods: ['PUT', 'POST'],
        path: '/api/v1/**tokens**',
      },
    ],
  },
  rubygems: {
    about: 'RubyGems: publishing',
    source: 'https://guides.rubygems.org/rubygems-org-api/',
    variables: ['GEM_HOST_API_KEY', 'RUBYGEMS_API_KEY'],
    hosts: ['rubygems.org'],
    places: BEARER,
    mints: [
      {
        about: 'a new key',
        source: 'https://guides.rubygems.org/rubygems-org-api/',
        host: 'rubygems.org',
        path: '/api/v1/api_key**',
      },
    ],
  },
  docker: {
    about: 'Docker Hub: pulling and pushing images',
    source: 'https://docs.docker.com/reference/api/registry/auth/',
    variables: ['DOCKER_TOKEN', 'DOCKER_PASSWORD', 'DOCKERHUB_TOKEN'],
    hosts: ['auth.docker.io', 'hub.docker.com'],
    places: [...BEARER, 'body password', 'body secret'],
    mints: [
      {
        about: 'a token for pulling and pushing',
        source: 'https://docs.docker.com/reference/api/registry/auth/',
        host: 'auth.docker.io',
        methods: ['GET', 'POST'],
        path: '/token',
        fields: ['token', 'access_token', 'refresh_token'],
        hosts: ['registry-1.docker.io'],
      },
      {
        about: 'a log-in',
        source: 'https://docs.docker.com/reference/api/hub/latest/',
        host: 'hub.docker.com',
        path: '/v2/users/login',
        fields: ['token'],
      },
      {
        about: 'a log-in',
        source: 'https://docs.docker.com/reference/api/hub/latest/',
        host: 'hub.docker.com',
        path: '/v2/auth/token',
        fields: ['access_token'],
      },
      {
        about: 'a new token',
        source: 'https://docs.docker.com/reference/api/hub/latest/',
        host: 'hub.docker.com',
        path: '/v2/access-tokens',
      },
    ],
  },
  huggingface: {
    about: 'Hugging Face: models, data sets, inference',
    source: 'https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables',
    variables: ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN', 'HUGGINGFACE_TOKEN'],
    hosts: ['huggingface.co', 'router.huggingface.co', 'api-inference.huggingface.co'],
    places: BEARER,
    mints: [
      {
        about: 'a log-in',
        source: 'https://huggingface.co/docs/hub/oauth',
        host: 'huggingface.co',
        path: '/oauth/token',
      },
    ],
  },
  slack: {
    about: 'Slack: the Web API',
    source: 'https://docs.slack.dev/authentication/tokens',
    variables: ['SLACK_BOT_TOKEN', 'SLACK_TOKEN', 'SLACK_USER_TOKEN', 'SLACK_APP_TOKEN'],
    hosts: ['slack.com', 'files.slack.com'],
    places: [...BEARER, 'body token'],
    mints: [
      {
        about: 'a log-in',
        source: 'https://docs.slack.dev/authentication/using-token-rotation',
        host: 'slack.com',
        path: '/api/oauth.v2.*',
      },
      {
        about: 'an address that is a key itself',
        source: 'https://docs.slack.dev/apis/events-api/using-socket-mode',
        host: 'slack.com',
        path: '/api/apps.connections.open',
      },
    ],
  },
  linear: {
    about: 'Linear',
    source: 'https://linear.app/developers/graphql',
    variables: ['LINEAR_API_KEY'],
    hosts: ['api.linear.app'],
    places: BEARER,
    mints: [
      {
        about: 'a log-in',
        source: 'https://linear.app/developers/oauth-2-0-authentication',
        host: 'api.linear.app',
        path: '/oauth/token',
      },
    ],
  },
  notion: {
    about: 'Notion',
    source: 'https://developers.notion.com/reference/authentication',
    variables: ['NOTION_TOKEN', 'NOTION_API_KEY'],
    hosts: ['api.notion.com'],
    places: BEARER,
    mints: [
      {
        about: 'a log-in',
        source: 'https://developers.notion.com/reference/create-a-token',
        host: 'api.notion.com',
        path: '/v1/oauth/token',
      },
    ],
  },
  sentry: {
    about: 'Sentry',
    source: 'https://docs.sentry.io/api/auth/',
    variables: ['SENTRY_AUTH_TOKEN'],
    hosts: ['sentry.io', 'us.sentry.io', 'de.sentry.io'],
    places: BEARER,
    mints: [
      {
        about: 'a new token',
        source: 'https://docs.sentry.io/api/auth/',
        host: 'sentry.io',
        path: '/api/0/api-tokens/**',
      },
    ],
  },
  stripe: {
    about: 'Stripe',
    source: 'https://docs.stripe.com/api/authentication',
    variables: ['STRIPE_API_KEY', 'STRIPE_SECRET_KEY'],
    hosts: ['api.stripe.com', 'files.stripe.com'],
    places: BEARER,
    mints: [
      {
        about: 'a short-lived key',
        source: 'https://docs.stripe.com/issuing/elements',
        host: 'api.stripe.com',
        path: '/v1/ephemeral_keys',
        fields: ['secret'],
      },
    ],
  },
  cloudflare: {
    about: 'Cloudflare: the API',
    source: 'https://developers.cloudflare.com/fundamentals/api/get-started/create-token/',
    variables: ['CLOUDFLARE_API_TOKEN', 'CF_API_TOKEN', 'CLOUDFLARE_API_KEY'],
    hosts: ['api.cloudflare.com'],
    places: [...BEARER, 'header x-auth-key'],
    mints: [
      {
        about: 'a new token',
        source: 'https://developers.cloudflare.com/api/resources/user/subresources/tokens/',
        host: 'api.cloudflare.com',
        methods: ['POST', 'PUT'],
        path: '/client/v4/**tokens**',
      },
    ],
  },
  vercel: {
    about: 'Vercel',
    source: 'https://vercel.com/docs/rest-api',
    variables: ['VERCEL_TOKEN'],
    hosts: ['api.vercel.com'],
    places: BEARER,
    mints: [
      {
        about: 'a new token',
        source: 'https://vercel.com/docs/rest-api/reference/endpoints/authentication',
        host: 'api.vercel.com',
        path: '/v3/user/tokens',
      },
    ],
  },
  digitalocean: {
    about: 'DigitalOcean',
    source: 'https://docs.digitalocean.com/reference/api/',
    variables: ['DIGITALOCEAN_TOKEN', 'DIGITALOCEAN_ACCESS_TOKEN'],
    hosts: ['api.digitalocean.com'],
    places: BEARER,
  },
  datadog: {
    about: 'Datadog',
    source: 'https://docs.datadoghq.com/api/latest/authentication/',
    variables: ['DD_API_KEY', 'DD_APP_KEY', 'DATADOG_API_KEY'],
    hosts: ['api.datadoghq.com', 'api.datadoghq.eu', 'http-intake.logs.datadoghq.com'],
    places: ['header dd-api-key', 'header dd-application-key'],
  },
};
