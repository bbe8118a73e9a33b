import { generate, type IConnectPacket } from 'mqtt-packet';
import type { Client } from '../domain/client.ts';
import type { Qos } from '../domain/subscription.ts';
import { Access } from './access.ts';
import { connectCommand, decodeFrame, FrameReader, ProtocolError, readClientIdBytes, readProtocol } from './codec.ts';
import type { ConnectionHost } from './connection-host.ts';
import { isReceivedCommand, type Counters } from './counters.ts';
import {
  authenticate, connackCodes, describeAdmitted, identify, isKnownProtocol, maxConnectBytes, readWill, withoutPassword, type Admitted,
} from './handshake.ts';
import type { ClientIdentity, CloseReason, ConnectRequest, RejectedPeer } from './hooks.ts';
import { createIncomingContext } from './incoming-context.ts';
import { handlePacket, type IncomingContext, type SentPacket } from './incoming.ts';
import { KeepaliveTimer } from './keepalive-timer.ts';
import type { Message } from './message.ts';
import { Outgoing } from './outgoing.ts';
import type { Outbox, Outlet } from './outbox.ts';
import type { SessionLink } from './session.ts';
import { toBrokerSeconds } from './system-figures.ts';
import type { Transport } from './transport.ts';

/**
 * Most packets of one connection in one turn of the event loop. More would fill the queues of its
 * subscribers before any of their acknowledgements were read.
 */
const maxPacketsPerTurn = 32;

/** One socket: from its first byte to its end. */
export class Connection implements SessionLink, Outlet {
  readonly #transport: Transport;
  readonly #host: ConnectionHost;
  /** Those of the node's present run: what comes late after a restart must not count in the new ones. */
  readonly #counters: Counters;
  readonly #outgoing: Outgoing;
  readonly #reader: FrameReader;
  readonly #timer: KeepaliveTimer;
  #admitted: Admitted | undefined;
  #context: IncomingContext | undefined;
  #sawConnect = false;
  #askedClientId: string | undefined;
  #returnCode: number | undefined;
  /** A hook is being waited for; packets behind it are held back. */
  #isWaiting = false;
  /** Enough was handled in this turn, or a subscriber has to catch up first. */
  #isTurnOver = false;
  /** A subscriber that our last message was almost too much for. */
  #strained: Outbox | undefined;
  /** Why the socket ended while packets of it were held back. */
  #endReason: CloseReason | undefined;
  /** The client does not take our answers; it is not read until it does. */
  #isChoked = false;
  #isClosed = false;

