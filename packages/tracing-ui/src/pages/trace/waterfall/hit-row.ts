import { formatCount } from "ui-kit/format/format-count.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import { percentileText } from "../../../api/trace-peers.ts";
import { spanFlag, type Trace } from "../../../trace/trace.ts";
import type { FittedText } from "./fitted-text.ts";
import { layOutRow } from "./row-layout.ts";
import { runOperations, runText } from "./run-text.ts";
import { WATERFALL_ROW_PX } from "./waterfall-rows.ts";
import {
  foldedRunFrom,
  notesOf,
  operationOf,
  peersOf,
  runFrom,
  serviceOf,
  type WaterfallScene,
} from "./waterfall-scene.ts";

/** The part of a row that is at a point. */
export interface RowHit {
  /** Index among the rows. */
  row: number;
  /** Index of the span that the row stands for. */
  span: number;
  /**
   * The part under the point:
   * - `fold`: the caret; `run`, `noted`, `odd`, `failed`: the chip of that kind; `level`: the number of a
   *   deep level
   * - `name`: the rest of the name's column
   * - `rank`: the percentile; `before`, `after`: the arrow of a bar outside the view; `bar`: the rest of the
   *   lane
   */
  part: "fold" | "run" | "noted" | "odd" | "failed" | "level" | "name" | "rank" | "before" | "after" | "bar";
}

/**
 * The element at a point of the waterfall.
 * @param x pixels from the left edge
 * @param y pixels from the top of the first row
 * @returns undefined outside of rows: below the last row, or in a panel
 */
export function hitRow(scene: WaterfallScene, texts: FittedText, x: number, y: number): RowHit | undefined {
  const { rows, rowWindow } = scene;
  const row = rowWindow.rowAt(y);
  const span = rows[row];
  const within = y - rowWindow.top(row);
  if (span === undefined || within < 0 || within >= WATERFALL_ROW_PX) {
    return undefined;
  }
  return {
    row,
    span,
    part: x < scene.nameWidth ? namePart(scene, texts, span, x) : lanePart(scene, span, x),
  };
}

/** The part of a row in the column of names. */
function namePart(scene: WaterfallScene, texts: FittedText, span: number, x: number): RowHit["part"] {
  const { foldX, fold, level, stripeX, count, chips } = layOutRow(scene, span, texts);
  if (count === undefined) {
    if (fold !== undefined && x >= foldX && x < foldX + 16) {
      return "fold";
    }
    if (level !== undefined && x >= level.x && x < stripeX) {
      return "level";
    }
  }
  const chip = chips.find((one) => x >= one.x && x < one.x + one.width);
  return chip === undefined || chip.kind === "below" ? "name" : chip.kind;
}

/** The part of a row on the time axis. */
function lanePart(scene: WaterfallScene, span: number, x: number): RowHit["part"] {
  const { nameWidth, laneWidth, width, trace, view } = scene;
  const run = foldedRunFrom(scene, span);
  const startUs = trace.offsetUs[span] as number;
  const endUs = run?.endUs ?? startUs + (trace.spanUs[span] as number);
  if (x >= width - 48 && run === undefined && peersOf(scene, span) !== undefined) {
    return "rank";
  }
  if (endUs < view.range.fromUs && x < nameWidth + 20) {
    return "before";
  }
  if (startUs > view.range.toUs && x > nameWidth + laneWidth - 20) {
    return "after";
  }
  return "bar";
}

/** The tooltip for the part under the pointer; "" for a part without a tooltip, such as a bar. */
export function hintOf(scene: WaterfallScene, { span, part }: RowHit): string {
  switch (part) {
    case "name":
    case "fold": {
      const run = foldedRunFrom(scene, span);
      const operation = run === undefined ? operationOf(scene, span) : runOperations(run);
      const name = `${isolated(serviceOf(scene, span))}: ${isolated(operation)}`;
      return run === undefined ? name : `${runText(run, "spans")} in a row: ${name}`;
    }
    case "run":
      return `Fold these ${runText(runFrom(scene, span) ?? { count: 0, period: 1 })} (h)`;
    case "noted":
      return notesOf(scene, span)
        .map(({ text, author }) => isolated(author === "" ? text : `${author}: ${text}`))
        .join("\n");
    case "odd":
      return oddityOf(scene.trace, span) ?? "";
    case "failed":
      return "This span failed";
    case "level":
      return `Level ${(scene.trace.depth[span] as number) + 1}`;
    case "rank": {
      const peers = peersOf(scene, span);
      if (peers === undefined) {
        return "";
      }
      const { percentile, peers: count, medianUs } = peers;
      return `Longer than ${percentileText(percentile)} of ${formatCount(count)} recent spans of this operation (median ${durationText(medianUs)})`;
    }
    case "before":
    case "after":
      return `Runs ${part} the time in view`;
    case "bar":
      return "";
  }
}

/** The oddity of a span; undefined for a normal one. */
export function oddityOf({ flags }: Trace, span: number): string | undefined {
  const own = flags[span] as number;
  if ((own & spanFlag.parentMissing) !== 0) {
    return "Its parent is not in this trace";
  }
  if ((own & spanFlag.cycle) !== 0) {
    return "Its parents lead back to itself";
  }
  if ((own & spanFlag.duplicateId) !== 0) {
    return "Its id is used by an earlier span";
  }
  if ((own & spanFlag.warning) !== 0) {
    return "It carries warnings; open it to read them";
  }
  return undefined;
}

/** A name between Unicode's FSI and PDI, so that it cannot change the direction of surrounding text. */
function isolated(name: string): string {
  return `\u2068${name.slice(0, 400)}\u2069`;
}
