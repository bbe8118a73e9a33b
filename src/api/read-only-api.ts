import { ReadOnlyError } from './errors.ts';
import { makeOperations, type ManagementApi, operationOf, operations } from './management-api.ts';

/** The same API, of which each write rejects with `ReadOnlyError` and sends nothing. */
export function readOnlyApi(api: ManagementApi): ManagementApi {
  const at = api.at?.bind(api);
  return {
    get capabilities() {
      return api.capabilities;
    },
    get apiDoubt() {
      return api.apiDoubt;
    },
    get receivedBytes() {
      return api.receivedBytes;
    },
    get openConnections() {
      return api.openConnections;
    },
    get urls() {
      return api.urls;
    },
    get servingUrl() {
      return api.servingUrl;
    },
    ...(at !== undefined && { at: (url: string) => readOnlyApi(at(url)) }),
    ...makeOperations((name) => {
      const call = operationOf(api, name);
      const kind = operations[name];
      return call === undefined || kind === 'read' ? call : () => Promise.reject(new ReadOnlyError(kind.write));
    }),
  };
}
