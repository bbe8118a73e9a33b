import { safeLines, UsageError } from './cli/errors.ts';
import type { MonitorSession, OtherContexts } from './cli/commands/monitor-session.ts';
import { configFile, loadConfig, resolve, type Resolved } from './cli/config/context.ts';
import { type ConfigSettings, screenFlags } from './cli/config/settings.ts';
import { brokerConfig, demoConfig, fleetConfig, monitorConfig, type MonitorConfig, type TlsConfig } from './cli/options/config.ts';
import { brokerCommand, type ConfigAction, configCommand, type ContextAction, contextCommand, demoCommand, fleetCommand, type FlagValues, helpText, parseArguments, type ParsedArguments } from './cli/options/flags.ts';
import { readPassword, rereadPassword, takePasswordVariable } from './cli/options/password.ts';
import { proxyFor } from './cli/options/proxy.ts';
import { reportCrash } from './cli/process/crash-report.ts';
import type { TerminalGuard } from './cli/process/terminal.ts';
import { endingTexts, flagTexts, unknownReason } from './cli/texts.ts';
import { changeThresholds } from './triage/thresholds.ts';
import { version } from './version.ts';

/** The composition root: only this file reads argv and exits. Commands are imported on demand. */
async function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  // Child processes must not inherit it.
  const fromEnvironment = takePasswordVariable(environment);
  const parsed = parseArguments(argv);
  if (parsed.flags['help'] === true) return print(helpText(parsed.command));
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
      return runContext({ action: action as ContextAction, name, flags: parsed.flags, file: configFile(parsed.flags, environment), openSession: (config, context) => openContext(config, context, environment) }, process);
    }
    case demoCommand:
      return demo(parsed, environment);
    default:
      return monitor(parsed, environment, fromEnvironment);
  }
}

async function monitor({ flags }: ParsedArguments, environment: NodeJS.ProcessEnv, fromEnvironment: string | undefined): Promise<number> {
  // It has no effect here, but Node's warning would appear on the screen.
  delete environment['NODE_TLS_REJECT_UNAUTHORIZED'];
  const file = await loadConfig(flags, environment);
  const chosen = resolve(file, flags, environment, fromEnvironment !== undefined);
  changeThresholds(file?.thresholds ?? {});
  const config = monitorConfig(chosen.flags, fromEnvironment !== undefined);
  if (config.once === undefined) requireTerminal();
  const { kind } = config.passwordSource;
  // Started early, so that it is ready when the screen's code is loaded.
  if (config.once === undefined || kind === 'prompt') guarding = guardTerminal();
  // Both may change the settings that the guard restores.
  if (kind === 'prompt' || kind === 'command') await guarding;
  const prepare = (next: Resolved, of: MonitorConfig) => prepareSession({ ...next, extraKeys: file?.keys }, of, environment);
  const open = await prepare(chosen, config);
  const otherContexts = (context: string | undefined): OtherContexts => ({
    names: Object.keys(file?.contexts ?? {}).filter((name) => name !== context),
    async prepare(name) {
      // Address and login on the command line, or in the environment, are those of the first context.
      const next = resolve(file, { ...keptFlags(flags), context: name }, {}, false);
      const nextConfig = monitorConfig(next.flags, false);
      const openNext = await prepare(next, nextConfig);
      const known = await rereadPassword(nextConfig.passwordSource)?.read();
      return async () => ({ ...openNext(known ?? await askPassword(nextConfig, undefined)), otherContexts: otherContexts(name) });
    },
  });
  const session = { ...open(await askPassword(config, fromEnvironment)), otherContexts: otherContexts(chosen.context) };
  if (config.once !== undefined) {
    const { runOnce } = await import('./cli/once/command.tsx');
    return runOnce(session, config.once, process, { isQuick: config.isQuick });
  }
  const { runMonitor } = await import('./cli/commands/monitor.tsx');
  await takeScreen();
  return runMonitor(session, process);
}

/** The session of a context alone, with the password that it names, or one that is typed. */
async function openContext(file: ConfigSettings, context: string, environment: NodeJS.ProcessEnv): Promise<MonitorSession> {
  const chosen = resolve(file, { context }, {}, false);
  const config = monitorConfig(chosen.flags, false);
  const open = await prepareSession(chosen, config, environment);
  return open(await askPassword(config, undefined));
}

