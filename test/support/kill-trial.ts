import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import path from 'node:path';
import { setTimeout as timeout } from 'node:timers/promises';
import { type IClientOptions, MqttClient } from 'mqtt';
import { createHttpApi, type HttpApi } from '../../src/api/dialects/index.ts';
import { type BrokerReport, isBrokerReport } from '../../src/cli/commands/demo.ts';
import type { Qos } from '../../src/domain/client.ts';
import { builtProgram } from './built-cluster.ts';

const adminPassword = 'only for tests';
const retainedTopics = 10;
/** Messages of a publisher in flight. */
const maxInFlight = 40;
/** Min acknowledged messages in a round before the kill. */
const minAcknowledged = 150;
/** Max wait for messages that may be lost. */
const retainedTimeoutMs = 10_000;
const pluginName = 'broker_auth_username';

/** The built broker with a data folder, as a process that can be killed and started again. */
export class KillableBroker {
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #report: BrokerReport | undefined;
  #stderr = '';

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Standard error so far. */
  get stderr(): string {
    return this.#stderr;
  }

  /** @param maxFileKilobytes max size of a file; default: unlimited */
  async start(maxFileKilobytes?: number): Promise<void> {
    const passwordFile = path.join(path.dirname(this.#folder), 'password');
    await writeFile(passwordFile, `${adminPassword}\n`, { mode: 0o600 });
    const args = [
      'broker',
      '--nodes',
      '2',
      '--port',
      '0',
      '--mqtt-port',
      '0',
      '--ws-port',
      '0',
      '--data',
      this.#folder,
      '--password-file',
      passwordFile,
    ];
    const limited = {
      execPath: 'bash',
      execArgv: ['-c', `ulimit -f ${maxFileKilobytes} && exec "$0" "$@"`, process.execPath],
    };
    const child = fork(builtProgram, args, {
      ...(maxFileKilobytes === undefined ? {} : limited),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    this.#child = child;
    const exited = once(child, 'exit').then(() => {
      throw new Error(`the broker ended: ${this.#stderr}`);
    });
    exited.catch(() => undefined);
    const [message]: unknown[] = await Promise.race([once(child, 'message'), exited]);
    if (!isBrokerReport(message)) throw new Error(`unexpected message of the broker: ${JSON.stringify(message)}`);
    this.#report = message;
  }

  /** Kills it with SIGKILL, so it cannot write anything. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** The MQTT port of a node, from 0. */
  port(node: number): number {
    return this.#report?.mqttPorts[node] ?? 0;
  }

  nodeName(node: number): string {
    return this.#report?.nodes[node] ?? '';
  }

  async withApi<T>(use: (api: HttpApi) => Promise<T>, pair = { user: 'admin', password: adminPassword }): Promise<T> {
    const api = createHttpApi({ url: this.#report?.url ?? '', variant: 'b', ...pair });
    try {
      return await use(api);
    } finally {
      await api.close();
    }
  }

  /** A client that reconnects on request only, to the port that the broker has by then. */
  client(node: number, options: IClientOptions & { readonly clientId: string }): MqttClient {
    const client = new MqttClient(() => connectSocket(this.port(node), '127.0.0.1'), {
      reconnectPeriod: 0,
      connectTimeout: 20_000,
      keepalive: 0,
      protocolVersion: 4,
      resubscribe: false,
      ...options,
    });
    client.on('error', () => undefined);
    return client;
  }
}

/** A client that publishes numbers, and records those that are acknowledged. */
class Publisher {
  readonly client: MqttClient;
  readonly acknowledged: number[] = [];
  #outstanding = 0;
  #sent = 0;
  #isOn = false;
  readonly #publish: (sent: number) => { readonly topic: string; readonly qos: Qos; readonly retain: boolean };

  constructor(
    client: MqttClient,
    publish: (sent: number) => { readonly topic: string; readonly qos: Qos; readonly retain: boolean },
  ) {
    this.client = client;
    this.#publish = publish;
  }

  set isOn(isOn: boolean) {
    this.#isOn = isOn;
    this.#pump();
  }

  #pump(): void {
    while (this.#isOn && this.#outstanding < maxInFlight) {
      this.#outstanding += 1;
      const number = this.#sent;
      this.#sent += 1;
      const { topic, qos, retain } = this.#publish(number);
      this.client.publish(topic, String(number), { qos, retain }, (error) => {
        this.#outstanding -= 1;
        if (!error) this.acknowledged.push(number);
        this.#pump();
      });
    }
  }
}

/** The result of a round: acknowledged changes that are lost, and QoS 2 messages that arrived twice. */
export interface Losses {
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  readonly acknowledged: number;
}

/** Clients and an operator that load a broker until it is killed, and record everything acknowledged. */
export class KillTrial {
  readonly broker: KillableBroker;
  readonly #one: Publisher;
  readonly #two: Publisher;
  readonly #retained: Publisher;
  readonly #online: MqttClient;
  readonly #received = { one: [] as number[], two: [] as number[], online: [] as number[] };
  readonly #subscribed: string[] = [];
  #password = { acknowledged: 'password 0', requested: 'password 0' };
  #setting = { acknowledged: 100, requested: 100 };
  #round = 0;
  #isOperating = false;

  private constructor(broker: KillableBroker) {
    this.broker = broker;
    this.#one = new Publisher(broker.client(0, { clientId: 'publisher-1', clean: true }), () => ({
      topic: 'load/one',
      qos: 1,
      retain: false,
    }));
    this.#two = new Publisher(broker.client(1, { clientId: 'publisher-2', clean: false }), () => ({
      topic: 'load/two',
      qos: 2,
      retain: false,
    }));
    this.#retained = new Publisher(broker.client(0, { clientId: 'publisher-r', clean: true }), (sent) => ({
      topic: `retained/${sent % retainedTopics}`,
      qos: 1,
      retain: true,
    }));
    this.#online = broker.client(1, { clientId: 'online', clean: false });
    this.#online.on('message', (_, payload) => {
      if (!String(payload).startsWith('end')) this.#received.online.push(Number(payload));
    });
  }

  /** Starts the broker and creates the sessions of two offline clients. */
  static async begin(broker: KillableBroker): Promise<KillTrial> {
    await broker.start();
    const trial = new KillTrial(broker);
    await broker.withApi(async (api) => {
      await api.addUser({ username: 'op', password: trial.#password.acknowledged, tags: 'administrator' });
      await api.changeSetting(undefined, { app: 'broker', key: 'mqtt.mqueue.max_length', value: '0' });
    });
    await Promise.all(trial.#clients.map((client) => connected(client)));
    await trial.#online.subscribeAsync('load/two', { qos: 2 });
    trial.#subscribed.push('online');
    await trial.#subscribeAway('away-1', 'load/one', 1);
    await trial.#subscribeAway('away-2', 'load/two', 2);
    return trial;
  }

  get #clients(): readonly MqttClient[] {
    return [this.#one.client, this.#two.client, this.#retained.client, this.#online];
  }

  /** Loads the broker, kills it, starts it again, and looks for everything acknowledged. */
  async round(): Promise<Losses> {
    this.#round += 1;
    const publishers = [this.#one, this.#two, this.#retained];
    const before = publishers.map(({ acknowledged }) => acknowledged.length);
    this.#isOperating = true;
    const operating = Promise.all([this.#changePasswords(), this.#changeSettings(), this.#subscribeMany()]);
    operating.catch(() => undefined);
    for (const publisher of publishers) publisher.isOn = true;
    await this.#until(() =>
      publishers.every(
        ({ acknowledged }, index) => acknowledged.length >= (before[index] ?? 0) + minAcknowledged + 7 * this.#round,
      ),
    );
    const closed = this.#clients.map((client) => nextEvent(client, 'close'));
    this.#isOperating = false;
    await this.broker.kill();
    for (const publisher of publishers) publisher.isOn = false;
    await Promise.all([...closed, operating]);

    await this.broker.start();
    await Promise.all(
      this.#clients.map((client) => {
        // Without the stores it would forget messages in flight.
        client.reconnect({ incomingStore: client.incomingStore, outgoingStore: client.outgoingStore });
        return connected(client);
      }),
    );
    return this.#findLosses();
  }

  async end(): Promise<void> {
    for (const publisher of [this.#one, this.#two, this.#retained]) publisher.isOn = false;
    await Promise.all(this.#clients.map((client) => client.endAsync(true)));
    await this.broker.kill();
  }

  /** Checks the condition after every received packet. */
  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) await nextEvent(this.#one.client, 'packetreceive');
  }

  async #subscribeAway(clientId: string, topic: string, qos: Qos): Promise<void> {
    const client = this.broker.client(0, { clientId, clean: false });
    try {
      await connected(client);
      await client.subscribeAsync(topic, { qos });
      this.#subscribed.push(clientId);
    } finally {
      await client.endAsync(true);
    }
  }

  async #subscribeMany(): Promise<void> {
    for (let index = 0; this.#isOperating; index += 1) {
      await this.#whileServing(() => this.#subscribeAway(`subscriber-${this.#round}-${index}`, 'elsewhere', 1));
    }
  }

  async #changePasswords(): Promise<void> {
    for (let index = 0; this.#isOperating; index += 1) {
      const next = `password ${this.#round}.${index}`;
      await this.#whileServing(() =>
        this.broker.withApi(async (api) => {
          this.#password = { ...this.#password, requested: next };
          await api.changePassword('op', this.#password.acknowledged, next);
          this.#password = { acknowledged: next, requested: next };
        }),
      );
    }
  }

  async #changeSettings(): Promise<void> {
    while (this.#isOperating) {
      const next = this.#setting.acknowledged + 1;
      await this.#whileServing(() =>
        this.broker.withApi(async (api) => {
          this.#setting = { ...this.#setting, requested: next };
          await api.replacePluginSettings(this.broker.nodeName(1), pluginName, {
            'auth.user.1.username': 'ann',
            'auth.user.1.password': `${next}`,
          });
          await api.changeSetting(this.broker.nodeName(0), {
            app: 'broker',
            key: 'mqtt.max_clientid_len',
            value: String(next),
          });
          this.#setting = { acknowledged: next, requested: next };
        }),
      );
    }
  }

  /** Ignores errors caused by the kill. */
  async #whileServing(use: () => Promise<void>): Promise<void> {
    try {
      await use();
    } catch (error) {
      // Before the kill the broker has no reason to refuse.
      if (this.#isOperating) throw error;
    }
  }

  async #findLosses(): Promise<Losses> {
    const lost = [...(await this.#lostChanges())];
    // Clients without a session would receive nothing.
    if (lost.length > 0) return this.#losses(lost, []);
    await this.#drain('away-1', 'load/one', 1, this.#received.one);
    await this.#drain('away-2', 'load/two', 2, this.#received.two);
    await this.#drainOnline();
    const missing = (what: string, sent: Publisher, received: readonly number[]): void => {
      const there = new Set(received);
      for (const number of sent.acknowledged) if (!there.has(number)) lost.push(`${what} ${number}`);
    };
    missing('QoS 1', this.#one, this.#received.one);
    missing('QoS 2', this.#two, this.#received.two);
    missing('QoS 2, online', this.#two, this.#received.online);
    lost.push(...(await this.#lostRetained()));
    const twice = [...repeated('QoS 2', this.#received.two), ...repeated('QoS 2, online', this.#received.online)];
    return this.#losses(lost, twice);
  }

  #losses(lost: readonly string[], twice: readonly string[]): Losses {
    return {
      lost,
      twice,
      acknowledged: this.#one.acknowledged.length + this.#two.acknowledged.length + this.#retained.acknowledged.length,
    };
  }

  /** Receives the queue of an offline client, up to a last message. */
  async #drain(clientId: string, topic: string, qos: Qos, received: number[]): Promise<void> {
    const client = this.broker.client(this.#round % 2, { clientId, clean: false });
    const isOver = new Promise<void>((resolve) => {
      client.on('message', (_, payload) => {
        if (String(payload) === `end ${this.#round}`) resolve();
        else if (!String(payload).startsWith('end')) received.push(Number(payload));
      });
    });
    await connected(client);
    await (qos === 1 ? this.#one : this.#two).client.publishAsync(topic, `end ${this.#round}`, { qos });
    await isOver;
    await client.endAsync();
  }

  /** Waits for a last message at the online client. */
  async #drainOnline(): Promise<void> {
    const mark = -this.#round;
    await this.#two.client.publishAsync('load/two', String(mark), { qos: 2 });
    while (!this.#received.online.includes(mark)) await nextEvent(this.#online, 'message');
  }

  async #lostRetained(): Promise<readonly string[]> {
    const client = this.broker.client(0, { clientId: 'reader', clean: true });
    const versions = new Map<string, number>();
    await connected(client);
    client.on('message', (topic, payload) => versions.set(topic, Number(payload)));
    await client.subscribeAsync('retained/#', { qos: 1 });
    const isLate = timeout(retainedTimeoutMs, true, { ref: false });
    while (versions.size < retainedTopics && (await Promise.race([nextEvent(client, 'message'), isLate])) !== true);
    await client.endAsync(true);
    return this.#retained.acknowledged
      .filter((number) => (versions.get(`retained/${number % retainedTopics}`) ?? -1) < number)
      .map((number) => `retained ${number}`);
  }

  async #lostChanges(): Promise<readonly string[]> {
    const lost: string[] = [];
    const isRight = (password: string): Promise<boolean> =>
      this.broker.withApi(
        (api) =>
          api.listNodes().then(
            () => true,
            () => false,
          ),
        { user: 'op', password },
      );
    const { acknowledged, requested } = this.#password;
    const isRequestedRight = requested !== acknowledged && (await isRight(requested));
    if (!isRequestedRight && !(await isRight(acknowledged))) lost.push('password');
    this.#password = isRequestedRight
      ? { acknowledged: requested, requested }
      : { acknowledged, requested: acknowledged };
    await this.broker.withApi(async (api) => {
      const setting = (await api.getSettings(this.broker.nodeName(0))).find(
        ({ key }) => key === 'mqtt.max_clientid_len',
      );
      if (Number(setting?.value ?? 0) < this.#setting.acknowledged && this.#setting.acknowledged > 100)
        lost.push(`setting ${setting?.value}`);
      const plugin = (await api.getPluginSettings(this.broker.nodeName(1), pluginName)).find(
        ({ key }) => key === 'auth.user.1.password',
      );
      if (Number(plugin?.value ?? 0) < this.#setting.acknowledged && this.#setting.acknowledged > 100)
        lost.push('plugin setting');
      for (const clientId of this.#subscribed)
        if ((await api.getSubscriptions(clientId)).length === 0) lost.push(`subscription of ${clientId}`);
    });
    this.#setting = { acknowledged: this.#setting.requested, requested: this.#setting.requested };
    return lost;
  }
}

function repeated(what: string, numbers: readonly number[]): readonly string[] {
  const seen = new Set<number>();
  return numbers.flatMap((number) => {
    if (seen.has(number)) return [`${what} ${number}`];
    seen.add(number);
    return [];
  });
}

export async function connected(client: MqttClient): Promise<void> {
  if (client.connected) return;
  await Promise.race([
    nextEvent(client, 'connect'),
    nextEvent(client, 'close').then(() => {
      throw new Error('the connection was refused');
    }),
  ]);
}

/** Unlike `once` of Node it does not reject on errors of a killed broker. */
function nextEvent(client: MqttClient, event: 'close' | 'connect' | 'message' | 'packetreceive'): Promise<void> {
  return new Promise((resolve) => {
    client.once(event, () => resolve());
  });
}
