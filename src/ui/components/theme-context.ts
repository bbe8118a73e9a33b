import { createContext, use } from 'react';
import { createTheme, type Theme } from '../../terminal/theme.ts';

/** The theme; plain ASCII without a provider. */
export const ThemeContext = createContext<Theme>(createTheme({ TERM: 'dumb' }));

export const useTheme = (): Theme => use(ThemeContext);
