/** `Intl.Segmenter` for the bundle. Loads ICU's break rules, which takes 10 ms, when a text is first segmented. */
export class LazySegmenter {
  readonly #options: ConstructorParameters<typeof Intl.Segmenter>;
  #segmenter: Intl.Segmenter | undefined;

  constructor(...options: ConstructorParameters<typeof Intl.Segmenter>) {
    this.#options = options;
  }

  segment(text: string): Intl.Segments {
    this.#segmenter ??= new globalThis.Intl.Segmenter(...this.#options);
    return this.#segmenter.segment(text);
  }
}