  constructor(transport: Transport, host: ConnectionHost) {
    this.#transport = transport;
    this.#host = host;
    this.#counters = host.counters;
    this.#outgoing = new Outgoing(transport);
    this.#reader = new FrameReader((command, bytes) => this.#checkHeader(command, bytes));
    this.#timer = new KeepaliveTimer(host.settings, (reason) => this.#expired(reason));
    transport.listen({
      data: (chunk) => this.#receive(chunk),
      drain: () => this.#drained(),
      close: (reason) => this.#socketEnded(reason),
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

  /** Drops a socket whose own end was not enough, when its listener goes away. */
  destroy(): void {
    this.#transport.destroy();
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
    this.#counters.add('bytes/sent', bytes.length);
    this.#outgoing.write(bytes);
  }

  #checkHeader(command: number, packetBytes: number): void {
    if (!this.#sawConnect && command !== connectCommand) throw new ProtocolError('protocol-violation', 'the first packet is not CONNECT');
    const { settings } = this.#host;
    const bound = this.#sawConnect ? settings.maxPacketSize : maxConnectBytes(settings);
    if (packetBytes > bound) throw new ProtocolError('packet-too-large', `a packet of ${packetBytes} bytes`);
  }

  #receive(chunk: Buffer): void {
    this.#counters.add('bytes/received', chunk.length);
    if (this.#isClosed) return;
    this.#reader.append(chunk);
    this.#readOn();
    if (this.#admitted === undefined && !this.#isClosed) this.#boundStranger();
  }

  /** Who has not been let in may not make the broker hold more than a CONNECT, nor one that is refused anyway. */
  #boundStranger(): void {
    const { settings } = this.#host;
    if (this.#reader.waitingBytes > maxConnectBytes(settings)) this.close('packet-too-large');
    else if (!this.#sawConnect && (readClientIdBytes(this.#reader.peek()) ?? 0) > 3 * settings.maxClientIdLength) this.#refuse(connackCodes.badClientId);
  }

  /** Handles what has been read, up to a packet that has to wait for a hook or for the next turn. */
  #readOn(): void {
    try {
      for (let left = maxPacketsPerTurn; !this.#isClosed && !this.#isWaiting && !this.#isTurnOver; left -= 1) {
        if (left === 0 || this.#strained !== undefined) {
          this.#endTurn();
          break;
        }
        const frame = this.#reader.next();
        if (frame === undefined) break;
        this.#timer.touch();
        const pending = this.#handle(frame);
        if (pending !== undefined) this.#waitFor(pending);
      }
    } catch (error) {
      this.#fail(error);
    }
    if (!this.#isClosed && !this.#isChoked && this.#outgoing.isOver(2 * this.#host.settings.maxSocketBufferBytes)) {
      this.#isChoked = true;
      this.#transport.pause();
    }
  }

  #endTurn(): void {
    const strained = this.#strained;
    this.#strained = undefined;
    this.#isTurnOver = true;
    this.#transport.pause();
    const goOn = (): void => void setImmediate(() => {
      this.#isTurnOver = false;
      this.#goOn();
    });
    if (strained?.isStrained === true) strained.whenRelieved(goOn);
    else goOn();
  }

  /** What held packets back is over. */
  #goOn(): void {
    if (this.#isClosed) return;
    this.#readOn();
    if (this.#endReason !== undefined && !this.#isWaiting && !this.#isTurnOver) this.close(this.#endReason);
    this.#resume();
  }

  /** The packets of a client that has gone are handled all the same. */
  #socketEnded(reason: CloseReason): void {
    if (this.#isTurnOver) this.#endReason = reason;
    else this.close(reason);
  }

  #expired(reason: CloseReason): void {
    if (!this.#isTurnOver) return this.close(reason);
    // It is we who do not read.
    this.#timer.touch();
    this.#timer.rearm();
  }

  #waitFor(pending: Promise<void>): void {
    this.#isWaiting = true;
    this.#transport.pause();
    void pending
      .catch((error: unknown) => this.#fail(error))
      .then(() => {
        this.#isWaiting = false;
        this.#goOn();
      });
  }

  #drained(): void {
    if (this.#isClosed) return;
    this.#isChoked = false;
    this.#context?.session.outbox.pump();
    this.#resume();
  }

  #resume(): void {
    if (!this.#isClosed && !this.#isWaiting && !this.#isTurnOver && !this.#isChoked) this.#transport.resume();
  }

  #fail(error: unknown): void {
    if (!(error instanceof ProtocolError)) throw error;
    this.close(error.reason);
  }

  #handle(frame: Buffer): void | Promise<void> {
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
    if (this.#context !== undefined) return handlePacket(this.#context, packet);
    if (packet.cmd !== 'connect') throw new ProtocolError('protocol-violation', `${packet.cmd} instead of CONNECT`);
    return this.#handshake(packet);
  }

  #handshake(packet: IConnectPacket): void | Promise<void> {
    const { settings, hooks, name } = this.#host;
    this.#askedClientId = packet.clientId;
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
    const { settings, hooks } = this.#host;
    const access = new Access(identity, hooks, settings);
    const keepaliveSeconds = packet.keepalive ?? 0;
    this.#admitted = { identity, access, will, keepaliveSeconds, connectedAt: toBrokerSeconds(Date.now()) };
    const { session, isPresent } = this.#host.openSession(this, identity);
    this.#context = createIncomingContext({
      host: this.#host, session, access, counters: this.#counters,
      isOver: () => this.#isClosed,
      strained: (outbox) => { this.#strained = outbox; },
      send: (packet) => this.#send(packet),
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
    if (await this.#admitted?.access.allows('publish', will.topic)) this.#host.publish(will);
  }
}
