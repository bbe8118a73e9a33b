import { type ReactNode, useEffect, useState } from 'react';
import type { ActingMonitor } from '../../actions/acting-monitor.ts';
import type {
  ChooseRequest,
  DialogOrRefusal,
  DialogRequest,
  MenuRequest,
  ReadRequest,
  TextRequest,
} from '../../actions/requests.ts';
import { type SlicedTask, startSliced } from '../../domain/sliced-task.ts';
import { loadingText } from '../../terminal/format.ts';
import { composeLine, type Line, wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { fit, padText, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { titleLine } from '../components/blocks.ts';
import { type Button, buttonsLine, closeButtons, DialogBox, fitDialog } from '../components/dialog-box.tsx';
import { useTheme } from '../components/drawing.tsx';
import { Menu, type MenuItem, useMenu } from '../components/menu.tsx';
import { scrolledWindow, type TextWindow, useTop } from '../hooks/use-scroll.ts';
import { useAvailableCommands, useKeys } from '../keys/use-keys.ts';
import { dialogTexts } from './texts.ts';

export interface TextView extends Pick<TextWindow, 'maxTop' | 'page'> {
  readonly lines: readonly Line[];
}

const textButtons = (hasChange: boolean): readonly Button[] => [
  ...(hasChange ? [{ id: 'textChange', keys: safe`e`, label: dialogTexts.change } as const] : []),
  ...closeButtons('helpClose'),
];

/** The largest share of a line for its label; a longer one stands above its text. */
const maxLabelShare = 0.4;

export const textLines = (
  theme: Theme,
  width: number,
  height: number,
  { title, parts }: TextRequest,
  top = 0,
  hasChange = false,
): TextView => {
  const room = Math.max(2, width - 4);
  const isBeside = ({ label, isBlock }: TextRequest['parts'][number]): boolean =>
    label !== undefined && isBlock !== true && widthOf(label) <= room * maxLabelShare;
  const labelWidth = Math.max(0, ...parts.filter(isBeside).map(({ label = safe`` }) => widthOf(label) + 2));
  const all = parts.flatMap((part): readonly Line[] => {
    const { label, text } = part;
    const indent = isBeside(part) ? labelWidth : 0;
    return [
      ...(label === undefined || indent > 0
        ? []
        : [composeLine(theme, width, [{ text: safe`  ` }, { text: label, role: 'dim' }])]),
      ...wrapWords(text, Math.max(2, room - indent)).map((line, index) =>
        composeLine(theme, width, [
          { text: safe`  ` },
          { text: fit(index === 0 && label !== undefined ? label : safe``, indent), role: 'dim' },
          { text: line },
        ]),
      ),
    ];
  });
  const { from, to, maxTop, page, position } = scrolledWindow(all.length, Math.max(1, height - 2), top);
  const lines = [
    titleLine(theme, width, title),
    ...all.slice(from, to),
    ...(position === undefined ? [] : [composeLine(theme, width, [{ text: safe`  ${position}`, role: 'dim' }])]),
    buttonsLine(theme, width, textButtons(hasChange)),
  ];
  return { lines: lines.slice(-Math.max(1, height)), maxTop, page };
};

export interface TextDialogProps {
  readonly request: TextRequest;
  readonly width: number;
  readonly height: number;
  /** Opens what changes the text; absent in read-only mode. */
  readonly onChange?: ((request: DialogRequest) => void) | undefined;
  readonly onClose: () => void;
}

/** Shows a text, also in read-only mode. */
export const TextDialog = ({ request, width, height, onChange, onClose }: TextDialogProps): ReactNode => {
  const theme = useTheme();
  const { top, scroll } = useTop();
  const { change } = request;
  const doChange =
    change === undefined || onChange === undefined
      ? undefined
      : (): void => {
          onChange(change);
        };
  const dialog = fitDialog({
    theme,
    title: request.title,
    width,
    height,
    draw: (inner, lines) => textLines(theme, inner, lines, request, top, doChange !== undefined),
  });
  const view = dialog.content;
  const by = (lines: number) => (): void => {
    scroll(lines, view.maxTop);
  };
  useKeys('help', {
    textChange: doChange,
    helpClose: onClose,
    helpUp: by(-1),
    helpDown: by(1),
    helpPageUp: by(-view.page),
    helpPageDown: by(view.page),
  });
  return <DialogBox dialog={dialog} buttons={textButtons(doChange !== undefined)} area={{ width, height }} />;
};

export interface MenuDialogProps {
  readonly request: MenuRequest;
  readonly width: number;
  readonly height: number;
  readonly onChoose: (next: DialogRequest) => void;
  readonly onCancel: () => void;
}

export const MenuDialog = ({
  request: { title, choices, notes, selectedId },
  width,
  height,
  onChoose,
  onCancel,
}: MenuDialogProps): ReactNode => {
  const available = useAvailableCommands();
  const choose = (id: string): void => {
    const next = choices.find((candidate) => candidate.id === id)?.next;
    if (typeof next === 'string') {
      onCancel();
      available.run(next);
    } else if (next !== undefined) {
      onChoose(next);
    }
  };
  return (
    <Choices
      title={title}
      items={choices.map(({ id, label, note }) => ({ id, label, note }))}
      initialId={selectedId}
      notes={notes}
      width={width}
      height={height}
      onChoose={choose}
      onCancel={onCancel}
    />
  );
};

export interface ChooseDialogProps {
  readonly request: ChooseRequest;
  readonly width: number;
  readonly height: number;
  readonly onChoose: (id: string) => void;
  readonly onCancel: () => void;
}

/** A menu with a note for each choice, computed in slices because long lists take a while. */
export const ChooseDialog = ({
  request: { title, choices, selectedId },
  width,
  height,
  onChoose,
  onCancel,
}: ChooseDialogProps): ReactNode => {
  const [notes, setNotes] = useState<ReadonlyMap<string, SafeText>>(() => new Map());
  useEffect(() => {
    function* noteAll(): SlicedTask<void> {
      for (const { id, note } of choices) {
        const text = yield* note();
        setNotes((known) => new Map([...known, [id, text]]));
      }
    }
    return startSliced(noteAll(), () => {});
  }, [choices]);
  const labelWidth = Math.max(...choices.map(({ label }) => widthOf(label)));
  const items = choices.map(({ id, label }) => ({
    id,
    label: safe`${padText(label, labelWidth)}  ${notes.get(id) ?? loadingText}`,
  }));
  return (
    <Choices
      title={title}
      items={items}
      initialId={selectedId}
      width={width}
      height={height}
      onChoose={onChoose}
      onCancel={onCancel}
    />
  );
};

interface ChoicesProps {
  readonly title: SafeText;
  readonly items: readonly MenuItem[];
  readonly initialId?: string | undefined;
  readonly notes?: readonly SafeText[] | undefined;
  readonly width: number;
  readonly height: number;
  readonly onChoose: (id: string) => void;
  readonly onCancel: () => void;
}

const choiceButtons: readonly Button[] = [
  { id: 'menuAccept', keys: safe`Enter`, label: dialogTexts.choose },
  { id: 'menuCancel', keys: safe`Esc`, label: dialogTexts.cancel },
];

const Choices = ({
  title,
  items,
  initialId,
  notes = [],
  width,
  height,
  onChoose,
  onCancel,
}: ChoicesProps): ReactNode => {
  const theme = useTheme();
  const selectedId = useMenu(
    items.map(({ id }) => id),
    { initialId, onChoose, onClose: onCancel, labels: items.map(({ label }) => label) },
  );
  const dialog = fitDialog({
    theme,
    title,
    width,
    height,
    draw: (inner, lines) => {
      const noteLines = notes
        .flatMap((note) => wrapWords(note, Math.max(2, inner - 4)))
        .slice(0, Math.max(0, lines - 3));
      const menuHeight = Math.max(1, Math.min(items.length, lines - 2 - noteLines.length));
      return {
        width: inner,
        menuHeight,
        hasList: true,
        lines: [
          titleLine(theme, inner, title),
          ...Array.from({ length: menuHeight }, () => composeLine(theme, inner, [])),
          ...noteLines.map((text) => composeLine(theme, inner, [{ text: safe`  ` }, { text, role: 'dim' }])),
          buttonsLine(theme, inner, choiceButtons),
        ],
      };
    },
  });
  const menu = (
    <Menu
      items={items}
      selectedId={selectedId}
      onChoose={onChoose}
      width={dialog.content.width}
      height={dialog.content.menuHeight}
    />
  );
  return (
    <DialogBox dialog={dialog} buttons={choiceButtons} area={{ width, height }} inside={{ line: 1, children: menu }} />
  );
};

export interface ReadDialogProps {
  readonly request: ReadRequest;
  readonly monitor: ActingMonitor;
  readonly width: number;
  readonly height: number;
  readonly onReady: (next: DialogRequest) => void;
  readonly onCancel: () => void;
}

/** Waits for what a request reads, and becomes the dialog that follows; or says why none does. */
export const ReadDialog = ({
  request: { title, waiting, read },
  monitor,
  width,
  height,
  onReady,
  onCancel,
}: ReadDialogProps): ReactNode => {
  const theme = useTheme();
  const [refused, setRefused] = useState<SafeText | undefined>(undefined);
  useEffect(() => {
    const closing = new AbortController();
    const { signal } = closing;
    const settle = (outcome: DialogOrRefusal): void => {
      if (signal.aborted) return;
      if ('request' in outcome) onReady(outcome.request);
      else setRefused(outcome.refused);
    };
    void read({ monitor, signal }).then(settle, (thrown: unknown) => {
      settle({ refused: theme.escape(thrown instanceof Error ? thrown.message : String(thrown)) });
    });
    return () => {
      closing.abort();
    };
  }, [monitor, read, onReady, theme]);
  useKeys('outcome', { outcomeClose: onCancel });
  const text = refused ?? waiting ?? dialogTexts.reading;
  const dialog = fitDialog({
    theme,
    title,
    width,
    height,
    draw: (inner) => ({
      lines: [
        titleLine(theme, inner, title),
        ...wrapWords(text, Math.max(2, inner - 4))
          .slice(0, 6)
          .map((line) => composeLine(theme, inner, [{ text: safe`  ${line}` }])),
        buttonsLine(theme, inner, closeButtons('outcomeClose')),
      ],
    }),
  });
  return <DialogBox dialog={dialog} buttons={closeButtons('outcomeClose')} area={{ width, height }} />;
};
