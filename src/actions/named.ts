/** What needs no marks around it: no blank at all, and no sign at its end that a sentence may have, too. */
const plain = /^[^\s"'(),;]*[^\s"'(),;.:!?]$/u;

/**
 * A name or value within a sentence, so that nobody takes one for the other: in quotation marks when it is
 * empty, has blanks, or could be the end of the sentence. Raw: what is not visible is escaped where it is shown.
 */
export const named = (raw: string): string => (plain.test(raw) ? raw : `"${raw.replaceAll('"', String.raw`\"`)}"`);
