import type { RegisteredDialect } from '../../dialect.ts';
import { basePath } from './base-path.ts';

export const aboutEmqV2 = {
  id: 'emq-v2',
  api: 'v2',
  basePath,
  brokers: 'EMQ 2.x',
  servedBroker: 'EMQ 2.x',
  defaultPort: 8080,
  variants: ['a', 'b'],
  servedVariant: 'b',
  profiles: [{ name: 'emq-2.3', release: 'EMQ 2.3.11', variant: 'b' }],
  // Without a login every path that exists is refused.
  probe: { path: '/management/nodes', isAnswer: ({ status }) => status !== 404 },
  loadServer: async () => (await import('./server/server.ts')).emqV2Server,
} as const satisfies RegisteredDialect;
