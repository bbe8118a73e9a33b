import { NotFoundError } from '../../api/errors.ts';
import type { ServedReads } from '../../api/dialect.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { ByNode, NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import { stoppedFigures } from '../node.ts';

type ServedByNode = ServedReads & Pick<ManagementApi, 'listAlarms'>;

/**
 * Returns the API as one node serves it: nodes that it has lost touch with count as stopped, and what is on them is not
 * known.
 */
export function viewOfNode<Api extends ServedByNode>(api: Api, cluster: BrokerCluster, self: NodeName): Api {
  const sees = (node: NodeName): boolean => cluster.areInTouch(self, node);
  const seen = <T>(rows: ByNode<T>): ByNode<T> => new Map([...rows].filter(([node]) => sees(node)));
  const on =
    <Rest extends readonly unknown[], T>(read: (node: NodeName, ...rest: Rest) => Promise<T>) =>
    async (node: NodeName, ...rest: Rest): Promise<T> => {
      if (!sees(node)) throw new NotFoundError();
      return read(node, ...rest);
    };
  const rowsOf =
    <Row extends { readonly node?: NodeName | undefined }, Arguments extends readonly unknown[]>(
      read: (...values: Arguments) => Promise<readonly Row[]>,
    ) =>
    async (...values: Arguments): Promise<readonly Row[]> =>
      (await read(...values)).filter(({ node }) => node === undefined || sees(node));
  return {
    ...api,
    listNodes: async (options) => (await api.listNodes(options)).filter(({ name }) => sees(name)),
    listNodeStats: async (options) =>
      (await api.listNodeStats(options)).map((row) => (sees(row.name) ? row : stoppedFigures(row.name))),
    listListeners: async (options) => seen(await api.listListeners(options)),
    async listMetrics(options) {
      const figures = await api.listMetrics(options);
      return figures.kind === 'by-node' ? { ...figures, nodes: seen(figures.nodes) } : figures;
    },
    listStats: async (options) => seen(await api.listStats(options)),
    getNode: on(api.getNode),
    getNodeStats: on(api.getNodeStats),
    getListeners: on(api.getListeners),
    getMetrics: on(api.getMetrics),
    getStats: on(api.getStats),
    listClients: on(api.listClients),
    getNodeClient: on(api.getNodeClient),
    listSessions: on(api.listSessions),
    getNodeSession: on(api.getNodeSession),
    listSubscriptions: on(api.listSubscriptions),
    getNodeSubscriptions: on(api.getNodeSubscriptions),
    listAlarms: api.listAlarms && on(api.listAlarms),
    getClient: rowsOf(api.getClient),
    getSession: rowsOf(api.getSession),
    getSubscriptions: rowsOf(api.getSubscriptions),
    getRoutes: rowsOf(api.getRoutes),
  };
}
