import type { ReactNode } from 'react';
import { SpeakerContext } from '../../../src/tui/speech/use-speech.ts';

/** A tree with a screen reader that keeps all lines of the components that have something to say. */
export function withListener(tree: ReactNode): { readonly tree: ReactNode; readonly said: readonly string[] } {
  const said: string[] = [];
  const speaker = {
    show: (_slot: object, { lines }: { readonly lines: () => readonly string[] }) => {
      said.push(...lines());
    },
    hide: () => {},
    announce: (text: string) => {
      said.push(text);
    },
    noteKey: () => {},
    readScreen: () => {},
    end: () => {},
  };
  return { tree: <SpeakerContext value={speaker}>{tree}</SpeakerContext>, said };
}
