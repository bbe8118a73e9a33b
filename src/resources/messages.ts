/** The number of messages that are read of a list: more help nobody, and cost the broker much. */
export const maxMessages = 1_000;
