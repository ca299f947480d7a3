/** What a span is marked as: the digit behind its ids. */
export const ancestorMark = 1;
export const soughtMark = 2;

const idLength = 16;
const rowLength = 2 * idLength + 1;
const noParent = "0".repeat(idLength);

/**
 * Whether one of a trace's marked spans descends from one of those with the other mark. Also true where that cannot be
 * said, because spans share an id.
 * @param spans of each span its id and its parent's, 16 hex digits each, and a digit, the sum of its marks; in any order
 */
export function mayHaveDescendant(spans: string): boolean {
  const count = spans.length / rowLength;
  const places = new Map<string, number>();
  for (let place = 0; place < count; place++) {
    const at = place * rowLength;
    places.set(spans.slice(at, at + idLength), place);
  }
  if (places.size < count) return true;
  const markOf = (place: number) => Number(spans[place * rowLength + 2 * idLength]);
  const parentOf = (place: number) => {
    const at = place * rowLength + idLength;
    const parentId = spans.slice(at, at + idLength);
    const parent = parentId === noParent ? undefined : places.get(parentId);
    return parent === place ? undefined : parent;
  };
  // Spans above which no ancestor is, each looked at once; in a cycle, one that is looked at is none the wiser.
  const seen = new Uint8Array(count);
  for (let place = 0; place < count; place++) {
    if ((markOf(place) & soughtMark) === 0) continue;
    for (let above = parentOf(place); above !== undefined && seen[above] === 0; above = parentOf(above)) {
      if ((markOf(above) & ancestorMark) !== 0) return true;
      seen[above] = 1;
    }
  }
  return false;
}
