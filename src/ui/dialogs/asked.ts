import type { SafeText } from '../../terminal/safe-text.ts';
import { type AskRequest, useAsk } from './ask.ts';

/** What to ask, or why there is nothing to ask. */
export type Asked = { readonly request: AskRequest } | { readonly refused: SafeText };

/** Asks, or says why there is nothing to ask. */
export const useAskOrSay = (notify: (text: SafeText) => void): ((asked: Asked) => void) => {
  const ask = useAsk();
  return (asked) => {
    if ('request' in asked) ask(asked.request);
    else notify(asked.refused);
  };
};
