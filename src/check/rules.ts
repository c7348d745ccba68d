/** About what people have beside Cordon's own files: `.env`, package scripts, entries that the guard takes back. */
const PROJECT_RULES = {
  'env-file-tracked': {
    severity: 'error',
    title: 'A file of secrets is tracked by git',
    why: 'everyone who can read the repository has its values, also after a later commit takes the file out',
    fix: 'git rm --cached the file, list it in .gitignore, and replace the values: they are in the history',
  },
  'env-file-not-ignored': {
    severity: 'warning',
    title: 'A file of secrets is not ignored by git',
    why: 'the next git add . commits its values',
    fix: 'list it in .gitignore; cordon check --fix does',
  },
  'env-file-to-agent': {
    severity: 'error',
    title: 'A script loads a file of secrets and starts an agent with all of it',
    why: 'an agent runs what it reads: a text in the repository can make it print or send its environment',
    fix: 'start the agent with cordon run, and hand over what it needs: cordon creds import .env, then --credential NAME',
  },
  'env-file-to-install-scripts': {
    severity: 'warning',
    title: 'A script loads a file of secrets and installs packages with all of it',
    why: 'every package that is installed may run a script, and the script has the environment of the command',
    fix: 'install before the file is loaded, with --ignore-scripts, or under cordon run',
  },
  'entry-always-dropped': {
    severity: 'warning',
    title: 'An entry is let through by one rule and always dropped by another',
    why: 'the guard and deny rules come before the list; whoever wrote the entry believes that it works',
    fix: 'take it out and inject the credential (env_credentials, --credential NAME), or give a reason in guard_exceptions',
  },
} as const satisfies Readonly<Record<string, CheckRule>>;

export type Severity = 'error' | 'warning' | 'note';

export interface CheckRule {
  readonly severity: Severity;
  readonly title: string;
  readonly why: string;
  readonly fix: string;
}

/** About what containers and pods are started with. */
const POD_RULES = {
  'secret-in-manifest': {
    severity: 'error',
    title: 'A Secret stands in the file with its values',
    why: 'base64 hides nothing: whoever can read the file, its history or a copy of it has the values',
    fix: 'replace the values where they were made, and let the cluster get them: an operator, a sealed secret, kubectl create secret',
  },
  'secret-as-variable': {
    severity: 'warning',
    title: 'A pod gets a Secret as a variable',
    why: 'the value lies in the state of the container engine and in /proc/1/environ, and every process inherits it',
    fix: 'mount the Secret as a file, or start the command through the launcher: cordon export --as pod',
  },
  'account-token-to-agent': {
    severity: 'error',
    title: 'An agent gets a token of the cluster',
    why: 'a text that the agent reads can make it use the token, with everything its service account may do',
    fix: 'automountServiceAccountToken: false in the pod, and no projected token',
  },
  'privileged-container': {
    severity: 'error',
    title: 'A container has the powers of the machine',
    why: 'privileged, hostPID or SYS_ADMIN lead to the other processes and files of the machine, with all their credentials',
    fix: 'leave it out; the barrier needs procMount: Unmasked or --security-opt unmask=ALL, never this',
  },
} as const satisfies Readonly<Record<string, CheckRule>>;

