import { createContext, use } from 'react';

/** The visit that the screens below belong to, as `Place.visit` says; `undefined` for the ordinary one. */
export const VisitContext = createContext<number | undefined>(undefined);

export const useVisit = (): number | undefined => use(VisitContext);
