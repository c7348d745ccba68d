import type { CheckRule } from './rules.ts';

/** About what people have beside Cordon's own files: `.env`, package scripts, entries that the guard takes back. */
export const PROJECT_RULES = {
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
