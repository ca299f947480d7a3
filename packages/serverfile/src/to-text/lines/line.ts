/** A word of a line. A plain string is quoted if necessary. */
export type Word =
  | string
  /** Always quoted, which marks the word as a text. */
  | { readonly quoted: string }
  /** Text that is written without changes: several words, or a word in quotes. */
  | { readonly raw: string };

/**
 * A directive, a subdirective or an option, with the lines in its braces. `{ words: ["header", "A", "b c"] }` is
 * written as `header A "b c"`.
 */
export interface Line {
  /** Words of the line; the first word is its name. */
  readonly words: readonly Word[];
  /**
   * Lines in braces; undefined without braces. The lines are read when the text is made, because the order of routes is
   * known only then.
   */
  readonly block?: Block | undefined;
}

/** The lines in braces. */
export type Block = readonly Line[] | { readonly lines: readonly Line[] };

/** A line without a block. */
export function line(...words: readonly Word[]): Line {
  return { words };
}

/** A line with a block; an empty block is left out. */
export function lineWith(words: readonly Word[], block: readonly Line[]): Line {
  return block.length === 0 ? { words } : { words, block };
}

/** A value as a list; empty for an absent value. */
export function given<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}

/** The block of a directive; an empty block is left out. */
export function blockOf(lines: readonly Line[]): { readonly block?: readonly Line[] } {
  return lines.length === 0 ? {} : { block: lines };
}

export function linesOf(block: Block): readonly Line[] {
  return "lines" in block ? block.lines : block;
}

/** Returns the text of a word without quotes. */
export function textOf(word: Word): string {
  return typeof word === "string" ? word : "quoted" in word ? word.quoted : word.raw;
}

/** Joins blocks. The lines are read when the text is made. */
export function joined(...blocks: readonly Block[]): Block {
  return {
    get lines() {
      return blocks.flatMap(linesOf);
    },
  };
}
