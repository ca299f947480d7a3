import { spanFlag } from "../../../trace/trace.ts";
import { indentPx, layOutRow, leftPx, type RowChip } from "./row-layout.ts";
import type { WaterfallPen } from "./waterfall-pen.ts";
import { WATERFALL_ROW_PX } from "./waterfall-rows.ts";
import { foldedRunFrom, isDimmed, type WaterfallScene } from "./waterfall-scene.ts";

/** Opacity of dimmed shapes. Dimmed text has a paler colour instead, because it must stay readable. */
export const dimmedAlpha = 0.35;
/** Pixels from the top of the row to an icon. */
const iconTop = (WATERFALL_ROW_PX - 16) / 2;
/** Pixels from the top of the row to a chip. */
const chipTop = 3;
/** Height of a chip in pixels. */
const chipHeight = 16;

/**
 * Draws the name of a row in its place in the tree: guides, caret, stripe, service, operation, chips.
 * @param top top edge of the row, in pixels
 */
export function drawRowName(pen: WaterfallPen, scene: WaterfallScene, span: number, top: number): void {
  const { context, palette } = pen;
  const { colours } = palette;
  const { trace } = scene;
  const layout = layOutRow(scene, span, pen.texts);
  const dimmed = isDimmed(scene, span);
  const failed =
    foldedRunFrom(scene, span) === undefined && ((trace.flags[span] as number) & spanFlag.error) !== 0;
  const service = trace.service[span] as number;

  for (let level = 0; level < layout.indents; level += 1) {
    pen.box({ x: leftPx + 7 + level * indentPx, y: top, width: 1, height: WATERFALL_ROW_PX }, colours.line);
  }
  if (layout.fold !== undefined) {
    pen.icon("caret", { x: layout.foldX, y: top + iconTop }, colours.text3, {
      turned: layout.fold === "unfolded",
    });
  }
  if (layout.level !== undefined) {
    pen.text(layout.level.text, { x: layout.level.x, top }, "mono", colours.text3);
  }
  if (dimmed) {
    context.globalAlpha = dimmedAlpha;
  }
  pen.roundBox(
    { x: layout.stripeX, y: top + 4, width: 4, height: 14 },
    1,
    palette.services[service] ?? colours.text3,
  );
  const pattern = palette.patterns[service];
  if (pattern !== undefined) {
    pen.roundBox({ x: layout.stripeX, y: top + 4, width: 4, height: 14 }, 1, pattern);
  }
  context.globalAlpha = 1;

  if (layout.count !== undefined) {
    const { x, width, text } = layout.count;
    pen.roundBox({ x, y: top + chipTop, width, height: chipHeight }, 3, colours.chip);
    pen.text(text, { x: x + 5, top }, "mono", dimmed ? colours.text3 : colours.text);
  }
  if (layout.service !== undefined) {
    const { x, text, font } = layout.service;
    pen.text(text, { x, top }, font, dimmed ? colours.text3 : colours.text);
  }
  const { x, text } = layout.operation;
  pen.text(text, { x, top }, "plain", dimmed ? colours.text3 : failed ? colours.error : colours.text2);
  for (const chip of layout.chips) {
    drawChip(pen, chip, top, dimmed);
  }
}

/** Draws one chip at the right end of a name: an icon, or a count. */
function drawChip(
  pen: WaterfallPen,
  { kind, x, width, text, failed }: RowChip,
  top: number,
  dimmed: boolean,
): void {
  const { colours } = pen.palette;
  if (kind === "noted") {
    pen.icon("note", { x, y: top + iconTop }, colours.accent);
    return;
  }
  if (kind === "odd" || kind === "failed") {
    if (dimmed && kind === "failed") {
      pen.context.globalAlpha = dimmedAlpha;
    }
    if (kind === "odd") {
      pen.icon("warning", { x, y: top + iconTop }, colours.warning);
    } else {
      pen.icon("error", { x, y: top + iconTop }, colours.error);
    }
    pen.context.globalAlpha = 1;
    return;
  }
  const ground = failed ? colours.errorSoft : kind === "run" ? colours.selected : colours.chip;
  pen.roundBox({ x, y: top + chipTop, width, height: chipHeight }, 3, ground);
  if (kind === "run") {
    pen.icon("caret", { x: x + 1, y: top + 5 }, colours.text2, { turned: true, size: 12 });
  }
  pen.text(text, { x: kind === "run" ? x + 13 : x + 5, top }, "mono", failed ? colours.error : colours.text2);
}
