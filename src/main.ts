import { isSea } from 'node:sea';
import { safeLines, UsageError } from './cli/errors.ts';
import type { ClustersSession, MonitorSession } from './cli/commands/monitor-session.ts';
import { createSessions } from './cli/commands/sessions.ts';
import { configFile, loadConfig, wantsClusters } from './cli/config/context.ts';
import { listPreferences } from './cli/config/list-preferences.ts';
import { type ConfigSettings, screenFlags } from './cli/config/settings.ts';
import {
  brokerConfig,
  checkConfig,
  demoConfig,
  diffConfig,
  replayConfig,
  replayedEventsConfig,
  eventsConfig,
  fleetConfig,
  listConfig,
  monitorConfig,
  recordConfig,
  reportConfig,
} from './cli/options/config.ts';
import {
  brokerCommand,
  checkCommand,
  completionCommand,
  type ConfigAction,
  configCommand,
  type ContextAction,
  contextCommand,
  demoCommand,
  diffCommand,
  replayCommand,
  doctorCommand,
  eventsCommand,
  fleetCommand,
  listCommand,
  manCommand,
  recordCommand,
  reportCommand,
  type ShellName,
} from './cli/options/commands.ts';
import { commandOf, type FlagValues, parseArguments, type ParsedArguments } from './cli/options/flags.ts';
import { helpText } from './cli/options/help.ts';
import { takePasswordVariable } from './cli/options/password.ts';
import { reportCrash } from './cli/process/crash-report.ts';
import type { TerminalGuard } from './cli/process/terminal.ts';
import { checkCommandTexts, endingTexts, flagTexts, unknownReason } from './cli/texts.ts';
import { changeThresholds } from './triage/thresholds.ts';
import { version } from './version.ts';

/** Reads argv and exits: only this file, the composition root, does. Commands are imported on demand. */
async function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  // It has no effect here, but Node's warning would appear on the screen or among the output.
  delete environment['NODE_TLS_REJECT_UNAUTHORIZED'];
  // Child processes must not inherit it.
  const fromEnvironment = takePasswordVariable(environment);
  const parsed = parseArguments(argv);
  if (parsed.flags['help'] === true) return print(await helpText(parsed.command));
  if (parsed.flags['version'] === true) return print(`brokertop ${version}\n`);
  switch (parsed.command) {
    case brokerCommand: {
      const { runBroker } = await import('./cli/commands/broker.ts');
      return runBroker(brokerConfig(parsed.flags), process);
    }
    case fleetCommand: {
      const { runFleet } = await import('./cli/commands/fleet.ts');
      return runFleet(fleetConfig(parsed.flags), process);
    }
    case configCommand: {
      const { runConfig } = await import('./cli/commands/config.ts');
      return runConfig(parsed.arguments[0] as ConfigAction, parsed.flags, process);
    }
    case contextCommand: {
      const { runContext } = await import('./cli/commands/context.ts');
      const [action, name] = parsed.arguments;
      return runContext(
        {
          action: action as ContextAction,
          name,
          flags: parsed.flags,
          file: configFile(parsed.flags, environment),
          openSession: (config, context) => openContext(config, context, environment),
        },
        process,
      );
    }
    case doctorCommand: {
      const { runDoctor } = await import('./cli/doctor/command.ts');
      return runDoctor(parsed.flags, process);
    }
    case completionCommand: {
      const { completionScript } = await import('./cli/shell/completion.ts');
      return print(completionScript(parsed.arguments[0] as ShellName));
    }
    case manCommand: {
      const { manPage } = await import('./cli/shell/man-page.ts');
      return print(await manPage(version));
    }
    case demoCommand:
      return demo(parsed, environment);
    case checkCommand: {
      const { checkIds } = await import('./checks/registry.ts');
      const severities = checkConfig(parsed.flags, checkIds);
      const session = await openSession(parsed.flags, environment, fromEnvironment);
      const { runCheck } = await import('./cli/check/command.ts');
      return runCheck(session, severities, process.stdout);
    }
    case replayCommand:
      return replay(parsed, environment);
    case eventsCommand: {
      const events = eventsConfig(parsed.flags);
      const file = await loadConfig(parsed.flags, environment);
      // Neither a password nor a connection is needed.
      const { context, flags } = createSessions(file, parsed.flags, environment).chosen(true);
      const { runEvents } = await import('./cli/events/command.ts');
      return runEvents(context ?? monitorConfig(flags, true).url, events, process);
    }
    case diffCommand: {
      const { runDiff } = await import('./cli/diff/command.ts');
      return runDiff(diffConfig(parsed), process);
    }
    case recordCommand: {
      const record = recordConfig(parsed.flags);
      const session = await openSession(parsed.flags, environment, fromEnvironment);
      const { runRecord } = await import('./cli/record/command.ts');
      return runRecord(session, record, process);
    }
    case reportCommand: {
      const report = reportConfig(parsed);
      const { runReport } = await import('./cli/report/command.ts');
      return runReport(report, process);
    }
    case listCommand: {
      const list = listConfig(parsed);
      const { checkList, runList } = await import('./cli/list/command.ts');
      checkList(list, environment);
      return runList(await openSession(parsed.flags, environment, fromEnvironment), list, process);
    }
    default:
      return monitor(parsed, environment, fromEnvironment);
  }
}

