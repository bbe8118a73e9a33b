import path from 'node:path';
import * as z from 'zod';
import { UsageError } from '../errors.ts';
import { flagProblem, type MonitorFlagName } from '../options/config.ts';
import type { FlagValues } from '../options/flags.ts';
import { proxyFor } from '../options/proxy.ts';
import { type ThresholdName, thresholdNames, thresholdOf } from '../../triage/thresholds.ts';
import { configTexts } from '../texts.ts';
import { contextColors } from './context-colors.ts';
import { fieldNames, type ListName, listNames } from '../../resources/lists.ts';

const text = z.string(configTexts.mustBeText);
const number = z.number(configTexts.mustBeNumber);
const toggle = z.boolean(configTexts.mustBeToggle);
const textOrList = z.union([text, z.array(text)], configTexts.mustBeTextOrList);
const textOrSome = z.union([text, z.array(text).min(1)], configTexts.mustBeTextOrList);

type SettingValue = string | number | boolean | readonly string[];

/** A setting with the meaning and the limits of a flag. `isInverse`: `mouse = false` is `--no-mouse`. */
interface FlagSetting {
  readonly flag: MonitorFlagName;
  readonly isInverse?: boolean;
  /** Whether this is an older name, which stays valid but is not written. */
  readonly isAlias?: boolean;
}

/** Settings by name. Names are those of the flags unless a flag begins with `no-`. */
const flagSettings = {
  url: { flag: 'url' },
  api: { flag: 'api' },
  variant: { flag: 'variant' },
  user: { flag: 'user' },
  'password-file': { flag: 'password-file' },
  'password-command': { flag: 'password-command' },
  'max-rows': { flag: 'max-rows' },
  ca: { flag: 'ca' },
  cert: { flag: 'cert' },
  key: { flag: 'key' },
  servername: { flag: 'servername' },
  'insecure-tls': { flag: 'insecure-tls' },
  'insecure-http': { flag: 'insecure-http' },
  interval: { flag: 'interval' },
  theme: { flag: 'theme' },
  screen: { flag: 'screen' },
  mouse: { flag: 'no-mouse', isInverse: true },
  'plain-render': { flag: 'plain-render' },
  'screen-reader': { flag: 'screen-reader' },
  'read-only': { flag: 'read-only' },
  audit: { flag: 'no-audit', isInverse: true },
  bell: { flag: 'bell' },
  notify: { flag: 'notify' },
  'on-problem': { flag: 'on-problem' },
  record: { flag: 'record' },
  'max-size': { flag: 'max-size' },
  'max-age': { flag: 'max-age' },
} as const satisfies Record<string, FlagSetting>;

type FlagSettingName = keyof typeof flagSettings;

const flagValue = (value: SettingValue, { flag, isInverse = false }: FlagSetting): FlagValues[string] => {
  if (typeof value === 'boolean') return value !== isInverse ? true : undefined;
  if (typeof value === 'number') return String(value);
  return flag === 'url' && typeof value === 'string' ? [value] : value;
};

const asFlag = <Schema extends z.ZodType<SettingValue>>(type: Schema, name: FlagSettingName) =>
  type
    .superRefine((value, context) => {
      const problem = flagProblem(flagSettings[name].flag, flagValue(value, flagSettings[name]));
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    })
    .optional();

const screenSettings = {
  interval: asFlag(number, 'interval'),
  theme: asFlag(text, 'theme'),
  screen: asFlag(text, 'screen'),
  mouse: asFlag(toggle, 'mouse'),
  'plain-render': asFlag(toggle, 'plain-render'),
  'screen-reader': asFlag(toggle, 'screen-reader'),
};

const proxy = text
  .superRefine((value, context) => {
    if (value === '') return;
    try {
      const { user, password } = proxyFor('https://broker.example', { https_proxy: value }) ?? {};
      if (user !== undefined || password !== undefined)
        context.addIssue({ code: 'custom', message: configTexts.proxyLogin });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      context.addIssue({ code: 'custom', message: configTexts.notProxy });
    }
  })
  .optional();

const sharedSettings = {
  ...screenSettings,
  api: asFlag(text, 'api'),
  variant: asFlag(text, 'variant'),
  user: asFlag(text, 'user'),
  'password-file': asFlag(text, 'password-file'),
  'password-command': asFlag(text, 'password-command'),
  'max-rows': asFlag(number, 'max-rows'),
  ca: asFlag(text, 'ca'),
  cert: asFlag(text, 'cert'),
  key: asFlag(text, 'key'),
  'insecure-tls': asFlag(toggle, 'insecure-tls'),
  'insecure-http': asFlag(toggle, 'insecure-http'),
  'read-only': asFlag(toggle, 'read-only'),
  audit: asFlag(toggle, 'audit'),
  bell: asFlag(toggle, 'bell'),
  notify: asFlag(toggle, 'notify'),
  'on-problem': asFlag(text, 'on-problem'),
  record: asFlag(toggle, 'record'),
  'max-size': asFlag(text, 'max-size'),
  'max-age': asFlag(text, 'max-age'),
  proxy,
};

const contextSettings = z.strictObject(
  {
    ...sharedSettings,
    url: asFlag(textOrSome, 'url'),
    servername: asFlag(text, 'servername'),
    color: z.enum(contextColors, configTexts.mustBeOneOf(contextColors)).optional(),
  },
  configTexts.mustBeTable,
);

export type ContextSettings = z.output<typeof contextSettings>;

export const contextName = z.string().regex(/^(?!__proto__$)[\w.-]{1,64}$/u, configTexts.badContextName);

