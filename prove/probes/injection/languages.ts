import type { Probe } from '../../probe.ts';
import { type Steered, steered } from './steered.ts';

const PERL = 'https://perldoc.perl.org/perlrun#ENVIRONMENT';
const NODE = 'https://nodejs.org/api/cli.html#environment-variables';
const RUBY = 'https://docs.ruby-lang.org/en/master/ruby/options_md.html';

const LINES: readonly Steered[] = [
  {
    name: 'node-options',
    variables: ({ at }) => ({ NODE_OPTIONS: `--require ${at}/required.cjs` }),
    files: ({ javascript }) => ({ 'required.cjs': javascript }),
    needs: ['node'],
    victim: 'node -e 0',
    into: 'every Node program',
    reference: NODE,
  },
  {
    name: 'node-repl-module',
    variables: ({ at }) => ({ NODE_REPL_EXTERNAL_MODULE: `${at}/required.cjs` }),
    files: ({ javascript }) => ({ 'required.cjs': javascript }),
    needs: ['node'],
    victim: 'node -i',
    into: 'every interactive Node',
    reference: NODE,
  },
  {
    name: 'npm-script-shell',
    variables: ({ program }) => ({ npm_config_script_shell: program }),
    files: () => ({ 'package.json': '{ "scripts": { "build": "true" } }' }),
    needs: ['npm'],
    victim: 'npm run build',
    into: 'every script that npm runs',
    reference: 'https://docs.npmjs.com/cli/v10/using-npm/config#script-shell',
  },
  {
    name: 'perl5opt',
    variables: ({ at }) => ({ PERL5OPT: `-Mlib=${at} -MPlanted` }),
    files: ({ perl }) => ({ 'Planted.pm': perl }),
    needs: ['perl'],
    victim: 'perl -e 1',
    into: 'every Perl program',
    reference: PERL,
  },
  {
    name: 'perl5lib',
    variables: ({ at }) => ({ PERL5LIB: at }),
    files: ({ perl }) => ({ 'strict.pm': perl }),
    needs: ['perl'],
    victim: "perl -e 'use strict'",
    into: 'every Perl program that uses a module of that name',
    reference: PERL,
  },
  {
    name: 'perl5db',
    variables: ({ at }) => ({ PERL5DB: `BEGIN { require q(${at}/Planted.pm) }` }),
    files: ({ perl }) => ({ 'Planted.pm': perl }),
    needs: ['perl'],
    victim: 'perl -d -e 1',
    into: 'every Perl program that is debugged',
    reference: PERL,
  },
  {
    name: 'rubyopt',
    variables: ({ at }) => ({ RUBYOPT: `-r${at}/planted.rb` }),
    files: ({ ruby }) => ({ 'planted.rb': ruby }),
    needs: ['ruby'],
    victim: 'ruby -e 1',
    into: 'every Ruby program',
    reference: RUBY,
  },
  {
    name: 'rubylib',
    variables: ({ at }) => ({ RUBYLIB: at }),
    files: ({ ruby }) => ({ 'set.rb': ruby }),
    needs: ['ruby'],
    victim: 'ruby -rset -e 1',
    into: 'every Ruby program that uses a library of that name',
    reference: RUBY,
  },
  {
    name: 'lua-init',
    variables: ({ shell }) => ({ LUA_INIT: `os.execute([[${shell}]])` }),
    needs: ['lua'],
    victim: "lua -e 'x = 1'",
    into: 'every Lua program',
    reference: 'https://www.lua.org/manual/5.4/manual.html#7',
  },
  {
    name: 'phprc',
    variables: ({ at }) => ({ PHPRC: at }),
    files: ({ at, php }) => ({
      'php.ini': `auto_prepend_file=${at}/planted.php\n`,
      'planted.php': php,
      'page.php': '<?php\n',
    }),
    needs: ['php'],
    victim: 'php page.php',
    into: 'every PHP program',
    reference: 'https://www.php.net/manual/en/configuration.file.php',
  },
];

export const LANGUAGES: readonly Probe[] = LINES.map(steered);
