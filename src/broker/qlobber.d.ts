/** The part of qlobber that the engine uses; the package carries no types. */
declare module 'qlobber' {
  export interface QlobberOptions {
    readonly separator?: string;
    readonly wildcard_one?: string;
    readonly wildcard_some?: string;
    readonly match_empty_levels?: boolean;
    readonly max_words?: number;
  }

  export class Qlobber<Value> {
    constructor(options?: QlobberOptions);
    add(filter: string, value: Value): this;
    remove(filter: string, value?: Value): this;
    match(topic: string): Value[];
    clear(): this;
  }
}
