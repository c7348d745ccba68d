import type { CheckRule } from './rules.ts';

/** About what containers and pods are started with. */
export const POD_RULES = {
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
