/**
 * Texts of the frame: header, footer, help, palette, sign-in, questions. Keys have theirs in `keys/bindings.ts` and in the definitions of actions.
 */
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Note } from '../keys/catalog.ts';

/** Warnings of the connection, which every screen shows. */
export const exposureWords = {
  unencrypted: safe`UNENCRYPTED`,
  tlsNotVerified: safe`TLS NOT VERIFIED`,
};

/** Writes how long ago a moment was, in one unit: `3 h ago`. */
export const agoText = (seconds: number): SafeText => {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return safe`${whole} s ago`;
  if (whole < 3_600) return safe`${Math.floor(whole / 60)} min ago`;
  return whole < 172_800 ? safe`${Math.floor(whole / 3_600)} h ago` : safe`${Math.floor(whole / 86_400)} d ago`;
};

/** Words for a moment of a recording. */
export const pastTexts = {
  moment: (moment: SafeText, ago: SafeText) => safe`${moment}, ${ago}`,
  actionsOff: safe`no actions`,
  off: safe`Actions are off in the past. Esc returns to now.`,
  offInFile: safe`Actions are off: this is a recording.`,
  nothingRecorded: safe`Nothing is recorded yet`,
  notRecorded: safe`No recording is shown`,
  first: safe`This is the first sample of the recording`,
  firstOfRun: safe`This is the first sample of this run. brokertop replay shows earlier ones, if they were recorded.`,
  last: safe`This is the last sample of the recording`,
  lastBeforeNow: safe`This is the last sample. Esc returns to now.`,
  noEvent: safe`No later event is recorded`,
  nearest: (wanted: SafeText, found: SafeText) =>
    safe`Nothing was recorded at ${wanted}. The nearest sample is of ${found}.`,
  unreadable: (reason: SafeText) => safe`! The recording cannot be read: ${reason}`,
  otherVersion: (recorded: SafeText, running: SafeText) =>
    safe`Recorded by brokertop ${recorded} (this is ${running}): problems as found then`,
  goTo: (moment: SafeText) => safe`Look back to ${moment}`,
};

/** The line above the key hints; `error` and `reason` are escaped. */
export const messageTexts = {
  resume: safe`resume`,
  proxyRejected: (error: SafeText) => safe`! ${error}. Polling has stopped.`,
  rejected: (signInKey: SafeText) => safe`! Login rejected: press ${signInKey} to sign in. Polling has stopped.`,
  switched: (url: SafeText) => safe`! Switched to ${url}.`,
  switchedBecause: (from: SafeText, reason: SafeText) => safe`${from} failed: ${reason}`,
  skipped: (url: SafeText, error: SafeText) => safe`! Skipped ${url}: ${error}`,
  requests: (count: SafeText, isOne: boolean) => safe`${count} ${isOne ? safe`request` : safe`requests`}/min`,
  connections: (count: SafeText, isOne: boolean) => safe`${count} ${isOne ? safe`connection` : safe`connections`}`,
  load: (requests: SafeText, bytes: SafeText) => safe`${requests} · ${bytes}/min`,
};

/** Answers to keys, shown for a few seconds. */
export const noticeTexts = {
  interval: (interval: SafeText) => safe`Refresh interval: ${interval}`,
  frozen: safe`Paused. Press p to resume.`,
  resumed: safe`Polling resumed`,
  refreshing: safe`Refreshing`,
  readOnly: safe`Read-only mode: actions are disabled`,
};

export const signInTexts = {
  title: safe`Login rejected`,
  failedTitle: safe`Login failed`,
  goesOn: (url: SafeText) => safe`Polling of ${url} goes on. The password may be right.`,
  stopped: (url: SafeText) => safe`Polling of ${url} has stopped.`,
  password: (user: SafeText | undefined) => (user === undefined ? safe`Password: ` : safe`Password of ${user}: `),
  trying: safe`··· signing in`,
  accept: safe`Sign in`,
  later: safe`Cancel`,
  signedIn: safe`Signed in. Polling resumed.`,
  notRejected: safe`The login was not rejected`,
  readingFile: safe`Reading the password file again`,
  runningCommand: safe`Running the password command again`,
};

const noMatch = safe`No command matches`;

