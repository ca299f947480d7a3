import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { CutName } from "ui-kit/components/cut-name.tsx";
import { Duration } from "ui-kit/components/duration.tsx";
import { Notice } from "ui-kit/components/notice.tsx";
import { Pager } from "ui-kit/components/pager.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import { type Dependency, type DependencyPage, dependenciesPerPage } from "../../api/dependencies.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import { PartFailure } from "../../components/part-failure.tsx";
import { ServiceMark } from "../../components/service-mark.tsx";
import { Rate, Share } from "../services/rate-table.tsx";
import "../services/rate-table.css";
import { type NodeRates, useNodeRates } from "./use-node-rates.ts";

/** Columns that can order the table. */
type Order = "calls" | "parent" | "child";
const none: readonly Dependency[] = [];

/** The inputs of {@link DependencyTable}. */
interface DependencyTableProps {
  /** The request for the page. */
  list: UseQueryResult<DependencyPage>;
  /** The requested time range, in milliseconds. */
  time: { endMs: number; lookbackMs: number };
  /** The `lookback` of the address, for links. */
  lookback: string;
  /** The column that orders the rows. */
  order: Order;
  /** Number of the shown page, from 1. */
  page: number;
  /** Called with the column of a clicked header. */
  onOrder: (order: Order) => void;
  /** Called with the page number of a clicked button. */
  onPage: (page: number) => void;
}

/**
 * The calls of the graph as rows: caller, callee, number of calls, and the overall rates of the callee.
 * States: counting, failed, nothing found, and the table. If rates fail to load, the rows stay as they
 * are.
 */
export function DependencyTable(props: DependencyTableProps) {
  const { list, time, lookback, order, page, onOrder, onPage } = props;
  const links = list.data?.links ?? none;
  const called = useMemo(() => [...new Set(links.map(({ child }) => child))].sort(), [links]);
  const rates = useNodeRates(called, time);
  if (list.isError) {
    return <FailureNotice error={list.error} onRetry={() => list.refetch()} />;
  }
  if (list.data === undefined) {
    return <Loading>Counting calls…</Loading>;
  }
  if (list.data.total === 0) {
    return (
      <Notice kind="plain" title="No such calls between services in this time">
        <p>Look back further, or for another part of a name.</p>
      </Notice>
    );
  }
  return (
    <div className="dependency-table" aria-busy={list.isPlaceholderData}>
      {rates.error !== null && (
        <PartFailure what="Rates of services" error={rates.error} onRetry={rates.refetch} />
      )}
      <table className="rates" aria-label="Calls between services">
        <thead>
          <tr>
            <Head column="parent" label="Caller" {...{ order, onOrder }} />
            <Head column="child" label="Called" {...{ order, onOrder }} />
            <Head column="calls" label="Calls" {...{ order, onOrder }} />
            <th scope="col">Calls a second</th>
            <th scope="col">Failed, of all calls of the called</th>
            <th scope="col">p95 of the called</th>
          </tr>
        </thead>
        <tbody>
          {links.map((link) => (
            <LinkRow key={JSON.stringify([link.parent, link.child])} {...{ link, rates, time, lookback }} />
          ))}
        </tbody>
      </table>
      <Pager page={page} perPage={dependenciesPerPage} total={list.data.total} what="links" onPage={onPage} />
    </div>
  );
}

/** The inputs of {@link Head}. */
interface HeadProps {
  /** The column that a click orders the table by. */
  column: Order;
  /** Text of the header. */
  label: string;
  /** The column by which the table is sorted now. */
  order: Order;
  /** Called with the column of a clicked header. */
  onOrder: (order: Order) => void;
}

/** A column header that sorts the table: names from a to z, or most calls first. */
function Head({ column, label, order, onOrder }: HeadProps) {
  return (
    <th
      scope="col"
      className={column === "calls" ? undefined : "rate-name"}
      aria-sort={column !== order ? "none" : column === "calls" ? "descending" : "ascending"}
    >
      <button type="button" className="rate-sort" onClick={() => onOrder(column)}>
        {column === order && <span aria-hidden="true">{column === "calls" ? "↓ " : "↑ "}</span>}
        {label}
      </button>
    </th>
  );
}

/** A service, as a link to its rates. */
function ServiceLink({ service, lookback }: { service: string; lookback: string }) {
  return (
    <Link to="/services" search={{ service, lookback }}>
      <ServiceMark hue={serviceHue(service)} />
      <CutName>{service}</CutName>
    </Link>
  );
}

/** The inputs of {@link LinkRow}. */
interface LinkRowProps extends Pick<DependencyTableProps, "time" | "lookback"> {
  /** Caller, called service, and calls. */
  link: Dependency;
  /** Rates of the called services. */
  rates: NodeRates;
}

/** A row: caller, callee, number of calls, and the overall rates of the callee. */
function LinkRow({ link: { parent, child, calls }, rates, time, lookback }: LinkRowProps) {
  const whole = rates.data?.get(child)?.whole;
  const unknown = rates.error === null ? "…" : "not known";
  return (
    <tr>
      <td className="rate-name cut">
        <ServiceLink service={parent} lookback={lookback} />
      </td>
      <td className="rate-name cut">
        <ServiceLink service={child} lookback={lookback} />
      </td>
      <td className="mono">{formatCount(calls)}</td>
      <td>
        <Rate perSecond={calls / (time.lookbackMs / 1_000)} />
      </td>
      <td>
        {rates.data === undefined ? (
          <span className="unit">{unknown}</span>
        ) : (
          <Share share={whole?.errors ?? 0} />
        )}
      </td>
      <td>
        {whole === undefined ? (
          <span className="unit">{rates.data === undefined ? unknown : "–"}</span>
        ) : (
          <Duration us={whole.p95} />
        )}
      </td>
    </tr>
  );
}
