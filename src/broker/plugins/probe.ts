import { connect } from 'node:net';
import { errorCodeOf, reasonText } from '../../domain/error-code.ts';

const connectMs = 2_000;

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Opens a connection and closes it. Resolves with why it cannot; `undefined` if it can. */
export function probe({ protocol, hostname, port }: URL): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replaceAll(/[[\]]/gu, ''),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
    });
    const end = (reason: string | undefined): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(connectMs, () => end('Timeout'));
    socket.once('connect', () => end(undefined));
    socket.once('error', (error) => end(capitalize(reasonText(errorCodeOf(error) ?? 'failed'))));
  });
}
