import { generate, type IConnectPacket } from 'mqtt-packet';
import { performance } from 'node:perf_hooks';
import type { Client, Qos } from '../../domain/client.ts';
import type { Outbox, OutboxConnection } from '../sessions/outbox.ts';
import type { Recorder } from '../sessions/recorder.ts';
import type { Session, SessionConnection, SessionNode } from '../sessions/session.ts';
import { Access } from './access.ts';
import { connectCommand, decodeFrame, ProtocolError, readClientIdBytes, readProtocol } from './codec.ts';
import { type Counters, isReceivedCommand, toBrokerSeconds } from './counters.ts';
import {
  type AcceptedClient,
  authenticate,
  connackCodes,
  describeClient,
  identify,
  isKnownProtocol,
  maxConnectBytes,
  readWill,
  withoutPassword,
} from './handshake.ts';
import type { AclAction, BrokerHooks, ClientIdentity, CloseReason, ConnectRequest, RejectedPeer } from './hooks.ts';
import { handlePacket, type IncomingContext, type SentPacket } from './incoming.ts';
import type { Message } from './message.ts';
import { PacketReader } from './packet-reader.ts';
import type { BrokerSettings } from './settings.ts';
import { SendBuffer, type Transport } from './transport.ts';

export class Connection implements SessionConnection, OutboxConnection {
  readonly #transport: Transport;
  readonly #host: ConnectionHost;
  /** The counters at the start of the connection: late packets must not count for a restarted node. */
  readonly #counters: Counters;
  readonly #sendBuffer: SendBuffer;
  readonly #packets: PacketReader;
  readonly #timer: KeepaliveTimer;
  readonly #traffic = { receivedMessages: 0, sentMessages: 0, receivedBytes: 0, sentBytes: 0 };
  #accepted: AcceptedClient | undefined;
  #context: IncomingContext | undefined;
  #hasConnect = false;
  #requestedClientId: string | undefined;
  #returnCode: number | undefined;
  #isClosed = false;

