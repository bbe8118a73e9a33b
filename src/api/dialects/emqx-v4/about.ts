import type { RegisteredDialect } from '../../dialect.ts';
import { basePath } from './base-path.ts';

/** Matches what EMQX 4 and NanoMQ answer without a login, and EMQ 2 does not. */
const withoutLogin = /^UNAUTHORIZED$|^\{"code":\s*10[34]\}$/u;
/** Matches the list of endpoints, which a proxy that signs in by itself lets pass. */
const endpointList = /"path"\s*:\s*"\/?brokers\/?"/u;

export const aboutEmqxV4 = {
  id: 'emqx-v4',
  api: 'v4',
  basePath,
  brokers: 'EMQX 4 and NanoMQ',
  servedBroker: 'EMQX 4',
  defaultPort: 8081,
  variants: [],
  servedVariant: undefined,
  profiles: [{ name: 'emqx-4.4', release: 'EMQX 4.4.19' }],
  probe: {
    path: '/',
    isAnswer: ({ status, text }) =>
      (status === 401 && withoutLogin.test(text.trim())) || (status === 200 && endpointList.test(text)),
  },
  loadServer: async () => (await import('./server/server.ts')).emqxV4Server,
} as const satisfies RegisteredDialect;
