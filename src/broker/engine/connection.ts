import { generate, type IConnectPacket } from 'mqtt-packet';
import type { Client, Qos } from '../../domain/client.ts';
import type { Outbox, OutboxConnection } from '../sessions/outbox.ts';
import type { Recorder } from '../sessions/recorder.ts';
import type { Session, SessionConnection, SessionNode } from '../sessions/session.ts';
import { Access } from './access.ts';
import { connectCommand, decodeFrame, ProtocolError, readClientIdBytes, readProtocol } from './codec.ts';
import { type Counters, isReceivedCommand } from './counters.ts';
import { type AcceptedClient, authenticate, connackCodes, describeClient, identify, isKnownProtocol, maxConnectBytes, readWill, withoutPassword } from './handshake.ts';
import type { BrokerHooks, ClientIdentity, CloseReason, ConnectRequest, RejectedPeer } from './hooks.ts';
import { handlePacket, type IncomingContext, type SentPacket } from './incoming.ts';
import { KeepaliveTimer } from './keepalive-timer.ts';
import type { Message } from './message.ts';
import { PacketReader } from './packet-reader.ts';
import { SendBuffer } from './send-buffer.ts';
import { toBrokerSeconds } from './system-figures.ts';
import type { Transport } from './transport.ts';

/** One client connection, from its first byte to its end. */
export class Connection implements SessionConnection, OutboxConnection {
  readonly #transport: Transport;
  readonly #host: ConnectionHost;
  /** Fixed at the start: late packets must not count in the counters of a restarted node. */
  readonly #counters: Counters;
  readonly #sendBuffer: SendBuffer;
  readonly #packets: PacketReader;
  readonly #timer: KeepaliveTimer;
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
    this.#sendBuffer = new SendBuffer(transport, host.recorder, { drained: () => this.#onDrain(), writeFailed: () => this.close('not-stored') });
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

  /** `undefined` until CONNECT is accepted. */
  get identity(): ClientIdentity | undefined {
    return this.#accepted?.identity;
  }

  get access(): Access | undefined {
    return this.#accepted?.access;
  }