  constructor(transport: Transport, host: ConnectionHost) {
    this.#transport = transport;
    this.#host = host;
    this.#counters = host.counters;
    this.#sendBuffer = new SendBuffer(transport, host.recorder, {
      drained: () => this.#onDrain(),
      writeFailed: () => this.close('not-stored'),
    });
    this.#packets = new PacketReader(transport, {
      checkHeader: (command, bytes) => this.#checkHeader(command, bytes),
      handle: (frame) => this.#handle(frame),
      isClosed: () => this.#isClosed,
      isOutputFull: () => this.#sendBuffer.exceeds(2 * host.settings.maxSocketBufferBytes),
      maxBackpressureMs: () => host.settings.maxBackpressureMs,
      onError: (error) => this.#onError(error),
      onEnd: (reason) => this.close(reason),
    });
    this.#timer = new KeepaliveTimer(host.settings, (reason) => this.#onTimeout(reason));
    transport.listen({
      data: (chunk) => this.#onData(chunk),
      drain: () => this.#onDrain(),
      close: (reason) => this.#packets.socketEnded(reason),
    });
  }

  get identity(): ClientIdentity | undefined {
    return this.#accepted?.identity;
  }

  get access(): Access | undefined {
    return this.#accepted?.access;
  }

  get attempt(): Omit<RejectedPeer, 'node'> {
    const { ipAddress, port } = this.#transport;
    return { ipAddress, port, clientId: this.#requestedClientId, returnCode: this.#returnCode };
  }

  settingsChanged(): void {
    this.#timer.rearm();
  }

  /** Describes the client; `undefined` until CONNECT is accepted. */
  describe(): Client | undefined {
    return this.#accepted === undefined ? undefined : describeClient(this.#accepted, this.#traffic);
  }

  close(reason: CloseReason): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer.stop();
    this.#sendBuffer.discardHeld();
    if (reason === 'client-disconnect' || reason === 'refused') {
      this.#sendBuffer.flush();
      this.#transport.end();
    } else {
      this.#transport.destroy();
    }
    if (this.#accepted !== undefined) this.#counters.add('client.disconnected');
    if (this.#accepted !== undefined && reason === 'taken-over') this.#counters.add('session.takenover');
    this.#host.connectionClosed(this, reason);
    const will = this.#accepted?.will;
    // Later, so that a stopping node closes all connections before their will messages are published.
    if (will !== undefined && reason !== 'client-disconnect') queueMicrotask(() => void this.#publishWill(will));
  }

  holdUntilSynced(position: number): void {
    this.#sendBuffer.holdUntilSynced(position);
  }

  sendPublish(message: Message, qos: Qos, packetId: number, dup: boolean, retain: boolean): void {
    this.#counters.publishSent(qos);
    this.#traffic.sentMessages += 1;
    this.#write(qos === 0 ? message.encodeQos0(retain) : message.encode(qos, packetId, dup, retain));
  }

  sendPubrel(messageId: number): void {
    this.#send({ cmd: 'pubrel', messageId });
  }

  isCongested(): boolean {
    return this.#sendBuffer.exceeds(this.#host.settings.maxSocketBufferBytes);
  }

  #send(packet: SentPacket): void {
    if (this.#isClosed) return;
    this.#counters.packetSent(packet.cmd);
    this.#write(generate(packet));
  }

  #write(bytes: Buffer): void {
    this.#counters.add('bytes.sent', bytes.length);
    this.#traffic.sentBytes += bytes.length;
    this.#sendBuffer.write(bytes);
  }

  #checkHeader(command: number, packetBytes: number): void {
    if (!this.#hasConnect && command !== connectCommand)
      throw new ProtocolError('protocol-violation', 'the first packet is not CONNECT');
    const { settings } = this.#host;
    const maxBytes = this.#hasConnect ? settings.maxPacketSize : maxConnectBytes(settings);
    if (packetBytes > maxBytes) throw new ProtocolError('packet-too-large', `a packet of ${packetBytes} bytes`);
  }

  #onData(chunk: Buffer): void {
    this.#counters.add('bytes.received', chunk.length);
    this.#traffic.receivedBytes += chunk.length;
    if (this.#isClosed) return;
    this.#packets.receive(chunk);
    if (this.#accepted === undefined && !this.#isClosed) this.#limitBeforeAccept();
  }

  #limitBeforeAccept(): void {
    const { settings } = this.#host;
    if (this.#packets.waitingBytes > maxConnectBytes(settings)) this.close('packet-too-large');
    else if (!this.#hasConnect && (readClientIdBytes(this.#packets.peek()) ?? 0) > 3 * settings.maxClientIdLength)
      this.#refuse(connackCodes.badClientId);
  }

  #onTimeout(reason: CloseReason): void {
    // The client may be silent only because the broker does not read from it.
    if (reason !== 'keepalive-timeout' || !this.#packets.isBlocked) return this.close(reason);
    this.#timer.touch();
    this.#timer.rearm();
  }

  #onDrain(): void {
    if (this.#isClosed) return;
    this.#context?.session.outbox.pump();
    this.#packets.outputDrained();
  }

  #onError(error: unknown): void {
    if (!(error instanceof ProtocolError)) throw error;
    this.close(error.reason);
  }

  #handle(frame: Buffer): void | Promise<void> {
    this.#timer.touch();
    if (!this.#hasConnect) {
      this.#hasConnect = true;
      const protocol = readProtocol(frame);
      if (protocol !== undefined && isKnownProtocol(protocol.name, protocol.level) === false) {
        this.#counters.packetReceived('connect');
        return this.#refuse(connackCodes.badProtocol);
      }
    }
    const packet = decodeFrame(frame);
    if (packet.cmd === 'publish') {
      this.#counters.publishReceived(packet.qos);
      this.#traffic.receivedMessages += 1;
    } else if (isReceivedCommand(packet.cmd)) this.#counters.packetReceived(packet.cmd);
    if (this.#context !== undefined) return this.#waitForJournal(handlePacket(this.#context, packet));
    if (packet.cmd !== 'connect') throw new ProtocolError('protocol-violation', `${packet.cmd} instead of CONNECT`);
    return this.#handshake(packet);
  }

  #waitForJournal(handled: void | Promise<void>): void | Promise<void> {
    const { recorder } = this.#host;
    if (recorder?.isFull !== true) return handled;
    const written = new Promise<void>((resolve) => {
      recorder.afterSync(resolve);
    });
    return Promise.resolve(handled).then(() => {
      this.#packets.finishBeforeClose();
      return written;
    });
  }

  #handshake(packet: IConnectPacket): void | Promise<void> {
    const { settings, hooks, name } = this.#host;
    this.#requestedClientId = packet.clientId;
    this.#host.connectReceived(this);
    const will = readWill(packet, settings);
    const request = identify(packet, this.#transport, name, settings);
    if (typeof request === 'number') return this.#refuse(request);
    if (hooks.isBanned?.(request) === true) return this.#refuse(connackCodes.notAuthorized);
    const decide = (code: number): void => {
      this.#counters.add(code === connackCodes.accepted ? 'authentication.success' : 'authentication.failure');
      if (this.#isClosed) return;
      if (code === connackCodes.accepted) this.#accept(request, packet, will);
      else this.#refuse(code);
    };
    const code = authenticate(request, hooks, settings);
    return typeof code === 'number' ? decide(code) : code.then(decide);
  }

  #refuse(returnCode: number): void {
    this.#returnCode = returnCode;
    if (returnCode === connackCodes.badCredentials || returnCode === connackCodes.notAuthorized)
      this.#counters.add('packets.connack.auth_error');
    this.#send({ cmd: 'connack', returnCode, sessionPresent: false });
    this.close('refused');
  }

  #accept(request: ConnectRequest, packet: IConnectPacket, will: Message | undefined): void {
    const identity = withoutPassword(request);
    if (this.#host.cannotPersist(identity)) return this.#refuse(connackCodes.unavailable);
    const { settings, hooks } = this.#host;
    const access = new Access(identity, hooks, settings);
    const keepaliveSeconds = packet.keepalive ?? 0;
    this.#accepted = { identity, access, will, keepaliveSeconds, connectedAt: toBrokerSeconds(Date.now()) };
    const { session, isPresent } = this.#host.openSession(this, identity);
    this.#context = this.#createContext(session, access);
    this.#transport.allowLargePackets();
    this.#timer.watchKeepalive(keepaliveSeconds);
    // MQTT 3.1 has no session-present flag.
    this.#send({
      cmd: 'connack',
      returnCode: connackCodes.accepted,
      sessionPresent: isPresent && identity.protocolVersion >= 4,
    });
    this.#counters.add('client.connected');
    this.#host.connected(identity);
    session.outbox.attach(this);
  }

  #createContext(session: Session, access: Access): IncomingContext {
    const host = this.#host;
    const { recorder, settings } = host;
    // Reported once per connection: thousands may be refused.
    let hasRefused = false;
    const published = (message: Message, before: number, slowReceivers: readonly Outbox[]): void => {
      if (recorder !== undefined && message.qos > 0 && recorder.position > before)
        this.holdUntilSynced(recorder.position);
      // Not the publisher itself: its acknowledgements come after the messages it is sending.
      this.#packets.applyBackpressure(
        slowReceivers.length === 0 ? slowReceivers : slowReceivers.filter((outbox) => outbox !== session.outbox),
      );
    };
    return {
      session,
      access,
      counters: this.#counters,
      settings,
      accepts: (message) => {
        if (recorder === undefined || recorder.accepts(message.payload.length)) return true;
        return !(message.qos === 2 && !session.cleanSession) && !host.mustPersist(message);
      },
      maySubscribe: () => recorder?.failure === undefined || session.cleanSession,
      publish: (message, receive) => {
        const before = recorder?.position ?? 0;
        const receivers = host.publish(message, receive);
        if (!(receivers instanceof Promise)) return published(message, before, receivers);
        this.#packets.finishBeforeClose();
        return receivers.then((outboxes) => published(message, before, outboxes));
      },
      // A hook may answer after the connection and its clean session have ended.
      subscribe: (filter, qos) => {
        if (!this.#isClosed) host.subscribe(session, filter, qos);
      },
      denied: (action, topic) => host.denied(session, action, topic),
      subscriptionRefused: (filter) => {
        if (!hasRefused) host.subscriptionRefused(session, filter);
        hasRefused = true;
      },
      unsubscribe: (filter) => {
        if (!this.#isClosed) host.unsubscribe(session, filter);
      },
      deliverRetained: (filter, qos) => {
        if (!this.#isClosed) host.deliverRetained(session, filter, qos);
      },
      send: (packet) => this.#send(packet),
      disconnectUnstored: () => this.close('not-stored'),
      disconnect: () => this.close('client-disconnect'),
    };
  }

  async #publishWill(will: Message): Promise<void> {
    if (!(await this.#accepted?.access.allows('publish', will.topic))) return;
    if (this.#host.recorder?.accepts(will.payload.length) === false && this.#host.mustPersist(will)) return;
    await this.#host.publish(will);
  }
}

export interface ConnectionHost extends SessionNode {
  readonly counters: Counters;
  readonly hooks: BrokerHooks;
  readonly recorder: Recorder | undefined;
  connectReceived(connection: Connection): void;
  cannotPersist(client: ClientIdentity): boolean;
  openSession(
    connection: Connection,
    client: ClientIdentity,
  ): { readonly session: Session; readonly isPresent: boolean };
  connected(client: ClientIdentity): void;
  connectionClosed(connection: Connection, reason: CloseReason): void;
  /**
   * Publishes a message. `receive` runs right before the delivery, so that its change is on disk with the message;
   * false cancels the delivery.
   */
  publish(message: Message, receive?: () => boolean): readonly Outbox[] | Promise<readonly Outbox[]>;
  mustPersist(message: Message): boolean;
  subscribe(session: Session, filter: string, qos: Qos): void;
  denied(session: Session, action: AclAction, topic: string): void;
  subscriptionRefused(session: Session, filter: string): void;
  unsubscribe(session: Session, filter: string): void;
  deliverRetained(session: Session, filter: string, qos: Qos): void;
}

class KeepaliveTimer {
  readonly #settings: BrokerSettings;
  readonly #expired: (reason: 'connect-timeout' | 'keepalive-timeout') => void;
  #timer: NodeJS.Timeout;
  #keepaliveSeconds = 0;
  #lastPacketMs = 0;
  #isStopped = false;

  constructor(settings: BrokerSettings, expired: (reason: 'connect-timeout' | 'keepalive-timeout') => void) {
    this.#settings = settings;
    this.#expired = expired;
    this.#timer = setTimeout(() => expired('connect-timeout'), settings.connectTimeoutMs);
  }

  touch(): void {
    this.#lastPacketMs = performance.now();
  }

  /** Watches the keepalive; 0 turns it off. */
  watchKeepalive(keepaliveSeconds: number): void {
    clearTimeout(this.#timer);
    this.#keepaliveSeconds = keepaliveSeconds;
    if (keepaliveSeconds > 0 && !this.#isStopped) this.#wait(this.#remainingMs());
  }

  rearm(): void {
    if (this.#keepaliveSeconds > 0 && !this.#isStopped) this.#wait(this.#remainingMs());
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #remainingMs(): number {
    const allowedMs = this.#keepaliveSeconds * 1000 * 2 * this.#settings.keepaliveBackoff;
    return this.#lastPacketMs + allowedMs - performance.now();
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        const remaining = this.#remainingMs();
        if (remaining > 0) this.#wait(remaining);
        // A busy process may not have read yet what the client sent in time.
        else setImmediate(() => this.#check());
      },
      Math.max(1, Math.ceil(ms)),
    );
  }

  #check(): void {
    if (this.#isStopped) return;
    const remaining = this.#remainingMs();
    if (remaining > 0) this.#wait(remaining);
    else this.#expired('keepalive-timeout');
  }
}
