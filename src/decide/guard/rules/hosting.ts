import type { ShapeRule } from '../finding.ts';

/** Code hosting, package registries, continuous integration, deployment. */
export const HOSTING: readonly ShapeRule[] = [
  {
    id: 'github-token',
    what: 'a GitHub token',
    anchors: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    pattern: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{40})/,
  },
  {
    id: 'gitlab-token',
    what: 'a GitLab token',
    anchors: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glrtr-',
      'glcbt-',
      'glptt-',
      'glft-',
      'glsoat-',
      'glimt-',
      'glagent-',
      'gloas-',
      'glffct-',
      'GR1348941',
    ],
    pattern:
      /(?<![A-Za-z0-9])(?:gl(?:pat|dt|rtr?|ptt|ft|soat|imt|agent|oas|ffct)-|glcbt-[0-9a-zA-Z]{1,5}_|GR1348941)[A-Za-z0-9_-]{20}/,
  },
  {
    id: 'npm-token',
    what: 'an npm token',
    anchors: ['npm_'],
    pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/,
  },
  {
    id: 'pypi-token',
    what: 'a PyPI token',
    anchors: ['pypi-AgE'],
    pattern: /pypi-AgE[A-Za-z0-9_-]{50}/,
  },
  {
    id: 'registry-token',
    what: 'a package registry token',
    anchors: ['rubygems_', 'CLOJARS_', 'dckr_pat_', 'dckr_oat_', 'oy2', 'cio', 'AKCp', 'cmVmd'],
    pattern:
      /(?<![A-Za-z0-9])(?:rubygems_[a-f0-9]{48}|CLOJARS_[a-f0-9]{60}|dckr_[po]at_[A-Za-z0-9_-]{27}|(?:oy2[a-z0-9]{43}|cio[A-Za-z0-9]{32}|AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})(?![A-Za-z0-9]))/,
  },
  {
    id: 'ci-token',
    what: 'a build service token',
    anchors: [
      'CCIPAT_',
      'bkua_',
      'bkct_',
      'squ_',
      'sqp_',
      'sqa_',
      'sgp_',
      'pul-',
      'nfp_',
      'rnd_',
      'HRKU-',
      'fo1_',
      'fm1',
      'fm2_',
    ],
    pattern:
      /(?<![A-Za-z0-9])(?:CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40}|bk(?:ua|ct)_[a-f0-9]{40}|sq[upa]_[a-f0-9]{40}|sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}|pul-[a-f0-9]{40}|nfp_[A-Za-z0-9]{36}|rnd_[A-Za-z0-9]{20}|HRKU-[A-Za-z0-9_-]{36}|fo1_[A-Za-z0-9_-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{80})/,
  },
  {
    id: 'terraform-token',
    what: 'a Terraform Cloud token',
    anchors: ['.atlasv1.'],
    pattern: /[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60}/,
  },
  {
    id: 'atlassian-token',
    what: 'an Atlassian token',
    anchors: ['ATATT3', 'ATCTT3', 'ATBB'],
    pattern: /(?<![A-Za-z0-9])(?:AT[AC]TT3[A-Za-z0-9_=-]{60}|ATBB[A-Za-z0-9]{32})/,
  },
  {
    id: 'supabase-token',
    what: 'a database service token',
    anchors: ['sbp_', 'sb_secret_', 'pscale_', 'napi_'],
    pattern:
      /(?<![A-Za-z0-9])(?:sbp_[a-f0-9]{40}|napi_[A-Za-z0-9]{32}|sb_secret_[A-Za-z0-9_-]{20}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32})/,
  },
];