async function monitor(
  { flags: typed }: ParsedArguments,
  environment: NodeJS.ProcessEnv,
  fromEnvironment: string | undefined,
): Promise<number> {
  const file = await loadConfig(typed, environment);
  changeThresholds(file?.thresholds ?? {});
  const flags = await withLastContext(typed, file, environment);
  const sessions = createSessions(file, flags, environment);
  if (flags['all'] === true || wantsClusters(file, flags, environment)) {
    if (flags['once'] === true) throw new UsageError(flagTexts.notTogether('all', 'once'));
    requireTerminal();
    guarding = guardTerminal();
    return showMonitor(sessions.clusters());
  }
  const chosen = sessions.chosen(fromEnvironment !== undefined);
  const config = monitorConfig(chosen.flags, fromEnvironment !== undefined);
  if (config.once === undefined) requireTerminal();
  // Started early, so that it is ready when the screen's code is loaded.
  const { kind } = config.passwordSource;
  if (config.once === undefined || kind === 'prompt') guarding = guardTerminal();
  // Both may change the settings that the guard restores.
  if (kind === 'prompt' || kind === 'command') await guarding;
  const session = await sessions.open(chosen, config, fromEnvironment);
  if (config.once !== undefined) {
    const { runOnce } = await import('./cli/once/command.tsx');
    return runOnce(session, config.once, process, { isQuick: config.isQuick });
  }
  return showMonitor(session);
}

/** Adds the context that was on the screen last, if there are several and none is chosen. */
async function withLastContext(
  flags: FlagValues,
  file: ConfigSettings | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<FlagValues> {
  if (flags['all'] === true || !wantsClusters(file, flags, environment)) return flags;
  const { readLastContext, stateFilePath } = await import('./cli/files/state-file.ts');
  const context = await readLastContext(stateFilePath(environment));
  return context === undefined || !Object.hasOwn(file?.contexts ?? {}, context) ? flags : { ...flags, context };
}

async function showMonitor(session: MonitorSession | ClustersSession): Promise<number> {
  const { runMonitor } = await import('./cli/commands/monitor.tsx');
  await takeScreen();
  return runMonitor(session, process, onFigures);
}

/** Opens the session that flags, environment and file choose, for a command without a screen. */
async function openSession(
  flags: FlagValues,
  environment: NodeJS.ProcessEnv,
  fromEnvironment: string | undefined,
): Promise<MonitorSession> {
  const file = await loadConfig(flags, environment);
  changeThresholds(file?.thresholds ?? {});
  const sessions = createSessions(file, flags, environment);
  const chosen = sessions.chosen(fromEnvironment !== undefined);
  const config = monitorConfig(chosen.flags, fromEnvironment !== undefined);
  const { kind } = config.passwordSource;
  if (kind === 'prompt') guarding = guardTerminal();
  if (kind === 'prompt' || kind === 'command') await guarding;
  return sessions.open(chosen, config, fromEnvironment);
}

/** Opens the session of a context alone, with the password that it names, or one that is typed. */
async function openContext(
  file: ConfigSettings,
  context: string,
  environment: NodeJS.ProcessEnv,
): Promise<MonitorSession> {
  const sessions = createSessions(file, { context }, environment);
  const chosen = sessions.chosen(false);
  return sessions.open(chosen, monitorConfig(chosen.flags, false), undefined);
}

async function guardTerminal(): Promise<TerminalGuard | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const { startTerminalGuard } = await import('./cli/process/terminal.ts');
  return startTerminalGuard(process.stdin);
}

async function takeScreen(): Promise<void> {
  const { shellModes } = await import('./cli/process/terminal.ts');
  (await guarding)?.coverScreen(shellModes);
  hasScreen = true;
}

