/** Marks of a span: the digit after its ids. */
export const ancestorMark = 1;
export const soughtMark = 2;

const idLength = 16;
const rowLength = 2 * idLength + 1;
const noParent = "0".repeat(idLength);

/**
 * Whether one of a trace's spans with one mark descends from a span with the other mark. Also true when spans
 * share an id, because then it is unknown.
 * @param spans of each span its id and its parent's, 16 hex digits each, and a digit, the sum of its marks;
 *   in any order
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
  // Spans without a matching ancestor, so that each is visited once. In a cycle the walk stops at a visited
  // span.
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
