/** What the operator did to the columns of a table. Pure, and by id: it outlives columns that come and go, such as those of nodes. */
export interface ColumnChoice {
  /** Ids in the order that was chosen; empty as long as nothing was moved. */
  readonly order: readonly string[];
  readonly hidden: ReadonlySet<string>;
  /** Get their room before the ones that nobody asked for. */
  readonly wanted: ReadonlySet<string>;
  /** In columns of text. */
  readonly widths: ReadonlyMap<string, number>;
}

/** Every column in its own place, by its own priority, as wide as there is room. */
export const noChoice: ColumnChoice = { order: [], hidden: new Set(), wanted: new Set(), widths: new Map() };

/** Between these a column can be made narrower and wider by hand. */
export const widthBounds = { least: 4, most: 200 } as const;

export type ChoiceAction =
  | { readonly type: 'show' | 'hide'; readonly id: string }
  /** To the place of its neighbour; `ids` are all that can be moved, as they stand now. */
  | { readonly type: 'move'; readonly id: string; readonly by: 1 | -1; readonly ids: readonly string[] }
  | { readonly type: 'width'; readonly id: string; readonly width: number }
  | { readonly type: 'reset' };

const withId = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => new Set([...ids, id]);
const withoutId = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => new Set([...ids].filter((each) => each !== id));

/** The next choice; the same object where nothing changes. */
export const reduceChoice = (choice: ColumnChoice, action: ChoiceAction): ColumnChoice => {
  switch (action.type) {
    case 'show':
      return { ...choice, hidden: withoutId(choice.hidden, action.id), wanted: withId(choice.wanted, action.id) };
    case 'hide':
      return { ...choice, hidden: withId(choice.hidden, action.id), wanted: withoutId(choice.wanted, action.id) };
    case 'move': {
      const { id, by, ids } = action;
      const from = ids.indexOf(id);
      const to = from + by;
      if (from === -1 || to < 0 || to >= ids.length) {
        return choice;
      }
      return { ...choice, order: ids.filter((each) => each !== id).toSpliced(to, 0, id) };
    }
    case 'width': {
      const width = Math.max(widthBounds.least, Math.min(widthBounds.most, action.width));
      return choice.widths.get(action.id) === width ? choice : { ...choice, widths: new Map([...choice.widths, [action.id, width]]) };
    }
    case 'reset':
      return noChoice;
  }
};

/** Columns in the order that was chosen, those that stay at the left first; one that the order does not name stands behind the one before it. */
export const orderColumns = <C extends { readonly id: string; readonly isSticky?: boolean | undefined }>(columns: readonly C[], order: readonly string[]): readonly C[] => {
  const sticky = columns.filter(({ isSticky }) => isSticky === true);
  const moving = columns.filter(({ isSticky }) => isSticky !== true);
  if (order.length === 0) {
    return [...sticky, ...moving];
  }
  const placed = order.flatMap((id) => moving.filter((column) => column.id === id));
  for (const [index, column] of moving.entries()) {
    if (!placed.includes(column)) {
      const before = moving[index - 1];
      placed.splice(before === undefined ? 0 : placed.indexOf(before) + 1, 0, column);
    }
  }
  return [...sticky, ...placed];
};
