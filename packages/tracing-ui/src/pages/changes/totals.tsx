import { Link } from "@tanstack/react-router";
import { Duration } from "ui-kit/components/duration.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import type { Changes, ChangesAsked, Population } from "../../api/changes.ts";
import { formatShare } from "../../format/format-share.ts";
import { searchOfSide } from "./changes-plan.ts";
import { timeText } from "./time-text.ts";

/**
 * The figures of both sides, the ratio of A to B, and a sentence that says whether the sides differ by more
 * than chance.
 */
export function Totals({ changes, asked }: { changes: Changes; asked: ChangesAsked }) {
  const { a, b } = changes;
  return (
    <div className="changes-totals">
      <p className="changes-verdict">
        <b>{verdict(changes)}</b>
      </p>
      <div className="changes-scroll">
        <table className="changes-figures" aria-label="Both sides in figures">
          <FiguresHead />
          <tbody>
            {(["a", "b"] as const).map((side) => (
              <tr key={side}>
                <th scope="row">
                  <span className={`changes-letter ${side}`}>{side.toUpperCase()}</span>{" "}
                  {timeText(asked[side])}
                </th>
                <td>
                  <Link to="/search" search={searchOfSide(asked[side], {})} className="mono">
                    {formatCount(changes[side].spans)}
                    <span className="visually-hidden"> spans of {side.toUpperCase()}, its traces</span>
                  </Link>
                </td>
                <td className="mono">{formatShare(shareOf(changes[side]))}</td>
                {(["mean", "p50", "p95", "p99"] as const).map((figure) => (
                  <td key={figure}>
                    <Duration us={changes[side][figure]} />
                  </td>
                ))}
              </tr>
            ))}
            <tr>
              <th scope="row">A is</th>
              <td className="mono">{times(a.spans, b.spans)}</td>
              <td className="mono">{times(shareOf(a), shareOf(b))}</td>
              {(["mean", "p50", "p95", "p99"] as const).map((figure) => (
                <td key={figure} className="mono">
                  {times(a[figure], b[figure])}
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** The header row of the table of figures. */
function FiguresHead() {
  return (
    <thead>
      <tr>
        <th scope="col">Side</th>
        <th scope="col">Spans</th>
        <th scope="col">Failed</th>
        <th scope="col">Mean</th>
        <th scope="col" title="Half of the spans take no longer; right within a tenth">
          p50
        </th>
        <th scope="col" title="19 of 20 spans take no longer; right within a tenth">
          p95
        </th>
        <th scope="col" title="99 of 100 spans take no longer; right within a tenth">
          p99
        </th>
      </tr>
    </thead>
  );
}

/** Share of failed spans; 0 without spans. */
function shareOf({ errors, spans }: Population): number {
  return spans === 0 ? 0 : errors / spans;
}

/** Ratio of A to B as text: `× 1.25`, `new` when only B is 0, a dash when both are 0. */
function times(a: number, b: number): string {
  return b > 0 ? `× ${(a / b).toPrecision(3)}` : a > 0 ? "new" : "–";
}

/** The result in a sentence. Differences that may be chance are never called slower or faster. */
function verdict({ a, b, isSlower, failsMore }: Changes): string {
  if (isSlower === null) {
    return "Too few spans to say whether durations differ";
  }
  const failures =
    failsMore === true ? (shareOf(a) > shareOf(b) ? ", and fails more" : ", and fails less") : "";
  if (!isSlower) {
    return `A is as fast as B: the difference may be chance${failures.replace("and", "but A")}`;
  }
  const by = durationText(Math.abs(a.mean - b.mean));
  return `A is ${by} ${a.mean >= b.mean ? "slower" : "faster"} than B on average${failures}`;
}
