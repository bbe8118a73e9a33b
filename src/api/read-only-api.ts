import { ReadOnlyError } from './errors.ts';
import type { ManagementApi } from './management-api.ts';

/** Names what was refused, in the error. Checking a password is a POST, too. */
const writing = {
  disconnectClient: 'disconnect a client',
  disconnectClients: 'disconnect clients',
  clearAclCache: 'clear an ACL cache',
  subscribe: 'subscribe for a client',
  unsubscribe: 'unsubscribe for a client',
  publish: 'publish a message',
  startPlugin: 'start a plugin',
  stopPlugin: 'stop a plugin',
  changeSetting: 'change a setting',
  replacePluginSettings: 'change the settings of a plugin',
  clearEndedAlarms: 'clear the alarm history',
  startListener: 'start a listener',
  stopListener: 'stop a listener',
  addBan: 'add a ban',
  liftBan: 'lift a ban',
  deleteRetained: 'delete a retained message',
  addApiKey: 'add an API key',
  setApiKeyEnabled: 'enable or disable an API key',
  deleteApiKey: 'delete an API key',
  addUser: 'add a user',
  changeUserTags: 'change the tags of a user',
  deleteUser: 'delete a user',
  checkCredentials: 'check a password',
  changePassword: 'change a password',
} as const satisfies Partial<Record<keyof ManagementApi, string>>;

type Writing = keyof typeof writing;

export function readOnlyApi(api: ManagementApi): ManagementApi {
  const refuse = (call: Writing) => (): Promise<never> => Promise.reject(new ReadOnlyError(writing[call]));
  const at = api.at?.bind(api);
  // Listed one by one, so that a new call does not compile until it is classified here.
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
    listNodes: (options) => api.listNodes(options),
    getNode: (node, options) => api.getNode(node, options),
    listNodeStats: (options) => api.listNodeStats(options),
    getNodeStats: (node, options) => api.getNodeStats(node, options),
    listListeners: (options) => api.listListeners(options),
    getListeners: (node, options) => api.getListeners(node, options),
    listMetrics: (options) => api.listMetrics(options),
    getMetrics: (node, options) => api.getMetrics(node, options),
    listStats: (options) => api.listStats(options),
    getStats: (node, options) => api.getStats(node, options),
    listClients: (node, page, options) => api.listClients(node, page, options),
    getNodeClient: (node, id, options) => api.getNodeClient(node, id, options),
    getClient: (id, options) => api.getClient(id, options),
    listSessions: (node, page, options) => api.listSessions(node, page, options),
    getNodeSession: (node, id, options) => api.getNodeSession(node, id, options),
    getSession: (id, options) => api.getSession(id, options),
    listSubscriptions: (node, page, options) => api.listSubscriptions(node, page, options),
    getNodeSubscriptions: (node, id, options) => api.getNodeSubscriptions(node, id, options),
    getSubscriptions: (id, options) => api.getSubscriptions(id, options),
    listRoutes: (page, options) => api.listRoutes(page, options),
    getRoutes: (topic, options) => api.getRoutes(topic, options),
    listPlugins: (node, options) => api.listPlugins(node, options),
    listSettings: (options) => api.listSettings(options),
    getSettings: (node, options) => api.getSettings(node, options),
    getPluginSettings: (node, plugin, options) => api.getPluginSettings(node, plugin, options),
    ...optionalReads(api),
    listUsers: (options) => api.listUsers(options),
    disconnectClient: refuse('disconnectClient'),
    ...(api.disconnectClients && { disconnectClients: refuse('disconnectClients') }),
    clearAclCache: refuse('clearAclCache'),
    subscribe: refuse('subscribe'),
    unsubscribe: refuse('unsubscribe'),
    publish: refuse('publish'),
    startPlugin: refuse('startPlugin'),
    stopPlugin: refuse('stopPlugin'),
    changeSetting: refuse('changeSetting'),
    replacePluginSettings: refuse('replacePluginSettings'),
    ...(api.clearEndedAlarms && { clearEndedAlarms: refuse('clearEndedAlarms') }),
    ...(api.startListener && { startListener: refuse('startListener') }),
    ...(api.stopListener && { stopListener: refuse('stopListener') }),
    ...(api.addBan && { addBan: refuse('addBan') }),
    ...(api.liftBan && { liftBan: refuse('liftBan') }),
    ...(api.deleteRetained && { deleteRetained: refuse('deleteRetained') }),
    ...(api.addApiKey && { addApiKey: refuse('addApiKey') }),
    ...(api.setApiKeyEnabled && { setApiKeyEnabled: refuse('setApiKeyEnabled') }),
    ...(api.deleteApiKey && { deleteApiKey: refuse('deleteApiKey') }),
    addUser: refuse('addUser'),
    changeUserTags: refuse('changeUserTags'),
    deleteUser: refuse('deleteUser'),
    checkCredentials: refuse('checkCredentials'),
    changePassword: refuse('changePassword'),
  };
}

const optionalReads = (api: ManagementApi): Partial<ManagementApi> => ({
  ...(api.listAlarms && { listAlarms: api.listAlarms.bind(api) }),
  ...(api.listEndedAlarms && { listEndedAlarms: api.listEndedAlarms.bind(api) }),
  ...(api.searchClients && { searchClients: api.searchClients.bind(api) }),
  ...(api.listAclCache && { listAclCache: api.listAclCache.bind(api) }),
  ...(api.listBans && { listBans: api.listBans.bind(api) }),
  ...(api.listSlowSubscriptions && { listSlowSubscriptions: api.listSlowSubscriptions.bind(api) }),
  ...(api.listRetained && { listRetained: api.listRetained.bind(api) }),
  ...(api.getRetained && { getRetained: api.getRetained.bind(api) }),
  ...(api.listSessionMessages && { listSessionMessages: api.listSessionMessages.bind(api) }),
  ...(api.listApiKeys && { listApiKeys: api.listApiKeys.bind(api) }),
});
