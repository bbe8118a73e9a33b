/** The key of the problem of something that others have as their cause, such as the alarms about it. */
export const causeKey = (cause: string): string => `cause ${cause}`;
