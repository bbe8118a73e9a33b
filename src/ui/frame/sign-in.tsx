import type { ReactNode } from 'react';
import type { SignInState } from './use-sign-in.ts';
import { useTextField } from '../hooks/use-text-field.ts';
import { safe } from '../../terminal/safe-text.ts';
import { hideTyped } from '../../terminal/text-field.ts';
import { useTheme } from '../theme-context.ts';
import { composeLine } from '../../terminal/line.ts';
import { titleLine } from '../components/title-line.ts';
import { Rows } from '../components/rows.tsx';
import { promptLine } from '../components/text-prompt.tsx';

export interface SignInProps {
  readonly state: SignInState;
  readonly user: string | undefined;
  readonly url: string;
  readonly width: number;
}

/** Asks for the password again, without showing it. */
export const SignIn = ({ state, user, url, width }: SignInProps): ReactNode => {
  const theme = useTheme();
  const [field, edit] = useTextField({
    onAccept: (text) => {
      state.accept(text);
      // Whatever comes of it: it is not kept.
      edit({ type: 'set', text: '' });
    },
    onCancel: state.close,
  });
  return (
    <Rows
      lines={[
        titleLine(theme, width, safe`The broker rejected the user name or password`),
        composeLine(theme, width, [{ text: safe`  Nothing is fetched from ${theme.escape(url)} meanwhile.`, role: 'dim' }]),
        promptLine(theme, width, safe`  Password of ${theme.escape(user ?? 'nobody')}: `, hideTyped(field)),
        composeLine(theme, width, [
          { text: safe`  ` },
          ...(state.isTrying ? [{ text: safe`··· asking the broker`, role: 'dim' } as const] : []),
          ...(!state.isTrying && state.error !== undefined ? [{ text: safe`! ${state.error}`, role: 'error' } as const] : []),
        ]),
        composeLine(theme, width, [{ text: safe`  ` }, { text: safe`Enter`, role: 'key' }, { text: safe` takes it and asks the broker once  ` }, { text: safe`Esc`, role: 'key' }, { text: safe` later` }]),
      ]}
    />
  );
};
