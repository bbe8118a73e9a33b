import { createContext, use, useEffect, useLayoutEffect, useState } from 'react';
import type { Speaker, Spoken } from './speaker.ts';

/** The speaker. Without one nothing is said, as usual. */
export const SpeakerContext = createContext<Speaker | undefined>(undefined);

export const useSpeaker = (): Speaker | undefined => use(SpeakerContext);

/** Says what a component shows. `undefined`: it shows nothing now. */
export const useSpoken = (spoken: Spoken | undefined): void => {
  const speaker = useSpeaker();
  const [slot] = useState(() => ({}));
  // After every rendering: lines may have changed.
  useLayoutEffect(() => {
    if (spoken === undefined) speaker?.hide(slot);
    else speaker?.show(slot, spoken);
  });
  useEffect(
    () => () => {
      speaker?.hide(slot);
    },
    [speaker, slot],
  );
};
