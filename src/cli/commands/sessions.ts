import type { ConfigSettings } from '../config/settings.ts';
import { resolve, type Resolved } from '../config/context.ts';
import { listPreferences } from '../config/list-preferences.ts';
import { UsageError } from '../errors.ts';
import { monitorConfig, type MonitorConfig, type TlsConfig } from '../options/config.ts';
import type { FlagValues } from '../options/flags.ts';
import { readPassword, rereadPassword } from '../options/password.ts';
import { proxyFor } from '../options/proxy.ts';
import { contextTexts } from '../texts.ts';
import {
  allContexts,
  type ClustersSession,
  type MonitorSession,
  type OpenNext,
  type OtherContexts,
} from './monitor-session.ts';

/** Opens the sessions of contexts. Passwords that were typed are kept for as long as the program runs. */
export interface Sessions {
  /** Combines flags and file. @throws UsageError */
  readonly chosen: (hasPasswordInEnvironment: boolean) => Resolved;
  /** Opens a session, and asks for the password if need be. */
  readonly open: (
    chosen: Resolved,
    config: MonitorConfig,
    fromEnvironment: string | undefined,
  ) => Promise<MonitorSession>;
  /** Returns the session of all contexts. @throws UsageError without contexts */
  readonly clusters: () => ClustersSession;
}

export function createSessions(
  file: ConfigSettings | undefined,
  flags: FlagValues,
  environment: NodeJS.ProcessEnv,
): Sessions {
  const names = Object.keys(file?.contexts ?? {});
  const passwords = new Map<string, string>();
  // Address and login on the command line, or in the environment, are those of the first context.
  const chosenFor = (context: string): readonly [Resolved, MonitorConfig] => {
    const chosen = resolve(file, { ...keptFlags(flags), context }, {}, false);
    return [chosen, monitorConfig(chosen.flags, false)];
  };

  async function ask({ context }: Resolved, config: MonitorConfig, fromEnvironment?: string): Promise<string> {
    const password = await readPassword(config.passwordSource, {
      user: config.user,
      url: config.url,
      fromEnvironment,
      exposure: await readExposure(config),
    });
    if (context !== undefined) passwords.set(context, password);
    return password;
  }

  const read = async ({ context }: Resolved, config: MonitorConfig): Promise<string | undefined> =>
    (await rereadPassword(config.passwordSource)?.read()) ??
    (context === undefined ? undefined : passwords.get(context));

  /** Reads what the connection needs besides the password. */
  async function prepareSession(
    { context, color, proxy }: Resolved,
    config: MonitorConfig,
  ): Promise<(password: string) => MonitorSession> {
    const proxies = new Map(
      [config.url, ...config.otherUrls].map((url) => [
        url,
        proxyFor(url, proxy === undefined ? environment : proxyEnvironment(proxy)),
      ]),
    );
    const tls = await readTls(config.tls);
    return (password) => ({
      ...config,
      context,
      contextColor: color,
      extraKeys: file?.keys,
      lists: listPreferences(file?.lists),
      password,
      rereadPassword: rereadPassword(config.passwordSource),
      tls,
      proxyFor: (url) => proxies.get(url),
      otherContexts: otherContexts(context),
    });
  }

  const otherContexts = (context: string | undefined): OtherContexts => ({
    names: names.filter((name) => name !== context),
    prepare,
  });

  async function prepare(next: string | typeof allContexts): Promise<OpenNext> {
    if (next === allContexts) return () => Promise.resolve(clusters());
    const [chosen, config] = chosenFor(next);
    const open = await prepareSession(chosen, config);
    const known = await read(chosen, config);
    return async () => open(known ?? (await ask(chosen, config)));
  }

  function clusters(): ClustersSession {
    if (names.length === 0) throw new UsageError(contextTexts.none);
    const { isPlainRender, isScreenReader, themeName, hasMouse, alerts } = monitorConfig(
      resolve({ defaults: file?.defaults }, keptFlags(flags), {}, false).flags,
      false,
    );
    const contexts = names.map((name) => {
      const { url } = file?.contexts?.[name] ?? {};
      return {
        name,
        url: (typeof url === 'string' ? url : url?.[0]) ?? '',
        color: file?.contexts?.[name]?.color,
        async open() {
          const [chosen, config] = chosenFor(name);
          const known = await read(chosen, config);
          if (known === undefined) throw new UsageError(contextTexts.passwordMustBeTyped);
          return (await prepareSession(chosen, config))(known);
        },
      };
    });
    return {
      contexts,
      prepare,
      isPlainRender,
      isScreenReader,
      themeName,
      hasMouse,
      alerts,
      extraKeys: file?.keys,
      lists: listPreferences(file?.lists),
    };
  }

  return {
    chosen: (hasPasswordInEnvironment) => resolve(file, flags, environment, hasPasswordInEnvironment),
    open: async (chosen, config, fromEnvironment) =>
      (await prepareSession(chosen, config))(await ask(chosen, config, fromEnvironment)),
    clusters,
  };
}

/** Keeps the flags of the screen, of alerts and of actions when the context changes. */
function keptFlags(flags: FlagValues): FlagValues {
  const kept = new Set([
    'interval',
    'theme',
    'no-mouse',
    'plain-render',
    'screen-reader',
    'read-only',
    'no-audit',
    'max-rows',
    'bell',
    'notify',
    'on-problem',
    'max-size',
    'max-age',
  ]);
  // A folder is that of the first cluster.
  if (flags['record'] === true) kept.add('record');
  return Object.fromEntries(Object.entries(flags).filter(([name]) => kept.has(name)));
}

/** Makes an environment of a context's own proxy, because loopback addresses are excluded all the same. */
const proxyEnvironment = (proxy: string): NodeJS.ProcessEnv => ({ http_proxy: proxy, https_proxy: proxy });

/** Loads the texts only when there is a warning. */
async function readExposure({ isInsecure, tls }: MonitorConfig): Promise<readonly string[]> {
  if (!isInsecure && !tls.isInsecure) return [];
  const { exposureTexts } = await import('../../tui/frame/screen.ts');
  return exposureTexts({ isInsecure, isTlsUnchecked: tls.isInsecure });
}

/** Reads TLS files before the password prompt, so that a wrong file is reported first. */
async function readTls(config: TlsConfig): Promise<TlsConfig> {
  if (config.ca === undefined && config.cert === undefined) return config;
  // Don't load node:crypto at every start.
  const { readTlsFiles } = await import('../options/tls.ts');
  return readTlsFiles(config);
}
