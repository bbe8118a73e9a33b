import { type SafeText, safe } from '../../terminal/safe-text.ts';
import { fit } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { type Line, composeLine } from '../../terminal/line.ts';

/** A labelled figure of a record. */
export interface Field {
  readonly label: SafeText;
  readonly value: SafeText;
  readonly role?: Role | undefined;
}

const labelWidth = 14;
const cellWidth = 38;
const mostColumns = 4;

/** Labelled figures side by side, as many columns as there is room for, reading down each. */
export const fieldLines = (theme: Theme, width: number, fields: readonly Field[], base: Role = 'normal'): readonly Line[] => {
  const columns = Math.max(1, Math.min(mostColumns, Math.floor((width - 2) / cellWidth), fields.length));
  const height = Math.ceil(fields.length / columns);
  const each = Math.floor((width - 2) / columns);
  return Array.from({ length: height }, (_, line) =>
    composeLine(theme, width, [
      { text: safe`  ` },
      ...Array.from({ length: columns }, (_, column) => fields[column * height + line]).flatMap((field) =>
        field === undefined
          ? []
          : [
              { text: fit(field.label, labelWidth), role: 'dim' as const },
              { text: safe`${fit(field.value, Math.max(1, each - labelWidth - 2))}  `, role: field.role },
            ],
      ),
    ], base),
  );
};
