import { performance } from 'node:perf_hooks';
import { generate, type IConnectPacket } from 'mqtt-packet';
import type { Client, Qos } from '../../domain/client.ts';
import type { Recorder } from '../data/recorder.ts';
import type { BrokerSettings } from '../management/settings.ts';
import type { Outlet } from '../sessions/outbox.ts';
import type { SessionLink } from '../sessions/session.ts';
import { Fifo } from '../sessions/waiting-messages.ts';
import { toBrokerSeconds } from '../system-figures.ts';
import { Access } from './access.ts';
import { connectCommand, decodeFrame, ProtocolError, readClientIdBytes, readProtocol } from './codec.ts';
import type { ConnectionHost } from './connection-host.ts';
import { type Counters, isReceivedCommand } from './counters.ts';
import { type Admitted, authenticate, connackCodes, describeAdmitted, identify, isKnownProtocol, maxConnectBytes, readWill, withoutPassword } from './handshake.ts';
import type { ClientIdentity, CloseReason, ConnectRequest, RejectedPeer } from './hooks.ts';
import { createIncomingContext, handlePacket, type IncomingContext, type SentPacket } from './incoming.ts';
import type { Message } from './message.ts';
import { PacketTurns } from './packet-turns.ts';
import type { Transport } from './transport.ts';

/** One socket: from its first byte to its end. */
export class Connection implements SessionLink, Outlet {
  readonly #transport: Transport;
  readonly #host: ConnectionHost;
  /** Those of the node's present run: what comes late after a restart must not count in the new ones. */
  readonly #counters: Counters;
  readonly #outgoing: Outgoing;
  readonly #packets: PacketTurns;
  readonly #timer: KeepaliveTimer;
  #admitted: Admitted | undefined;
  #context: IncomingContext | undefined;
  #sawConnect = false;
  #askedClientId: string | undefined;
  #returnCode: number | undefined;
  #isClosed = false;

