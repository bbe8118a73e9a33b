import { Message } from '../engine/message.ts';
import { isValidTopic } from '../engine/topics.ts';
import { FormatError, type Fields } from './fields.ts';

export function encodeMessage({ topic, payload, qos, retain, publisher }: Message): object {
  return { topic, payload: payload.toString('base64'), qos, retain, publisher };
}

export function decodeMessage(fields: Fields): Message {
  const topic = fields.text('topic');
  if (!isValidTopic(topic, Infinity)) throw new FormatError('topic must be one that can be published to');
  return new Message({
    topic,
    payload: fields.bytes('payload'),
    qos: fields.choice('qos', [0, 1, 2]),
    retain: fields.flag('retain'),
    publisher: fields.text('publisher'),
  });
}
