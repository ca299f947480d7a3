import type { SpanGroup } from "../../../trace/span-groups.ts";

/** A group placed in the flame graph. */
export interface FlameBox {
  group: number;
  /** Steps down from the top row. */
  level: number;
  /** Parts of the whole width, 0 to 1. */
  left: number;
  width: number;
}

/** Boxes drawn at most; the widest ones come first. */
export const mostBoxes = 4_000;

/**
 * Lays out groups: each as wide as the self times at and below it, the widest of siblings first.
 * @param focus the group that takes the whole width, with its ancestors above it; −1 for all
 * @param least boxes narrower than this part of the width are left out, with all below them
 */
export function flameLayout(groups: readonly SpanGroup[], focus: number, least: number): FlameBox[] {
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
  const above: number[] = [];
  for (let at = focus; at !== -1; at = groups[at]?.parent ?? -1) {
    above.unshift(at);
  }
  const boxes: FlameBox[] = above.map((group, level) => ({ group, level, left: 0, width: 1 }));
  const open: FlameBox[] = [];
  const place = (parent: number, level: number, left: number, total: number, width: number) => {
    let x = left;
    for (const group of (children.get(parent) ?? []).sort((a, b) => weight(b) - weight(a))) {
      const own = total === 0 ? 0 : (width * weight(group)) / total;
      if (own < least) {
        break;
      }
      const box = { group, level, left: x, width: own };
      boxes.push(box);
      open.push(box);
      x += own;
    }
  };
  const roots = (children.get(-1) ?? []).reduce((sum, at) => sum + weight(at), 0);
  place(focus, above.length, 0, focus === -1 ? roots : weight(focus), 1);
  for (let box = open.shift(); box !== undefined && boxes.length < mostBoxes; box = open.shift()) {
    place(box.group, box.level + 1, box.left, weight(box.group), box.width);
  }
  return boxes.slice(0, mostBoxes);
}
