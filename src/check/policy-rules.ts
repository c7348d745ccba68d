import { type Decision, decide, decider } from '../decide/decide.ts';
import { guardName } from '../decide/guard/index.ts';
import { type Bytes, bytesOfText, showBytes, textOfBytes, wordsIn } from '../host/bytes.ts';
import { ParentEnv } from '../host/parent-env.ts';
import type { Place } from '../policy/load/node.ts';
import type { AllowRule, Origin, Policy } from '../policy/policy.ts';
import { admitsNothing } from '../policy/profile/read-environment.ts';
import { checkWrittenValue } from './credential.ts';
import { type Findings, listed, nameText } from './finding.ts';

interface PolicyCheck {
  /** As it would be launched, with everything it builds on. */
  readonly policy: Policy;
  /** The rules that this file itself writes; the others are found in their own files. */
  readonly placeOf: (origin: string) => Place | undefined;
  /** Where to point when the base is nobody's line. */
  readonly whole: Place;
  readonly env: ParentEnv;
  /** What messages call the policy, and how it is made smaller, where it is no profile. */
  readonly called?: { readonly name: string; readonly fix: string };
}

export function checkPolicy(findings: Findings, check: PolicyCheck): void {
  const admitted = admittedBy(check.policy, check.env);
  checkBase(findings, check, admitted.get(check.policy.base.origin));
  for (const rule of check.policy.allow) {
    const place = check.placeOf(rule.origin);
    if (place !== undefined) checkAllow(findings, place, { rule, check, admitted: admitted.get(rule.origin) });
  }
  for (const { name, value, origin } of check.policy.set) {
    const place = check.placeOf(origin);
    if (place !== undefined) checkWrittenValue(findings, { name: shown(name), value: shown(value), place });
  }
}

const shown = (bytes: Bytes) => textOfBytes(bytes) ?? showBytes(bytes);

function checkBase(findings: Findings, check: PolicyCheck, admitted: Admitted | undefined): void {
  const { base } = check.policy;
  const written = check.placeOf(base.origin);
  if (base.preset !== 'all' || admitted === undefined || (written === undefined && !isOwnDefault(check))) return;
  const fix = check.called === undefined ? {} : { fix: check.called.fix };
  const message = `${check.called?.name ?? 'the profile'} passes every variable (${admittedText(admitted)})`;
  findings.add('everything-passes', written ?? check.whole, { message, names: namesOf(admitted), ...fix });
}

/** No base is written anywhere in the chain: then it is this file that says nothing. */
const isOwnDefault = ({ policy }: PolicyCheck) => !/:\d+:\d+$/.test(policy.base.origin);

interface AllowCheck {
  readonly rule: AllowRule;
  readonly check: PolicyCheck;
  readonly admitted: Admitted | undefined;
}

function checkAllow(findings: Findings, place: Place, { rule: { pattern }, check, admitted }: AllowCheck): void {
  const name = shown(pattern.source);
  const text = nameText(name);
  const dropped = whyDropped(check.policy, pattern);
  if (isUseless(pattern))
    findings.add('entry-does-nothing', place, { message: `${text} does nothing here`, names: [name] });
  else if (dropped !== undefined)
    findings.add('entry-always-dropped', place, { message: `${text} never passes: ${dropped}`, names: [name] });
  else if (pattern.exact && isCredential(check.policy, pattern.source))
    findings.add('credential-by-name', place, { message: `${text} is inherited`, names: [name] });
  else if (admitted !== undefined) {
    const message = `${text} lets credentials through (${admittedText(admitted)})`;
    findings.add('wildcard-admits-credentials', place, { message, names: namesOf(admitted) });
  } else if (!pattern.exact && check.policy.guard === 'off' && check.policy.base.preset !== 'all')
    findings.add('wildcard-without-guard', place, { message: `${text} has no guard behind it` });
}

/** By its name, whatever is set where the check runs; a reason that was given for it holds. */
const isCredential = ({ guardExceptions = [] }: Policy, name: Bytes) =>
  guardName(name) !== undefined && !guardExceptions.some((one) => one.name === name);

/** By the code that decides for launches, whatever the value is; for a wildcard only by the guard, whatever its rest is. */
function whyDropped(policy: Policy, { exact, prefix = '' as Bytes, source }: AllowRule['pattern']): string | undefined {
  if (!exact && prefix === '') return undefined;
  const tried = exact ? [source] : ['A', 'Z9_X'].map((rest) => `${prefix}${rest}` as Bytes);
  const decisions = tried.map((name) => decider(policy)(name, '' as Bytes));
  const byWhat = exact ? /^(?:guard|deny) / : /^guard /;
  const isDropped = ({ verdict, rule }: Decision) => verdict === 'drop' && byWhat.test(rule);
  return decisions.every(isDropped) ? decisions[0]?.reason : undefined;
}

const isUseless = (pattern: AllowRule['pattern']) =>
  (pattern.exact || pattern.prefix !== undefined) && admitsNothing(pattern);

const namesOf = ({ now, wellKnown }: Admitted) => [...now, ...wellKnown];

/** Credentials that one rule of a policy lets through. */
interface Admitted {
  readonly now: readonly string[];
  readonly wellKnown: readonly string[];
}

