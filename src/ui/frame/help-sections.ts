import type { Binding, CommandId, Keymap, KnownBinding, Scope } from '../keys/keymap.ts';
import type { Place } from '../navigation.ts';
import { type SafeText, safe, trusted } from '../../terminal/safe-text.ts';

type ScreenId = Place['screen'];

/** Keys under the title they stand under in the help. */
export interface HelpSection {
  readonly title: SafeText;
  readonly bindings: readonly KnownBinding[];
}

interface ScreenKeys {
  readonly title: SafeText;
  /** Whose keys it hears besides those of lists and of everywhere. */
  readonly scopes: readonly Scope[];
  /** Keys of these scopes that it has no use for. */
  readonly without?: readonly CommandId[];
  /** It is no table: of the keys of lists it hears those that move, and these. */
  readonly only?: readonly CommandId[];
}

const grouping: readonly CommandId[] = ['groupBy', 'groupByBack'];
const marking: readonly CommandId[] = ['mark', 'markAll', 'unmarkAll'];
const ofNodes: readonly CommandId[] = ['openClients', 'openRoutes', 'openPlugins', 'openMetrics', 'openListeners'];

const screens: Readonly<Record<ScreenId, ScreenKeys>> = {
  overview: { title: safe`Overview`, scopes: [], only: ['open'] },
  triage: { title: safe`Triage`, scopes: ['scan'], without: grouping, only: ['open'] },
  nodes: { title: safe`Nodes`, scopes: ['opened'] },
  node: { title: safe`A node`, scopes: ['opened'], only: [] },
  listeners: { title: safe`Listeners`, scopes: [] },
  clients: { title: safe`Clients`, scopes: ['row', 'scan'] },
  sessions: { title: safe`Sessions`, scopes: ['row', 'scan'], without: grouping },
  subscriptions: { title: safe`Subscriptions`, scopes: ['subscriptions', 'row', 'scan'], without: marking },
  routes: { title: safe`Routes`, scopes: ['routes', 'tree', 'scan'], without: grouping },
  client: { title: safe`A client`, scopes: ['row', 'opened'], without: [...marking, ...ofNodes], only: ['copyId'] },
  plugins: { title: safe`Plugins`, scopes: ['plugins'] },
  'plugin-settings': { title: safe`Settings of a plugin`, scopes: ['pluginSettings'] },
  metrics: { title: safe`Metrics`, scopes: ['metrics'], only: [] },
  more: { title: safe`More`, scopes: [], only: ['open'] },
  settings: { title: safe`Settings`, scopes: ['settings'] },
  users: { title: safe`Users`, scopes: ['users'] },
  log: { title: safe`Log`, scopes: [], only: [] },
};

/** What a screen is called where its name stands alone. */
export const screenTitle = (screen: ScreenId): SafeText => screens[screen].title;

const titles: Readonly<Record<Exclude<Scope, 'global' | 'list'>, SafeText>> = {
  row: safe`Clients, sessions, subscriptions`,
  scan: safe`Lists that are read page by page`,
  routes: safe`Routes`,
  tree: safe`Routes as a tree`,
  subscriptions: safe`Subscriptions`,
  opened: safe`Nodes, a node, a client`,
  metrics: safe`Metrics`,
  plugins: safe`Plugins`,
  settings: safe`Settings`,
  pluginSettings: safe`Settings of a plugin`,
  users: safe`Users`,
  columns: safe`Columns (C)`,
  confirm: safe`A question`,
  confirmName: safe`A question that asks for a name`,
  form: safe`A form`,
  running: safe`An action that runs`,
  outcome: safe`What came of an action`,
  bulkPreview: safe`Before marked ones are disconnected`,
  bulk: safe`While marked ones are disconnected`,
  prompt: safe`A line to type in`,
  menu: safe`A menu`,
  choices: safe`A menu of actions`,
  help: safe`Help`,
  tooSmall: safe`A terminal that is too small`,
};

const isIn = (scope: Scope) => (binding: Binding): boolean => binding.scope === scope;

/** Sections in the order of the help, each key once in its scope: `here` what the screen hears, then what is heard everywhere, then the rest. */
export interface HelpSections {
  readonly here: readonly HelpSection[];
  readonly everywhere: readonly HelpSection[];
  readonly elsewhere: readonly HelpSection[];
}

