import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeSessionChange } from '../../../src/broker/data/change-recorder.ts';
import { Fields } from '../../../src/broker/data/fields.ts';
import { decodeMessage, encodeMessage } from '../../../src/broker/data/record-kinds.ts';
import { ReplayedSession } from '../../../src/broker/data/replay.ts';
import { Message } from '../../../src/broker/engine/message.ts';
import { defaultSettings } from '../../../src/broker/engine/settings.ts';
import type { Recorder } from '../../../src/broker/sessions/recorder.ts';
import { Session, type SessionState } from '../../../src/broker/sessions/session.ts';

/** Changes that may happen to a session; `n` chooses among packet ids, topics and the like. */
const steps = fc.array(
  fc.tuple(
    fc.constantFrom(
      'publish',
      'publish',
      'publish',
      'attach',
      'detach',
      'puback',
      'pubrec',
      'pubcomp',
      'congest',
      'relax',
      'narrow',
      'widen',
      'subscribe',
      'unsubscribe',
      'receive',
      'release',
      'move',
      'save',
    ),
    fc.nat({ max: 8 }),
  ),
  { maxLength: 80 },
);

it('a session plus its later changes gives the current session', () => {
  fc.assert(
    fc.property(steps, (todo) => {
      const changes: { readonly op: string; readonly change: Fields }[] = [];
      const messages = new Map<number, Message>();
      const recorder: Recorder = {
        position: 0,
        syncedPosition: 0,
        failure: undefined,
        isFull: false,
        accepts: () => true,
        retained: () => undefined,
        afterSync: () => undefined,
        session: (clientId, change) => {
          const encoded = encodeSessionChange(clientId, change, (message) => {
            messages.set(messages.size, decodeMessage(new Fields(JSON.parse(JSON.stringify(encodeMessage(message))))));
            return messages.size - 1;
          });
          const fields = new Fields(JSON.parse(JSON.stringify(encoded)));
          changes.push({ op: fields.text('op'), change: fields });
        },
      };
      const settings = { ...defaultSettings, maxInflight: 3, maxQueueLength: 4 };
      const session = new Session('c', false, { name: 'one', settings }, 1, recorder);
      let isCongested = false;
      const outlet = { sendPublish: () => undefined, sendPubrel: () => undefined, isCongested: () => isCongested };
      let saved: SessionState = session.export();
      let savedChanges = 0;
      const idAt = (n: number): number => {
        const ids = session.export().outbox.inflight.map(({ packetId }) => packetId);
        return ids[n % Math.max(1, ids.length)] ?? 1;
      };
      const act: Record<string, (n: number) => void> = {
        publish: (n) => {
          const qos = ([0, 1, 2] as const)[n % 3] ?? 0;
          session.outbox.deliver(
            new Message({ topic: `t/${n}`, payload: Buffer.from([n]), qos, retain: false, publisher: 'p' }),
            qos,
            n % 2 === 0,
          );
        },
        attach: () => session.outbox.attach(outlet),
        detach: () => session.outbox.detach(),
        puback: (n) => void session.outbox.acknowledge(idAt(n), 'puback'),
        pubrec: (n) => void session.outbox.receivePubrec(idAt(n)),
        pubcomp: (n) => void session.outbox.acknowledge(idAt(n), 'pubcomp'),
        congest: () => {
          isCongested = true;
        },
        relax: () => {
          isCongested = false;
          session.outbox.pump();
        },
        narrow: () => {
          settings.maxQueueLength = 2;
          session.outbox.applyLimits();
        },
        widen: () => {
          settings.maxQueueLength = 6;
        },
        subscribe: (n) => {
          session.subscriptions.set(`f/${n}`, 1);
          session.record({ op: 'subscribe', filter: `f/${n}`, qos: 1 });
        },
        unsubscribe: (n) => {
          session.subscriptions.delete(`f/${n}`);
          session.record({ op: 'unsubscribe', filter: `f/${n}` });
        },
        receive: (n) => {
          session.awaitingRel.add(n + 1);
          session.record({ op: 'receive', packetId: n + 1 });
        },
        release: (n) => {
          session.awaitingRel.delete(n + 1);
          session.record({ op: 'release', packetId: n + 1 });
        },
        move: (n) => {
          session.node = { name: `node ${n}`, settings };
          session.record({ op: 'move', node: `node ${n}` });
        },
        save: () => {
          saved = session.export();
          savedChanges = changes.length;
        },
      };
      for (const [what, n] of todo) act[what]?.(n);
      const replayed = new ReplayedSession({ ...saved, position: 0 });
      for (const { op, change } of changes.slice(savedChanges)) replayed.apply(op, change, messages);
      const shape = ({ outbox, ...state }: SessionState) => ({
        ...state,
        lastPacketId: outbox.lastPacketId,
        inflight: outbox.inflight.map(({ message, ...rest }) => ({ topic: message.topic, ...rest })),
        queue: outbox.queue.map(({ message, ...rest }) => ({ topic: message.topic, ...rest })),
        queueQos0: outbox.queueQos0.map(({ message, ...rest }) => ({ topic: message.topic, ...rest })),
        enqueued: outbox.enqueued,
      });
      expect(shape(replayed.export())).toEqual(shape(session.export()));
    }),
    { numRuns: 500 },
  );
});

it('a removed session records nothing for a new one with its client id', () => {
  const ops: string[] = [];
  const recorder: Recorder = {
    position: 0,
    syncedPosition: 0,
    failure: undefined,
    isFull: false,
    accepts: () => true,
    retained: () => undefined,
    afterSync: () => undefined,
    session: (_, { op }) => ops.push(op),
  };
  const session = new Session('c', false, { name: 'one', settings: defaultSettings }, 1, recorder);
  session.record({ op: 'remove' });
  // Its receivers were found before.
  session.outbox.deliver(
    new Message({ topic: 't', payload: Buffer.from('x'), qos: 1, retain: false, publisher: 'p' }),
    1,
    false,
  );
  session.record({ op: 'receive', packetId: 1 });
  expect(ops).toEqual(['remove']);
});