/** By the code that decides for launches: what it would pass of the names that are set now, and of those that credentials commonly have. */
function admittedBy(policy: Policy, env: ParentEnv): ReadonlyMap<Origin, Admitted> {
  const now = passing(policy, namesOnly(env.names()));
  const known = passing(policy, namesOnly(WELL_KNOWN_CREDENTIALS.map(bytesOfText)));
  const origins = new Set([...now, ...known].map(({ origin }) => origin));
  const namesOf = (decisions: readonly Decision[], origin: Origin) =>
    decisions.filter((one) => one.origin === origin).map(({ name }) => showBytes(name));
  return new Map([...origins].map((origin) => [origin, admitted(namesOf(now, origin), namesOf(known, origin))]));
}

/** A name that is set is no news as a well-known one. */
const admitted = (now: string[], known: string[]): Admitted => ({
  now,
  wellKnown: known.filter((name) => !now.includes(name)),
});

/** Values are nobody's business here: whether a name passes is the same with an empty one. */
const namesOnly = (names: readonly Bytes[]) =>
  ParentEnv.fromBlock(Buffer.from(names.map((name) => `${name}=\0`).join(''), 'latin1'));

function passing(policy: Policy, env: ParentEnv): Decision[] {
  return decide(policy, env).filter(({ verdict, name }) => verdict === 'pass' && guardName(name) !== undefined);
}

/** `set now: A, B; well known: C, D and 3 more`. */
function admittedText({ now, wellKnown }: Admitted): string {
  const parts = [
    ...(now.length === 0 ? [] : [`set now: ${listed(now)}`]),
    ...(wellKnown.length === 0 ? [] : [`well known: ${listed(wellKnown)}`]),
  ];
  return parts.join('; ');
}

/** Names that credentials commonly have. What a wildcard admits is told with them, so that it is the same on every machine. */
const WELL_KNOWN_CREDENTIALS: readonly string[] = Object.freeze(
  wordsIn(`
    ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_OAUTH_TOKEN OPENAI_API_KEY CODEX_API_KEY GEMINI_API_KEY
    GOOGLE_API_KEY DASHSCOPE_API_KEY MISTRAL_API_KEY COHERE_API_KEY GROQ_API_KEY OPENROUTER_API_KEY DEEPSEEK_API_KEY
    XAI_API_KEY HF_TOKEN HUGGINGFACE_TOKEN REPLICATE_API_TOKEN AMP_API_KEY CURSOR_API_KEY COPILOT_GITHUB_TOKEN
    AZURE_OPENAI_API_KEY AWS_BEARER_TOKEN_BEDROCK AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
    AZURE_CLIENT_SECRET ARM_CLIENT_SECRET GOOGLE_APPLICATION_CREDENTIALS CLOUDFLARE_API_TOKEN
    DIGITALOCEAN_ACCESS_TOKEN HCLOUD_TOKEN GITHUB_TOKEN GH_TOKEN GH_ENTERPRISE_TOKEN GITLAB_TOKEN GITLAB_PRIVATE_TOKEN
    CI_JOB_TOKEN CI_REGISTRY_PASSWORD CI_DEPLOY_PASSWORD BITBUCKET_TOKEN ACTIONS_RUNTIME_TOKEN CIRCLE_TOKEN
    ACTIONS_ID_TOKEN_REQUEST_TOKEN BUILDKITE_AGENT_ACCESS_TOKEN JENKINS_API_TOKEN TRAVIS_API_TOKEN NPM_TOKEN
    NODE_AUTH_TOKEN NPM_CONFIG__AUTH NPM_CONFIG__AUTHTOKEN YARN_NPM_AUTH_TOKEN TWINE_PASSWORD PYPI_TOKEN
    UV_PUBLISH_TOKEN CARGO_REGISTRY_TOKEN GEM_HOST_API_KEY NUGET_API_KEY DOCKER_PASSWORD DOCKERHUB_TOKEN
    DOCKER_AUTH_CONFIG COSIGN_PASSWORD MAVEN_PASSWORD SONATYPE_PASSWORD GRADLE_PUBLISH_SECRET VAULT_TOKEN
    VAULT_SECRET_ID CONSUL_HTTP_TOKEN NOMAD_TOKEN TF_TOKEN_app_terraform_io PULUMI_ACCESS_TOKEN DOPPLER_TOKEN
    OP_SERVICE_ACCOUNT_TOKEN BW_SESSION_TOKEN SOPS_AGE_KEY PGPASSWORD MYSQL_PWD MYSQL_ROOT_PASSWORD POSTGRES_PASSWORD
    REDIS_PASSWORD MONGO_PASSWORD DB_PASSWORD DATABASE_PASSWORD SNOWFLAKE_PASSWORD SMTP_PASSWORD SLACK_BOT_TOKEN
    SLACK_TOKEN DISCORD_TOKEN TELEGRAM_BOT_TOKEN TWILIO_AUTH_TOKEN SENDGRID_API_KEY STRIPE_SECRET_KEY STRIPE_API_KEY
    SENTRY_AUTH_TOKEN DATADOG_API_KEY DD_API_KEY DD_APP_KEY NEW_RELIC_API_KEY GRAFANA_API_KEY LINEAR_API_KEY
    NOTION_TOKEN JIRA_API_TOKEN FIGMA_TOKEN VERCEL_TOKEN NETLIFY_AUTH_TOKEN HEROKU_API_KEY FLY_API_TOKEN RAILWAY_TOKEN
    SUPABASE_ACCESS_TOKEN SSH_PRIVATE_KEY GPG_PRIVATE_KEY GPG_PASSPHRASE JWT_SECRET SESSION_SECRET SECRET_KEY_BASE
    DJANGO_SECRET_KEY FLASK_SECRET_KEY NEXTAUTH_SECRET AUTH_SECRET APP_KEY ENCRYPTION_KEY
`),
);
