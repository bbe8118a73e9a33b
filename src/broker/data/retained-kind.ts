import type { RetainedState } from '../sessions/retained.ts';
import { Fields } from './fields.ts';
import { decodeMessage, encodeMessage } from './message-codec.ts';
import type { RecordKind } from './record-kind.ts';

/** Retained messages, one a topic. */
export const retainedKind: RecordKind<RetainedState> = {
  name: 'retained',
  version: 1,
  keyOf: ({ message }) => message.topic,
  encode: ({ message, node }) => ({ node, ...encodeMessage(message) }),
  decode: (value) => {
    const fields = new Fields(value);
    return { node: fields.text('node'), message: decodeMessage(fields) };
  },
};
