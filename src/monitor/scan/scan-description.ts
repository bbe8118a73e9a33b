import type { CallOptions, ManagementApi, Page, PageRequest } from '../../api/management-api.ts';
import type { NodeName } from '../../domain/node.ts';
import type { RowIdentity } from './scan-rows.ts';

/** A paged list: how it is read and how its rows are told apart. */
export interface ScanDescription<T> extends RowIdentity<T> {
  list(api: ManagementApi, node: NodeName, page: PageRequest, options: CallOptions): Promise<Page<T>>;
}
