import { isUtf8 } from 'node:buffer';
import { type Packet, parser } from 'mqtt-packet';

export class ProtocolError extends Error {
  readonly reason: 'malformed' | 'packet-too-large' | 'protocol-violation';
  constructor(reason: ProtocolError['reason'], message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.reason = reason;
  }
}

/** @throws ProtocolError */
export type HeaderCheck = (command: number, packetBytes: number) => void;

/** Packet types by number (MQTT 3.1.1, table 2.1). */
export const connectCommand = 1;
const publishCommand = 3;

export class FrameReader {
  readonly #check: HeaderCheck;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The size of the packet whose header has been checked; 0 before. */
  #needed = 0;

  constructor(check: HeaderCheck) {
    this.#check = check;
  }

  append(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Limits the number of buffers for clients that send byte by byte.
    if (this.#chunks.length >= 64 && this.#bytes < this.#chunks.length * 1024) this.#concat();
  }

  get waitingBytes(): number {
    return this.#bytes;
  }

  peek(): Buffer {
    return this.#concat();
  }

  next(): Buffer | undefined {
    if (this.#needed === 0) this.#readHeader();
    if (this.#needed === 0 || this.#bytes < this.#needed) return undefined;
    const all = this.#concat();
    const frame = all.subarray(0, this.#needed);
    this.#setRest(all.subarray(this.#needed));
    this.#needed = 0;
    return frame;
  }

  #readHeader(): void {
    if (this.#bytes < 2) return;
    const all = this.#concat();
    let remaining = 0;
    for (let at = 1; at <= 4; at += 1) {
      const byte = all[at];
      if (byte === undefined) return;
      remaining += (byte & 0x7f) * 128 ** (at - 1);
      if (byte < 0x80) {
        const packetBytes = at + 1 + remaining;
        this.#check((all[0] ?? 0) >> 4, packetBytes);
        this.#needed = packetBytes;
        return;
      }
    }
    throw new ProtocolError('malformed', 'remaining length of more than four bytes');
  }

  #concat(): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && this.#chunks.length === 1) return first;
    const all = Buffer.concat(this.#chunks);
    this.#setRest(all);
    return all;
  }

  #setRest(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
  }
}

interface DecodeResult {
  packet: Packet | undefined;
  error: unknown;
}

function makeCodec(): (frame: Buffer) => DecodeResult {
  const codec = parser({ protocolVersion: 4 });
  let outcome: DecodeResult = { packet: undefined, error: undefined };
  codec.on('packet', (packet) => {
    outcome.packet = packet;
  });
  codec.on('error', (error: unknown) => {
    outcome.error = error;
  });
  return (frame) => {
    outcome = { packet: undefined, error: undefined };
    codec.parse(frame);
    return outcome;
  };
}

// Shared by all connections: it is only given complete frames and keeps no state between them.
let decode = makeCodec();

/** Decodes a packet of MQTT 3.1 or 3.1.1. @throws ProtocolError when the packet is malformed. */
export function decodeFrame(frame: Buffer): Packet {
  let outcome: DecodeResult;
  try {
    outcome = decode(frame);
  } catch (error) {
    outcome = { packet: undefined, error };
  }
  const { packet, error } = outcome;
  if (error !== undefined || packet === undefined) {
    // The parser may hold part of the bad packet.
    decode = makeCodec();
    throw new ProtocolError('malformed', error instanceof Error ? error.message : 'not a packet');
  }
  checkPacket(packet, frame);
  return packet;
}

/** Rejects what mqtt-packet accepts against the specification. */
function checkPacket(packet: Packet, frame: Buffer): void {
  switch (packet.cmd) {
    case 'publish':
      if (packet.qos > 0) checkPacketId(packet.messageId);
      checkText(packet.topic, frame);
      break;
    case 'puback':
    case 'pubrec':
    case 'pubrel':
    case 'pubcomp':
      if (packet.length !== 2) throw new ProtocolError('malformed', `${packet.cmd} of the wrong length`);
      checkPacketId(packet.messageId);
      break;
    case 'subscribe':
      checkPacketId(packet.messageId);
      if (packet.subscriptions.length === 0) throw new ProtocolError('malformed', 'SUBSCRIBE without a filter');
      for (const { topic } of packet.subscriptions) checkText(topic, frame);
      break;
    case 'unsubscribe':
      checkPacketId(packet.messageId);
      if (packet.unsubscriptions.length === 0) throw new ProtocolError('malformed', 'UNSUBSCRIBE without a filter');
      for (const topic of packet.unsubscriptions) checkText(topic, frame);
      break;
    case 'pingreq':
    case 'disconnect':
      if (frame.length !== 2) throw new ProtocolError('malformed', `${packet.cmd} with a body`);
      break;
    case 'connect':
      if (packet.will !== undefined && (packet.will.qos ?? 0) > 2)
        throw new ProtocolError('malformed', 'will of QoS 3');
      if (packet.password !== undefined && packet.username === undefined) {
        throw new ProtocolError('malformed', 'a password without a username');
      }
      for (const text of [packet.clientId, packet.username, packet.will?.topic]) checkText(text ?? '', frame);
      break;
    default:
      throw new ProtocolError('protocol-violation', `${packet.cmd} from a client`);
  }
}

function checkPacketId(packetId: number | undefined): void {
  if (packetId === undefined || packetId < 1) throw new ProtocolError('malformed', 'no packet id');
}

/**
 * Checks for UTF-8 without U+0000 (MQTT 3.1.1, 1.5.3). Invalid bytes decode to U+FFFD, so the raw bytes are compared.
 */
function checkText(text: string, frame: Buffer): void {
  if (text.includes('\0')) throw new ProtocolError('malformed', 'text that contains U+0000');
  if (text.includes('\ufffd') && !frame.includes(text)) throw new ProtocolError('malformed', 'text that is not UTF-8');
}

/** Returns the length in bytes; `undefined` until it was received. */
export function readClientIdBytes(begun: Buffer): number | undefined {
  let at = 1;
  while ((begun[at] ?? 0) >= 0x80) at += 1;
  at += 1;
  if (begun.length < at + 2) return undefined;
  // Protocol name, level, flags and keepalive come before it.
  at += 2 + begun.readUInt16BE(at) + 4;
  return begun.length < at + 2 ? undefined : begun.readUInt16BE(at);
}

/** Returns `undefined` when malformed. mqtt-packet rejects unknown levels, which must be answered. */
export function readProtocol(frame: Buffer): { name: string; level: number } | undefined {
  let at = 1;
  while ((frame[at] ?? 0) >= 0x80) at += 1;
  at += 1;
  if (frame.length < at + 2) return undefined;
  const nameEnd = at + 2 + frame.readUInt16BE(at);
  const name = frame.subarray(at + 2, nameEnd);
  const level = frame[nameEnd];
  return level === undefined || !isUtf8(name) ? undefined : { name: name.toString('utf8'), level };
}

interface PublishParts {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1 | 2;
  readonly dup: boolean;
  readonly retain: boolean;
  readonly packetId: number;
}

/** Encodes into one buffer (MQTT 3.1.1, 3.3): mqtt-packet makes many small ones, which is slower. */
export function encodePublish({ topic, payload, qos, dup, retain, packetId }: PublishParts): Buffer {
  const topicBytes = Buffer.byteLength(topic);
  const remaining = 2 + topicBytes + (qos > 0 ? 2 : 0) + payload.length;
  const frame = Buffer.allocUnsafe(1 + lengthBytes(remaining) + remaining);
  frame[0] = (publishCommand << 4) | (dup ? 8 : 0) | (qos << 1) | (retain ? 1 : 0);
  let at = 1;
  for (let rest = remaining; ; rest >>= 7) {
    frame[at] = rest < 0x80 ? rest : (rest & 0x7f) | 0x80;
    at += 1;
    if (rest < 0x80) break;
  }
  at = frame.writeUInt16BE(topicBytes, at);
  at += frame.write(topic, at, topicBytes, 'utf8');
  if (qos > 0) at = frame.writeUInt16BE(packetId, at);
  frame.set(payload, at);
  return frame;
}

function lengthBytes(remaining: number): number {
  return remaining < 1 << 7 ? 1 : remaining < 1 << 14 ? 2 : remaining < 1 << 21 ? 3 : 4;
}
