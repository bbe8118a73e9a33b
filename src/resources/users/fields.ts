import type { AdminUser } from '../../domain/administration.ts';
import { defineFields } from '../../table/field.ts';

export interface UserRow extends AdminUser {
  readonly isOwn: boolean;
}

/** Marks the user that this program signs in as. */
export const ownUserText = 'you';

export const userFields = defineFields<UserRow>()({
  name: { label: 'NAME', type: 'name', get: ({ username }) => username },
  tags: { label: 'TAGS', type: 'text', get: ({ tags }) => tags },
  own: { label: 'WHO', type: 'flag', get: ({ isOwn }) => isOwn, text: ({ isOwn }) => (isOwn ? ownUserText : '') },
});
