import { limits } from '../../src/checks/limits/check.ts';
import { listeners } from '../../src/checks/listeners/check.ts';
import { nodes } from '../../src/checks/nodes/check.ts';
import { readings } from '../../src/checks/readings/check.ts';
import type { MonitorState } from '../../src/monitor/state.ts';
import { type Check, noneFound } from '../../src/triage/check.ts';
import type { Finding } from '../../src/triage/problem.ts';
import { criticalFirst, jumpOf } from '../../src/triage/grouping.ts';
import { emptyHistory } from '../../src/triage/memory.ts';

const basic: readonly Check[] = [readings, nodes, limits, listeners];

/** What the checks find that need no history: parts of others too, critical ones first. */
export const basicFindings = (state: MonitorState): readonly Finding[] =>
  criticalFirst(
    basic.flatMap((check) =>
      check
        .judge({ state, history: emptyHistory, nowMs: 0, unjudged: [], found: noneFound, earlier: [] })
        .findings.map((found): Finding => ({ ...found, check: check.id, jump: jumpOf(check, found) })),
    ),
  );
