/**
 * The first place of a mark, one byte of FC to FF, in a text: from 1, or 0 when it is absent. `position`
 * cannot be used. In ClickHouse 25.10 to 26.7, on processors without AVX-512, it misses a single byte above
 * 7F near the end of a block's texts. The last row then seems to have no mark (issue 111232 of ClickHouse,
 * 306 of StringZilla). It does find several bytes. The function used here ignores case, and marks have none,
 * so it is as exact.
 * @param text an expression
 * @param mark a literal
 * @param from an expression: the byte to begin with, from 1 on
 */
export function placeOfMark(text: string, mark: string, from?: string): string {
  return `positionCaseInsensitive(${[text, mark, ...(from === undefined ? [] : [from])].join(", ")})`;
}
