import type { NodeName } from '../../domain/node.ts';

/** A line of a trace. */
export interface TraceLine {
  /** The number of the line since it was first read. */
  readonly place: number;
  /** The broker's time as it wrote it, which sorts as text; empty if a line has none. */
  readonly time: string;
  readonly level: string | undefined;
  readonly node: NodeName;
  readonly text: string;
}

const linePattern = /^(\d{4}-\d\d-\d\dT\S+) (?:\[([a-z]+)\] ?)?(.*)$/su;

/** Splits a log into lines. What has no time of its own, such as a payload, belongs to the line before. */
export function linesOf(log: string, node: NodeName): readonly TraceLine[] {
  const lines: TraceLine[] = [];
  for (const raw of log.split('\n')) {
    if (raw === '') continue;
    const [, time, level, text = ''] = linePattern.exec(raw) ?? [];
    const before = lines.at(-1);
    if (time !== undefined) lines.push({ place: 0, time, level, node, text });
    else if (before === undefined) lines.push({ place: 0, time: '', level: undefined, node, text: raw });
    else lines[lines.length - 1] = { ...before, text: `${before.text}\n${raw}` };
  }
  return lines;
}
