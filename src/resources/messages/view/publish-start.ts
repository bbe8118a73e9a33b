import { createContext, use, useLayoutEffect } from 'react';
import type { PublishStart } from '../actions.ts';

/** The initial values of the form to publish on the current screen. */
export const PublishStartContext = createContext<{ current: PublishStart } | undefined>(undefined);

export const usePublishStart = (start: PublishStart | undefined): void => {
  const placeRef = use(PublishStartContext);
  const topic = start?.topic;
  useLayoutEffect(() => {
    if (placeRef === undefined) {
      return undefined;
    }
    placeRef.current = { topic };
    return () => {
      placeRef.current = {};
    };
  }, [placeRef, topic]);
};
