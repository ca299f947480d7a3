import "./statistics-view.css";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Fragment, type ReactNode, useMemo } from "react";
import { CutName } from "ui-kit/components/cut-name.tsx";
import { Duration } from "ui-kit/components/duration.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { GrowingEnd, useGrowingRows } from "../../../components/growing-rows.tsx";
import { ServiceMark } from "../../../components/service-mark.tsx";
import { useMedia } from "../../../components/use-media.ts";
import type { Trace } from "../../../trace/trace.ts";
import { changedAddress, defaultStatisticsSort, type StatisticsColumn } from "../trace-address.ts";
import { type AttributeKeys, attributeKeys, type SpanStatistics, spanStatistics } from "./span-statistics.ts";

const route = getRouteApi("/trace/$traceId");
/** Maximum number of attribute keys offered for grouping. */
const mostKeys = 200;

/** A column of figures. */
interface Column {
  /** Name of the column in the address. */
  column: StatisticsColumn;
  title: string;
  /** The figure that the rows are sorted by. */
  value: (row: SpanStatistics) => number;
  /** Draws the cell. */
  cell: (row: SpanStatistics) => ReactNode;
}

const columns: readonly Column[] = [
  {
    ...{ column: "count", title: "Spans", value: (row) => row.count },
    cell: ({ count }) => <td className="mono">{formatCount(count)}</td>,
  },
  {
    ...{ column: "errors", title: "Errors", value: (row) => row.errors },
    cell: ({ errors }) => (
      <td className={errors > 0 ? "mono statistics-errors" : "mono unit"}>{formatCount(errors)}</td>
    ),
  },
  timeColumn("total", "Total", (row) => row.totalUs),
  timeColumn("self", "Self", (row) => row.selfUs),
  timeColumn("min", "Min", (row) => row.leastUs),
  timeColumn("median", "Median", (row) => row.medianUs),
  timeColumn("p95", "p95", (row) => row.p95Us),
  timeColumn("max", "Max", (row) => row.mostUs),
];

/** A column of durations in microseconds. */
function timeColumn(column: StatisticsColumn, title: string, value: Column["value"]): Column {
  const cell = (row: SpanStatistics) => (
    <td>
      <Duration us={value(row)} />
    </td>
  );
  return { column, title, value, cell };
}

/**
 * Statistics of the trace's spans, grouped by operation, service or attribute. A row links to its spans in the
 * waterfall. Grouping and order are in the address; rows are drawn as far as the user scrolls.
 */
export function StatisticsView({ trace, hues }: { trace: Trace; hues: ReadonlyMap<string, number> }) {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const by = address.by ?? "operation";
  const sort = address.sort ?? defaultStatisticsSort;
  const keys = useMemo(() => attributeKeys(trace, mostKeys), [trace]);
  const all = useMemo(() => spanStatistics(trace, by), [trace, by]);
  const rows = useMemo(() => {
    const { value } = columns.find(({ column }) => column === sort) ?? { value: () => 0 };
    return sort === "name"
      ? all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
      : all.toSorted((a, b) => value(b) - value(a));
  }, [all, sort]);
  const { drawn, ...rest } = useGrowingRows(rows, `${trace.traceId} ${by} ${sort}`);
  // On a phone most columns are outside the view, so the column that sorts the rows comes first.
  const isNarrow = useMedia("(width < 640px)");
  const shown = isNarrow
    ? columns.toSorted((a, b) => Number(b.column === sort) - Number(a.column === sort))
    : columns;
  const selfUs = all.reduce((sum, row) => sum + row.selfUs, 0);
  const go: Go = (changes) => void navigate({ search: changedAddress(address, changes), resetScroll: false });

  return (
    <div className="statistics">
      <GroupBy {...{ by, keys, go }} groups={all.length} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key */}
      <section className="statistics-scroll" aria-label="Statistics" tabIndex={0}>
        <table aria-label="Statistics of the spans">
          <thead>
            <tr>
              <Head
                column="name"
                title={by === "operation" ? "Service and operation" : by === "service" ? "Service" : by}
                {...{ sort, go }}
              />
              {shown.map(({ column, title }) => (
                <Head key={column} {...{ column, title, sort, go }} />
              ))}
              <th scope="col">Self share</th>
            </tr>
          </thead>
          <tbody>
            {drawn.map((row) => (
              <Row key={row.first} {...{ trace, hues, row, columns: shown, by, selfUs }} />
            ))}
          </tbody>
        </table>
        <GrowingEnd {...rest} />
      </section>
    </div>
  );
}

