import { durationText } from "ui-kit/format/format-duration.ts";
import { drawRowLane } from "./draw-row-lane.ts";
import { drawRowName } from "./draw-row-name.ts";
import type { WaterfallPen } from "./waterfall-pen.ts";
import { WATERFALL_ROW_PX } from "./waterfall-rows.ts";
import type { WaterfallScene } from "./waterfall-scene.ts";

/** The part of the waterfall to draw, in pixels from the top of the first row. */
export interface Stretch {
  /** Pixels from the top of the first row. */
  top: number;
  /** Height in pixels. */
  height: number;
}

/** Interval in pixels at which the length of an idle gap is repeated, so that it is visible at any scroll position. */
const gapTextEveryPx = 20 * WATERFALL_ROW_PX;

/**
 * Draws a part of the waterfall. The cost depends on the part's height, not on the size of the trace.
 * @param pen     pen of a canvas with its origin at the top left corner of the part
 * @param pointed row under the pointer, −1 for none
 */
export function drawWaterfall(
  pen: WaterfallPen,
  scene: WaterfallScene,
  { top, height }: Stretch,
  pointed: number,
): void {
  const { context, palette } = pen;
  const { rows, rowWindow, nameWidth, width } = scene;
  context.fillStyle = palette.colours.panel;
  context.fillRect(0, 0, width, height);
  pen.apart(() => {
    context.translate(0, -top);
    drawGrid(pen, scene, { top, height });
    const first = rowWindow.rowAt(top);
    const last = rows.length === 0 ? -1 : rowWindow.rowAt(top + height);
    for (let row = first; row <= last; row += 1) {
      drawGround(pen, scene, row, row === pointed);
    }
    pen.within({ x: 0, y: top, width: nameWidth, height }, () => {
      for (let row = first; row <= last; row += 1) {
        drawRowName(pen, scene, rows[row] as number, rowWindow.top(row));
      }
    });
    pen.within({ x: nameWidth, y: top, width: width - nameWidth, height }, () => {
      for (let row = first; row <= last; row += 1) {
        drawRowLane(pen, scene, rows[row] as number, rowWindow.top(row));
      }
    });
  });
}

/** Draws the edge of the lane, the time grid, and folded idle gaps. */
function drawGrid(
  pen: WaterfallPen,
  { view, gaps, ticks, nameWidth, laneWidth }: WaterfallScene,
  { top, height }: Stretch,
) {
  const { palette } = pen;
  const { colours } = palette;
  const perUs = laneWidth / (view.range.toUs - view.range.fromUs);
  const xOf = (us: number) => nameWidth + (us - view.range.fromUs) * perUs;
  pen.within({ x: nameWidth, y: top, width: laneWidth, height }, () => {
    for (const { fromUs, toUs, lengthUs } of gaps) {
      const left = xOf(fromUs);
      const gapWidth = (toUs - fromUs) * perUs;
      if (left > nameWidth + laneWidth || left + gapWidth < nameWidth) {
        continue;
      }
      pen.box({ x: left, y: top, width: gapWidth, height }, palette.idle ?? colours.chip);
      drawGapTexts(pen, `${durationText(lengthUs)} idle`, left + gapWidth / 2, { top, height });
    }
    for (const { us } of ticks) {
      pen.box({ x: xOf(us), y: top, width: 1, height }, colours.tick);
    }
  });
  pen.box({ x: nameWidth, y: top, width: 1, height }, colours.line);
}

/** Draws a text along the middle of a gap, from top to bottom. */
function drawGapTexts(pen: WaterfallPen, text: string, middle: number, { top, height }: Stretch): void {
  const { context, palette, texts } = pen;
  const length = texts.width(text, "small") + 8;
  for (
    let y = 8 + gapTextEveryPx * Math.max(0, Math.floor((top - length) / gapTextEveryPx));
    y < top + height;
    y += gapTextEveryPx
  ) {
    pen.apart(() => {
      context.translate(middle + WATERFALL_ROW_PX / 2, y);
      context.rotate(Math.PI / 2);
      pen.box({ x: 0, y: 2, width: length, height: 18 }, palette.colours.panel);
      pen.text(text, { x: 4, top: 0 }, "small", palette.colours.text2);
    });
  }
}

/** Draws the background of a row that is selected or under the pointer. */
function drawGround(
  pen: WaterfallPen,
  { rows, rowWindow, view, width }: WaterfallScene,
  row: number,
  pointed: boolean,
) {
  const { colours } = pen.palette;
  const selected = rows[row] === view.selected;
  if (!selected && !pointed) {
    return;
  }
  const top = rowWindow.top(row);
  pen.box({ x: 0, y: top, width, height: WATERFALL_ROW_PX }, selected ? colours.selected : colours.hover);
  if (selected) {
    pen.box({ x: 0, y: top, width: 2, height: WATERFALL_ROW_PX }, colours.accent);
  }
}
