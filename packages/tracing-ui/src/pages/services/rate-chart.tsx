import "./rate-chart.css";
import { type MouseEvent, useMemo, useRef } from "react";
import { type Samples, sparklinePath } from "ui-kit/components/sparkline-path.ts";
import { useElementSize } from "ui-kit/components/use-element-size.ts";
import { clockText, dateText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { timeTicks } from "../../trace/time-ticks.ts";

/** One curve of a chart. */
export interface Curve {
  /** Name in the legend. */
  label: string;
  /** A value for each point of time; null for gaps. */
  values: Samples;
  /** CSS colour. */
  colour: string;
}

/** Width in pixels reserved for a time label on the axis. */
const tickPx = 72;
/** Longest axis in milliseconds whose labels have times of day. A longer axis has dates. */
const mostClockMs = 2 * 86_400_000;
/** Maximum number of horizontal lines. */
const mostLines = 4;
/**
 * Share of the height that `sparklinePath` gives the largest value. If the two differ, the lines no longer match
 * their values.
 */
const fill = 0.9;

/** The inputs of {@link RateChart}. */
interface RateChartProps {
  /** Title of the chart: the subject of the curves and their unit. */
  title: string;
  times: readonly number[];
  /** Curves, drawn on one common scale. */
  curves: readonly Curve[];
  /** Writes a value with its unit. */
  text: (value: number) => string;
  at: number | undefined;
  /** Called with the index of the pointed moment when the pointer moves, with undefined when it leaves. */
  onAt: (at: number | undefined) => void;
  onPick: (at: number) => void;
}

/**
 * A chart of curves over time. The page holds the pointed moment, so that all charts show the same
 * moment. Screen readers get the minimum and maximum of each curve.
 * @param times milliseconds since 1970, at even steps
 * @param at    index of the pointed moment; undefined for none
 * @param onPick called with the index of a clicked moment; for keyboards the page has links to the traces
 */
export function RateChart(props: RateChartProps) {
  const { title, times, curves, text, at, onAt, onPick } = props;
  const plot = useRef<HTMLDivElement>(null);
  const { width } = useElementSize(plot);
  const zone = useChoice(zoneChoice);
  const most = Math.max(0, ...curves.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const top = most > 0 ? most : 1;
  const paths = useMemo(() => curves.map(({ values }) => sparklinePath(values, top).line), [curves, top]);
  const [first = 0, last = first] = [times[0], times.at(-1)];
  const clock = (ms: number) =>
    last - first > mostClockMs
      ? dateText(ms * 1_000, zone).slice(5)
      : clockText(ms * 1_000, zone).slice(0, 5);
  const across = (ms: number) => (last > first ? (100 * (ms - first)) / (last - first) : 50);
  const ticks = timeTicks(first * 1_000, last * 1_000, Math.max(1, Math.floor(width / tickPx)));

  const indexAt = (event: MouseEvent<HTMLDivElement>) => pointedIndex(event, times.length);

  return (
    <div className="rate-chart" aria-label={describe(title, curves, text)} role="img">
      <p>{title}</p>
      <div
        ref={plot}
        className="rate-plot"
        aria-hidden="true"
        title="Click for the traces of this time"
        onPointerMove={(event) => onAt(indexAt(event))}
        onClick={(event) => onPick(indexAt(event))}
        onPointerLeave={() => onAt(undefined)}
      >
        <Lines top={top} text={text} />
        <svg viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
          {paths.map((path, index) => (
            <path key={curves[index]?.label} d={path} style={{ stroke: curves[index]?.colour }} />
          ))}
        </svg>
        {at !== undefined && (
          <span className="rate-pointer" style={{ left: `${across(times[at] ?? first)}%` }} />
        )}
        {ticks.map((us) => (
          <span key={us} className="rate-time mono" style={{ left: `${across(us / 1_000)}%` }}>
            {clock(us / 1_000)}
          </span>
        ))}
      </div>
      <Legend {...{ curves, text, at }} time={clock(times[at ?? times.length - 1] ?? first)} />
    </div>
  );
}

/** The index of the moment below the pointer, among `count` evenly spaced moments. */
function pointedIndex(event: MouseEvent<HTMLDivElement>, count: number): number {
  const { left, width: whole } = event.currentTarget.getBoundingClientRect();
  const index = Math.round(((event.clientX - left) / whole) * (count - 1));
  return Math.min(Math.max(index, 0), count - 1);
}

/** The inputs of {@link Lines}. */
interface LinesProps {
  /** The largest value; 1 for a chart of zeros. */
  top: number;
  /** Writes a value with its unit. */
  text: RateChartProps["text"];
}

/** Horizontal lines with their values, up to the height of the chart. */
function Lines({ top, text }: LinesProps) {
  return timeTicks(0, top / fill, mostLines).map((value) => (
    <span key={value} className="rate-line mono" style={{ bottom: `${5 + (value / top) * 100 * fill}%` }}>
      {text(value)}
    </span>
  ));
}

/** The inputs of {@link Legend}. */
interface LegendProps extends Pick<RateChartProps, "curves" | "text" | "at"> {
  /** The pointed moment as text; without a pointed moment the last moment. */
  time: string;
}

/** The curves with their values at the pointed moment; without a pointed moment the last values. */
function Legend({ curves, text, at, time }: LegendProps) {
  return (
    <div className="rate-legend mono" aria-hidden="true">
      {curves.map(({ label, values, colour }) => {
        const value = values[at ?? values.length - 1];
        return (
          <span key={label}>
            <i style={{ background: colour }} />
            {label} {value === null || value === undefined ? "–" : text(value)}
          </span>
        );
      })}
      <span className="unit">{time}</span>
    </div>
  );
}

/** A chart in words: the minimum and maximum of each curve. */
function describe(title: string, curves: readonly Curve[], text: (value: number) => string): string {
  const parts = curves.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) {
      return `${label}: nothing`;
    }
    return `${label}: ${text(Math.min(...known))} to ${text(Math.max(...known))}`;
  });
  return `${title}. ${parts.join("; ")}`;
}
