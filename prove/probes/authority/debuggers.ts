import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { pipes } from './pipes.ts';
import { sockets, unique } from './sockets.ts';

/** A number that no process has. */
const processOf = (scene: Scene) => 5_000_000 + (Number.parseInt(unique(scene), 16) % 1_000_000_000);

export const JVM_ATTACH: Probe = {
  id: 'authority/jvm-attach',
  title: 'attaching to a Java program of the user',
  gives: 'a dump of everything it knows, and code of the attacker in its process',
  planted: 'a socket /tmp/.java_pidN',
  tried: 'connecting to it',
  reference: 'https://docs.oracle.com/en/java/javase/21/docs/api/jdk.attach/module-summary.html',
  promise: 'credentials',
  ...sockets({ shared: (scene) => [`/tmp/.java_pid${processOf(scene)}`] }),
};

export const DOTNET_DIAGNOSTICS: Probe = {
  id: 'authority/dotnet-diagnostics',
  title: 'the diagnostics of a .NET program of the user',
  gives: "a dump, the program's environment, and a profiler of the attacker in its process",
  planted: 'a socket /tmp/dotnet-diagnostic-N-*-socket',
  tried: 'connecting to it',
  reference: 'https://github.com/dotnet/diagnostics/blob/main/documentation/design-docs/ipc-protocol.md',
  promise: 'credentials',
  ...sockets({ shared: (scene) => [`/tmp/dotnet-diagnostic-${processOf(scene)}-1234-socket`] }),
};

export const DOTNET_DEBUGGER: Probe = {
  id: 'authority/dotnet-debugger',
  title: 'the pipes by which a debugger talks to a .NET program of the user',
  gives: "the program's memory, and code in its process",
  planted: 'pipes /tmp/clr-debug-pipe-N-*-in and -out',
  tried: 'reading and writing both',
  reference: 'https://learn.microsoft.com/dotnet/core/runtime-config/debugging-profiling',
  promise: 'credentials',
  ...pipes({ shared: (scene) => ['in', 'out'].map((end) => `/tmp/clr-debug-pipe-${processOf(scene)}-1234-${end}`) }),
};
