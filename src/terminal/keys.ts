export interface Keystroke {
  /** The name in the key table: `j`, `K`, `Space`, `Up`, `PageDown`, `Enter`, `Esc`, `Shift-Tab`, `Ctrl-R`, `Alt-x`. */
  readonly name: string;
  readonly text: string | undefined;
}

export interface InkKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly pageDown: boolean;
  readonly pageUp: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly tab: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly meta: boolean;
  readonly eventType?: 'press' | 'repeat' | 'release';
}

const namedKeys: readonly (readonly [keyof InkKey, string])[] = [
  ['upArrow', 'Up'],
  ['downArrow', 'Down'],
  ['leftArrow', 'Left'],
  ['rightArrow', 'Right'],
  ['pageUp', 'PageUp'],
  ['pageDown', 'PageDown'],
  ['home', 'Home'],
  ['end', 'End'],
  ['return', 'Enter'],
  ['escape', 'Esc'],
  ['tab', 'Tab'],
  ['backspace', 'Backspace'],
  ['delete', 'Delete'],
];

const controlNames: Readonly<Record<number, string>> = {
  0x08: 'Backspace',
  0x09: 'Tab',
  0x0d: 'Enter',
  0x1b: 'Esc',
  0x7f: 'Backspace',
};

const strokeOfCharacter = (character: string): Keystroke => {
  const codePoint = character.codePointAt(0) ?? 0;
  const control = controlNames[codePoint];
  if (control !== undefined) {
    return { name: control, text: undefined };
  }
  if (codePoint < 0x20) {
    return { name: `Ctrl-${String.fromCodePoint(codePoint + 0x40)}`, text: undefined };
  }
  return { name: character === ' ' ? 'Space' : character, text: character };
};

/** A key held down on a slow line arrives as one event with several characters. */
export const keystrokesOf = (input: string, key: InkKey): readonly Keystroke[] => {
  if (key.eventType === 'release') {
    return [];
  }
  const named = namedKeys.find(([flag]) => key[flag] === true);
  if (named !== undefined) {
    const modifiers = `${key.ctrl ? 'Ctrl-' : ''}${key.meta && named[1] !== 'Esc' ? 'Alt-' : ''}${key.shift ? 'Shift-' : ''}`;
    return [{ name: modifiers + named[1], text: undefined }];
  }
  if (key.ctrl) {
    return input === '' ? [] : [{ name: `Ctrl-${input.toUpperCase()}`, text: undefined }];
  }
  if (key.meta) {
    return input === '' ? [] : [{ name: `Alt-${input}`, text: undefined }];
  }
  return Array.from(input, strokeOfCharacter);
};
