import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { formatCount } from "ui-kit/format/format-count.ts";
import { formatShare } from "ui-kit/format/format-rate.ts";
import { clockText, dateText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { type Objective, type ObjectiveCurve, objectiveCurveQuery } from "../../api/objectives.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import { RateChart } from "../services/rate-chart.tsx";
import { burnText, goodText, windowText } from "./budget-text.ts";
import { StateText } from "./objective-state.tsx";
import { Budget } from "./objective-table.tsx";

/** Alert thresholds of each window, with the second window that must exceed the same threshold. */
const bounds: Readonly<Record<string, string>> = {
  "5m": "14.4 with 1 h: page",
  "30m": "6 with 6 h: page",
  "1h": "14.4 with 5 min: page",
  "6h": "6 with 30 min: page; 1 with 3 d: ticket",
  "3d": "1 with 6 h: ticket",
};

/**
 * One objective: its figures, burn rates, and budget over time. States: counting, failed, and the
 * objective; a failed read of the store is shown above the old figures.
 * @param refetchInterval milliseconds between two requests; false for no refresh
 */
export function ObjectiveDetail({
  name,
  refetchInterval,
}: {
  name: string;
  refetchInterval: number | false;
}) {
  const found = useQuery({ ...objectiveCurveQuery(name), refetchInterval });
  if (found.isError) {
    return <FailureNotice error={found.error} onRetry={() => found.refetch()} />;
  }
  if (found.data === undefined) {
    return <Loading>Counting…</Loading>;
  }
  const { objective } = found.data;
  return (
    <div className="objective-detail">
      <Facts objective={objective} />
      {objective.error !== undefined && (
        <p className="objective-warning" role="alert">
          The last read failed, so figures are old: {objective.error}
        </p>
      )}
      <Charts found={found.data} />
      <BurnRates objective={objective} />
    </div>
  );
}

/** The objective in words: target, budget, spans, definition of good spans, and alerts. */
function Facts({ objective }: { objective: Objective }) {
  const { description, service, operations, kinds, condition, target, latencyMs, countedLatencyMs } =
    objective;
  const zone = useChoice(zoneChoice);
  const time = (ms: number) => `${dateText(ms * 1_000, zone)} ${clockText(ms * 1_000, zone).slice(0, 5)}`;
  const what = [
    operations.length === 0 ? "all operations" : operations.join(", "),
    kinds.join(", "),
    ...(condition === "" ? [] : [condition]),
  ].join(" · ");
  const good =
    latencyMs === undefined
      ? "without an error"
      : `without an error and in less than ${latencyMs} ms${
          countedLatencyMs === undefined || countedLatencyMs === latencyMs
            ? ""
            : ` (counted with ${countedLatencyMs} ms)`
        }`;
  const rows: [string, React.ReactNode][] = [
    ["State", <StateText key="state" {...objective} />],
    ["Target", `${target} % of spans ${good}, in ${windowText(objective.windowHours)}`],
    [
      "Budget left",
      <Budget key="budget" left={objective.budgetLeft} isCounting={objective.state === "counting"} />,
    ],
    ["Good", goodText(objective.total, objective.bad, target)],
    [
      "Spans",
      `${formatCount(Math.round(objective.total))}, ${formatCount(Math.round(objective.bad))} of them bad`,
    ],
    ["Of", `${service}: ${what}`],
    [
      "Counted",
      objective.countedUntil === null || objective.countedSince === null
        ? "not yet"
        : `${time(objective.countedSince)} to ${time(objective.countedUntil)}`,
    ],
    ["Alerts", alertText(objective, time)],
    ...(description === "" ? [] : [["For", description] satisfies [string, React.ReactNode]]),
  ];
  return (
    <dl className="objective-facts">
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Text about firing alerts and their start times, and about burn rates that this target can never reach. */
function alertText({ alerts, neverFires }: Objective, time: (ms: number) => string): string {
  const firing =
    alerts.length === 0
      ? "none fires"
      : alerts.map(({ severity, since }) => `${severity} since ${time(since)}`).join(", ");
  return neverFires.length === 0
    ? firing
    : `${firing}; with this target no burn rate reaches ${neverFires.join(" or ")}`;
}

/**
 * Two charts of the window: budget used, and share of bad spans. A click leads to the failed traces of that
 * moment. Without data a sentence is shown.
 */
function Charts({ found: { objective, curve } }: { found: ObjectiveCurve }) {
  const [at, onAt] = useState<number>();
  const navigate = useNavigate();
  const { times, used, bad } = useMemo(
    () => ({
      times: curve.map(([start]) => start),
      used: curve.map(([, , , left]) => (left === null ? null : 1 - left)),
      bad: curve.map(([, total, failed]) => (total > 0 ? failed / total : null)),
    }),
    [curve],
  );
  if (objective.total === 0 || curve.length < 2) {
    return <p className="services-note">No span counts in the window: there is nothing to draw.</p>;
  }
  const pieceMs = (times[1] ?? 0) - (times[0] ?? 0);
  const onPick = (step: number) => {
    const startMs = times[step] ?? 0;
    void navigate({
      to: "/search",
      search: {
        ...{ service: objective.service, lookback: "custom" },
        ...{ start: String(startMs * 1_000), end: String((startMs + pieceMs) * 1_000), tags: "error=true" },
      },
    });
  };
  const text = (value: number) => `${formatShare(value)}\u00a0%`;
  const shared = { times, at, onAt, onPick, text };
  return (
    <div className="service-charts">
      <RateChart
        title="Error budget used in this window"
        {...shared}
        curves={[{ label: "used", values: used, colour: "var(--accent)" }]}
      />
      <RateChart
        title="Share of bad spans"
        {...shared}
        curves={[{ label: "bad", values: bad, colour: "var(--error-bar)" }]}
      />
    </div>
  );
}

/**
 * The burn rates by window, with the alert thresholds. Windows that the search offers lead to the failed
 * traces.
 */
function BurnRates({ objective }: { objective: Objective }) {
  const { burnRates, service } = objective;
  const hours: Readonly<Record<string, "5m" | "1h" | "6h">> = { "5m": "5m", "1h": "1h", "6h": "6h" };
  return (
    <table className="rates objective-burns" aria-label="Burn rates">
      <thead>
        <tr>
          <th scope="col" className="rate-name">
            Window
          </th>
          <th scope="col">Burn rate</th>
          <th scope="col">Spans</th>
          <th scope="col">Bad</th>
          <th scope="col" className="objective-bound">
            Alerts above
          </th>
        </tr>
      </thead>
      <tbody>
        {burnRates.map(({ window, total, bad, rate }) => (
          <tr key={window}>
            <td className="rate-name">{window}</td>
            <td className="mono">{burnText(rate)}</td>
            <td className="mono">{formatCount(Math.round(total))}</td>
            <td className="mono">
              {hours[window] === undefined || bad === 0 ? (
                formatCount(Math.round(bad))
              ) : (
                <Link
                  to="/search"
                  search={{ service, lookback: hours[window], tags: "error=true" }}
                  title="Traces that failed"
                >
                  {formatCount(Math.round(bad))}
                </Link>
              )}
            </td>
            <td className="objective-bound">{bounds[window]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
