import { fieldNames, type ListName } from '../../resources/lists.ts';
import type { Preferences, TablePreferences } from '../../tui/list/list-state.ts';

type ArrangedLists = {
  readonly [Name in ListName]?:
    | { readonly columns?: readonly string[] | undefined; readonly sort?: string | undefined }
    | undefined;
};

/** Returns the columns in the order given, without the others, and the sort of each list. */
export function listPreferences(lists: ArrangedLists = {}): Preferences['tables'] {
  return Object.fromEntries(
    Object.entries(lists).flatMap(([name, settings]): [string, TablePreferences][] => {
      if (settings === undefined) return [];
      const { columns, sort } = settings;
      const hidden = fieldNames(name as ListName).filter((id) => columns?.includes(id) === false);
      return [
        [
          name,
          {
            sort:
              sort === undefined ? undefined : { columnId: sort.replace(/^-/u, ''), isReversed: sort.startsWith('-') },
            columns:
              columns === undefined
                ? undefined
                : {
                    isWide: false,
                    choice: {
                      order: [...columns, ...hidden],
                      hidden: new Set(hidden),
                      wanted: new Set(columns),
                      widths: new Map(),
                    },
                  },
          },
        ],
      ];
    }),
  );
}
