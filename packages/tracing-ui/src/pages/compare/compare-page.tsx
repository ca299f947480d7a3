import "ui-kit/components/link-switch.css";
import "./compare-page.css";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { Duration } from "ui-kit/components/duration.tsx";
import { Notice } from "ui-kit/components/notice.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import { ApiError } from "../../api/api-error.ts";
import { type TraceDiff, traceDiffQuery } from "../../api/trace-diff.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import type { CompareAddress, CompareOrder } from "./compare-address.ts";
import { CompareForm } from "./compare-form.tsx";
import { CompareTable } from "./compare-table.tsx";

const route = getRouteApi("/compare");

/**
 * The compare screen: a trace beside another trace, or beside the median of a search. States: no trace given,
 * comparing, a trace that is not in the store, another failure, a search without traces, and the
 * comparison.
 */
export function ComparePage() {
  const address = route.useSearch();
  const { a = "", b, q } = address;
  const diff = useQuery(traceDiffQuery({ a, b, q }));
  useEffect(() => {
    document.title = "Compare · Tracing";
  }, []);
  return (
    <div className="compare-page">
      <h1 className="visually-hidden">Compare traces</h1>
      <CompareForm key={JSON.stringify([a, b, q])} address={address} />
      {a === "" && (
        <Notice kind="plain" title="Which part of a trace is unusual?">
          <p>
            Give the id of a trace. It is laid over the median of traces that begin as it does, or over
            another trace, place by place: what takes longer, what is called more often, what is missing.
          </p>
          <p>The button “Compare” of a trace leads here too.</p>
          <p className="notice-actions">
            <Link to="/search" className="button">
              Search traces
            </Link>
          </p>
        </Notice>
      )}
      {diff.isPending && a !== "" && (
        <p className="compare-wait" role="status">
          Comparing…
        </p>
      )}
      {diff.isError && <Failure error={diff.error} onRetry={() => diff.refetch()} />}
      {diff.isSuccess && <Compared diff={diff.data} address={address} />}
    </div>
  );
}

/** The error of a failed comparison. A missing trace gets a specific text, because ids are often pasted wrong. */
function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (!(error instanceof ApiError && error.code === "API_NOT_FOUND")) {
    return <FailureNotice error={error} onRetry={onRetry} />;
  }
  return (
    <Notice kind="error" title="One of these traces is not in the store">
      <p>
        It may have been left out by sampling, or deleted because of its age. Compare the ids, digit by digit.
      </p>
      <button type="button" className="button" onClick={onRetry}>
        Look again
      </button>
    </Notice>
  );
}

/** Totals of both sides and their difference, the choice of an order, and the table. */
function Compared({ diff, address }: { diff: TraceDiff; address: CompareAddress }) {
  const { a, b } = diff;
  const medianOfNone = address.b === undefined && b.traces === 0;
  if (medianOfNone) {
    return (
      <Notice kind="plain" title="The search found no other traces">
        <p>
          There is nothing to take the median of in the hour before this trace. Say in TraceQL which traces
          are meant, or name another trace.
        </p>
      </Notice>
    );
  }
  const differenceUs = a.duration - b.duration;
  return (
    <>
      <dl className="compare-totals">
        <Side letter="A" traceId={a.traceID} side={a} />
        <Side letter="B" traceId={b.traceID} side={b} />
        <div>
          <dt>A is</dt>
          <dd className="mono">
            {durationText(Math.abs(differenceUs))}{" "}
            <span className="unit">
              {differenceUs >= 0 ? "longer" : "shorter"}
              {b.duration > 0 && ` (×${(a.duration / b.duration).toPrecision(3)})`},{" "}
            </span>
            {formatCount(Math.abs(a.spans - b.spans))}{" "}
            <span className="unit">{a.spans >= b.spans ? "spans more" : "spans fewer"}</span>
          </dd>
        </div>
        <OrderSwitch address={address} />
      </dl>
      <CompareTable diff={diff} address={address} />
    </>
  );
}

/** Summary of one side: its trace or the number of traces in the median, its duration, and its span count. */
function Side(props: { letter: "A" | "B"; traceId: string | undefined; side: TraceDiff["a"] }) {
  const { letter, traceId, side } = props;
  return (
    <div>
      <dt>{letter}</dt>
      <dd>
        {traceId === undefined ? (
          <>Median of {formatCount(side.traces)} traces</>
        ) : (
          <Link to="/trace/$traceId" params={{ traceId }} className="mono">
            {traceId.slice(0, 16)}…
          </Link>
        )}{" "}
        <Duration us={side.duration} /> <span className="mono">{formatCount(side.spans)}</span>
        <span className="unit"> spans</span>
      </dd>
    </div>
  );
}

/** The orders with their titles, in the order of the switch. */
const orders: [order: CompareOrder, title: string][] = [
  ["time", "Time"],
  ["count", "Count"],
  ["errors", "Errors"],
  ["structure", "Structure"],
];

/** Links that choose the order of the rows; `time` is left out of the address. */
function OrderSwitch({ address }: { address: CompareAddress }) {
  const { a, b, q } = address;
  const kept = Object.fromEntries(Object.entries({ a, b, q }).filter(([, value]) => value !== undefined));
  return (
    <div className="compare-order">
      <dt>Order by</dt>
      <dd className="link-switch">
        {orders.map(([one, title]) => (
          <Link
            key={one}
            to="/compare"
            search={one === "time" ? kept : { ...kept, order: one }}
            activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          >
            {title}
          </Link>
        ))}
      </dd>
    </div>
  );
}
