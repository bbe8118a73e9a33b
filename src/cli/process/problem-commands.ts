import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCodeOrMessage } from '../errors.ts';
import { alertTexts } from '../texts.ts';
import { deadlySignals } from './endings.ts';
import { ownSession, signalGroup } from './process-group.ts';

export interface ProblemCommand {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onFailure: (text: string) => void;
}

/** Runs the commands of `--on-problem`, for all clusters of the program together. */
export interface ProblemCommands {
  /** Never throws: what fails is reported to `onFailure`. */
  run(command: ProblemCommand): void;
  /** Starts no more commands, and kills those that have not ended after a moment. */
  stop(): Promise<void>;
}

export interface ProblemCommandLimits {
  readonly maxMs: number;
  readonly maxRunning: number;
  readonly maxWaiting: number;
  /**
   * Time between looks at whether background processes of a command have ended. Those that run when the program ends
   * have no longer than this.
   */
  readonly lookMs: number;
}

export const problemCommandLimits: ProblemCommandLimits = {
  maxMs: 30_000,
  maxRunning: 4,
  maxWaiting: 100,
  lookMs: 1_000,
};

const maxStderrLength = 500;

/** Creates commands whose process group is killed after `maxMs`, and when the program ends. */
export function createProblemCommands({
  maxMs,
  maxRunning,
  maxWaiting,
  lookMs,
}: ProblemCommandLimits = problemCommandLimits): ProblemCommands {
  const waiting: ProblemCommand[] = [];
  const running = new Map<object, { readonly pid: number | undefined; readonly ended: Promise<void> }>();
  let skipped: { count: number; readonly onFailure: ProblemCommand['onFailure'] } | undefined;
  let isStopped = false;
  const killAll = (): void => {
    for (const { pid } of running.values()) signalGroup(pid, 'SIGKILL');
  };
  // While no screen is open, nobody else listens, and the signal ends the program at once.
  const onSignal = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) > 1) return;
    killAll();
    process.off(signal, onSignal);
    process.kill(process.pid, signal);
  };
  const watchForEnd = (): void => {
    process.on('exit', killAll);
    for (const signal of deadlySignals) process.on(signal, onSignal);
  };
  const unwatch = (): void => {
    process.off('exit', killAll);
    for (const signal of deadlySignals) process.off(signal, onSignal);
  };

  function startNext(): void {
    if (running.size === 0) unwatch();
    if (skipped !== undefined) {
      skipped.onFailure(alertTexts.commandsSkipped(skipped.count, maxWaiting));
      skipped = undefined;
    }
    while (running.size < maxRunning && !isStopped) {
      const next = waiting.shift();
      if (next === undefined) return;
      start(next);
    }
  }

  function start({ command, env, onFailure }: ProblemCommand): void {
    let child;
    if (running.size === 0) watchForEnd();
    try {
      child = spawn(command, { ...ownSession, shell: true, stdio: ['ignore', 'ignore', 'pipe'], env });
    } catch (error) {
      if (running.size === 0) unwatch();
      onFailure(alertTexts.commandFailed(errorCodeOrMessage(error)));
      return;
    }
    const { pid } = child;
    let stderr = '';
    let isLate = false;
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => {
        stderr = (stderr + text).slice(-maxStderrLength);
      })
      .on('error', () => {});
    const timer = setTimeout(() => {
      isLate = true;
      signalGroup(pid, 'SIGKILL');
    }, maxMs);
    const exited = new Promise<void>((resolve) => {
      child.once('error', (error) => {
        onFailure(alertTexts.commandFailed(errorCodeOrMessage(error)));
        resolve();
      });
      child.once('exit', (code, signal) => {
        resolve();
        if (isStopped || code === 0) return;
        // The pipe may still hold its last message.
        setImmediate(() => {
          const lastLine = stderr.trim().split('\n').at(-1) ?? '';
          onFailure(
            isLate
              ? alertTexts.commandKilled(maxMs / 1_000)
              : alertTexts.commandFailed(signal ?? alertTexts.exitCode(code ?? 0), lastLine),
          );
        });
      });
    });
    // Background processes of the shell count as the command.
    const ended = exited.then(async () => {
      while (signalGroup(pid, 0) && !isLate) await delay(lookMs, undefined, { ref: false });
      clearTimeout(timer);
      child.stderr.destroy();
      running.delete(child);
      startNext();
    });
    running.set(child, { pid, ended });
    // They must not keep the program alive.
    timer.unref();
    child.unref();
  }

  return {
    run(command) {
      if (isStopped) return;
      if (running.size < maxRunning) start(command);
      else if (waiting.length < maxWaiting) waiting.push(command);
      else skipped = { count: (skipped?.count ?? 0) + 1, onFailure: command.onFailure };
    },
    async stop() {
      isStopped = true;
      waiting.length = 0;
      if (running.size === 0) return;
      await Promise.race([Promise.all([...running.values()].map(({ ended }) => ended)), delay(lookMs)]);
      killAll();
    },
  };
}
