import type { ApiKey } from '../../domain/administration.ts';
import { defineFields } from '../../table/field.ts';

export const apiKeyFields = defineFields<ApiKey, unknown>()({
  name: { label: 'NAME', type: 'name', get: ({ name }) => name },
  key: { label: 'KEY', type: 'text', get: ({ key }) => key },
  enabled: { label: 'ENABLED', type: 'flag', get: ({ isEnabled }) => isEnabled },
  expires: {
    label: 'EXPIRES',
    type: 'time',
    get: ({ expiresAt }) => expiresAt,
    // A key that never expires comes last.
    order: ({ expiresAt }) => expiresAt ?? Number.MAX_SAFE_INTEGER,
  },
  created: { label: 'CREATED', type: 'time', get: ({ createdAt }) => createdAt },
  description: { label: 'DESCRIPTION', type: 'text', get: ({ description }) => description },
});
