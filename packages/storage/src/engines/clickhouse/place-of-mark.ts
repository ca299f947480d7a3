/**
 * Where in a text a mark, one byte of FC to FF, stands first: from 1 on, 0 where it does not. Not `position`: in ClickHouse 25.10 to 26.7,
 * on processors without AVX-512, that misses a single byte above 7F near the end of a block's texts, so that the last row has no such
 * mark (issue 111232 of ClickHouse, 306 of StringZilla). Several bytes it finds. Marks have no other case, so this function is as exact.
 * @param text an expression
 * @param mark a literal
 * @param from an expression: the byte to begin with, from 1 on
 */
export function placeOfMark(text: string, mark: string, from?: string): string {
  return `positionCaseInsensitive(${[text, mark, ...(from === undefined ? [] : [from])].join(", ")})`;
}
