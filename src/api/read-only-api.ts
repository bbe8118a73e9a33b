import { ReadOnlyError } from './errors.ts';
import type { ManagementApi } from './management-api.ts';

/** For the error. Checking a password is a POST, too. */
const writing = {
  disconnectClient: 'disconnect a client',
  clearAclCache: 'clear an ACL cache',
  subscribe: 'subscribe for a client',
  unsubscribe: 'unsubscribe for a client',
  publish: 'publish a message',
  startPlugin: 'start a plugin',
  stopPlugin: 'stop a plugin',
  changeSetting: 'change a setting',
  replacePluginSettings: 'change the settings of a plugin',
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
    get capabilities() { return api.capabilities; },
    get apiDoubt() { return api.apiDoubt; },
    get receivedBytes() { return api.receivedBytes; },
    get waitedMs() { return api.waitedMs; },
    get openConnections() { return api.openConnections; },
    get urls() { return api.urls; },
    get servingUrl() { return api.servingUrl; },
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
    ...(api.listAlarms && { listAlarms: api.listAlarms.bind(api) }),
    listUsers: (options) => api.listUsers(options),
    disconnectClient: refuse('disconnectClient'),
    clearAclCache: refuse('clearAclCache'),
    subscribe: refuse('subscribe'),
    unsubscribe: refuse('unsubscribe'),
    publish: refuse('publish'),
    startPlugin: refuse('startPlugin'),
    stopPlugin: refuse('stopPlugin'),
    changeSetting: refuse('changeSetting'),
    replacePluginSettings: refuse('replacePluginSettings'),
    addUser: refuse('addUser'),
    changeUserTags: refuse('changeUserTags'),
    deleteUser: refuse('deleteUser'),
    checkCredentials: refuse('checkCredentials'),
    changePassword: refuse('changePassword'),
  };
}
