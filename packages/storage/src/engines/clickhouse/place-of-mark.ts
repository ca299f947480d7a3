/**
 * SQL for the position of the first mark in a text, a byte from FC to FF. The result is 1 for the first byte, and 0
 * without a mark. `position` cannot be used: in ClickHouse 25.10 to 26.7, on processors without AVX-512, it misses a
 * single byte above 7F near the end of a block's texts. The last row then seems to have no mark (issue 111232 of
 * ClickHouse, 306 of StringZilla). It does find sequences of several bytes. The function used instead ignores case,
 * which does not matter for marks.
 * @param text SQL expression
 * @param mark SQL literal
 * @param from SQL expression for the first byte to search, counted from 1
 */
export function placeOfMark(text: string, mark: string, from?: string): string {
  return `positionCaseInsensitive(${[text, mark, ...(from === undefined ? [] : [from])].join(", ")})`;
}
