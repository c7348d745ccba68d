import type { Probe } from '../../probe.ts';
import { RUNTIME, runtimeFolder, sockets, unique } from './sockets.ts';

export const VS_CODE: Probe = {
  id: 'authority/vs-code',
  title: 'the sockets of VS Code and Cursor: command line, Git log-in, forwarded agent',
  gives: "the editor's log-in at the code host, windows and extensions opened outside, the forwarded SSH agent",
  planted: 'their sockets in /tmp, the runtime folder, ~/.config/Code and where VSCODE_IPC_HOOK_CLI and its like say',
  tried: 'connecting to each',
  reference: 'https://github.com/microsoft/vscode/blob/main/extensions/git/src/ipc/ipcServer.ts',
  promise: 'credentials',
  ...sockets({
    places: ['hooks/cli', 'hooks/git', `${RUNTIME}/vscode-ipc-1.sock`, `${RUNTIME}/vscode-0123-main.sock`],
    shared: (scene) => [
      `/tmp/vscode-git-${unique(scene)}.sock`,
      `/tmp/vscode-ipc-${unique(scene)}.sock`,
      `/tmp/vscode-ssh-auth-${unique(scene)}.sock`,
      `/tmp/cursor-${unique(scene)}.sock`,
    ],
    env: (scene) => ({
      VSCODE_IPC_HOOK_CLI: scene.path('hooks/cli'),
      VSCODE_GIT_IPC_HANDLE: scene.path('hooks/git'),
      ...runtimeFolder(scene),
    }),
  }),
};

export const VS_CODE_WITHOUT_SESSION: Probe = {
  id: 'authority/vs-code-main',
  title: 'the main socket of VS Code and its relatives where there is no runtime folder',
  gives: 'windows, files and extensions opened by the editor outside',
  planted: 'sockets in ~/.config/Code, ~/.config/Cursor and ~/.config/VSCodium',
  tried: 'connecting to each',
  reference: 'https://github.com/microsoft/vscode/blob/main/src/vs/base/parts/ipc/node/ipc.net.ts',
  promise: 'credentials',
  ...sockets({
    places: ['.config/Code/1.95-main.sock', '.config/Cursor/1.7-main.sock', '.config/VSCodium/1.95-main.sock'],
  }),
};

export const JETBRAINS: Probe = {
  id: 'authority/jetbrains',
  title: 'the socket of a JetBrains IDE',
  gives: 'projects and files opened by the IDE outside, in the name of its command line',
  planted: 'a socket .port in ~/.cache/JetBrains',
  tried: 'connecting to it',
  reference:
    'https://github.com/JetBrains/intellij-community/blob/master/platform/platform-impl/bootstrap/src/com/intellij/platform/ide/bootstrap/DirectoryLock.java',
  promise: 'credentials',
  ...sockets({ places: ['.cache/JetBrains/IdeaIC2024.3/.port'] }),
};

export const EDITOR_SERVERS: Probe = {
  id: 'authority/editor-servers',
  title: 'editors that take commands: Neovim, Emacs',
  gives: 'any command, run by the editor outside',
  planted: 'sockets in /tmp, the runtime folder and where NVIM says',
  tried: 'connecting to each',
  reference: 'https://neovim.io/doc/user/remote.html',
  promise: 'credentials',
  ...sockets({
    places: ['nvim/socket', `${RUNTIME}/nvim.4711.0`, `${RUNTIME}/emacs/server`],
    shared: (scene) => [`/tmp/nvim.${unique(scene)}/0/nvim.1.0`],
    env: (scene) => ({ NVIM: scene.path('nvim/socket'), ...runtimeFolder(scene) }),
  }),
};
