import { createContext } from 'react';
import type { Painter } from './painter.ts';

/** What paints the lines of `Rows`; without one Ink does. */
export const PainterContext = createContext<Painter | undefined>(undefined);