/** Changes fields of the address. */
type Go = (changes: Parameters<typeof changedAddress>[1]) => void;

/** The inputs of {@link GroupBy}. */
interface GroupByProps {
  /** The field that the groups share: `operation`, `service`, or the key of an attribute. */
  by: string;
  /** Keys of attributes that are offered. */
  keys: AttributeKeys;
  /** Number of groups in the table. */
  groups: number;
  /** Changes the address. */
  go: Go;
}

/** The choice of the grouping, and the number of groups. */
function GroupBy({ by, keys, groups, go }: GroupByProps) {
  return (
    <label className="statistics-by">
      Group by
      <select
        className="field"
        value={by}
        onChange={(event) => go({ by: event.target.value === "operation" ? undefined : event.target.value })}
      >
        <option value="operation">service and operation</option>
        <option value="service">service</option>
        <optgroup label="attribute">
          {keys.spans.map((key) => (
            <option key={key}>{key}</option>
          ))}
        </optgroup>
        <optgroup label="attribute of the resource">
          {keys.resources.map((key) => (
            <option key={key}>{key}</option>
          ))}
        </optgroup>
      </select>
      <span className="muted">
        {formatCount(groups)} {groups === 1 ? "group" : "groups"}
      </span>
    </label>
  );
}

/** The inputs of {@link Head}. */
interface HeadProps {
  column: StatisticsColumn;
  /** Text of the header. */
  title: string;
  /** The column that orders the rows. */
  sort: StatisticsColumn;
  /** Changes the address. */
  go: Go;
}

/** A column header, which sorts the rows: names from a to z, figures from the largest. */
function Head({ column, title, sort, go }: HeadProps) {
  return (
    <th scope="col" aria-sort={sort === column ? (column === "name" ? "ascending" : "descending") : "none"}>
      <button
        type="button"
        onClick={() => go({ sort: column === defaultStatisticsSort ? undefined : column })}
      >
        {title}
      </button>
    </th>
  );
}

/** A row: a group with its figures, and its share of all self time as a bar. */
function Row(props: {
  trace: Trace;
  hues: ReadonlyMap<string, number>;
  row: SpanStatistics;
  columns: readonly Column[];
  by: string;
  selfUs: number;
}) {
  const { trace, hues, row, columns, by, selfUs } = props;
  const address = route.useSearch();
  const service = trace.services[row.service];
  const share = selfUs === 0 ? 0 : row.selfUs / selfUs;
  const q =
    by === "operation" ? `"${service}" "${row.name}"` : by === "service" ? row.name : `"${by}=${row.name}"`;
  return (
    <tr>
      <th scope="row">
        <Link
          to="/trace/$traceId"
          params={{ traceId: trace.traceId }}
          search={changedAddress(address, { view: undefined, q, span: undefined })}
          title="Show these spans in the waterfall"
        >
          {service !== undefined && <ServiceMark hue={hues.get(service)} />}
          <span className="cut-names">
            {by === "operation" && <CutName strong>{service ?? ""}</CutName>} <CutName>{row.name}</CutName>
          </span>
        </Link>
      </th>
      {columns.map(({ column, cell }) => (
        <Fragment key={column}>{cell(row)}</Fragment>
      ))}
      <td className="statistics-share">
        <span className="statistics-bar" style={{ width: `${100 * share}%` }} />
        <span className="mono">
          {(100 * share).toFixed(1)}
          <span className="unit"> %</span>
        </span>
      </td>
    </tr>
  );
}