/** Everything `cordon check` can find. docs/check.md shows this table, and a test holds the two together. */
export const RULES = {
  'literal-credential': {
    severity: 'error',
    title: 'A credential stands in the file',
    why: 'whoever can read the file, its history or a copy of it has the credential',
    fix: 'revoke it, take it out, and hand it over at the launch: cordon creds set NAME, then --credential NAME',
  },
  'secret-in-plain-text': {
    severity: 'error',
    title: 'A variable that is named like a secret has a fixed value',
    why: 'its name says that the value should not be known, and the file makes it known',
    fix: 'leave the value out and hand it over at the launch, or rename the variable if it is not a secret',
  },
  'left-over-placeholder': {
    severity: 'warning',
    title: 'A placeholder of a brokered launch stands in the file',
    why: 'it is not a credential and gives nothing away, but it no longer works: whatever reads it will fail',
    fix: 'take it out, or write where the value comes from; nothing has to be revoked',
  },
  'wildcard-admits-credentials': {
    severity: 'warning',
    title: 'A wildcard lets credentials through',
    why: 'nobody chose these variables: they pass because their names begin alike',
    fix: 'name the variables that are needed, deny the others, or set guard: strip',
  },
  'everything-passes': {
    severity: 'warning',
    title: 'Every variable passes, credentials included',
    why: 'without a list, or with base all, the child gets whatever the parent has',
    fix: 'list the variables that are needed in allow_vars, choose a smaller base, or set guard: strip',
  },
  'wildcard-without-guard': {
    severity: 'note',
    title: 'A wildcard would let a credential through if there were one',
    why: 'no name that is known or set matches today, but nothing holds one back tomorrow',
    fix: 'name the variables that are needed, or set guard: strip',
  },
  'credential-by-name': {
    severity: 'note',
    title: 'A credential is inherited by its exact name',
    why: 'it works only where the parent has it, so the parent and everything else it starts have it too',
    fix: 'keep it in the vault and inject it: env_credentials, or --credential NAME',
  },
  'agent-wildcard': {
    severity: 'error',
    title: 'An agent or role asks for every variable',
    why: 'agents always run with the filter: a bare * is refused when the agent is started',
    fix: 'name the variables that the agent needs',
  },
  'entry-does-nothing': {
    severity: 'warning',
    title: 'An entry has no effect',
    why: 'it is on the code-injection list, which no policy overrides; whoever wrote it believes that it works',
    fix: 'take it out; set the variable inside, in the command itself, if it is really meant',
  },
  'command-credential': {
    severity: 'note',
    title: 'A credential comes from a command',
    why: "commands run only from profiles in Cordon's own home: given by its path, this profile is refused",
    fix: "move the profile into Cordon's home, or put the value into the vault",
  },
  'allowlist-entry-denied': {
    severity: 'error',
    title: 'An entry of a sandbox allowlist can never pass',
    why: 'filterSandboxEnv leaves it out whatever the list says, and building a spec with it throws',
    fix: 'take it off the list; hand credentials to the launch, or write a reasoned exception where the word is part of another one',
  },
  'bad-exception': {
    severity: 'error',
    title: 'An exception that is not possible',
    why: 'an exception names one exact variable, has a reason, and exists only where the denied word is not a whole part of the name',
    fix: "write { name: 'KEYBOARD_LAYOUT', reason: 'why it is not a credential' }, or take it out",
  },
  'exception-in-force': {
    severity: 'note',
    title: 'A reasoned exception lets a name through',
    why: 'it is recorded in the spec and shown here, so that a reviewer sees it',
    fix: 'nothing, as long as the reason holds',
  },
  'secrets-bad-name': {
    severity: 'error',
    title: 'A sandboxed variable has a name that none may have',
    why: 'the file is refused as a whole, and no session starts',
    fix: 'use a name of letters, digits and _ that steers no loader, shell or search path',
  },
  'secrets-file-open': {
    severity: 'error',
    title: 'Others can read the secrets file',
    why: 'every user of this machine has the secrets of all sandboxes',
    fix: 'chmod 600 the file, and replace the secrets in it if others may have looked',
  },
  'credential-to-agent': {
    severity: 'error',
    title: 'An agent gets credentials that are not its own',
    why: 'an agent runs what it reads: a text in the repository can make it print or send its environment',
    fix: 'start it with cordon agent run NAME, or give the secret only to the step that needs it',
  },
  'credential-to-install-scripts': {
    severity: 'warning',
    title: 'The install scripts of packages get a credential',
    why: 'every package that is installed may run a script, and the script has the environment of the step',
    fix: 'install with --ignore-scripts, or under cordon run, which leaves the credential out',
  },
  'credential-for-every-step': {
    severity: 'warning',
    title: 'A secret is in the environment of every step',
    why: 'each action, script and package of the job can read it, needed or not',
    fix: 'move it to the env of the one step that needs it',
  },
  'all-secrets-at-once': {
    severity: 'error',
    title: 'All secrets are handed over at once',
    why: 'it also passes on the secrets that someone adds later',
    fix: 'name the secrets that are needed',
  },
  'secret-in-script': {
    severity: 'warning',
    title: 'A secret is written into the text of a script',
    why: 'the script is a file and its words become arguments, which other processes can read',
    fix: 'put the secret into the env of the step and use the variable',
  },
  'credential-in-build-arg': {
    severity: 'error',
    title: 'A credential is a build argument',
    why: 'build arguments stay in the history of the image: docker history shows them',
    fix: 'use a build secret: RUN --mount=type=secret,id=NAME, and docker build --secret id=NAME,env=NAME',
  },
  'credential-in-image-env': {
    severity: 'error',
    title: 'A credential is in the environment of an image',
    why: 'everyone who can pull the image can read it, and every container started from it has it',
    fix: 'take it out of the image and hand it over when the container starts',
  },
  'credential-file-in-image': {
    severity: 'error',
    title: 'A file with credentials is copied into an image',
    why: 'it stays in its layer even when a later step deletes it',
    fix: 'use RUN --mount=type=secret, and list the file in .dockerignore',
  },
  'credential-to-container': {
    severity: 'warning',
    title: 'A container gets a credential in its environment',
    why: 'docker inspect shows it, and every process in the container inherits it',
    fix: 'use a secret that is mounted as a file (secrets: in compose), or a *_FILE variable',
  },
  'whole-env-file': {
    severity: 'warning',
    title: 'A container gets every variable of a file',
    why: 'whatever is added to the file later goes along, like a wildcard',
    fix: 'name the variables under environment:, and mount secrets as files',
  },
  'daemon-in-container': {
    severity: 'error',
    title: 'A container gets the socket of the container daemon',
    why: 'whoever can talk to the daemon is as good as root on the machine',
    fix: 'leave the mount out, or use a proxy of the socket that answers only what is needed',
  },
  'credentials-mounted': {
    severity: 'error',
    title: 'A container gets a folder of the home in which log-ins lie',
    why: 'everything that runs in the container can read and take them',
    fix: 'mount the project alone, and hand over the one credential that is needed',
  },
  'credential-declared-public': {
    severity: 'error',
    title: 'A credential is declared as public',
    why: 'what is declared public is printed, logged and built into clients',
    fix: 'declare it sensitive, or rename it if it is not a credential',
  },
  ...POD_RULES,
  ...PROJECT_RULES,
  'silenced-without-reason': {
    severity: 'error',
    title: 'A rule is silenced without a reason',
    why: 'nobody can tell later whether it still may be; the comment has no effect',
    fix: 'write # cordon-check: allow RULE and why it is fine here',
  },
  'silenced-unknown-rule': {
    severity: 'error',
    title: 'A comment silences a rule that does not exist',
    why: 'whoever wrote it believes that it works',
    fix: 'use a rule id of docs/check.md',
  },
  'silenced-nothing': {
    severity: 'note',
    title: 'A comment silences nothing',
    why: 'what it was written for is gone, and it would hide the next finding of that rule here',
    fix: 'take the comment out',
  },
} as const satisfies Readonly<Record<string, CheckRule>>;

export type RuleId = keyof typeof RULES;

/** What is said about silencing can't be silenced. */
export const ALWAYS_SAID: readonly RuleId[] = ['silenced-without-reason', 'silenced-unknown-rule', 'silenced-nothing'];
