import { Link } from "@tanstack/react-router";
import { type CSSProperties, useEffect, useMemo, useRef } from "react";
import { CutNames } from "ui-kit/components/cut-name.tsx";
import { Duration } from "ui-kit/components/duration.tsx";
import { isTyping } from "ui-kit/components/typing-target.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { assignServiceHues } from "ui-kit/theme/service-hues.ts";
import type { DiffSide, TraceDiff } from "../../api/trace-diff.ts";
import { GrowingEnd, useGrowingRows } from "../../components/growing-rows.tsx";
import { ServiceMark } from "../../components/service-mark.tsx";
import type { CompareAddress } from "./compare-address.ts";
import { type CompareRow, compareRows } from "./compare-rows.ts";

/** Maximum number of levels that are indented. Deeper levels get the same indent, so that names keep their room. */
const mostIndents = 12;
/**
 * Both sides of a comparison, one row per node. `j` and `k` move from row to row. Rows are drawn as far as the user
 * scrolls.
 */
export function CompareTable({ diff, address }: { diff: TraceDiff; address: CompareAddress }) {
  const order = address.order ?? "time";
  const rows = useMemo(() => compareRows(diff, order), [diff, order]);
  const { drawn, ...rest } = useGrowingRows(rows, `${address.a} ${address.b} ${address.q} ${order}`);
  const hues = useMemo(() => assignServiceHues(diff.nodes.map(({ service }) => service)), [diff]);
  const mostUs = rows.reduce((most, { selfUs }) => Math.max(most, Math.abs(selfUs)), 0);
  const scroller = useRef<HTMLElement>(null);
  useRowKeys(scroller);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key
    <section ref={scroller} className="compare-scroll" aria-label="Differences" tabIndex={0}>
      <table aria-label="Places of both traces" className={`by-${order}`}>
        <thead>
          <tr>
            <th scope="col">Service and operation</th>
            <th scope="col">Spans A</th>
            <th scope="col">Spans B</th>
            <th scope="col">Errors A</th>
            <th scope="col">Errors B</th>
            <th scope="col">Total A</th>
            <th scope="col">Total B</th>
            <th scope="col">Self A</th>
            <th scope="col">Self B</th>
            <th scope="col">Self, A less B</th>
          </tr>
        </thead>
        <tbody>
          {drawn.map((row) => (
            <Row
              key={row.index}
              {...{ row, diff, mostUs }}
              indent={order === "structure" ? Math.min(row.depth, mostIndents) : 0}
              hue={hues.get(row.node.service)}
            />
          ))}
        </tbody>
      </table>
      <GrowingEnd {...rest} />
    </section>
  );
}

function Row(props: {
  /** The node with its differences. */
  row: CompareRow;
  diff: TraceDiff;
  /** Largest difference of self times among all rows, in microseconds. A full bar has this length. */
  mostUs: number;
  /** Number of levels by which the name is indented. */
  indent: number;
  /** Hue of the service, in degrees. */
  hue: number | undefined;
}) {
  const { row, diff, mostUs, indent, hue } = props;
  const { node, selfUs } = row;
  const { a, b } = node;
  const share = mostUs === 0 ? 0 : Math.abs(selfUs) / mostUs;
  return (
    <tr className="compare-row">
      <th scope="row">
        <span className="compare-name" style={{ "--indent": indent } as CSSProperties}>
          <ServiceMark hue={hue} />
          <Name row={row} diff={diff} />
          {b === null && <span className="compare-only">only in A</span>}
          {a === null && <span className="compare-only">only in B</span>}
        </span>
      </th>
      <Count value={a?.count} />
      <Count value={b?.count} />
      <Count value={a?.errors} failed />
      <Count value={b?.errors} failed />
      <Time us={a?.duration} />
      <Time us={b?.duration} />
      <Time us={a?.selfTime} />
      <Time us={b?.selfTime} />
      <td className="compare-change">
        <span
          className={selfUs < 0 ? "compare-bar less" : "compare-bar"}
          style={{ "--share": share } as CSSProperties}
        />
        <Duration us={Math.abs(selfUs)} sign={selfUs === 0 ? "" : selfUs < 0 ? "−" : "+"} />
      </td>
    </tr>
  );
}

/**
 * Service and operation of a node, as a link to its first span: in A if A has a span, else in B. No link for
 * a median.
 */
function Name({ row, diff }: { row: CompareRow; diff: TraceDiff }) {
  const { service, operation, a, b } = row.node;
  const found = spanOf(a, diff.a.traceID) ?? spanOf(b, diff.b.traceID);
  const name = <CutNames service={service} operation={operation} />;
  if (found === undefined) {
    return <span className="compare-operation">{name}</span>;
  }
  return (
    <Link
      to="/trace/$traceId"
      params={{ traceId: found.traceId }}
      search={{ span: found.spanId, open: found.spanId }}
    >
      {name}
    </Link>
  );
}

/** Trace and first span of a side; undefined for a median and for a side without spans. */
function spanOf(side: DiffSide | null, traceId: string | undefined) {
  const spanId = side?.spanIDs?.[0];
  return spanId === undefined || traceId === undefined ? undefined : { spanId, traceId };
}

/** A count, with one decimal for medians; a dash for a missing side. */
function Count({ value, failed = false }: { value: number | undefined; failed?: boolean }) {
  if (value === undefined) {
    return <td className="compare-none">–</td>;
  }
  const name = failed ? (value > 0 ? "mono compare-errors" : "mono unit") : "mono";
  return <td className={name}>{formatCount(Math.round(value * 10) / 10)}</td>;
}

/** A duration in microseconds; a dash for a missing side. */
function Time({ us }: { us: number | undefined }) {
  return us === undefined ? (
    <td className="compare-none">–</td>
  ) : (
    <td>
      <Duration us={us} />
    </td>
  );
}

/**
 * Keys `j` and `k` move the focus from row to row, unless the user types or a dialog is open. The listener
 * is removed with the table.
 */
function useRowKeys(scroller: { current: HTMLElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) {
        return;
      }
      const by = { j: 1, k: -1 }[event.key];
      if (by === undefined || document.querySelector("dialog[open]") !== null) {
        return;
      }
      const links = [...(scroller.current?.querySelectorAll<HTMLElement>(".compare-name a") ?? [])];
      const at = links.indexOf(document.activeElement as HTMLElement);
      links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [scroller]);
}
