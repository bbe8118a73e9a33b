import { selectNodeNames } from '../../../src/resources/nodes/select.ts';
import { bulkViews } from '../../../src/resources/clients/view/bulk-dialog.tsx';
import type { DialogRequest } from '../../../src/actions/requests.ts';
import { Box, Text } from 'ink';
import { type ReactNode, useCallback, useState } from 'react';
import { type ActingMonitor } from '../../../src/actions/acting-monitor.ts';
import { createMonitor } from '../../../src/resources/cluster.ts';
import { type ManagementApi, operationNames, operations } from '../../../src/api/management-api.ts';
import type { Client } from '../../../src/domain/client.ts';
import { noticeTexts } from '../../../src/tui/frame/texts.ts';
import { TopDialog, useDialogHost } from '../../../src/tui/dialogs/dialog-host.tsx';
import { useKeys } from '../../../src/tui/keys/use-keys.ts';
import { capabilitiesOfB } from '../../actions/support.ts';
import { client, createFakeApi } from '../../monitor/fake-api.ts';
import { screenFor, unboxed } from '../../support/boxes.ts';
import { createRig, plainTheme, type Rig } from '../support/rig.tsx';
import { bulkTold } from '../../../src/resources/clients/view/bulk-texts.ts';

export const hostileId = 'z\u001B[2J\u202E/é "quoted"';
export const longId = `start-${'x'.repeat(60_000)}-end`;

interface HarnessProps {
  readonly monitor: ActingMonitor;
  readonly request: DialogRequest;
  readonly isReadOnly: boolean;
  readonly isDemo: boolean;
  readonly heard: (command: string) => void;
  readonly size: readonly [number, number];
}

/** A screen on which `P` asks, and that says which keys reached it. */
const Harness = ({ monitor, request, isReadOnly, isDemo, heard, size: [width, height] }: HarnessProps): ReactNode => {
  const [said, setSaid] = useState('');
  const host = useDialogHost({
    bulkTold,
    nodeNames: useCallback(() => selectNodeNames(monitor.store.getState()), [monitor]),
    monitor,
    refusal: isReadOnly ? noticeTexts.readOnly : undefined,
    isDemo,
    notify: useCallback((text?: string) => {
      setSaid(text ?? '');
    }, []),
    width,
    exit: useCallback(() => {
      heard('exit');
    }, [heard]),
    run: heard,
  });
  useKeys('global', {
    publish: () => {
      host.ask(request);
    },
    screenLog: () => {
      host.ask(request);
    },
    showBulk: host.showBulk,
    quit: host.quit,
    palette: () => {
      heard('palette');
    },
    back: () => {
      heard('back');
    },
    nextScreen: () => {
      heard('next');
    },
  });
  return (
    <Box flexDirection="column" width={width}>
      <Text>{`behind ${said}`}</Text>
      <Box width={width} height={height}>
        {host.entry !== undefined && (
          <TopDialog
            views={bulkViews}
            key={host.entry.key}
            host={host}
            entry={host.entry}
            monitor={monitor}
            width={width}
            height={height}
          />
        )}
      </Box>
    </Box>
  );
};

export interface AskedRig extends Rig {
  readonly monitor: ActingMonitor;
  /** Names of the port's calls, in order. */
  readonly calls: readonly string[];
  /** Those of them that write. */
  readonly writes: () => readonly string[];
  /** Commands that reached the screen behind. */
  readonly heard: readonly string[];
  readonly text: () => string;
}

/** A text whose lines were broken anywhere, as one line. */
export const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

const writeNames: ReadonlySet<string> = new Set(operationNames.filter((name) => operations[name] !== 'read'));

const monitors: ActingMonitor[] = [];

export const endMonitors = (): void => {
  for (const monitor of monitors.splice(0)) {
    monitor.stop();
  }
};

export interface AskedOptions {
  readonly isReadOnly?: boolean | undefined;
  readonly isDemo?: boolean | undefined;
  /** The size of the dialog's content. */
  readonly size?: readonly [number, number] | undefined;
}

/** A dialog as it is opened in the program, without its box, over a broker that answers as `parts` does. */
export const createAskedRig = (
  request: DialogRequest,
  parts: Partial<ManagementApi> = {},
  { isReadOnly = false, isDemo = false, size: content = [80, 18] }: AskedOptions = {},
): AskedRig => {
  const size = screenFor(content);
  const calls: string[] = [];
  const heard: string[] = [];
  const logged = Object.fromEntries(
    Object.entries(parts).map(([name, part]): [string, unknown] => {
      if (typeof part !== 'function') {
        return [name, part];
      }
      return [
        name,
        (...values: readonly unknown[]): unknown => {
          calls.push(name);
          return Reflect.apply(part, undefined, values);
        },
      ];
    }),
  );
  const monitor = createMonitor({
    api: createFakeApi({ capabilities: capabilitiesOfB, ...logged }),
    intervalSeconds: 60,
    isReadOnly,
  });
  monitors.push(monitor);
  const rig = createRig(
    <Harness
      monitor={monitor}
      request={request}
      isReadOnly={isReadOnly}
      isDemo={isDemo}
      heard={(command) => {
        heard.push(command);
      }}
      size={size}
    />,
    { columns: size[0], rows: size[1] + 6, theme: plainTheme },
  );
  const { lines: rawLines, until } = rig;
  const lines = (): readonly string[] => unboxed(rawLines());
  return Object.assign(rig, {
    monitor,
    calls,
    writes: () => calls.filter((call) => writeNames.has(call)),
    heard,
    lines,
    text: () => lines().join('\n'),
    until: async (condition: (text: string) => boolean) =>
      unboxed(await until((text) => condition(unboxed(text.split('\n')).join('\n')))),
  });
};

/** A broker with one connection, which is gone once it is disconnected; that waits for `gate`. */
export const brokerWith = (
  shown: Client,
  more: Partial<ManagementApi> = {},
  gate: Promise<void> = Promise.resolve(),
): Partial<ManagementApi> => {
  let isConnected = true;
  const rows = async (): Promise<readonly Client[]> => (isConnected ? [shown] : []);
  return {
    getNodeClient: rows,
    getClient: rows,
    getSession: async () => [],
    getSubscriptions: async () => [],
    disconnectClient: async () => {
      await gate;
      isConnected = false;
    },
    ...more,
  };
};

export const shownClient = (clientId = 'pump-1'): Client => client(clientId, 'broker1@127.0.0.1', 1_767_225_600);