export const helpSections = ({ bindings }: Keymap, screen: ScreenId): HelpSections => {
  const { title, scopes, without = [], only } = screens[screen];
  const list = bindings.filter(isIn('list'));
  const own = [
    ...bindings.filter(({ id, scope }) => scopes.includes(scope) && !without.includes(id)),
    ...(only === undefined ? [] : list.filter(({ id, group }) => group === 'Move' || only.includes(id))),
  ];
  const listSections: readonly HelpSection[] = [
    { title: safe`List`, bindings: list.filter((binding) => binding.group !== 'Move' && !own.includes(binding)) },
    { title: safe`Move`, bindings: list.filter((binding) => binding.group === 'Move' && !own.includes(binding)) },
  ];
  const global = bindings.filter(isIn('global'));
  const others = bindings.filter((binding) => binding.scope !== 'global' && binding.scope !== 'list' && !own.includes(binding));
  const elsewhere = Object.entries(titles).map(([scope, name]): HelpSection => ({ title: name, bindings: others.filter((binding) => binding.scope === scope) }));
  const isFilled = (section: HelpSection): boolean => section.bindings.length > 0;
  return {
    here: [{ title: safe`Here: ${title}`, bindings: own }, ...(only === undefined ? listSections : [])].filter(isFilled),
    everywhere: [
      { title: safe`Screens`, bindings: global.filter(({ group }) => group === 'Screens') },
      { title: safe`Program`, bindings: global.filter(({ group }) => group !== 'Screens') },
    ].filter(isFilled),
    elsewhere: [...(only === undefined ? [] : listSections), ...elsewhere].filter(isFilled),
  };
};

/** What a key does, without the name of the place that the title says already. */
export const helpText = ({ help, scope }: KnownBinding): SafeText => {
  const rest = scope === 'global' || scope === 'list' ? help : help.replace(/^[A-Z][a-z, ]*: /u, '');
  return trusted(rest === help ? help : rest.charAt(0).toUpperCase() + rest.slice(1));
};

type Note = readonly [SafeText, SafeText];

/** What the signs mean, and how a filter is written. */
export const helpNotes: readonly { readonly title: SafeText; readonly lines: readonly Note[] }[] = [
  {
    title: safe`Signs`,
    lines: [
      [safe`●  ○  ?`, safe`runs or is fine; is stopped; not known or not judged`],
      [safe`!`, safe`wrong, or as full as it can be`],
      [safe`▲`, safe`before a sentence or behind a count: a warning`],
      [safe`▲  ▼`, safe`beside a header: sorted by it, smallest or largest first`],
      [safe`↑`, safe`before a load: it is rising`],
      [safe`▸  ◆`, safe`the row or node that keys are for; marked`],
      [safe`–  ···`, safe`not known, the broker did not say; asked for, not here`],
      [safe`>=  <=`, safe`at least, at most: not all was told or watched`],
      [safe`NEW GONE`, safe`came or went since the last refresh`],
      [safe`OLD STALE`, safe`could not be read again: as it was before`],
      [safe`+3→  ←`, safe`columns that have no room, at the right and left`],
      [safe`·  ›`, safe`between things said; between the steps of the way here`],
      [safe`…`, safe`cut: there is more of it`],
      [safe`\\x1b`, safe`a character that cannot be shown as it is`],
    ],
  },
  {
    title: safe`Filter`,
    lines: [
      [safe`text`, safe`rows that hold it, in any column`],
      [safe`/regex/`, safe`rows that match it`],
      [safe`!text`, safe`rows that do not hold it`],
      [safe`~text`, safe`rows with a cell that holds its letters in this order`],
      [safe`node:text`, safe`rows whose column shows it; also !, /regex/ and ~`],
      [safe`queue:>0`, safe`figures compared: > >= < <= =, and a bare 0 too`],
      [safe`drop/s:>1k`, safe`the header is the name, with - for a blank; 1k 5MB 2h`],
      [safe`"a:b c"`, safe`in quotes: text, whatever stands in it`],
    ],
  },
];
