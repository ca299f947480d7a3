import type { SpanGroup } from "../../../trace/span-groups.ts";

/** A box of the flame graph, which shows one group. */
export interface FlameBox {
  /** Index of the group that the box shows. */
  group: number;
  /** Number of rows below the top row. */
  level: number;
  /** Left edge, as a share of the whole width, 0 to 1. */
  left: number;
  /** Width, as a share of the whole width, 0 to 1. */
  width: number;
}

/** Maximum number of boxes that are drawn. More elements would make each step slow; the top rows come first. */
export const mostBoxes = 4_000;

/** Share of a box's width that too narrow siblings may take from the wider siblings. */
const partOfNarrow = 1 / 4;

/** Child groups by parent group; −1 for the top. */
type Children = ReadonlyMap<number, readonly number[]>;

/**
 * Lays out groups. The width is the self time of a group and the groups below, and the widest sibling comes first. A
 * group too short to be visible, such as 0 µs, gets the width `least` as long as there is room.
 * @param focus the group that gets the whole width, with its ancestors above; −1 for all groups
 * @param least minimum width of a box, as a share of the whole width
 * @returns the boxes, and the number of groups below the focus that have no box
 */
export function flameLayout(
  groups: readonly SpanGroup[],
  focus: number,
  least: number,
): { boxes: FlameBox[]; left: number } {
  const children = childrenOf(groups);
  const above: number[] = [];
  for (let at = focus; at !== -1; at = groups[at]?.parent ?? -1) {
    above.unshift(at);
  }
  const boxes: FlameBox[] = above.map((group, level) => ({ group, level, left: 0, width: 1 }));
  const open: FlameBox[] = [{ group: focus, level: above.length - 1, left: 0, width: 1 }];
  for (let box = open.shift(); box !== undefined && boxes.length < mostBoxes; box = open.shift()) {
    let { left } = box;
    for (const [group, width] of widths(groups, children.get(box.group) ?? [], box, least)) {
      const below = { group, level: box.level + 1, left, width };
      boxes.push(below);
      open.push(below);
      left += width;
    }
  }
  const drawn = boxes.slice(0, mostBoxes);
  return { boxes: drawn, left: countBelow(children, focus) - (drawn.length - above.length) };
}

/** The child groups of each group, the largest weight first. */
function childrenOf(groups: readonly SpanGroup[]): Children {
  const children = new Map<number, number[]>();
  groups.forEach(({ parent }, at) => {
    const siblings = children.get(parent);
    if (siblings === undefined) {
      children.set(parent, [at]);
    } else {
      siblings.push(at);
    }
  });
  const weight = (at: number) => groups[at]?.weightUs ?? 0;
  for (const siblings of children.values()) {
    siblings.sort((a, b) => weight(b) - weight(a));
  }
  return children;
}

/** The siblings that get a box, with its width. Their total width is at most the width of the box above. */
function widths(
  groups: readonly SpanGroup[],
  siblings: readonly number[],
  above: FlameBox,
  least: number,
): [group: number, width: number][] {
  const weight = (at: number) => groups[at]?.weightUs ?? 0;
  const total = groups[above.group]?.weightUs ?? siblings.reduce((sum, at) => sum + weight(at), 0);
  if (total === 0) {
    const fitting = siblings.slice(0, Math.floor(above.width / least));
    return fitting.map((group) => [group, above.width / fitting.length]);
  }
  const own = siblings.map((at) => (above.width * weight(at)) / total);
  const wide = own.filter((width) => width >= least);
  const taken = wide.reduce((sum, width) => sum + width, 0);
  const room = Math.max(above.width - taken, above.width * partOfNarrow);
  // The small addend corrects rounding: the quotient of two equal widths may be slightly below 1.
  const narrow = Math.min(siblings.length - wide.length, Math.floor(room / least + 1e-9));
  const scale = taken === 0 ? 1 : Math.min(1, (above.width - narrow * least) / taken);
  return siblings
    .slice(0, wide.length + narrow)
    .map((group, at) => [group, at < wide.length ? (own[at] as number) * scale : least]);
}

/** Number of groups below a group, at any depth. */
function countBelow(children: Children, focus: number): number {
  const open = [...(children.get(focus) ?? [])];
  let count = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    count += 1;
    for (const below of children.get(at) ?? []) {
      open.push(below);
    }
  }
  return count;
}
