import "./rate-table.css";
import type { MouseEvent, ReactNode } from "react";
import { Duration } from "ui-kit/components/duration.tsx";
import { Sparkline } from "ui-kit/components/sparkline.tsx";
import { formatRate, formatShare } from "ui-kit/format/format-rate.ts";
import type { RateRow, RateSort } from "../../api/rates.ts";
import { type TracesSearch, tracesOfCell } from "./traces-of-rate.ts";

/** Columns of figures, with headers and tooltips. */
const columns: { sort: RateSort; label: string; title: string }[] = [
  { sort: "calls", label: "Calls", title: "Calls a second" },
  { sort: "errors", label: "Errors", title: "Share of calls that failed" },
  { sort: "p50", label: "p50", title: "Half of the calls take no longer" },
  { sort: "p95", label: "p95", title: "19 of 20 calls take no longer" },
  { sort: "p99", label: "p99", title: "99 of 100 calls take no longer" },
];

/** The inputs of {@link RateTable}. */
interface RateTableProps {
  rows: readonly RateRow[];
  /** Header of the first column. */
  head: string;
  sort: RateSort;
  /** Called with the order of a clicked header. */
  onSort: (sort: RateSort) => void;
  name: (row: RateRow) => ReactNode;
  lookback: string;
  onTraces: (search: TracesSearch) => void;
}

/**
 * Table of call rates, error shares and latencies, in rows of 24 px with curves of calls, errors and the 95th
 * percentile. Curves of errors share one scale. Each other curve has its own scale, because sizes differ by orders of
 * magnitude. Figures lead to their traces.
 * @param rows rows, which the server has sorted by `sort`
 * @param name draws the first column of a row
 * @param lookback time range of the rates, for links to their traces
 * @param onTraces called with the search for the traces of a clicked figure
 */
export function RateTable(props: RateTableProps) {
  const { rows, head, sort, onSort, name, lookback, onTraces } = props;
  const mostErrors = Math.max(0.05, ...rows.flatMap(({ errors }) => errors.map((value) => value ?? 0)));
  // One listener for all figures: a router link for each figure would double the time to draw the table.
  const follow = (event: MouseEvent<HTMLTableElement>) => followTraces(event, onTraces);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the links within are what is clicked, and take Enter
    <table aria-label="Rates" className={`rates sorted-${sort}`} onClick={follow}>
      <thead>
        <tr>
          <SortHead sort="name" current={sort} onSort={onSort} className="rate-name">
            {head}
          </SortHead>
          {columns.map(({ sort: column, label, title }) => (
            <SortHead
              key={column}
              sort={column}
              current={sort}
              onSort={onSort}
              title={title}
              className={`rate-${column}`}
            >
              {label}
            </SortHead>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={JSON.stringify([row.service, row.operation])} {...{ row, name, lookback, mostErrors }} />
        ))}
      </tbody>
    </table>
  );
}

/** A column whose figures lead to traces. */
type Figure = "calls" | "errors" | "p50" | "p95" | "p99";

/** Handles a click on a figure. Clicks that open a new tab or window are left to the browser. */
function followTraces(event: MouseEvent<HTMLTableElement>, onTraces: RateTableProps["onTraces"]) {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a[data-traces]");
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) {
    return;
  }
  event.preventDefault();
  onTraces(Object.fromEntries(new URL(link.href).searchParams));
}

/** The inputs of {@link Row}. */
interface RowProps extends Pick<RateTableProps, "name" | "lookback"> {
  /** The rates of a service, or of an operation. */
  row: RateRow;
  /** The largest share of errors of all rows: the top of the scale for error curves. */
  mostErrors: number;
}

/** A row: name, rates and their curves. */
function Row({ row, name, lookback, mostErrors }: RowProps) {
  const traces = (column: Figure, what: string, figure: ReactNode) => (
    <a
      data-traces
      className="rate-traces"
      href={`search?${new URLSearchParams(tracesOfCell(row, column, lookback))}`}
      title={what}
    >
      {figure}
    </a>
  );
  return (
    <tr>
      <td className="rate-name cut">{name(row)}</td>
      <td className="rate-calls">
        <span className="rate-cell">
          <Sparkline values={row.calls} most={largest(row.calls)} kind="plain" />
          {traces("calls", "Traces of these calls", <Rate perSecond={row.whole.calls} />)}
        </span>
      </td>
      <td className="rate-errors">
        <span className="rate-cell">
          {row.whole.errors > 0 ? <Sparkline values={row.errors} most={mostErrors} kind="error" /> : <span />}
          {row.whole.errors > 0 ? (
            traces("errors", "Traces of calls that failed", <Share share={row.whole.errors} />)
          ) : (
            <Share share={0} />
          )}
        </span>
      </td>
      <td className="rate-p50">
        {traces("p50", "Traces as long, or longer", <Duration us={row.whole.p50} />)}
      </td>
      <td className="rate-p95">
        <span className="rate-cell">
          <Sparkline values={row.p95} most={largest(row.p95)} kind="plain" />
          {traces("p95", "Traces as long, or longer", <Duration us={row.whole.p95} />)}
        </span>
      </td>
      <td className="rate-p99">
        {traces("p99", "Traces as long, or longer", <Duration us={row.whole.p99} />)}
      </td>
    </tr>
  );
}

/** The largest value, without gaps; 0 without values. */
function largest(values: readonly (number | null)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

/** Calls per second, with the unit in a lighter colour. */
export function Rate({ perSecond }: { perSecond: number }) {
  const { figure, unit } = formatRate(perSecond);
  return (
    <span className="mono">
      {figure}
      <span className="unit">{unit}</span>
    </span>
  );
}

/** A share in per cent; red above 0. */
export function Share({ share }: { share: number }) {
  if (!(share > 0)) {
    return <span className="mono unit">–</span>;
  }
  return <span className="mono failed-text">{formatShare(share)}&nbsp;%</span>;
}

/** A column header that sorts: names from a to z, figures from the largest. */
function SortHead(props: {
  className: string;
  title?: string;
  sort: RateSort;
  current: RateSort;
  onSort: (sort: RateSort) => void;
  children: string;
}) {
  const { className, title, sort, current, onSort, children } = props;
  const order = sort === "name" ? "ascending" : "descending";
  return (
    <th scope="col" className={className} title={title} aria-sort={sort === current ? order : "none"}>
      <button type="button" className="rate-sort" onClick={() => onSort(sort)}>
        {sort === current && <span aria-hidden="true">{sort === "name" ? "↑ " : "↓ "}</span>}
        {children}
      </button>
    </th>
  );
}
