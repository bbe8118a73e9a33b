import type { NodeName } from '../../domain/node.ts';
import type { ClientGroupingId } from '../clients/fields.ts';
import type { SessionGroupingId } from '../sessions/fields.ts';
import type { SubscriptionGroupingId } from '../subscriptions/fields.ts';

/** The properties that rows can be grouped by. */
export type GroupingId = ClientGroupingId | SessionGroupingId | SubscriptionGroupingId;

/** The list shows groups instead of rows. */
export interface GroupsScope {
  readonly kind: 'groups';
  readonly by: GroupingId;
  /** The scope that the groups were made in. */
  readonly of: ListScope | undefined;
  /** The filter of the list that the groups were made from: only its rows are grouped. */
  readonly filter?: string | undefined;
}

/** Clients found at one moment; later matches are not added. */
export interface FoundScope {
  readonly kind: 'found';
  /** Says what the clients have in common. */
  readonly name: string;
  /** Steady time; tells two searches apart. */
  readonly atMs: number;
  /** A set, so that `placeKey` does not serialize all ids. */
  readonly clientIds: ReadonlySet<string>;
}

/** The rows that a list is narrowed to: an exact match, unlike a filter. */
export type ListScope =
  | { readonly kind: 'node'; readonly node: NodeName }
  | { readonly kind: 'client'; readonly clientId: string }
  /** A topic filter as subscribed, not the topics that match it. */
  | { readonly kind: 'topic'; readonly topic: string }
  | FoundScope
  | GroupsScope
  /** One group; `undefined` is the group of rows without the value. */
  | {
      readonly kind: 'group';
      readonly by: GroupingId;
      readonly value: string | undefined;
      readonly of: ListScope | undefined;
    };

/** Names a scope, unescaped. */
export function scopeName(scope: ListScope): string {
  switch (scope.kind) {
    case 'node':
      return scope.node;
    case 'client':
      return scope.clientId;
    case 'topic':
      return scope.topic;
    case 'found':
      return scope.name;
    case 'groups':
      return scope.by;
    case 'group':
      return scope.value ?? '';
  }
}