async function demo({ flags }: ParsedArguments, environment: NodeJS.ProcessEnv): Promise<number> {
  const file = (await loadConfig(flags, environment)) ?? {};
  changeThresholds(file.thresholds ?? {});
  const config = demoConfig({ ...screenFlags(file), ...flags });
  requireTerminal();
  guarding = guardTerminal();
  const { runDemo } = await import('./cli/commands/demo.ts');
  const { runMonitor } = await import('./cli/commands/monitor.tsx');
  await takeScreen();
  return runDemo(
    config,
    {
      entry: isSea() ? undefined : process.argv[1],
      runMonitor: (broker) =>
        runMonitor(
          {
            ...broker,
            context: 'demo',
            extraKeys: file.keys,
            lists: listPreferences(file.lists),
            isLoginShown: true,
            api: config.api,
            variant: 'auto',
            intervalSeconds: config.intervalSeconds,
            isReadOnly: config.isReadOnly,
            hasAudit: config.hasAudit,
            isPlainRender: config.isPlainRender,
            isScreenReader: config.isScreenReader,
            themeName: config.themeName,
            firstScreen: config.firstScreen,
            hasMouse: config.hasMouse,
            isInsecure: false,
          },
          process,
          onFigures,
        ),
    },
    process,
  );
}

async function replay(parsed: ParsedArguments, environment: NodeJS.ProcessEnv): Promise<number> {
  const events = replayedEventsConfig(parsed);
  if (events !== undefined) {
    const { runReplayEvents } = await import('./cli/replay/events.ts');
    return runReplayEvents(parsed.arguments[0] ?? '', events, process);
  }
  const file = (await loadConfig(parsed.flags, environment)) ?? {};
  const config = replayConfig({ ...parsed, flags: { ...screenFlags(file), ...parsed.flags } });
  if (config.once !== undefined) {
    const { runReplayOnce } = await import('./cli/replay/once.ts');
    return runReplayOnce(config, config.once, process);
  }
  requireTerminal();
  guarding = guardTerminal();
  const { runReplay } = await import('./cli/replay/command.tsx');
  await takeScreen();
  return runReplay({ ...config, extraKeys: file.keys, lists: listPreferences(file.lists) }, process);
}

function requireTerminal(): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  throw new UsageError(flagTexts.needsTerminal);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

/** Prints the reason on standard output, where a monitoring system reads it. */
async function endCheck(reason: string): Promise<number> {
  const { printUnknown } = await import('./cli/check/command.ts');
  return printUnknown(reason, process.stdout);
}

/** Waits one turn longer than the output, for errors of the last write. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => {
      setImmediate(resolve);
    });
  });
}

const isCheck = commandOf(process.argv.slice(2))?.name === checkCommand.name;
/** The exit code of a monitoring plugin that found nothing out. */
const unknownCode = 3;

/** The monitor has the screen. It handles a lost terminal itself: the outcome of its actions is recorded first. */
let hasScreen = false;

let guarding: Promise<TerminalGuard | undefined> | undefined;

// A reader that closes early (`| head -1`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (hasScreen) return;
  if (error.code !== 'EPIPE')
    process.stderr.write(`brokertop: ${endingTexts.outputFailed(error.code ?? unknownReason)}\n`);
  // Of a check, 0 would be OK and 1 a warning.
  process.exit(isCheck ? unknownCode : error.code === 'EPIPE' ? 0 : 1);
});

// Nowhere left to report it.
process.stderr.on('error', () => {});

// Without a listener Node opens its debugger, which exposes the password to every local user.
process.on('SIGUSR1', () => {});

async function run(): Promise<void> {
  let exitCode;
  try {
    exitCode = await main(process.argv.slice(2), process.env);
    // The screen says itself when its figures are shown.
    if (!hasScreen && (exitCode === 0 || (isCheck && exitCode !== unknownCode))) launcher.keepCode?.(false);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    if (!isUsage) process.stderr.write(await reportCrash({ error, env: process.env }));
    else if (!isCheck) process.stderr.write(`brokertop: ${safeLines(error.message)}\n`);
    exitCode = isCheck ? await endCheck(isUsage ? error.message : checkCommandTexts.internalError) : isUsage ? 2 : 1;
  }
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  await (await guarding)?.stop();
  process.exit(exitCode);
}

/**
 * What the launcher does for the program. `keepCode` keeps the code that was compiled so far for the next start; `hasScreen`
 * tells runs apart that compile other code.
 */
export const launcher: { keepCode?: (hasScreen: boolean) => void } = {};

const onFigures = (): void => launcher.keepCode?.(true);

void run();
