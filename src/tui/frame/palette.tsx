import type { ReactNode } from 'react';
import { formatCount } from '../../terminal/format.ts';
import { composeEnds, composeLine, type Line } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { titleLine } from '../components/blocks.ts';
import { type Button, buttonsLine, DialogBox, fitDialog } from '../components/dialog-box.tsx';
import { useTheme } from '../components/drawing.tsx';
import { Menu, type MenuItem, useMenu } from '../components/menu.tsx';
import { promptLine, useTextField } from '../components/text-prompt.tsx';
import type { NamedCommand } from '../keys/key-stack.ts';
import { fit, widestFitting, widthOf } from '../../terminal/text-width.ts';
import type { Catalog } from '../keys/catalog.ts';
import { formatKeys } from '../keys/keymap.ts';
import { useKeymap } from '../keys/use-keys.ts';
import { byRank, isNamed, matches, meant, type Rank, rankOf, ranks } from './palette-rank.ts';
import { paletteTexts } from './texts.ts';
import { scrollableTexts } from '../components/texts.ts';
import type { CommandId, KnownBinding } from '../keys/bindings.ts';

export interface PaletteProps {
  /** Commands of this screen and of the program. */
  readonly bindings: readonly KnownBinding[];
  /** Commands of other screens; found, but not chosen here. */
  readonly elsewhere: readonly KnownBinding[];
  /** Commands that this broker's API does not have. */
  readonly absent: readonly KnownBinding[];
  readonly apiName: SafeText;
  readonly width: number;
  readonly height: number;
  readonly named: readonly NamedCommand[];
  /** Returns the name of a command where it is not that of its help. */
  readonly labelOf: (id: CommandId) => SafeText | undefined;
  /** @param leadsTo the command that was meant, if `id` only opens its screen */
  readonly onChoose: (id: CommandId, leadsTo?: KnownBinding) => void;
  /** Offers something for what is typed, if it is no command. */
  readonly fallback?:
    | { readonly label: (typed: SafeText) => SafeText; readonly run: (typed: string) => void }
    | undefined;
  /** Goes to the time that is typed; returns `undefined` if it is none. */
  readonly timeTyped?:
    | ((typed: string) => { readonly label: SafeText; readonly run: () => void } | undefined)
    | undefined;
  readonly onClose: () => void;
}

/** Returns the keywords that made a command match, shown where its own text does not contain them. */
const foundBy = (
  {
    help,
    label = '',
    words = '',
    aliases = [],
  }: Pick<KnownBinding, 'help' | 'words' | 'aliases'> & { readonly label?: string },
  typed: string,
): SafeText => {
  const missing = typed
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '' && !`${help} ${label}`.toLowerCase().includes(word));
  const found = [...aliases, ...words.split(' ')].filter((word) =>
    missing.some((each) => word.toLowerCase().includes(each)),
  );
  return found.length === 0 ? safe`` : safe` (${trusted(found.join(', '))})`;
};

const wordsOf = (binding: KnownBinding): string =>
  [binding.help, binding.label, binding.words ?? '', ...(binding.aliases ?? [])].join(' ');

/** Returns the screens where a command works: those with a key, else the place that such a screen is opened from. */
const whereToFind = ({ usualScreensWith }: Catalog, binding: KnownBinding): readonly SafeText[] => {
  const found = usualScreensWith(binding);
  const reachable = found.filter(({ key }) => key !== undefined).map(({ title }) => title);
  return reachable.length > 0 ? reachable : [found[0]?.location ?? paletteTexts.otherScreens];
};

const namesOf = ({ label, help }: KnownBinding): readonly string[] => [label, help];

const rankOfBinding = (binding: KnownBinding, typed: string): Rank =>
  rankOf({ ...binding, names: namesOf(binding) }, typed);

/** Returns the screen that the API does not have, if one is meant by name: it says why. */
const absentScreenFor = (
  { screensWith }: Catalog,
  absent: readonly KnownBinding[],
  typed: string,
): KnownBinding | undefined => {
  const [best] = absent
    .filter((binding) => isNamed(rankOfBinding(binding, typed)))
    .toSorted((a, b) => rankOfBinding(a, typed) - rankOfBinding(b, typed));
  return (
    best &&
    absent.find(
      ({ screenTitle }) =>
        screenTitle !== undefined &&
        (screenTitle === best.screenTitle || screensWith(best).some(({ title }) => title === screenTitle)),
    )
  );
};

