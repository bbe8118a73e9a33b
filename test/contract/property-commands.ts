import fc, { type AsyncCommand } from 'fast-check';
import { expect } from 'vitest';
import type { Qos } from '../../src/domain/client.ts';
import { compare, nodeIndexes, type Real, refused } from './property-checks.ts';
import { clientIds, filters, type Model, topics } from './property-model.ts';
import { type NodeIndex, nodeNames, untilClosed } from './support.ts';

type Step = AsyncCommand<Model, Real> & fc.WithToStringMethod;

/** A step followed by the comparison. `isPossible` depends on the model. */
function step(
  text: string,
  isPossible: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Step {
  return {
    check: isPossible,
    run: async (model, real) => {
      await run(model, real);
      await compare(model, real);
    },
    toString: () => text,
    [fc.toStringMethod]: () => text,
  };
}

const id = fc.constantFrom(...clientIds);
const topic = fc.constantFrom(...topics);
const filter = fc.constantFrom(...filters);
const node = fc.constantFrom(...nodeIndexes);
const qos = fc.constantFrom<Qos>(0, 1, 2);

function clientOf(real: Real, clientId: string) {
  const client = real.clients.get(clientId);
  if (client === undefined) throw new Error(`no client ${clientId}`);
  return client;
}

async function connect(model: Model, real: Real, clientId: string, at: NodeIndex, clean: boolean): Promise<void> {
  const before = model.isOnline(clientId) ? clientOf(real, clientId) : undefined;
  const isPresent = model.connect(clientId, at, clean);
  let sessionPresent: boolean | undefined;
  const client = await real.chain.connect(clientId, at, { clean }, (fresh) => {
    fresh.on('error', () => undefined);
    fresh.on('packetreceive', (packet) => {
      if (packet.cmd === 'connack') sessionPresent = packet.sessionPresent;
    });
    fresh.on('message', (name, payload, packet) => {
      real.received
        .get(clientId)
        ?.push({ topic: name, payload: payload.toString(), qos: packet.qos, retain: packet.retain });
    });
  });
  real.clients.set(clientId, client);
  expect(sessionPresent).toBe(isPresent);
  if (before !== undefined) await untilClosed(before);
}

async function publish(
  model: Model,
  real: Real,
  message: { readonly topic: string; readonly qos: Qos; readonly retain: boolean; readonly isEmpty: boolean },
  send: (payload: string) => Promise<unknown>,
): Promise<void> {
  real.published += 1;
  const payload = message.isEmpty ? '' : String(real.published);
  await send(payload);
  model.publish(message.topic, payload, message.qos, message.retain);
}

const message = fc.record({ topic, qos, retain: fc.boolean(), isEmpty: fc.nat(4).map((dice) => dice === 0) });
const isRunning = (at: number) => (model: Model) => model.running[at] === true;
const isOnline = (clientId: string) => (model: Model) => model.isOnline(clientId);
const always = (): boolean => true;

const steps: readonly fc.Arbitrary<Step>[] = [
  fc
    .tuple(id, node, fc.boolean())
    .map(([who, at, clean]) =>
      step(`connect ${who} at ${at}${clean ? ' clean' : ''}`, isRunning(at), (model, real) =>
        connect(model, real, who, at, clean),
      ),
    ),
  fc.tuple(id, filter, qos).map(([who, what, level]) =>
    step(`${who} subscribes to ${what} ${level}`, isOnline(who), async (model, real) => {
      await clientOf(real, who).subscribeAsync(what, { qos: level });
      model.subscribe(who, what, level);
    }),
  ),
  fc.tuple(id, filter).map(([who, what]) =>
    step(`${who} unsubscribes from ${what}`, isOnline(who), async (model, real) => {
      await clientOf(real, who).unsubscribeAsync(what);
      model.unsubscribe(who, what);
    }),
  ),
  fc.tuple(id, message).map(([who, what]) =>
    step(`${who} publishes ${JSON.stringify(what)}`, isOnline(who), (model, real) =>
      publish(model, real, what, (payload) =>
        clientOf(real, who)
          .publishAsync(what.topic, payload, { qos: what.qos, retain: what.retain })
          // QoS 0 gets no answer, so a later packet is awaited.
          .then(() => clientOf(real, who).publishAsync('$barrier', '', { qos: 1 })),
      ),
    ),
  ),
  message.map((what) =>
    step(`the interface publishes ${JSON.stringify(what)}`, always, (model, real) =>
      publish(model, real, what, (payload) => real.chain.api.publish({ ...what, payload })),
    ),
  ),
  fc.tuple(id, filter, qos).map(([who, what, level]) =>
    step(`the interface subscribes ${who} to ${what} ${level}`, always, async (model, real) => {
      const call = real.chain.api.subscribe({ clientId: who, topic: what, qos: level });
      if (!model.sessions.has(who)) return refused(call, 'failed');
      await call;
      model.subscribe(who, what, level);
    }),
  ),
  fc.tuple(id, filter).map(([who, what]) =>
    step(`the interface unsubscribes ${who} from ${what}`, always, async (model, real) => {
      const call = real.chain.api.unsubscribe({ clientId: who, topic: what });
      if (!model.sessions.has(who)) return refused(call, 'failed');
      await call;
      model.unsubscribe(who, what);
    }),
  ),
  id.map((who) =>
    step(`the interface disconnects ${who}`, always, async (model, real) => {
      const call = real.chain.api.disconnectClient(who);
      if (!model.isOnline(who)) return refused(call, 'not-connected');
      await call;
      await untilClosed(clientOf(real, who));
      model.disconnect(who);
    }),
  ),
  id.map((who) =>
    step(`${who} leaves`, isOnline(who), async (model, real) => {
      const isGone = new Promise<void>((resolve) => {
        const listen = ({ clientId }: { readonly clientId: string }): void => {
          if (clientId !== who) return;
          real.chain.broker.cluster.events.off('disconnected', listen);
          resolve();
        };
        real.chain.broker.cluster.events.on('disconnected', listen);
      });
      await clientOf(real, who).endAsync();
      await isGone;
      model.disconnect(who);
    }),
  ),
  node.map((at) =>
    step(
      `node ${at} stops`,
      (model) => isRunning(at)(model) && model.running.filter(Boolean).length > 1,
      async (model, real) => {
        const leaving = [...model.sessions]
          .filter(([, session]) => session.node === at && session.isOnline)
          .map(([who]) => clientOf(real, who));
        const closed = leaving.map(untilClosed);
        await real.chain.broker.cluster.stopNode(nodeNames[at]);
        await Promise.all(closed);
        model.stopNode(at);
      },
    ),
  ),
  node.map((at) =>
    step(
      `node ${at} starts`,
      (model) => !isRunning(at)(model),
      async (model, real) => {
        await real.chain.broker.cluster.startNode(nodeNames[at]);
        model.startNode(at);
      },
    ),
  ),
];

/** Half of the steps connect or subscribe, because nothing happens without. No bias, which would prefer short sequences. */
export const sequence: fc.Arbitrary<readonly Step[]> = fc.noBias(
  fc.array(fc.oneof(...steps.map((arbitrary, index) => ({ arbitrary, weight: index < 2 ? 4 : 1 }))), {
    maxLength: 60,
    size: 'max',
  }),
);
