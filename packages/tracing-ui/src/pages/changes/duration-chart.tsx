import { durationText } from "ui-kit/format/format-duration.ts";
import type { Changes } from "../../api/changes.ts";
import { formatShare } from "../../format/format-share.ts";

/** Width and height of the drawing in its own coordinates, which scale to the page. */
const [width, height] = [600, 120];
/** Maximum number of durations labelled below the drawing. */
const mostTicks = 6;

/**
 * The durations of both sides on one logarithmic scale of time: A above the line, B below it. Bars are
 * shares of each side's own spans, so that sides of different sizes can be compared. A bucket is a quarter
 * of a doubling.
 */
export function DurationChart({ changes }: { changes: Changes }) {
  const { a, b, durations } = changes;
  const first = durations[0]?.[0] ?? 0;
  const last = (durations.at(-1)?.[0] ?? first) + 1;
  const bar = width / (last - first);
  const shares = durations.map(([bucket, ofA, ofB]) => ({
    bucket,
    a: a.spans === 0 ? 0 : ofA / a.spans,
    b: b.spans === 0 ? 0 : ofB / b.spans,
  }));
  const most = Math.max(0.01, ...shares.flatMap((one) => [one.a, one.b]));
  const half = height / 2;
  const every = Math.max(1, Math.ceil((last - first) / mostTicks));
  const ticks = Array.from(
    { length: Math.ceil((last - first) / every) },
    (_, index) => first + index * every,
  );
  return (
    <figure className="changes-durations">
      <figcaption>
        Durations, in shares of each side’s spans <span className="changes-key a">A above</span>{" "}
        <span className="changes-key b">B below</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Durations. A: most spans at ${peak(shares, "a")}. B: most spans at ${peak(shares, "b")}.`}
      >
        {shares.map((one) => {
          const x = (one.bucket - first) * bar;
          const [up, down] = [(one.a / most) * (half - 2), (one.b / most) * (half - 2)];
          return (
            <g key={one.bucket}>
              <title>{`${rangeText(one.bucket)}: A ${formatShare(one.a)}, B ${formatShare(one.b)}`}</title>
              <rect className="a" x={x} y={half - up} width={Math.max(1, bar - 1)} height={up} />
              <rect className="b" x={x} y={half} width={Math.max(1, bar - 1)} height={down} />
            </g>
          );
        })}
        <line x1="0" x2={width} y1={half} y2={half} />
      </svg>
      <div className="changes-ticks" aria-hidden="true">
        {ticks.map((tick) => {
          const place = (100 * (tick - first)) / (last - first);
          // Labels near the right end shift to the left, so that the last label is not cut.
          return (
            <span key={tick} style={{ left: `${place}%`, transform: `translateX(-${place}%)` }}>
              {durationText(usOf(tick))}
            </span>
          );
        })}
      </div>
    </figure>
  );
}

/** The lower bound of a bucket, in microseconds. */
function usOf(bucket: number): number {
  return 2 ** (bucket / 4) / 1_000;
}

/** The durations of a bucket as text: `1.05 ms to 1.25 ms`. */
function rangeText(bucket: number): string {
  return `${durationText(usOf(bucket))} to ${durationText(usOf(bucket + 1))}`;
}

/** The bucket with most spans of a side, in words for screen readers; `none` without spans. */
function peak(shares: readonly { bucket: number; a: number; b: number }[], side: "a" | "b"): string {
  const top = shares.reduce((best, one) => (one[side] > best[side] ? one : best), {
    ...{ bucket: 0, a: 0, b: 0 },
  });
  return top[side] === 0 ? "none" : rangeText(top.bucket);
}
