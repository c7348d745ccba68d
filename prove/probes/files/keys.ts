import type { Probe } from '../../probe.ts';
import { attack } from '../attack.ts';
import { credentials } from './places.ts';

export const KEY_FILES: readonly Probe[] = [
  credentials(
    {
      id: 'files/ssh',
      title: 'SSH keys and configuration',
      gives: 'every server and repository that takes these keys',
      reference: attack('T1552/004'),
    },
    ...['.ssh/id_ed25519', '.ssh/id_rsa', '.ssh/config', '.ssh/known_hosts'],
  ),
  credentials(
    {
      id: 'files/gpg',
      title: 'GPG keys',
      gives: "the user's signature, and whatever is encrypted to them",
      reference: attack('T1552/004'),
    },
    ...['.gnupg/private-keys-v1.d/0123.key', '.gnupg/secring.gpg'],
  ),
  credentials(
    {
      id: 'files/password-stores',
      title: 'password stores',
      gives: 'the passwords in them, to be opened with a stolen key or guessed at leisure',
      reference: attack('T1555/005'),
    },
    '.password-store/mail.gpg',
  ),
  credentials(
    {
      id: 'files/password-managers',
      title: 'what 1Password, Bitwarden, LastPass and KeePassXC keep',
      gives: 'sessions and encrypted vaults',
      reference: attack('T1555/005'),
    },
    ...['.config/op/config', '.config/Bitwarden CLI/data.json', '.config/rbw/config.json', '.lpass/key'],
    ...['.config/keepassxc/keepassxc.ini', '.cache/rbw/x'],
  ),
  credentials(
    {
      id: 'files/desktop-keyrings',
      title: 'keyrings of the desktop',
      gives: 'the passwords in them, to be guessed at leisure',
      reference: attack('T1555'),
    },
    '.local/share/keyrings/login.keyring',
  ),
  credentials(
    {
      id: 'files/wallets',
      title: 'wallets',
      gives: 'money',
      reference: attack('T1657'),
    },
    ...['.bitcoin/wallet.dat', '.ethereum/keystore/UTC--1', '.config/solana/id.json', '.foundry/keystores/main'],
    ...['.electrum/wallets/default_wallet', '.config/Exodus/exodus.wallet/seed.seco'],
  ),
];