/** The order of all commands, before something is typed. */
const groupOrder: readonly KnownBinding['group'][] = [
  'Screens',
  'Actions',
  'Screen',
  'List',
  'Move',
  'Time',
  'Program',
];

/** Ranks screens, then actions, then what else has to do with screens, such as the next one. */
const placeIn = (group: KnownBinding['group'], screenTitle: string | undefined): number =>
  groupOrder.indexOf(group === 'Screens' && screenTitle === undefined ? 'Screen' : group);
const groupWidth = 7;
const keysWidth = 9;

/** Returns an id, because several actions have the key of the menu. */
const elsewhereId = ({ help }: KnownBinding): string => `elsewhere ${help}`;

const buttons: readonly Button[] = [
  { id: 'menuAccept', keys: safe`Enter`, label: paletteTexts.run },
  { id: 'menuCancel', keys: safe`Esc`, label: scrollableTexts.close },
];

/** The height of the box, the same whatever is typed. */
const maxLines = 28;

/** Shows the command palette: any screen or action by name. */
export const Palette = ({
  bindings,
  elsewhere,
  absent,
  apiName,
  named,
  labelOf,
  width,
  height,
  onChoose,
  fallback,
  timeTyped,
  onClose,
}: PaletteProps): ReactNode => {
  const theme = useTheme();
  const { catalog } = useKeymap();
  const [field] = useTextField();
  const isAll = field.text.trim() === '';
  const commands = bindings.map((binding) => ({
    id: binding.id,
    group: binding.group,
    place: placeIn(binding.group, binding.screenTitle),
    rank: rankOfBinding(binding, field.text),
    words: wordsOf(binding),
    label: labelOf(binding.id) ?? safe`${trusted(binding.help)}${foundBy(binding, field.text)}`,
    keys: formatKeys(binding, theme.charset),
    run: () => {
      onChoose(binding.id);
    },
  }));
  const namedChoices = named.map(({ name, group, aliases = [], run }) => ({
    id: `named ${name}`,
    group,
    place: groupOrder.indexOf(group),
    rank: rankOf({ aliases, group, names: [name] }, field.text),
    words: [name, ...aliases].join(' '),
    label: name,
    keys: safe``,
    run: () => {
      onClose();
      run();
    },
  }));
  const choices = (isAll ? [...commands, ...namedChoices] : [...namedChoices, ...commands]).map((choice) => ({
    ...choice,
    note: isAll
      ? safe`${fit(paletteTexts.groups[choice.group], groupWidth)} ${fit(choice.keys, keysWidth, 'right')}`
      : choice.keys,
  }));
  const inGroups = isAll ? choices.toSorted((a, b) => a.place - b.place) : choices;
  const elsewhereRanked = isAll
    ? []
    : elsewhere
        .filter((binding) => matches(wordsOf(binding), field.text))
        .map((binding) => ({ binding, rank: rankOfBinding(binding, field.text) }));
  const matchingAll = inGroups.filter(({ words }) => matches(words, field.text));
  const matchingHere = isAll
    ? matchingAll
    : meant(
        matchingAll,
        elsewhereRanked.some(({ rank }) => rank < ranks.inside),
      ).toSorted(byRank);
  // What is meant by name and absent comes instead of commands that only mention it.
  const absentScreen =
    isAll || matchingHere.some(({ rank }) => isNamed(rank)) ? undefined : absentScreenFor(catalog, absent, field.text);
  const matching = absentScreen === undefined ? matchingHere : [];
  const others =
    absentScreen !== undefined
      ? []
      : meant(
          elsewhereRanked,
          matchingHere.some(({ rank }) => rank < ranks.inside),
        )
          .toSorted((a, b) => a.rank - b.rank)
          .map(({ binding }) => binding);
  const absentFound =
    absentScreen === undefined
      ? []
      : [
          {
            id: absentScreen.id,
            label: paletteTexts.absent(trusted(absentScreen.screenTitle ?? ''), apiName),
            note: safe``,
            run: () => {
              onChoose(absentScreen.id);
            },
          },
        ];
  // Without a command here, one that works elsewhere leads to its screen; also an action whose name begins with what is typed, before commands that only mention it.
  const elsewhereFound = others.flatMap((binding) => {
    const rank = rankOfBinding(binding, field.text);
    const isMeant = binding.group === 'Actions' && rank <= ranks.nameStart;
    const [screen] = catalog
      .usualScreensWith(binding)
      .flatMap(({ title }) => bindings.filter(({ screenTitle }) => screenTitle === title));
    if (screen === undefined || (matching.length > 0 && !isMeant)) return [];
    const note = paletteTexts.location(trusted(screen.screenTitle ?? ''), formatKeys(binding, theme.charset));
    return [
      {
        id: elsewhereId(binding),
        group: binding.group,
        rank: isMeant ? ranks.nameStart : rank,
        label: safe`${trusted(binding.help)}${foundBy(binding, field.text)}`,
        note,
        run: () => {
          onChoose(screen.id, binding);
        },
      },
    ];
  });
  const count = matching.length + others.length + absentFound.length;
  const time = timeTyped?.(field.text);
  const timeFound =
    time === undefined
      ? []
      : [
          {
            id: 'time',
            label: time.label,
            note: safe``,
            run: () => {
              onClose();
              time.run();
            },
          },
        ];
  const found: readonly Pick<(typeof choices)[number], 'id' | 'label' | 'note' | 'run'>[] = [
    ...timeFound,
    ...(count > 0
      ? [
          ...absentFound,
          ...(elsewhereFound.length === 0 ? matching : [...matching, ...elsewhereFound].toSorted(byRank)),
        ]
      : fallback === undefined
        ? []
        : [
            {
              id: 'fallback',
              label: safe`${paletteTexts.noMatch}. ${fallback.label(theme.escape(field.text.trim(), 40))}`,
              note: safe``,
              run: () => {
                onClose();
                fallback.run(field.text.trim());
              },
            },
          ]),
  ];
  const choose = (id: string): void => {
    found.find((choice) => choice.id === id)?.run();
  };
  const selectedId = useMenu(
    found.map(({ id }) => id),
    {
      onChoose: choose,
      onClose,
    },
  );
  const items = found.map(({ id, label, note }): MenuItem => ({ id, label, note }));
  const otherLine = (inner: number, binding: KnownBinding): Line => {
    const text = safe`  ${trusted(binding.help)}${foundBy(binding, field.text)}`;
    const places = whereToFind(catalog, binding).map(
      (_, index, all) =>
        safe`${paletteTexts.location(joinSafe(all.slice(0, all.length - index), safe`, `), formatKeys(binding, theme.charset))} `,
    );
    return composeEnds(
      theme,
      inner,
      [{ text, role: 'dim' }],
      [{ text: widestFitting(places, inner - widthOf(text) - 2) ?? places.at(-1) ?? safe``, role: 'dim' }],
    );
  };
  const dialog = fitDialog({
    theme,
    title: paletteTexts.title,
    width,
    height: Math.min(height, maxLines),
    draw: (inner, lines) => {
      const room = Math.max(1, lines - 3);
      const menuHeight = Math.min(items.length, room);
      const shown = others.filter((binding) => elsewhereFound.every(({ id }) => id !== elsewhereId(binding)));
      const isHeaded = shown.length > 0 && room - menuHeight > 1;
      const heading = isHeaded
        ? [composeLine(theme, inner, [{ text: safe`  ${paletteTexts.elsewhere}`, role: 'dim' }])]
        : [];
      const below = shown.slice(0, room - menuHeight - heading.length).map((binding) => otherLine(inner, binding));
      const filled = menuHeight + heading.length + below.length;
      const blank = composeLine(theme, inner, []);
      return {
        width: inner,
        menuHeight,
        hasList: true,
        lines: [
          titleLine(theme, inner, paletteTexts.title),
          promptLine(theme, inner, safe` :`, field, {
            text: safe`${menuHeight < items.length ? paletteTexts.cutCount(formatCount(menuHeight), formatCount(items.length)) : paletteTexts.count(formatCount(count + timeFound.length), count + timeFound.length === 1)} `,
            role: 'dim',
          }),
          ...Array.from({ length: menuHeight }, () => blank),
          ...heading,
          ...below,
          ...Array.from({ length: room - filled }, () => blank),
          buttonsLine(theme, inner, buttons),
        ],
      };
    },
  });
  const menu =
    items.length === 0 ? undefined : (
      <Menu
        items={items}
        selectedId={selectedId}
        onChoose={choose}
        width={dialog.content.width}
        height={dialog.content.menuHeight}
      />
    );
  return (
    <DialogBox
      dialog={dialog}
      buttons={buttons}
      area={{ width, height }}
      inside={{ line: 2, children: menu }}
      spoken={dialog.content.lines.slice(0, 2)}
    />
  );
};
