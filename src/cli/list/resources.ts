import { listNames } from '../../resources/lists.ts';

export const listResources = [...listNames, 'problems'] as const;
export type ListResource = (typeof listResources)[number];

export const listFormats = ['table', 'csv', 'json', 'ndjson'] as const;
export type ListFormat = (typeof listFormats)[number];
