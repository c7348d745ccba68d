import type { ProfileData } from '../profile/schema.ts';

/** Names instead of GITHUB_* and CI_*: those hold tokens, and files through which a step steers the next one. */
export const CI: ProfileData = {
  meta: { name: 'ci', description: 'A build or test step in CI: what it runs for, never a token' },
  extends: 'default',
  environment: {
    guard: 'strip',
    allow_vars: [
      ...['CI', 'BUILD_NUMBER', 'BUILD_ID', 'JOB_NAME', 'BRANCH_NAME', 'GIT_COMMIT', 'GIT_BRANCH'],
      ...[
        'GITHUB_ACTIONS',
        'GITHUB_ACTOR',
        'GITHUB_BASE_REF',
        'GITHUB_EVENT_NAME',
        'GITHUB_HEAD_REF',
        'GITHUB_JOB',
        'GITHUB_REF',
      ],
      ...[
        'GITHUB_REF_NAME',
        'GITHUB_REPOSITORY',
        'GITHUB_RUN_ID',
        'GITHUB_RUN_NUMBER',
        'GITHUB_SHA',
        'GITHUB_WORKFLOW',
        'GITHUB_WORKSPACE',
      ],
      ...['RUNNER_ARCH', 'RUNNER_OS', 'RUNNER_TEMP'],
      ...[
        'GITLAB_CI',
        'CI_COMMIT_BRANCH',
        'CI_COMMIT_REF_NAME',
        'CI_COMMIT_SHA',
        'CI_JOB_ID',
        'CI_JOB_NAME',
        'CI_PIPELINE_ID',
      ],
      ...[
        'CI_PROJECT_DIR',
        'CI_PROJECT_PATH',
        'CIRCLECI',
        'CIRCLE_BRANCH',
        'CIRCLE_SHA1',
        'BUILDKITE',
        'BUILDKITE_BRANCH',
        'BUILDKITE_COMMIT',
      ],
    ],
  },
};
