import { memo } from "react";
import { rowOf } from "../../../trace/visible-rows.ts";
import { hasChildren } from "../trace-view.ts";
import { describeRow } from "./describe-row.ts";
import type { SiblingPlaces } from "./sibling-places.ts";
import { foldedRunFrom, type WaterfallScene } from "./waterfall-scene.ts";

/** Id of the tree item of a span. */
export function spanItemId(span: number): string {
  return `span-${span}`;
}

/** Id of the panel with the details of a span. */
export function spanDetailId(span: number): string {
  return `span-${span}-details`;
}

/**
 * The drawn rows as invisible tree items, for screen readers, which cannot read a canvas. Each item has the position
 * of its drawn row, so that a reader's cursor and touch find it. Only items near the view exist, and the
 * selected item, because the tree references it as its active item.
 */
export const SpanItems = memo(function SpanItems(props: {
  scene: WaterfallScene;
  places: SiblingPlaces;
  /** First row near the view. */
  first: number;
  /** Last row near the view. */
  last: number;
}) {
  const { scene, places, first, last } = props;
  const { rows, rowWindow, view, trace } = scene;
  const shown = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const selectedRow = rowOf(rows, view.selected);
  if (selectedRow !== -1 && selectedRow < first) {
    shown.unshift(selectedRow);
  }
  if (selectedRow > last) {
    shown.push(selectedRow);
  }
  return shown.map((row) => {
    const span = rows[row] as number;
    const isRun = foldedRunFrom(scene, span) !== undefined;
    return (
      <SpanItem
        key={span}
        {...{ span, label: describeRow(scene, span) }}
        top={rowWindow.top(row)}
        level={(trace.depth[span] as number) + 1}
        position={places.position[row] as number}
        size={places.size[row] as number}
        selected={span === view.selected}
        expanded={isRun ? false : hasChildren(trace, span) ? !view.folded.has(span) : undefined}
        open={!isRun && view.open.has(span)}
      />
    );
  });
});

const SpanItem = memo(function SpanItem(props: {
  span: number;
  /** Description of the row. */
  label: string;
  /** Top edge, in pixels from the first row. */
  top: number;
  /** Level in the tree, from 1. */
  level: number;
  /** Position among the shown siblings, from 1. */
  position: number;
  /** Number of shown siblings. */
  size: number;
  selected: boolean;
  /** True when its children are shown; undefined for a span without children. */
  expanded: boolean | undefined;
  /** True when its details are open. */
  open: boolean;
}) {
  const { span, label, top, level, position, size, selected, expanded, open } = props;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays on the tree, which names its active item
    <div
      role="treeitem"
      id={spanItemId(span)}
      data-span={span}
      className="span-item"
      aria-label={label}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={size}
      aria-selected={selected}
      aria-expanded={expanded}
      aria-details={open ? spanDetailId(span) : undefined}
      style={{ transform: `translateY(${top}px)` }}
    />
  );
});
