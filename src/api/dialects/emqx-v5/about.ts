import type { RegisteredDialect } from '../../dialect.ts';
import { basePath } from './base-path.ts';

const statusText = /^Node \S+ is |"node_name"/u;

export const aboutEmqxV5 = {
  id: 'emqx-v5',
  api: 'v5',
  basePath,
  brokers: 'EMQX 5 and 6',
  servedBroker: 'EMQX 5',
  defaultPort: 18083,
  variants: [],
  servedVariant: undefined,
  profiles: [
    { name: 'emqx-5.0', release: 'EMQX 5.0.26' },
    { name: 'emqx-5.8', release: 'EMQX 5.8.9' },
  ],
  hasRules: true,
  probe: { path: '/status?format=json', isAnswer: ({ text }) => statusText.test(text) },
  loadServer: async () => (await import('./server/server.ts')).emqxV5Server,
} as const satisfies RegisteredDialect;
