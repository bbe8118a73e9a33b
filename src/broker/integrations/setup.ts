import { topicMatcher } from '../../domain/topics.ts';

/** An HTTP service that messages go to. */
export interface ConnectorSetup {
  readonly name: string;
  readonly url: URL;
  readonly isEnabled?: boolean | undefined;
}

export interface ActionSetup {
  readonly name: string;
  readonly connector: string;
  readonly isEnabled?: boolean | undefined;
  /** A message waits so long to be sent, then it is lost. */
  readonly requestTtlMs?: number | undefined;
  /** The oldest messages are lost when more of them wait. */
  readonly maxBufferBytes?: number | undefined;
}

export interface RuleSetup {
  readonly id: string;
  readonly sql: string;
  /** The names of actions. */
  readonly actions: readonly string[];
  readonly isEnabled?: boolean | undefined;
}

export interface IntegrationSetup {
  readonly connectors: readonly ConnectorSetup[];
  readonly actions: readonly ActionSetup[];
  readonly rules: readonly RuleSetup[];
}

export interface SelectedMessage {
  readonly topic: string;
  readonly payload: string;
  readonly qos: number;
  readonly clientid: string;
  readonly node: string;
  readonly timestamp: number;
}

export interface ParsedRule {
  readonly matches: (topic: string) => boolean;
  /** @throws SyntaxError for a payload that is not JSON, where the rule decodes it */
  readonly select: (message: SelectedMessage) => object;
}

const statement =
  /^\s*SELECT\s+(\*|json_decode\(payload\)(?:\s+AS\s+(\w+))?)\s+FROM\s+("[^"]+"(?:\s*,\s*"[^"]+")*)\s*$/iu;

/** Parses `SELECT * FROM "a/#", "b"` and `SELECT json_decode(payload) AS x FROM "a"`. @throws RangeError */
export function parseRule(sql: string): ParsedRule {
  const [, columns, name = 'payload', from = ''] = statement.exec(sql) ?? [];
  if (columns === undefined) throw new RangeError(`This broker cannot run the rule ${sql}`);
  const matchers = [...from.matchAll(/"([^"]+)"/gu)].map(([, filter = '']) => topicMatcher(filter));
  return {
    matches: (topic) => matchers.some((isMatch) => isMatch(topic)),
    select: columns === '*' ? (message) => message : ({ payload }) => ({ [name]: JSON.parse(payload) as unknown }),
  };
}
