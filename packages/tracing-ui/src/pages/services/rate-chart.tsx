import "uplot/dist/uPlot.min.css";
import "./rate-chart.css";
import { useEffect, useRef } from "react";
import { useElementSize } from "ui-kit/components/use-element-size.ts";
import { clockText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { useTheme } from "ui-kit/theme/use-theme.ts";
import uPlot from "uplot";
import type { Samples } from "../../api/rates.ts";
import { canvasColours } from "../../components/canvas-colours.ts";

/** One curve of a chart. */
export interface Curve {
  label: string;
  values: Samples;
  /** CSS colour. */
  colour: string;
}

const heightPx = 148;

/** A chart of curves over time. All charts of a page share their pointer. @param times milliseconds since 1970 */
export function RateChart(props: {
  title: string;
  times: readonly number[];
  curves: readonly Curve[];
  text: (value: number) => string;
}) {
  const { title, times, curves, text } = props;
  const frame = useRef<HTMLDivElement>(null);
  const { width } = useElementSize(frame);
  const theme = useTheme();
  const zone = useChoice(zoneChoice);

  useEffect(() => {
    const element = frame.current;
    if (element === null || width === 0 || theme === undefined) return;
    const fixed = canvasColours(element, { text: "var(--text-3)", line: "var(--line)" });
    const own = canvasColours(
      element,
      Object.fromEntries(curves.map(({ label, colour }) => [label, colour])),
    );
    const axis = {
      stroke: fixed.text,
      grid: { stroke: fixed.line, width: 1 },
      ticks: { show: false },
      font: `12px ${getComputedStyle(element).fontFamily}`,
    };
    const clock = (ms: number) => clockText(ms * 1_000, zone).slice(0, 5);
    const chart = new uPlot(
      {
        ...{ width, height: heightPx, ms: 1, padding: [8, 8, 0, 0] },
        cursor: { sync: { key: "rates" }, drag: { x: false, y: false }, points: { size: 6 } },
        legend: { live: true },
        scales: { x: { time: false }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
        axes: [
          { ...axis, values: (_, splits) => splits.map(clock), space: 64, size: 28 },
          { ...axis, values: (_, splits) => splits.map(text), size: 64, space: 32 },
        ],
        series: [
          { label: "Time", value: (_, ms) => (ms === null ? "–" : clock(ms)) },
          ...curves.map(({ label }) => ({
            label,
            stroke: own[label] as string,
            width: 1.5,
            points: { show: false },
            value: (_: uPlot, value: number | null) => (value === null ? "–" : text(value)),
          })),
        ],
      },
      [[...times], ...curves.map(({ values }) => [...values])],
      element,
    );
    return () => chart.destroy();
  }, [times, curves, text, width, theme, zone]);

  return (
    <div className="rate-chart" aria-label={describe(title, curves, text)} role="img">
      <p>{title}</p>
      <div ref={frame} aria-hidden="true" />
    </div>
  );
}

/** What a chart shows, in words: the least and the greatest value of each curve. */
function describe(title: string, curves: readonly Curve[], text: (value: number) => string): string {
  const parts = curves.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${label}: nothing`;
    return `${label}: ${text(Math.min(...known))} to ${text(Math.max(...known))}`;
  });
  return `${title}. ${parts.join("; ")}`;
}