export const paletteTexts = {
  title: safe`Commands`,
  run: safe`Run`,
  noMatch,
  elsewhere: safe`On other screens:`,
  groups: {
    Screens: safe`screen`,
    Actions: safe`action`,
    Screen: safe`here`,
    List: safe`list`,
    Move: safe`list`,
    Time: safe`time`,
    Program: safe`program`,
    Dialogs: safe``,
  },
  count: (found: SafeText, isOne: boolean) => safe`${found} ${isOne ? safe`match` : safe`matches`}`,
  location: (screens: SafeText, keys: SafeText) => safe`on ${screens}: ${keys}`,
  otherScreens: safe`other screens`,
  absent: (screen: SafeText, apiName: SafeText) => safe`${screen}: not available with ${apiName}`,
  /** Says that more match than there is room for. */
  cutCount: (shown: SafeText, found: SafeText) => safe`${shown} of ${found} shown, ↓ for more`,
};

export const frameTexts = {
  ignored: safe`Ignored: pasted, or typed too fast. Answer again.`,
  noKey: (key: SafeText) => safe`${key} does nothing here. ? lists the keys.`,
  thenPress: (keys: SafeText, label: SafeText) => safe`Choose a row, then press ${keys} (${label}).`,
  noFilter: safe`This screen cannot be filtered. Press Esc.`,
  tooSmall: safe`too small`,
  needs: (size: SafeText) => safe`needs ${size}`,
  quit: safe`q quit`,
  quitRunning: safe`q quit (an action is running)`,
};

export const helpTexts = {
  close: safe`Esc close help`,
  clear: safe`(Esc clears)`,
  noMatch: safe`Nothing in the help matches`,
  demo: safe`Demo broker, this run only`,
  demoUrl: safe`URL`,
  demoUser: safe`User`,
  demoPassword: safe`Password`,
  here: (screen: SafeText) => safe`This screen: ${screen}`,
  /** Stands for the keys that edit a text. */
  list: safe`Lists`,
  move: safe`Lists: move`,
  dialogs: safe`Dialogs and prompts`,
  screens: safe`Everywhere: screens`,
  time: safe`Everywhere: look back`,
  program: safe`Everywhere: program`,
  otherScreens: safe`Other screens`,
  searchOthers: safe`Search all keys, including those of other screens and dialogs`,
  symbols: {
    title: safe`Symbols`,
    entries: [
      [safe`▲  ▼`, safe`in a header: sorted, ascending or descending`],
      [safe`▸  ◆`, safe`row under the cursor; marked row`],
      [safe`–  ···`, safe`unknown or not reported; loading`],
      [safe`≥0.7 %  ≤`, safe`at least; at most (data incomplete)`],
      [safe`2 s ▸`, safe`in the header: refresh interval, before the time`],
      [safe`>46 s`, safe`longer than this (began before the first check)`],
      [safe`NEW GONE`, safe`appeared or disappeared since the last refresh`],
      [safe`OLD STALE`, safe`not refreshed, last known value`],
      [safe`+3→  ←`, safe`more columns to the right; to the left (C lists them)`],
      [safe`·  ›`, safe`separates notes; opened screens`],
      [safe`…`, safe`cut off`],
      [safe`\\x1b`, safe`escaped character`],
    ] as readonly Note[],
  },
  filter: {
    title: safe`Lists: filter`,
    entries: [
      [safe`text`, safe`rows that contain the text in any column`],
      [safe`/regex/`, safe`rows that match the regular expression`],
      [safe`!text`, safe`rows that do not contain the text`],
      [safe`~text`, safe`rows with these letters in this order in a cell`],
    ] as readonly Note[],
    quotes: [safe`"a:b c"`, safe`quotes: literal text`] as Note,
  },
};

/** The dialogs and prompts whose keys the help lists. */
export const dialogTitles = {
  columns: safe`Column chooser`,
  confirm: safe`Confirmation`,
  confirmName: safe`Confirmation by name`,
  form: safe`Form`,
  running: safe`Running action`,
  outcome: safe`Result of an action`,
  prompt: safe`Text input`,
  menu: safe`Menu`,
  choices: safe`Action menu`,
  help: safe`Help`,
  helpSearch: safe`Search in the help`,
  tooSmall: safe`Terminal too small`,
};
