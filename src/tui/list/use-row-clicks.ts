import { useRef } from 'react';
import { usePointer } from '../keys/use-keys.ts';
import { selectCursorId } from './list-state.ts';
import type { ListControl } from './use-list-state.ts';

/** Two clicks on one row within this time open it. */
const doubleClickMs = 400;

/** Puts the cursor on a clicked row, given its index in the list; a second click opens it as Enter does. */
const useIndexClicks = ({ cell }: ListControl): ((indexOf: () => number) => void) => {
  const { click, clickIn } = usePointer();
  const last = useRef<{ readonly id: string; readonly atMs: number }>(undefined);
  return (indexOf) => {
    clickIn('list', () => {
      const { ids, cursorIndex } = cell.state;
      const index = indexOf();
      const id = index < 0 ? undefined : ids.at(index);
      if (id === undefined) return;
      const nowMs = performance.now();
      const isDouble =
        last.current?.id === id && nowMs - last.current.atMs <= doubleClickMs && selectCursorId(cell.state) === id;
      // A third click is a first one.
      last.current = isDouble ? undefined : { id, atMs: nowMs };
      if (isDouble) click('open');
      else cell.move({ type: 'move', by: index - cursorIndex });
    });
  };
};

/** Handles clicks on rows counted from the first visible one. A click also chooses the clicked column. */
export const useRowClicks = (
  control: ListControl,
  chooseColumn?: (columnId: string) => void,
): ((visibleIndex: number, columnId?: string) => void) => {
  const clickAt = useIndexClicks(control);
  return (visibleIndex, columnId) => {
    clickAt(() => {
      if (columnId !== undefined) chooseColumn?.(columnId);
      return control.cell.state.top + visibleIndex;
    });
  };
};

/** Handles clicks in lists whose rows are drawn by their ids. */
export const useIdClicks = (control: ListControl): ((id: string) => void) => {
  const clickAt = useIndexClicks(control);
  return (id) => {
    clickAt(() => control.cell.state.ids.indexOf(id));
  };
};
