import { createContext, use } from 'react';
import { createTheme, type Theme } from '../../terminal/theme.ts';

/** The theme of everything below; without a provider it is plain ASCII without any codes. */
export const ThemeContext = createContext<Theme>(createTheme({ TERM: 'dumb' }));

export const useTheme = (): Theme => use(ThemeContext);