/** Two limits of a check, of which the critical one is not below the warning. */
const threshold = (name: ThresholdName) => {
  const value = number.min(0, configTexts.mustNotBeNegative).optional();
  const usual = thresholdOf(name);
  return z
    .strictObject({ warning: value, critical: value }, configTexts.mustBeThreshold)
    .superRefine(({ warning = usual.warning, critical = usual.critical }, checked) => {
      if (critical < warning)
        checked.addIssue({ code: 'custom', message: configTexts.criticalBelowWarning(warning, critical) });
    })
    .optional();
};

const thresholdSettings = Object.fromEntries(thresholdNames.map((name) => [name, threshold(name)])) as {
  readonly [Name in ThresholdName]: ReturnType<typeof threshold>;
};

/** The arrangement of a list. `sort` is the id of a column; with `-` in front, the largest comes first. */
const list = (name: ListName) => {
  const ids = fieldNames(name);
  const orders = [...ids, ...ids.map((id) => `-${id}`)];
  const oneOf = (known: readonly string[]) => text.refine((id) => known.includes(id), configTexts.mustBeOneOf(ids));
  return z
    .strictObject(
      {
        columns: z.array(oneOf(ids), configTexts.mustBeList).min(1, configTexts.mustBeList).optional(),
        sort: oneOf(orders).optional(),
      },
      configTexts.mustBeTable,
    )
    .optional();
};

const listSettings = Object.fromEntries(listNames.map((name) => [name, list(name)])) as {
  readonly [Name in ListName]: ReturnType<typeof list>;
};

export const configSchema = z
  .strictObject({
    context: text.optional(),
    defaults: z.strictObject(sharedSettings, configTexts.mustBeTable).optional(),
    contexts: z.record(contextName, contextSettings, configTexts.mustBeTable).optional(),
    thresholds: z.strictObject(thresholdSettings, configTexts.mustBeTable).optional(),
    /** Arrangements that apply until the operator changes them on the screen. */
    lists: z.strictObject(listSettings, configTexts.mustBeTable).optional(),
    /** Keys that are added to those of commands. */
    keys: z
      .record(
        z.string(),
        textOrList.transform((keys) => (typeof keys === 'string' ? [keys] : keys)),
        configTexts.mustBeTable,
      )
      .optional(),
  })
  .superRefine(({ context, contexts = {} }, checked) => {
    if (context !== undefined && !Object.hasOwn(contexts, context))
      checked.addIssue({ code: 'custom', path: ['context'], message: configTexts.mustBeOneOf(Object.keys(contexts)) });
  });

export type ConfigSettings = z.output<typeof configSchema>;

/** Converts settings to flags. Later ones win; a source of the password replaces the other one. */
export function settingsAsFlags(...layers: readonly (ContextSettings | undefined)[]): FlagValues {
  const flags: Record<string, FlagValues[string]> = {};
  for (const settings of layers) {
    if (settings?.['password-file'] !== undefined || settings?.['password-command'] !== undefined) {
      delete flags['password-file'];
      delete flags['password-command'];
    }
    for (const [name, value] of Object.entries(settings ?? {})) {
      const setting: FlagSetting | undefined = name in flagSettings ? flagSettings[name as FlagSettingName] : undefined;
      if (setting !== undefined && value !== undefined) flags[setting.flag] = flagValue(value, setting);
    }
  }
  return flags;
}

/** Converts the flags of a new context to its settings. */
export function flagsAsSettings(flags: FlagValues): ContextSettings {
  const settings: Record<string, SettingValue> = {};
  for (const [name, { flag, isAlias }] of Object.entries<FlagSetting>(flagSettings)) {
    const value = flags[flag];
    if (value === undefined || isAlias === true) continue;
    if (name === 'interval' || name === 'max-rows') settings[name] = Number(value);
    else if (Array.isArray(value) && value.length === 1) settings[name] = value[0];
    else if (fileSettings.has(name) && typeof value === 'string') settings[name] = path.resolve(value);
    else settings[name] = value;
  }
  if (typeof flags['color'] === 'string') settings['color'] = flags['color'];
  return settings;
}

/** Settings that name files. */
const fileSettings: ReadonlySet<string> = new Set(['password-file', 'ca', 'cert', 'key']);

/** Makes paths absolute: those of the file are relative to its folder, or begin with `~/`. */
export function withWholePaths(config: ConfigSettings, folder: string, home: string | undefined): ConfigSettings {
  const whole = <Settings extends ContextSettings>(settings: Settings): Settings =>
    Object.fromEntries(
      Object.entries(settings).map(([name, value]) => {
        if (!fileSettings.has(name) || typeof value !== 'string') return [name, value];
        return [
          name,
          value.startsWith('~/') && home !== undefined ? path.join(home, value.slice(2)) : path.resolve(folder, value),
        ];
      }),
    ) as Settings;
  return {
    ...config,
    ...(config.defaults !== undefined && { defaults: whole(config.defaults) }),
    ...(config.contexts !== undefined && {
      contexts: Object.fromEntries(Object.entries(config.contexts).map(([name, settings]) => [name, whole(settings)])),
    }),
  };
}

/** Returns the defaults that are about the screen, which the demo has too. */
export function screenFlags({ defaults = {} }: ConfigSettings): FlagValues {
  return settingsAsFlags(
    Object.fromEntries(
      Object.keys(screenSettings).map((name) => [name, defaults[name as keyof typeof screenSettings]]),
    ),
  );
}