/** Flags of the screen and of actions stay when the context changes. */
function keptFlags(flags: FlagValues): FlagValues {
  const kept = new Set(['interval', 'theme', 'no-mouse', 'plain-render', 'read-only', 'no-audit', 'max-rows']);
  return Object.fromEntries(Object.entries(flags).filter(([name]) => kept.has(name)));
}

/** Reads what the connection needs besides the password. */
async function prepareSession({ context, color, proxy, extraKeys }: Resolved & Pick<MonitorSession, 'extraKeys'>, config: MonitorConfig, environment: NodeJS.ProcessEnv): Promise<(password: string) => MonitorSession> {
  const proxies = new Map([config.url, ...config.otherUrls].map((url) => [url, proxyFor(url, proxy === undefined ? environment : proxyEnvironment(proxy))]));
  const tls = await readTls(config.tls);
  return (password) => ({ ...config, context, contextColor: color, extraKeys, password, rereadPassword: rereadPassword(config.passwordSource), tls, proxyFor: (url) => proxies.get(url) });
}

async function askPassword(config: MonitorConfig, fromEnvironment: string | undefined): Promise<string> {
  return readPassword(config.passwordSource, { user: config.user, url: config.url, fromEnvironment, exposure: await readExposure(config) });
}

/** Of a context's own proxy: loopback addresses are excluded all the same. */
const proxyEnvironment = (proxy: string): NodeJS.ProcessEnv => ({ http_proxy: proxy, https_proxy: proxy });

/** Loads the texts only when there is a warning. */
async function readExposure({ isInsecure, tls }: MonitorConfig): Promise<readonly string[]> {
  if (!isInsecure && !tls.isInsecure) return [];
  const { exposureTexts } = await import('./ui/frame/screen.ts');
  return exposureTexts({ isInsecure, isTlsUnchecked: tls.isInsecure });
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

/** Before the password prompt, so that nobody types a password in vain. */
async function readTls(config: TlsConfig): Promise<TlsConfig> {
  if (config.ca === undefined && config.cert === undefined) return config;
  // Don't load node:crypto at every start.
  const { readTlsFiles } = await import('./cli/options/tls.ts');
  return readTlsFiles(config);
}

async function demo({ flags }: ParsedArguments, environment: NodeJS.ProcessEnv): Promise<number> {
  const file = await loadConfig(flags, environment) ?? {};
  changeThresholds(file.thresholds ?? {});
  const config = demoConfig({ ...screenFlags(file), ...flags });
  requireTerminal();
  guarding = guardTerminal();
  const { runDemo } = await import('./cli/commands/demo.ts');
  const { runMonitor } = await import('./cli/commands/monitor.tsx');
  await takeScreen();
  return runDemo(config, {
    entry: process.argv[1] ?? '',
    runMonitor: (broker) => runMonitor({
      ...broker,
      context: 'demo',
      extraKeys: file.keys,
      isLoginShown: true,
      api: config.api,
      variant: 'auto',
      intervalSeconds: config.intervalSeconds,
      isReadOnly: config.isReadOnly,
      hasAudit: config.hasAudit,
      isPlainRender: config.isPlainRender,
      themeName: config.themeName,
      hasMouse: config.hasMouse,
      isInsecure: false,
    }, process),
  }, process);
}

function requireTerminal(): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return;
  throw new UsageError(flagTexts.needsTerminal);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

/** One turn longer than the output, for errors of the last write. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => { setImmediate(resolve); });
  });
}

/** The monitor handles a lost terminal itself: it records the outcome of its actions first. */
let hasScreen = false;

let guarding: Promise<TerminalGuard | undefined> | undefined;

// A reader that closes early (`| head -1`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (hasScreen) return;
  if (error.code !== 'EPIPE') process.stderr.write(`brokertop: ${endingTexts.outputFailed(error.code ?? unknownReason)}\n`);
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

// Nowhere left to report it.
process.stderr.on('error', () => {});

// Without a listener Node opens its debugger, which exposes the password to every local user.
process.on('SIGUSR1', () => {});

let exitCode;
try {
  exitCode = await main(process.argv.slice(2), process.env);
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.stderr.write(isUsage ? `brokertop: ${safeLines(error.message)}\n` : await reportCrash({ error, env: process.env }));
  exitCode = isUsage ? 2 : 1;
}
await Promise.all([flush(process.stdout), flush(process.stderr)]);
await (await guarding)?.stop();
process.exit(exitCode);
