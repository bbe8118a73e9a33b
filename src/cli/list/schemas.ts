import { changeFields } from '../../compare/rows.ts';
import { listedFields } from '../../resources/lists.ts';
import { eventFields } from '../../timeline/fields.ts';
import type { ValueType } from '../../table/column.ts';
import { fieldColumn, type Fields } from '../../table/field.ts';
import { problemFields } from './problem-columns.ts';
import { type ListResource, listResources } from './resources.ts';

const fieldsOf = (resource: ListResource): Fields<never, never> =>
  resource === 'problems' ? problemFields : listedFields(resource);

const jsonTypes: Readonly<Record<ValueType, object>> = {
  text: { type: ['string', 'null'] },
  number: { type: ['number', 'null'] },
  boolean: { type: ['boolean', 'null'] },
  time: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
  moment: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
};

/** Describes what a command prints as JSON: an array of rows with all fields. */
function rowsSchema(command: string, all: Fields<never, never>, more: object = {}): object {
  const fields = Object.entries(all);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `brokertop ${command} --format json`,
    description: 'All columns are required; with --columns there are only those.',
    type: 'array',
    items: {
      type: 'object',
      properties: Object.fromEntries(
        fields.map(([name, field]) => [name, jsonTypes[fieldColumn(name, field).type ?? 'text']]),
      ),
      ...more,
      required: fields.map(([name]) => name),
      additionalProperties: false,
    },
  };
}

const listSchema = (resource: ListResource): object =>
  rowsSchema(
    `list ${resource}`,
    fieldsOf(resource),
    // Plugins have a column for each node.
    resource === 'plugins' ? { patternProperties: { '^on ': jsonTypes.boolean } } : {},
  );

export const schemaText = (schema: object): string => `${JSON.stringify(schema, null, 2)}\n`;

/** The JSON Schemas of the lists, of `events` and of `diff` by the names of their files, for the package. */
export const listSchemas = (): ReadonlyMap<string, string> =>
  new Map([
    ...listResources.map((resource) => [`list-${resource}.json`, schemaText(listSchema(resource))] as const),
    ['events.json', schemaText(rowsSchema('events', eventFields))],
    ['diff.json', schemaText(rowsSchema('diff BEFORE AFTER', changeFields))],
  ]);
