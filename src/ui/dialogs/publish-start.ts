import { createContext, use, useLayoutEffect } from 'react';

/** What the form of a message begins with, raw. */
export interface PublishStart {
  readonly topic?: string | undefined;
  readonly clientId?: string | undefined;
}

/** Where the row under the cursor leaves what it stands for. */
export const PublishStartContext = createContext<{ current: PublishStart } | undefined>(undefined);

/** While mounted, `P` begins with this; `undefined`: with nothing. */
export const usePublishStart = (start: PublishStart | undefined): void => {
  const placeRef = use(PublishStartContext);
  const topic = start?.topic;
  const clientId = start?.clientId;
  useLayoutEffect(() => {
    if (placeRef === undefined) {
      return undefined;
    }
    placeRef.current = { topic, clientId };
    return () => { placeRef.current = {}; };
  }, [placeRef, topic, clientId]);
};
