import { momentText } from '../domain/time-text.ts';

export const replayTexts = {
  refused: (wallMs: number): string => `This is the past, ${momentText(wallMs)}: nothing can be changed there.`,
};
