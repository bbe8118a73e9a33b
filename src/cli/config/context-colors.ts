/** Colors for the context's name in the header. */
export const contextColors = ['red', 'yellow', 'green', 'blue'] as const;
export type ContextColor = (typeof contextColors)[number];
