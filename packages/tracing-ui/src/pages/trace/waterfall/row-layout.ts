import { formatCount } from "ui-kit/format/format-count.ts";
import type { SiblingRun } from "../../../trace/sibling-runs.ts";
import { errorsBelow, spanFlag } from "../../../trace/trace.ts";
import type { FittedText } from "./fitted-text.ts";
import { runOperations } from "./run-text.ts";
import {
  foldedRunFrom,
  isDimmed,
  notesOf,
  operationOf,
  runFrom,
  serviceOf,
  type WaterfallScene,
} from "./waterfall-scene.ts";

/**
 * Maximum number of levels that are indented. Deeper levels get the same indent and show their number, so that names
 * keep their room.
 */
const mostIndents = 12;
/** Indent of one level in pixels. */
export const indentPx = 12;
/** Pixels left of the first level. */
export const leftPx = 8;

/** A label at the right end of a name. */
export interface RowChip {
  /**
   * The subject of the chip:
   * - `below`: descendants that are folded away
   * - `run`: similar siblings that are unfolded
   * - `noted`, `odd`, `failed`: notes, an oddity, a failure
   */
  kind: "below" | "run" | "noted" | "odd" | "failed";
  /** Pixels from the left edge of the waterfall. */
  x: number;
  /** Width in pixels. */
  width: number;
  /** The count in the chip; "" for an icon. */
  text: string;
  /** True when the chip reports failures. */
  failed: boolean;
}

/** Positions of the parts of a row's name, in pixels from the left edge of the waterfall. */
export interface RowLayout {
  /** Number of indented levels. */
  indents: number;
  /** Left edge of the caret. */
  foldX: number;
  /** State of the caret; undefined for a span without children. */
  fold: "folded" | "unfolded" | undefined;
  /** Number of the level, if it is too deep to be indented. */
  level: { x: number; text: string } | undefined;
  /** Left edge of the stripe in the service's colour. */
  stripeX: number;
  /** Number of repeats in the run that the row stands for; undefined for a single span. */
  count: { x: number; width: number; text: string } | undefined;
  /** Name of the service. Undefined for a child in its parent's service: the stripe has the same colour. */
  service: { x: number; text: string; font: "plain" | "bold" } | undefined;
  /** Name of the operation, cut to the available width. */
  operation: { x: number; text: string };
  /** Chips at the right end, from left to right. */
  chips: readonly RowChip[];
}

/** Width of the caret's place in pixels. */
const foldPx = 16;
/** Width of an icon in pixels. */
const iconPx = 16;
/** Pixels between chips. */
const chipGapPx = 6;
/** Pixels between the edge of a chip and its text. */
const chipPaddingPx = 5;
/** Width of the small caret left of the number in the chip that folds a run. */
const chipCaretPx = 13;
const oddFlags = spanFlag.parentMissing | spanFlag.cycle | spanFlag.duplicateId | spanFlag.warning;

/** Lays out the name of a row. Drawing and hit testing use the same layout. */
export function layOutRow(scene: WaterfallScene, span: number, texts: FittedText): RowLayout {
  const { trace, view, nameWidth } = scene;
  const depth = trace.depth[span] as number;
  const parent = trace.parent[span] as number;
  const run = foldedRunFrom(scene, span);
  const indents = Math.min(depth, mostIndents);
  const foldX = leftPx + indents * indentPx;
  const hasBelow = (trace.subtreeEnd[span] as number) > span + 1;
  const fold =
    run !== undefined || (hasBelow && view.folded.has(span)) ? "folded" : hasBelow ? "unfolded" : undefined;

  let x = foldX + foldPx;
  let level: RowLayout["level"];
  if (depth > mostIndents && run === undefined) {
    level = { x, text: String(depth + 1) };
    x += texts.width(level.text, "mono") + 4;
  }
  const stripeX = x + 2;
  x = stripeX + 4 + 7;
  let count: RowLayout["count"];
  if (run !== undefined) {
    const text = `×${formatCount(run.count)}`;
    count = { x, text, width: texts.width(text, "mono") + 2 * chipPaddingPx };
    x += count.width + 7;
  }
  const chips = run !== undefined ? runChips(run, texts) : spanChips(scene, span, texts);
  let right = nameWidth - leftPx;
  for (const chip of chips.toReversed()) {
    right -= chip.width;
    chip.x = right;
    right -= chipGapPx;
  }

  let service: RowLayout["service"];
  if (parent < 0 || trace.service[parent] !== trace.service[span]) {
    const most = Math.max(72, (nameWidth - foldX - leftPx) * 0.4);
    const font = isDimmed(scene, span) ? "plain" : "bold";
    const text = texts.fit(serviceOf(scene, span), font, Math.max(0, Math.min(most, right - x)));
    service = { x, text, font };
    x += texts.width(text, font) + 7;
  }
  const operation = {
    x,
    text: texts.fit(
      run === undefined ? operationOf(scene, span) : runOperations(run),
      "plain",
      Math.max(0, right - x),
    ),
  };
  return { indents, foldX, fold, level, stripeX, count, service, operation, chips };
}

/** The chip of a folded run: its failures, if it has any. */
function runChips(run: SiblingRun, texts: FittedText): RowChip[] {
  if (run.errors === 0) {
    return [];
  }
  return [textChip("below", formatCount(run.errors), true, texts)];
}

/** The chips of a span: folded descendants, unfolded run, notes, oddity, failure. */
function spanChips(scene: WaterfallScene, span: number, texts: FittedText): RowChip[] {
  const { trace, view } = scene;
  const run = runFrom(scene, span);
  const chips: RowChip[] = [];
  const below = (trace.subtreeEnd[span] as number) - span - 1;
  const flags = trace.flags[span] as number;
  if (below > 0 && view.folded.has(span)) {
    chips.push(textChip("below", `+${formatCount(below)}`, errorsBelow(trace, span) > 0, texts));
  }
  if (run !== undefined) {
    const text = `×${formatCount(run.count)}`;
    const width = chipCaretPx + texts.width(text, "mono") + chipPaddingPx;
    chips.push({ kind: "run", x: 0, width, text, failed: false });
  }
  if (notesOf(scene, span).length > 0) {
    chips.push({ kind: "noted", x: 0, width: iconPx, text: "", failed: false });
  }
  if ((flags & oddFlags) !== 0) {
    chips.push({ kind: "odd", x: 0, width: iconPx, text: "", failed: false });
  }
  if ((flags & spanFlag.error) !== 0) {
    chips.push({ kind: "failed", x: 0, width: iconPx, text: "", failed: true });
  }
  return chips;
}

/** A chip with a count. Its position is set once all chips are known. */
function textChip(kind: RowChip["kind"], text: string, failed: boolean, texts: FittedText): RowChip {
  return { kind, x: 0, width: texts.width(text, "mono") + 2 * chipPaddingPx, text, failed };
}
