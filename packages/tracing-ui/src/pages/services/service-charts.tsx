import { useMemo, useState } from "react";
import { durationText } from "ui-kit/format/format-duration.ts";
import { formatRate, formatShare } from "ui-kit/format/format-rate.ts";
import type { RateRow } from "../../api/rates.ts";
import { RateChart } from "./rate-chart.tsx";
import { type TracesSearch, tracesOfStep } from "./traces-of-rate.ts";

/** Formats a rate: `1.5/s`; 0 without a unit, for the lower end of the axis. */
const rateText = (value: number) => {
  const { figure, unit } = formatRate(value);
  return figure === "0" ? "0" : `${Number(figure)}${unit}`;
};
const shareText = (value: number) => `${formatShare(value)}\u00a0%`;
const timeText = (value: number) => (value === 0 ? "0" : durationText(value));

/**
 * Three charts of one service: calls, errors, durations. All show the same pointed moment.
 * @param onTraces called with the search for the traces of a clicked step
 */
export function ServiceCharts(props: {
  row: RateRow;
  times: readonly number[];
  onTraces: (search: TracesSearch) => void;
}) {
  const { row, times, onTraces } = props;
  const curves = useMemo(
    () => ({
      calls: [{ label: "calls", values: row.calls, colour: "var(--accent)" }],
      errors: [{ label: "errors", values: row.errors, colour: "var(--error-bar)" }],
      durations: [
        { label: "p50", values: row.p50, colour: "var(--text-3)" },
        { label: "p95", values: row.p95, colour: "var(--accent)" },
        { label: "p99", values: row.p99, colour: "var(--warning)" },
      ],
    }),
    [row],
  );
  const [at, onAt] = useState<number>();
  const pick = (step: number, failed = false) => onTraces(tracesOfStep(row, times, step, failed));
  const shared = { times, at, onAt, onPick: pick };
  return (
    <div className="service-charts">
      <RateChart title="Calls a second" {...shared} curves={curves.calls} text={rateText} />
      <RateChart
        title="Share of calls that failed"
        {...shared}
        onPick={(step) => pick(step, true)}
        curves={curves.errors}
        text={shareText}
      />
      <RateChart title="Duration" {...shared} curves={curves.durations} text={timeText} />
    </div>
  );
}