  /** What is known of a client that was not accepted. */
  get attempt(): Omit<RejectedPeer, 'node'> {
    const { ipAddress, port } = this.#transport;
    return { ipAddress, port, clientId: this.#requestedClientId, returnCode: this.#returnCode };
  }

  /** Applies changed time limits. */
  settingsChanged(): void {
    this.#timer.rearm();
  }

  /** The client as the management API shows it (§2.4); `undefined` until CONNECT is accepted. */
  describe(): Client | undefined {
    return this.#accepted === undefined ? undefined : describeClient(this.#accepted);
  }

  /** Closes the connection; a second call does nothing. */
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
    this.#host.connectionClosed(this, reason);
    const will = this.#accepted?.will;
    // Later, so that a node that stops closes all connections before their will messages are published.
    if (will !== undefined && reason !== 'client-disconnect') queueMicrotask(() => void this.#publishWill(will));
  }

  holdUntilSynced(position: number): void {
    this.#sendBuffer.holdUntilSynced(position);
  }

  sendPublish(message: Message, qos: Qos, packetId: number, dup: boolean, retain: boolean): void {
    this.#counters.publishSent(qos);
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
    this.#sendBuffer.write(bytes);
  }

  #checkHeader(command: number, packetBytes: number): void {
    if (!this.#hasConnect && command !== connectCommand) throw new ProtocolError('protocol-violation', 'the first packet is not CONNECT');
    const { settings } = this.#host;
    const bound = this.#hasConnect ? settings.maxPacketSize : maxConnectBytes(settings);
    if (packetBytes > bound) throw new ProtocolError('packet-too-large', `a packet of ${packetBytes} bytes`);
  }

  #onData(chunk: Buffer): void {
    this.#counters.add('bytes.received', chunk.length);
    if (this.#isClosed) return;
    this.#packets.receive(chunk);
    if (this.#accepted === undefined && !this.#isClosed) this.#limitBeforeAccept();
  }

  /** Limits what is buffered before CONNECT is accepted. */
  #limitBeforeAccept(): void {
    const { settings } = this.#host;
    if (this.#packets.waitingBytes > maxConnectBytes(settings)) this.close('packet-too-large');
    else if (!this.#hasConnect && (readClientIdBytes(this.#packets.peek()) ?? 0) > 3 * settings.maxClientIdLength) this.#refuse(connackCodes.badClientId);
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
    if (packet.cmd === 'publish') this.#counters.publishReceived(packet.qos);
    else if (isReceivedCommand(packet.cmd)) this.#counters.packetReceived(packet.cmd);
    if (this.#context !== undefined) return this.#waitForJournal(handlePacket(this.#context, packet));
    if (packet.cmd !== 'connect') throw new ProtocolError('protocol-violation', `${packet.cmd} instead of CONNECT`);
    return this.#handshake(packet);
  }

  /** Holds back the next packet while too much waits for the journal. */
  #waitForJournal(handled: void | Promise<void>): void | Promise<void> {
    const { recorder } = this.#host;
    if (recorder?.isFull !== true) return handled;
    const written = new Promise<void>((resolve) => { recorder.afterSync(resolve); });
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
    const decide = (code: number): void => {
      if (this.#isClosed) return;
      if (code === connackCodes.accepted) this.#accept(request, packet, will);
      else this.#refuse(code);
    };
    const code = authenticate(request, hooks, settings);
    return typeof code === 'number' ? decide(code) : code.then(decide);
  }

  #refuse(returnCode: number): void {
    this.#returnCode = returnCode;
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
    this.#context = createIncomingContext({
      host: this.#host, session, access, counters: this.#counters,
      isClosed: () => this.#isClosed,
      applyBackpressure: (outboxes) => this.#packets.applyBackpressure(outboxes),
      finishBeforeClose: () => this.#packets.finishBeforeClose(),
      send: (packet) => this.#send(packet),
      holdUntilSynced: (position) => this.holdUntilSynced(position),
      disconnectUnstored: () => this.close('not-stored'),
      disconnect: () => this.close('client-disconnect'),
    });
    this.#transport.allowLargePackets();
    this.#timer.watchKeepalive(keepaliveSeconds);
    // MQTT 3.1 has no session-present flag.
    this.#send({ cmd: 'connack', returnCode: connackCodes.accepted, sessionPresent: isPresent && identity.protocolVersion >= 4 });
    this.#host.connected(identity);
    session.outbox.attach(this);
  }

  async #publishWill(will: Message): Promise<void> {
    if (!(await this.#accepted?.access.allows('publish', will.topic))) return;
    if (this.#host.recorder?.accepts(will.payload.length) === false && this.#host.mustPersist(will)) return;
    await this.#host.publish(will);
  }
}

/** A connection with its session, and what packets need from it. */
export interface ConnectionParts extends Pick<IncomingContext, 'send' | 'disconnectUnstored' | 'disconnect'> {
  readonly host: ConnectionHost;
  readonly session: Session;
  readonly access: Access;
  readonly counters: Counters;
  isClosed(): boolean;
  /** Packets written from now on wait until this journal position is synced. */
  holdUntilSynced(position: number): void;
  /** Holds back the next packet until these receivers have caught up. */
  applyBackpressure(outboxes: readonly Outbox[]): void;
  /** Keeps the connection's packets even when its socket closes meanwhile. */
  finishBeforeClose(): void;
}
/** Creates the context of an accepted client. */
export function createIncomingContext(parts: ConnectionParts): IncomingContext {
  const { host, session, access, counters, isClosed, holdUntilSynced, applyBackpressure, finishBeforeClose, send, disconnectUnstored, disconnect } = parts;
  const { recorder } = host;
  // Reported once a connection: a client may have thousands refused.
  let hasRefused = false;
  return {
    session,
    access,
    counters,
    settings: host.settings,
    accepts: (message) => {
      if (recorder === undefined || recorder.accepts(message.payload.length)) return true;
      return !(message.qos === 2 && !session.cleanSession) && !host.mustPersist(message);
    },
    maySubscribe: () => recorder?.failure === undefined || session.cleanSession,
    publish: (message, receive) => {
      const before = recorder?.position ?? 0;
      const published = (outboxes: readonly Outbox[]): void => {
        if (recorder !== undefined && message.qos > 0 && recorder.position > before) holdUntilSynced(recorder.position);
        // Not the publisher itself: its acknowledgements come after the messages it is sending.
        applyBackpressure(outboxes.filter((outbox) => outbox !== session.outbox));
      };
      const receivers = host.publish(message, receive);
      if (!(receivers instanceof Promise)) return published(receivers);
      finishBeforeClose();
      return receivers.then(published);
    },
    // A hook may answer after the connection and its clean session are gone.
    subscribe: (filter, qos) => { if (!isClosed()) host.subscribe(session, filter, qos); },
    subscriptionRefused: (filter) => {
      if (!hasRefused) host.subscriptionRefused(session, filter);
      hasRefused = true;
    },
    unsubscribe: (filter) => { if (!isClosed()) host.unsubscribe(session, filter); },
    deliverRetained: (filter, qos) => { if (!isClosed()) host.deliverRetained(session, filter, qos); },
    send,
    disconnectUnstored,
    disconnect,
  };
}
/** What a connection needs from its node. */
export interface ConnectionHost extends SessionNode {
  readonly counters: Counters;
  readonly hooks: BrokerHooks;
  /** `undefined` when the cluster is in memory only. */
  readonly recorder: Recorder | undefined;
  /** A complete CONNECT was received. */
  connectReceived(connection: Connection): void;
  /** Whether this client's session would have to be stored and cannot be. */
  cannotPersist(client: ClientIdentity): boolean;
  /** Finds or creates the session of an accepted client; another connection that has it is closed (session takeover). */
  openSession(connection: Connection, client: ClientIdentity): { readonly session: Session; readonly isPresent: boolean; };
  /** CONNACK was sent. */
  connected(client: ClientIdentity): void;
  /** Called once for every connection, accepted or not. */
  connectionClosed(connection: Connection, reason: CloseReason): void;
  /**
   * Returns the receivers whose queues are filling up, for backpressure; a promise when matching takes long.
   * `receive` is called right before the delivery, so that what it records is on disk together with the message.
   * It cancels the delivery by returning false.
   */
  publish(message: Message, receive?: () => boolean): readonly Outbox[] | Promise<readonly Outbox[]>;
  /** Whether this message must be on disk before it is acknowledged. */
  mustPersist(message: Message): boolean;
  subscribe(session: Session, filter: string, qos: Qos): void;
  /** The client has reached its limit of filters. */
  subscriptionRefused(session: Session, filter: string): void;
  unsubscribe(session: Session, filter: string): void;
  /** Starts sending the retained messages of a new subscription. */
  deliverRetained(session: Session, filter: string, qos: Qos): void;
}

