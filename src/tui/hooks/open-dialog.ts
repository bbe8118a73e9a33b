import { createContext, use, useEffect, useRef } from 'react';
import type { DialogOrRefusal, DialogRequest } from '../../actions/requests.ts';
import type { Notify } from '../screen.ts';

export type OpenDialog = (request: DialogRequest) => void;

export const DialogContext = createContext<OpenDialog | undefined>(undefined);

export const useOpenDialog = (): OpenDialog => {
  const ask = use(DialogContext);
  return ask ?? refuse;
};

const refuse: OpenDialog = () => {
  throw new Error('useOpenDialog outside DialogContext');
};

/** @param about what the dialog would be about; a refusal disappears when it changes */
export const useOpenOrNotify = (notify: Notify, about?: string): ((dialog: DialogOrRefusal) => void) => {
  const ask = useOpenDialog();
  const refused = useRef<{ readonly about: string | undefined }>(undefined);
  useEffect(() => {
    if (refused.current === undefined || refused.current.about === about) return;
    refused.current = undefined;
    notify(undefined);
  }, [notify, about]);
  return (dialog) => {
    if ('request' in dialog) {
      ask(dialog.request);
    } else {
      refused.current = { about };
      notify(dialog.refused);
    }
  };
};
