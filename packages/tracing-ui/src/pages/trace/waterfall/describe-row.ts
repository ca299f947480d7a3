import { formatCount } from "ui-kit/format/format-count.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import { percentileText } from "../../../api/trace-peers.ts";
import { errorsBelow, spanFlag } from "../../../trace/trace.ts";
import { oddityOf } from "./hit-row.ts";
import { runOperations, runText } from "./run-text.ts";
import {
  foldedRunFrom,
  notesOf,
  operationOf,
  peersOf,
  runFrom,
  serviceOf,
  type WaterfallScene,
} from "./waterfall-scene.ts";

/** Maximum number of letters of a name, which a screen reader reads out. */
const mostLetters = 200;

/**
 * The row of a span in words, for screen readers: `cart: GET /cart, failed, 12.3 ms, at +4.00 ms, 2
 * events`. Screen readers get the level and the folding from attributes of the tree.
 */
export function describeRow(scene: WaterfallScene, span: number): string {
  const { trace, view, path } = scene;
  const run = foldedRunFrom(scene, span);
  const operation = run === undefined ? operationOf(scene, span) : runOperations(run);
  const name = `${cut(serviceOf(scene, span))}: ${cut(operation) || "no name"}`;
  if (run !== undefined) {
    return sentence([
      `${runText(run)} in a row`,
      name,
      run.errors > 0 && `${formatCount(run.errors)} failed`,
      `p50 ${durationText(run.p50Us)}`,
      `p95 ${durationText(run.p95Us)}`,
      `from +${durationText(run.startUs)} to +${durationText(run.endUs)}`,
      outside(view.range, run.startUs, run.endUs),
    ]);
  }
  const startUs = trace.offsetUs[span] as number;
  const us = trace.spanUs[span] as number;
  const below = (trace.subtreeEnd[span] as number) - span - 1;
  const folded = below > 0 && view.folded.has(span);
  const errors = folded ? errorsBelow(trace, span) : 0;
  const waited = path.bySpan.get(span)?.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0);
  const unfolded = runFrom(scene, span);
  const peers = peersOf(scene, span);
  const notes = notesOf(scene, span).length;
  const events = trace.spans[span]?.logs?.length ?? 0;
  return sentence([
    name,
    ((trace.flags[span] as number) & spanFlag.error) !== 0 && "failed",
    durationText(us),
    `at +${durationText(startUs)}`,
    outside(view.range, startUs, startUs + us),
    waited !== undefined && `on the critical path for ${durationText(waited)}`,
    peers !== undefined && `${percentileText(peers.percentile)} of its peers`,
    events > 0 && (events === 1 ? "1 event" : `${formatCount(events)} events`),
    notes > 0 && (notes === 1 ? "1 note" : `${formatCount(notes)} notes`),
    folded && `${formatCount(below)} below`,
    errors > 0 && `${formatCount(errors)} of them failed`,
    unfolded !== undefined && `first of ${runText(unfolded)}`,
    oddityOf(trace, span),
  ]);
}

/** Text for a bar outside the visible range; false for a visible bar. */
function outside(range: { fromUs: number; toUs: number }, startUs: number, endUs: number): string | false {
  if (endUs < range.fromUs) {
    return "before the time in view";
  }
  return startUs > range.toUs && "after the time in view";
}

/** Joins the parts that exist with commas. */
function sentence(parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => part !== false && part !== undefined).join(", ");
}

/** A name cut at 200 letters. */
function cut(name: string): string {
  return name.length > mostLetters ? `${name.slice(0, mostLetters)}…` : name;
}
