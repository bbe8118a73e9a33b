import { render, useInput, usePaste } from 'ink';
import { type ReactNode, useEffect } from 'react';
import { Writable } from 'node:stream';
import { withoutReplies } from '../../terminal/input.ts';
import type { PaintedTerminal } from '../../terminal/painter.ts';
import { createPainter, Painted } from '../../tui/components/drawing.tsx';
import { createSpeaker, type Speaker } from '../../tui/speech/speaker.ts';
import { speechTexts } from '../../tui/speech/texts.ts';
import { SpeakerContext } from '../../tui/speech/use-speech.ts';
import type { OpenScreen, ScreenStreams } from './screen.tsx';

/** Narrow enough that panels stand below each other, and high enough for whole pages. */
const size = { columns: 100, rows: 60 } as const;

/** Matches sequences that show nothing: bracketed paste, without which pasted text would be keys, and the clipboard. */
// oxlint-disable-next-line no-control-regex
const silentCodes = /\u001B(?:\[\?2004[hl]|\]52;[^\u0007]*\u0007)/gu;

/** Creates an off-screen terminal of a fixed size. */
function hiddenTerminal(stdout: NodeJS.WritableStream): NodeJS.WriteStream & PaintedTerminal {
  const hidden = new Writable({
    decodeStrings: false,
    write(chunk: unknown, _encoding, done) {
      for (const code of String(chunk).match(silentCodes) ?? []) stdout.write(code);
      done();
    },
  });
  return Object.assign(hidden, { ...size, isTTY: true }) as unknown as NodeJS.WriteStream & PaintedTerminal;
}

/** Draws a tree off screen, and writes what changes as lines of text. */
export function openSpokenScreen(tree: ReactNode, { stdin, stdout, stderr }: ScreenStreams): OpenScreen {
  const hidden = hiddenTerminal(stdout);
  const painter = createPainter(hidden);
  const speaker = createSpeaker({
    write: (line) => {
      stdout.write(`${line}\n`);
    },
    screen: painter.read,
    setTimer: (run, milliseconds) => {
      const timer = setTimeout(run, milliseconds);
      return () => {
        clearTimeout(timer);
      };
    },
  });
  speaker.announce(speechTexts.start);
  const instance = render(
    <SpeakerContext value={speaker}>
      <Listener speaker={speaker} />
      <Painted painter={painter}>{tree}</Painted>
    </SpeakerContext>,
    {
      stdin: withoutReplies(stdin),
      stdout: painter.stdout as NodeJS.WriteStream,
      ...(stderr !== undefined && { stderr }),
      alternateScreen: true,
      onRender: painter.paintSoon,
      exitOnCtrlC: false,
      interactive: true,
    },
  );
  return {
    instance,
    stdout: painter.stdout,
    repaint: speaker.readScreen,
    beforeEnd: (end) => {
      end();
    },
  };
}

const Listener = ({ speaker }: { readonly speaker: Speaker }): ReactNode => {
  useInput(speaker.noteKey);
  usePaste(speaker.noteKey);
  useEffect(() => speaker.end, [speaker]);
  return null;
};
