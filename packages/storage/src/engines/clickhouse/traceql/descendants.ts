/** Marks of a span: the digit after its ids in the text of `mayHaveDescendant`. A span may have both marks. */
export const ancestorMark = 1;
export const soughtMark = 2;

const idLength = 16;
const rowLength = 2 * idLength + 1;
const noParent = "0".repeat(idLength);

/**
 * True when a span with the mark `soughtMark` and a span with the mark `ancestorMark` are related as descendant and
 * ancestor. Also true when spans share an id, because then the answer is unknown.
 * @param spans for each span, in any order: its id and its parent's id, 16 hex digits each, and a digit with the sum of
 * its marks
 */
export function mayHaveDescendant(spans: string): boolean {
  const count = spans.length / rowLength;
  const places = new Map<string, number>();
  for (let place = 0; place < count; place++) {
    const at = place * rowLength;
    places.set(spans.slice(at, at + idLength), place);
  }
  if (places.size < count) {
    return true;
  }
  const markOf = (place: number) => Number(spans[place * rowLength + 2 * idLength]);
  const parentOf = (place: number) => {
    const at = place * rowLength + idLength;
    const parentId = spans.slice(at, at + idLength);
    const parent = parentId === noParent ? undefined : places.get(parentId);
    return parent === place ? undefined : parent;
  };
  // Visited spans that have no matching ancestor, so that each span is visited once. In a cycle the walk stops at a
  // visited span.
  const seen = new Uint8Array(count);
  for (let place = 0; place < count; place++) {
    if ((markOf(place) & soughtMark) === 0) {
      continue;
    }
    for (let above = parentOf(place); above !== undefined && seen[above] === 0; above = parentOf(above)) {
      if ((markOf(above) & ancestorMark) !== 0) {
        return true;
      }
      seen[above] = 1;
    }
  }
  return false;
}
