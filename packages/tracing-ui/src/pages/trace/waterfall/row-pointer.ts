import type { Dispatch, MouseEvent, PointerEvent } from "react";
import type { ViewAction } from "../trace-view.ts";
import { hintOf, hitRow, type RowHit } from "./hit-row.ts";
import type { WaterfallPainter } from "./waterfall-painter.ts";
import type { WaterfallScene } from "./waterfall-scene.ts";

/** The inputs of {@link rowPointer}. */
interface RowPointer {
  /** The drawn scene. */
  scene: WaterfallScene;
  /** The painter of the rows; undefined before the canvas exists. */
  painter: WaterfallPainter | undefined;
  /** Receives the actions of clicks. */
  dispatch: Dispatch<ViewAction>;
}

/**
 * The listeners of the drawn rows. A click on the caret or on the chip of a run folds; a click elsewhere opens the
 * details. The row below the pointer is highlighted, and its hint is the tooltip.
 */
export function rowPointer({ scene, painter, dispatch }: RowPointer) {
  function hitBy(event: MouseEvent<HTMLDivElement>): RowHit | undefined {
    const texts = painter?.pen?.texts;
    if (texts === undefined) {
      return undefined;
    }
    const box = event.currentTarget.getBoundingClientRect();
    return hitRow(scene, texts, event.clientX - box.left, event.clientY - box.top);
  }

  function click(event: MouseEvent<HTMLDivElement>) {
    // A screen reader clicks the item itself, without coordinates.
    const item = event.detail === 0 ? (event.target as HTMLElement).dataset.span : undefined;
    const hit = item === undefined ? hitBy(event) : { span: Number(item), part: "name" };
    if (hit === undefined) {
      return;
    }
    if (hit.part === "run") {
      dispatch({ type: "toggleRun", span: hit.span });
    } else if (hit.part === "fold") {
      dispatch({ type: "toggleFold", span: hit.span });
    } else {
      dispatch({ type: "toggleOpen", span: hit.span });
    }
  }

  function point(event: PointerEvent<HTMLDivElement>) {
    const hit = hitBy(event);
    painter?.point(hit?.row ?? -1);
    event.currentTarget.title = hit === undefined ? "" : hintOf(scene, hit);
  }

  return { onClick: click, onPointerMove: point, onPointerLeave: () => painter?.point(-1) };
}
