import type { Message } from '../engine/message.ts';
import type { Delivery } from '../sessions/message-queue.ts';
import type { Recorder, SessionChange } from '../sessions/recorder.ts';
import type { Journal } from './journal.ts';
import type { RecordFile } from './record-file.ts';
import { encodeMessage, type RecordKind } from './record-kinds.ts';

/** Larger payloads are not stored. Several fit into one journal line. */
const maxPayloadBytes = 16 * 1024 * 1024;

interface WholeRecords {
  changed(key: string): void;
}

export class ChangeRecorder implements Recorder {
  readonly #journal: Journal;
  readonly #sessions: Pick<RecordFile<unknown>, 'mark'>;
  readonly #messages = new Map<Message, number>();
  #group = 0;
  #retained: WholeRecords | undefined;

  constructor(journal: Journal, sessions: Pick<RecordFile<unknown>, 'mark'>) {
    this.#journal = journal;
    this.#sessions = sessions;
  }

  get position(): number {
    return this.#journal.position;
  }

  get syncedPosition(): number {
    return this.#journal.syncedPosition;
  }

  get failure(): Error | undefined {
    return this.#journal.failure;
  }

  get isFull(): boolean {
    return this.#journal.isFull;
  }

  accepts(payloadBytes: number): boolean {
    return this.#journal.failure === undefined && payloadBytes <= maxPayloadBytes;
  }

  afterSync(done: () => void): void {
    this.#journal.afterSync(done);
  }

  session(clientId: string, change: SessionChange): void {
    this.#sessions.mark(clientId);
    const encoded = encodeSessionChange(clientId, change, (message) => this.#numberOf(message));
    this.#journal.add(JSON.stringify(encoded));
  }

  setRetained(records: WholeRecords): void {
    this.#retained = records;
  }

  retained(topic: string): void {
    this.#retained?.changed(topic);
  }

  follow<T>(file: RecordFile<T>, kind: RecordKind<T>, read: (key: string) => T | undefined): WholeRecords {
    file.follow({ export: read });
    return {
      changed: (key) => {
        file.mark(key);
        const record = read(key);
        this.#journal.add(
          JSON.stringify(
            record === undefined
              ? { op: 'delete', file: kind.name, key }
              : { op: 'put', file: kind.name, record: kind.encode(record) },
          ),
        );
      },
    };
  }

  #numberOf(message: Message): number {
    if (this.#group !== this.#journal.group) this.#messages.clear();
    this.#group = this.#journal.group;
    const known = this.#messages.get(message);
    if (known !== undefined) return known;
    this.#journal.add(JSON.stringify({ op: 'message', ...encodeMessage(message) }));
    this.#messages.set(message, this.#journal.position);
    return this.#journal.position;
  }
}

type NumberOf = (message: Message) => number;

export function encodeSessionChange(id: string, change: SessionChange, numberOf: NumberOf): object {
  switch (change.op) {
    case 'queue':
      return { id, op: change.op, ...encodeDelivery(change.delivery, numberOf) };
    case 'send': {
      const { op, packetId, delivery, isQueued } = change;
      return isQueued
        ? { id, op: 'sendQueued', packetId }
        : { id, op, packetId, ...encodeDelivery(delivery, numberOf) };
    }
    default:
      return { id, ...change };
  }
}

function encodeDelivery({ message, qos, retain }: Delivery, numberOf: NumberOf): object {
  return { message: numberOf(message), qos, retain };
}