  constructor(transport: Transport, host: ConnectionHost) {
    this.#transport = transport;
    this.#host = host;
    this.#counters = host.counters;
    this.#outgoing = new Outgoing(transport, host.recorder, { released: () => this.#drained(), refused: () => this.close('not-stored') });
    this.#packets = new PacketTurns(transport, {
      checkHeader: (command, bytes) => this.#checkHeader(command, bytes),
      handle: (frame) => this.#handle(frame),
      isOver: () => this.#isClosed,
      isChoked: () => this.#outgoing.isOver(2 * host.settings.maxSocketBufferBytes),
      patienceMs: () => host.settings.burstPatienceMs,
      fail: (error) => this.#fail(error),
      ended: (reason) => this.close(reason),
    });
    this.#timer = new KeepaliveTimer(host.settings, (reason) => this.#expired(reason));
    transport.listen({
      data: (chunk) => this.#receive(chunk),
      drain: () => this.#drained(),
      close: (reason) => this.#packets.socketEnded(reason),
    });
  }

  /** `undefined` until the client has been let in. */
  get identity(): ClientIdentity | undefined {
    return this.#admitted?.identity;
  }

  get access(): Access | undefined {
    return this.#admitted?.access;
  }

  /** What is known of a client that was not let in. */
  get attempt(): Omit<RejectedPeer, 'node'> {
    const { ipAddress, port } = this.#transport;
    return { ipAddress, port, clientId: this.#askedClientId, returnCode: this.#returnCode };
  }

  /** The settings of the node were changed: time limits are measured by the new ones. */
  settingsChanged(): void {
    this.#timer.rearm();
  }

  /** The client as the management interface shows it (§2.4); `undefined` until it has been let in. */
  describe(): Client | undefined {
    return this.#admitted === undefined ? undefined : describeAdmitted(this.#admitted);
  }

  /** Ends the connection; a second call does nothing. */
  close(reason: CloseReason): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer.stop();
    this.#outgoing.dropHeld();
    if (reason === 'client-disconnect' || reason === 'refused') {
      this.#outgoing.flush();
      this.#transport.end();
    } else {
      this.#transport.destroy();
    }
    this.#host.ended(this, reason);
    const will = this.#admitted?.will;
    // After the present turn: a node that stops first ends all its connections, then their wills go out.
    if (will !== undefined && reason !== 'client-disconnect') queueMicrotask(() => void this.#publishWill(will));
  }

  hold(position: number): void {
    this.#outgoing.hold(position);
  }

  sendPublish(message: Message, qos: Qos, packetId: number, dup: boolean, retain: boolean): void {
    this.#counters.publishSent(qos);
    this.#write(qos === 0 ? message.encodeQos0(retain) : message.encode(qos, packetId, dup, retain));
  }

  sendPubrel(messageId: number): void {
    this.#send({ cmd: 'pubrel', messageId });
  }

  isCongested(): boolean {
    return this.#outgoing.isOver(this.#host.settings.maxSocketBufferBytes);
  }

  #send(packet: SentPacket): void {
    if (this.#isClosed) return;
    this.#counters.packetSent(packet.cmd);
    this.#write(generate(packet));
  }

  #write(bytes: Buffer): void {
    this.#counters.add('bytes.sent', bytes.length);
    this.#outgoing.write(bytes);
  }

  #checkHeader(command: number, packetBytes: number): void {
    if (!this.#sawConnect && command !== connectCommand) throw new ProtocolError('protocol-violation', 'the first packet is not CONNECT');
    const { settings } = this.#host;
    const bound = this.#sawConnect ? settings.maxPacketSize : maxConnectBytes(settings);
    if (packetBytes > bound) throw new ProtocolError('packet-too-large', `a packet of ${packetBytes} bytes`);
  }

  #receive(chunk: Buffer): void {
    this.#counters.add('bytes.received', chunk.length);
    if (this.#isClosed) return;
    this.#packets.receive(chunk);
    if (this.#admitted === undefined && !this.#isClosed) this.#boundStranger();
  }

  /** Who has not been let in may not make the broker hold more than a CONNECT, nor one that is refused anyway. */
  #boundStranger(): void {
    const { settings } = this.#host;
    if (this.#packets.waitingBytes > maxConnectBytes(settings)) this.close('packet-too-large');
    else if (!this.#sawConnect && (readClientIdBytes(this.#packets.peek()) ?? 0) > 3 * settings.maxClientIdLength) this.#refuse(connackCodes.badClientId);
  }

  #expired(reason: CloseReason): void {
    // It is we who do not read. A CONNECT that waits for its hook has no more time than one that does not come.
    if (reason !== 'keepalive-timeout' || !this.#packets.isHeldBack) return this.close(reason);
    this.#timer.touch();
    this.#timer.rearm();
  }

  #drained(): void {
    if (this.#isClosed) return;
    this.#context?.session.outbox.pump();
    this.#packets.drained();
  }

  #fail(error: unknown): void {
    if (!(error instanceof ProtocolError)) throw error;
    this.close(error.reason);
  }

  #handle(frame: Buffer): void | Promise<void> {
    this.#timer.touch();
    if (!this.#sawConnect) {
      this.#sawConnect = true;
      const protocol = readProtocol(frame);
      if (protocol !== undefined && isKnownProtocol(protocol.name, protocol.level) === false) {
        this.#counters.packetReceived('connect');
        return this.#refuse(connackCodes.badProtocol);
      }
    }
    const packet = decodeFrame(frame);
    if (packet.cmd === 'publish') this.#counters.publishReceived(packet.qos);
    else if (isReceivedCommand(packet.cmd)) this.#counters.packetReceived(packet.cmd);
    if (this.#context !== undefined) return this.#afterRoom(handlePacket(this.#context, packet));
    if (packet.cmd !== 'connect') throw new ProtocolError('protocol-violation', `${packet.cmd} instead of CONNECT`);
    return this.#handshake(packet);
  }

  /** Too much waits for the disk: the next packet does, too. */
  #afterRoom(handled: void | Promise<void>): void | Promise<void> {
    const { recorder } = this.#host;
    if (recorder?.isFull !== true) return handled;
    const written = new Promise<void>((resolve) => { recorder.afterSync(resolve); });
    return Promise.resolve(handled).then(() => {
      this.#packets.publishing();
      return written;
    });
  }

  #handshake(packet: IConnectPacket): void | Promise<void> {
    const { settings, hooks, name } = this.#host;
    this.#askedClientId = packet.clientId;
    this.#host.asked(this);
    const will = readWill(packet, settings);
    const request = identify(packet, this.#transport, name, settings);
    if (typeof request === 'number') return this.#refuse(request);
    const decide = (code: number): void => {
      if (this.#isClosed) return;
      if (code === connackCodes.accepted) this.#admit(request, packet, will);
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

  #admit(request: ConnectRequest, packet: IConnectPacket, will: Message | undefined): void {
    const identity = withoutPassword(request);
    if (this.#host.cannotOpen(identity)) return this.#refuse(connackCodes.unavailable);
    const { settings, hooks } = this.#host;
    const access = new Access(identity, hooks, settings);
    const keepaliveSeconds = packet.keepalive ?? 0;
    this.#admitted = { identity, access, will, keepaliveSeconds, connectedAt: toBrokerSeconds(Date.now()) };
    const { session, isPresent } = this.#host.openSession(this, identity);
    this.#context = createIncomingContext({
      host: this.#host, session, access, counters: this.#counters,
      isOver: () => this.#isClosed,
      strained: (outboxes) => this.#packets.strain(outboxes),
      publishing: () => this.#packets.publishing(),
      send: (packet) => this.#send(packet),
      hold: (position) => this.hold(position),
      disconnectUnstored: () => this.close('not-stored'),
      disconnect: () => this.close('client-disconnect'),
    });
    this.#transport.admit();
    this.#timer.watchKeepalive(keepaliveSeconds);
    // MQTT 3.1 has no session-present flag; the bit is reserved there.
    this.#send({ cmd: 'connack', returnCode: connackCodes.accepted, sessionPresent: isPresent && identity.protocolVersion >= 4 });
    this.#host.connected(identity);
    session.outbox.attach(this);
  }

  async #publishWill(will: Message): Promise<void> {
    if (!(await this.#admitted?.access.allows('publish', will.topic))) return;
    if (this.#host.recorder?.accepts(will.payload.length) === false && this.#host.hasToBeKept(will)) return;
    await this.#host.publish(will);
  }
}

/** A packet that waits for a change to be on disk. */
interface Held {
  readonly packet: Buffer;
  readonly position: number;
}

/** What becomes of packets that wait for the disk. */
interface HeldOwner {
  /** Some of them are on their way. */
  released(): void;
  /** The disk took no more: what they say is not true. */
  refused(): void;
}

/**
 * Collects the packets that one turn of the event loop produces for a client and hands them to the
 * transport together: one system call, or one WebSocket message, instead of one for each packet.
 * Packets that acknowledge a change wait until it is on disk, and all later ones behind them.
 */
export class Outgoing {
  readonly #transport: Transport;
  readonly #recorder: Recorder | undefined;
  readonly #owner: HeldOwner;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #scheduled = false;
  readonly #held = new Fifo<Held>();
  #heldBytes = 0;
  /** What is written now waits until the change of this number is on disk. */
  #holdPosition = 0;
  #isWaiting = false;

  constructor(transport: Transport, recorder: Recorder | undefined, owner: HeldOwner) {
    this.#transport = transport;
    this.#recorder = recorder;
    this.#owner = owner;
  }

  /** What is written from now on waits until the change of this number is on disk. */
  hold(position: number): void {
    this.#holdPosition = Math.max(this.#holdPosition, position);
  }

  write(packet: Buffer): void {
    if (this.#recorder !== undefined && (this.#held.length > 0 || this.#holdPosition > this.#recorder.kept)) {
      this.#held.push({ packet, position: this.#holdPosition });
      this.#heldBytes += packet.length;
      this.#waitForDisk(this.#recorder);
      return;
    }
    this.#put(packet);
  }

  /** Nobody hears of what waits for the disk. */
  dropHeld(): void {
    while (this.#held.shift() !== undefined);
    this.#heldBytes = 0;
  }

  /** Whether more than `bound` bytes wait for the client, after the system has been given what it takes. */
  isOver(bound: number): boolean {
    if (this.#heldBytes + this.#pendingBytes + this.#transport.unsentBytes <= bound) return false;
    this.flush();
    return this.#heldBytes + this.#transport.unsentBytes > bound;
  }

  flush(): void {
    const [first] = this.#pending;
    if (first !== undefined) {
      this.#transport.write(this.#pending.length === 1 ? first : Buffer.concat(this.#pending, this.#pendingBytes));
      this.#pending = [];
      this.#pendingBytes = 0;
    }
  }

  flushScheduled(): void {
    this.#scheduled = false;
    this.flush();
  }

  #put(packet: Buffer): void {
    this.#pending.push(packet);
    this.#pendingBytes += packet.length;
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(flush, this);
  }

  #waitForDisk(recorder: Recorder): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    recorder.afterSync(() => {
      this.#isWaiting = false;
      this.#release(recorder);
    });
  }

  #release(recorder: Recorder): void {
    const before = this.#held.length;
    for (let first = this.#held.peek(); first !== undefined && first.position <= recorder.kept; first = this.#held.peek()) {
      this.#held.shift();
      this.#heldBytes -= first.packet.length;
      this.#put(first.packet);
    }
    if (this.#held.length > 0 && recorder.failure !== undefined) return this.#owner.refused();
    if (this.#held.length > 0) this.#waitForDisk(recorder);
    if (this.#held.length < before) this.#owner.released();
  }
}

function flush(outgoing: Outgoing): void {
  outgoing.flushScheduled();
}

/** Ends a connection whose CONNECT does not come, and later a client that has been silent for too long. */
export class KeepaliveTimer {
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

  /** A packet came. */
  touch(): void {
    this.#lastPacketMs = performance.now();
  }

  /** From now on the client has to send something every so often; 0 is never. */
  watchKeepalive(keepaliveSeconds: number): void {
    clearTimeout(this.#timer);
    this.#keepaliveSeconds = keepaliveSeconds;
    if (keepaliveSeconds > 0 && !this.#isStopped) this.#wait(this.#remainingMs());
  }

  /** The allowed silence may have changed. */
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
    this.#timer = setTimeout(() => {
      const remaining = this.#remainingMs();
      if (remaining > 0) this.#wait(remaining);
      // A busy process may not have read yet what the client sent in time: read first, then judge.
      else setImmediate(() => this.#judge());
    }, Math.max(1, Math.ceil(ms)));
  }

  #judge(): void {
    if (this.#isStopped) return;
    const remaining = this.#remainingMs();
    if (remaining > 0) this.#wait(remaining);
    else this.#expired('keepalive-timeout');
  }
}
