/** A plugin of a node (§2.8). */
export interface Plugin {
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly active: boolean | undefined;
}
