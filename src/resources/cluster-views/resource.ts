import type { ClusterView } from '../../domain/node.ts';
import { defineResource } from '../../monitor/query/query.ts';
import { offered } from '../offered.ts';
import { askAt } from '../own-answers.ts';

/** The cluster as one address shows it. */
export interface AddressView {
  readonly url: string;
  /** `undefined`: the address did not answer. */
  readonly view: ClusterView | undefined;
  /** The reading before had the same nodes: a node that is just starting or stopping makes no split. */
  readonly isSteady: boolean;
}

/** The cluster as all addresses show it. */
export interface ClusterViews {
  readonly addresses: readonly AddressView[];
  /** The address whose figures are shown. */
  readonly shownUrl: string | undefined;
}

const what = 'the nodes that each node sees';

/** Which nodes the node at each address sees. */
export const clusterViews = defineResource<ClusterViews>({
  name: 'clusterViews',
  source: what,
  every: 'fifthTick',
  isInParts: true,
  open({ api }) {
    let before: ReadonlyMap<string, string> = new Map();
    return async (call) => {
      const { urls = [], servingUrl: shownUrl } = api;
      const ask = offered(api, 'getClusterView', what);
      const views: (readonly [url: string, view: ClusterView | undefined])[] = [];
      if (urls.length < 2) views.push([shownUrl ?? '', await call.request(() => ask(call))]);
      else
        for (const url of urls)
          views.push([
            url,
            await call.request(() => askAt(api, url, call, (port) => offered(port, 'getClusterView', what)(call))),
          ]);
      const texts = new Map(
        views.flatMap(([url, view]) => (view === undefined ? [] : [[url, JSON.stringify(view.nodes.toSorted())]])),
      );
      const addresses = views.map(([url, view]): AddressView => ({
        url,
        view,
        isSteady: view !== undefined && texts.get(url) === before.get(url),
      }));
      before = texts;
      return { addresses, shownUrl };
    };
  },
});
