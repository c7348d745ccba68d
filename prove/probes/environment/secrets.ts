import type { Probe } from '../../probe.ts';
import { attack } from '../attack.ts';

interface InEnvironment {
  readonly name: string;
  readonly title: string;
  readonly gives: string;
  /** The variables of the caller; `planted` says what they are. */
  readonly planted: string;
  readonly variables: (canary: string) => Readonly<Record<string, string>>;
  readonly reference?: string;
}

/** Everything the command was started with: the block itself, which shows more than a shell does. */
const PRINT = "cat /proc/self/environ | tr '\\0' '\\n'";

/** Variables of the caller that the command finds among its own. */
export function inEnvironment({ name, variables, reference = attack('T1552'), ...said }: InEnvironment): Probe {
  return {
    id: `environment/${name}`,
    ...said,
    tried: 'reading /proc/self/environ',
    reference,
    promise: 'environment',
    env: ({ canary }) => variables(canary),
    trial: () => ({ sh: PRINT }),
  };
}

const under = (names: readonly string[], value: string) => Object.fromEntries(names.map((name) => [name, value]));

export const BY_NAME: readonly Probe[] = [
  inEnvironment({
    name: 'cloud-keys',
    title: 'keys of cloud providers',
    gives: 'machines, data and money of the account',
    planted: 'AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AZURE_CLIENT_SECRET, DIGITALOCEAN_ACCESS_TOKEN and more',
    variables: (canary) =>
      under(
        [
          ...['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AZURE_CLIENT_SECRET', 'ARM_CLIENT_SECRET'],
          ...['GOOGLE_OAUTH_ACCESS_TOKEN', 'DIGITALOCEAN_ACCESS_TOKEN', 'HCLOUD_TOKEN', 'CLOUDFLARE_API_TOKEN'],
        ],
        canary,
      ),
    reference: 'https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html',
  }),
  inEnvironment({
    name: 'ci-tokens',
    title: 'tokens of code hosts and build services',
    gives: 'repositories, pipelines and packages of the user',
    planted: 'GITHUB_TOKEN, GH_TOKEN, GITLAB_TOKEN, CI_JOB_TOKEN, ACTIONS_RUNTIME_TOKEN and more',
    variables: (canary) =>
      under(
        [
          ...['GITHUB_TOKEN', 'GH_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITLAB_TOKEN', 'CI_JOB_TOKEN'],
          ...['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_TOKEN', 'BITBUCKET_TOKEN', 'SONAR_TOKEN'],
        ],
        canary,
      ),
    reference: 'https://docs.github.com/en/actions/security-guides/automatic-token-authentication',
  }),
  inEnvironment({
    name: 'registry-tokens',
    title: 'tokens of package registries',
    gives: 'the power to publish packages in the name of the user',
    planted: 'NPM_TOKEN, NODE_AUTH_TOKEN, CARGO_REGISTRY_TOKEN, TWINE_PASSWORD, npm_config__auth and more',
    variables: (canary) =>
      under(
        [
          ...['NPM_TOKEN', 'NODE_AUTH_TOKEN', 'CARGO_REGISTRY_TOKEN', 'TWINE_PASSWORD', 'UV_PUBLISH_TOKEN'],
          ...['GEM_HOST_API_KEY', 'DOCKER_AUTH_CONFIG', 'NPM_CONFIG__AUTH', 'npm_config__authtoken'],
        ],
        canary,
      ),
  }),
  inEnvironment({
    name: 'model-keys',
    title: 'keys of model providers',
    gives: 'calls on the account of the user, and what is stored there',
    planted: 'OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, MISTRAL_API_KEY, HF_TOKEN and more',
    variables: (canary) =>
      under(
        [
          ...['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'MISTRAL_API_KEY', 'GROQ_API_KEY'],
          ...['OPENROUTER_API_KEY', 'HF_TOKEN', 'REPLICATE_API_TOKEN', 'LANGCHAIN_API_KEY'],
        ],
        canary,
      ),
  }),
  inEnvironment({
    name: 'open-sessions',
    title: 'open sessions of password managers and vaults',
    gives: 'every password in them, without the master password',
    planted: 'OP_SESSION_my, OP_SERVICE_ACCOUNT_TOKEN, BW_SESSION, VAULT_TOKEN, SOPS_AGE_KEY and more',
    variables: (canary) =>
      under(
        [
          ...['OP_SESSION_my', 'OP_SERVICE_ACCOUNT_TOKEN', 'BW_SESSION', 'VAULT_TOKEN', 'SOPS_AGE_KEY'],
          ...['DOPPLER_TOKEN', 'INFISICAL_TOKEN', 'ANSIBLE_VAULT_PASSWORD', 'KEEPASSXC_PASSWORD'],
        ],
        canary,
      ),
    reference: attack('T1555/005'),
  }),
  inEnvironment({
    name: 'database-passwords',
    title: 'addresses of databases with their passwords',
    gives: 'the data of every service the user works on',
    planted: 'DATABASE_URL, REDIS_URL, MONGODB_URI and AMQP_URL with a password in each, PGPASSWORD and MYSQL_PWD',
    variables: (canary) => ({
      DATABASE_URL: `postgres://app:${canary}@db.example.com/app`,
      REDIS_URL: `redis://:${canary}@cache.example.com:6379`,
      MONGODB_URI: `mongodb+srv://app:${canary}@cluster.example.com`,
      AMQP_URL: `amqps://app:${canary}@queue.example.com`,
      ...under(['PGPASSWORD', 'MYSQL_PWD', 'SPRING_DATASOURCE_PASSWORD'], canary),
    }),
    reference: 'https://12factor.net/config',
  }),
  inEnvironment({
    name: 'proxy-passwords',
    title: 'the password of the proxy, in its address',
    gives: 'the network identity of the user in the company',
    planted: 'HTTPS_PROXY, HTTP_PROXY and ALL_PROXY, in both cases, with a user and a password',
    variables: (canary) =>
      under(
        ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'https_proxy', 'http_proxy', 'all_proxy'],
        `http://me:${canary}@proxy.example.com:3128`,
      ),
    reference: 'https://curl.se/docs/manpage.html#ENVIRONMENT',
  }),
  inEnvironment({
    name: 'git-settings',
    title: 'an authorization header for git, as build services hand it over',
    gives: 'write access to the repository',
    planted: 'GIT_CONFIG_COUNT with http.extraHeader, and GIT_CONFIG_PARAMETERS',
    variables: (canary) => ({
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'http.https://git.example.com/.extraHeader',
      GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${canary}`,
      GIT_CONFIG_PARAMETERS: `'http.extraheader'='AUTHORIZATION: bearer ${canary}'`,
    }),
    reference: 'https://git-scm.com/docs/git-config#ENVIRONMENT',
  }),
];
