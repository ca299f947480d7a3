import { useMemo, useState } from "react";
import { durationText } from "ui-kit/format/format-duration.ts";
import type { GenAiFigures } from "../../api/gen-ai.ts";
import { money } from "../../format/money.ts";
import { RateChart } from "../services/rate-chart.tsx";

/** The inputs of {@link ModelCharts}. */
interface ModelChartsProps {
  data: GenAiFigures;
  /** Called with the start and the end of a clicked step, in microseconds since 1970. */
  onTraces: (start: number, end: number) => void;
}

type Step = GenAiFigures["curve"][number];

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
/** Short numbers, because an axis has little room: `20M`. */
const countText = (value: number) => compact.format(value);
const timeText = (value: number) => (value === 0 ? "0" : durationText(value));

/** Calls, tokens, cost and durations over time. All charts show the same pointed moment. */
export function ModelCharts({ data, onTraces }: ModelChartsProps) {
  const { start, step, steps, curve, currency, sum } = data;
  const { times, lineOf } = useMemo(() => {
    const byStep = new Map(curve.map((one) => [one.step, one]));
    const indexes = Array.from({ length: steps }, (_, index) => index);
    return {
      times: indexes.map((index) => (start + index * step) / 1_000),
      /** Steps without calls are 0 for numbers, and gaps for durations. */
      lineOf: (field: keyof Step, none: 0 | null = 0) =>
        indexes.map((index) => byStep.get(index)?.[field] ?? none),
    };
  }, [curve, start, step, steps]);
  const [at, onAt] = useState<number>();
  const shared = {
    ...{ times, at, onAt },
    onPick: (index: number) => onTraces(start + index * step, start + (index + 1) * step),
  };
  return (
    <div className="service-charts">
      <RateChart
        title="Calls"
        {...shared}
        text={countText}
        curves={[
          { label: "calls", values: lineOf("calls"), colour: "var(--accent)" },
          { label: "errors", values: lineOf("errors"), colour: "var(--error-bar)" },
        ]}
      />
      <RateChart
        title="Tokens"
        {...shared}
        text={countText}
        curves={[
          { label: "in", values: lineOf("inputTokens"), colour: "var(--accent)" },
          { label: "out", values: lineOf("outputTokens"), colour: "var(--warning)" },
        ]}
      />
      {sum.cost !== null && (
        <RateChart
          title={`Cost, ${currency}`}
          {...shared}
          // The axis has room for the amount only; the title names the currency.
          text={(value) => money(value, "").trim()}
          curves={[{ label: "cost", values: lineOf("cost"), colour: "var(--accent)" }]}
        />
      )}
      <RateChart
        title="Duration"
        {...shared}
        text={timeText}
        curves={[
          { label: "p50", values: lineOf("p50", null), colour: "var(--text-3)" },
          { label: "p95", values: lineOf("p95", null), colour: "var(--accent)" },
        ]}
      />
    </div>
  );
}
