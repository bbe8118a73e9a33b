import type { MenuScreenId, TabId } from '../../screens/registry.ts';

type Dashed<Name extends string> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `-${Lowercase<Letter>}`}${Dashed<Rest>}`
  : Name;

export type StartScreen = Dashed<TabId | MenuScreenId>;

/** The screens that the program can start with. They are data, so that reading flags loads no screen. */
const screens: { readonly [Name in StartScreen]: true } = {
  overview: true,
  nodes: true,
  listeners: true,
  clients: true,
  sessions: true,
  subscriptions: true,
  routes: true,
  plugins: true,
  metrics: true,
  more: true,
  triage: true,
  settings: true,
  alarms: true,
  'top-talkers': true,
  'slow-subscriptions': true,
  integrations: true,
  'access-backends': true,
  traces: true,
  retained: true,
  bans: true,
  'api-keys': true,
  users: true,
  compare: true,
  log: true,
};

/** The names of the screens that the program can start with. */
export const startScreens = Object.keys(screens) as readonly StartScreen[];

export const startScreenId = (name: StartScreen): TabId | MenuScreenId =>
  name.replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase()) as TabId | MenuScreenId;
