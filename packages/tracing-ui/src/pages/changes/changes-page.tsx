import "../services/services-page.css";
import "./changes-page.css";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { ApiError } from "../../api/api-error.ts";
import { type Changes, type ChangesAsked, changesQuery } from "../../api/changes.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import { AttributeChanges } from "./attribute-changes.tsx";
import { CallChanges } from "./call-changes.tsx";
import { changesFields } from "./changes-address.ts";
import { ChangesForm } from "./changes-form.tsx";
import { changesPlan } from "./changes-plan.ts";
import { DurationChart } from "./duration-chart.tsx";
import { OperationChanges } from "./operation-changes.tsx";
import { Totals } from "./totals.tsx";

const route = getRouteApi("/changes");

/**
 * Compares two time ranges or two versions: which got slower or fails more, and why. States: nothing asked
 * yet, comparing, failed, a store that cannot compare, a side without spans, and the comparison.
 */
export function ChangesPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const key = JSON.stringify(address);
  // `nowUs` is fixed at the request, so that both sides keep their time ranges while the answer is shown.
  const [nowUs, setNowUs] = useState(() => Date.now() * 1_000);
  const wantsAnswer =
    address.service !== undefined ||
    address.all === "1" ||
    address.a !== undefined ||
    address.b !== undefined;
  const plan = useMemo(() => changesPlan(address, nowUs), [address, nowUs]);
  const asked = wantsAnswer ? plan.asked : undefined;
  const found = useQuery(changesQuery(asked));
  useEffect(() => {
    document.title = `Changes${address.service === undefined ? "" : ` of ${address.service}`} · Tracing`;
  }, [address.service]);

  return (
    <div className="services-page changes-page">
      <header className="page-head">
        <h1 className="page-title">Changes</h1>
        {address.service !== undefined && (
          <nav className="page-head-links" aria-label="More of this service">
            <Link to="/services" search={{ service: address.service }}>
              Rates
            </Link>
            <Link to="/search" search={{ service: address.service }}>
              Traces
            </Link>
          </nav>
        )}
      </header>
      <ChangesForm
        key={key}
        address={address}
        comparing={found.isFetching}
        onCompare={(next) => {
          setNowUs(Date.now() * 1_000);
          void navigate({ search: changesFields(next) });
        }}
      />
      <section className="services-body" aria-label="What changed" aria-busy={found.isFetching}>
        <Answer found={found} asked={asked} />
      </section>
    </div>
  );
}

/** The inputs of {@link Answer}. */
interface AnswerProps {
  /** The request for the comparison. */
  found: UseQueryResult<Changes>;
  /** Both sides of the comparison; undefined before the first request. */
  asked: ChangesAsked | undefined;
}

/** The part below the form: an error, an introduction, a loading note, or the comparison. */
function Answer({ found, asked }: AnswerProps) {
  const { error, data } = found;
  if (error instanceof ApiError && (error.status === 501 || error.code === "API_NOT_FOUND")) {
    return (
      <Notice kind="plain" title="This server compares no times">
        <p>It needs the built-in store. Traces can be compared one by one, with the button of a trace.</p>
      </Notice>
    );
  }
  if (error) {
    return <FailureNotice error={error} onRetry={() => found.refetch()} />;
  }
  if (asked === undefined) {
    return (
      <Notice kind="plain" title="What got slower, and why?">
        <p>
          Choose a service and two times, or two versions of it. Both sides are counted, and operations,
          attributes and calls that differ are ranked.
        </p>
        <p>
          To compare one trace with another, <Link to="/compare">compare traces</Link>.
        </p>
      </Notice>
    );
  }
  if (data === undefined) {
    return <Loading>Comparing…</Loading>;
  }
  return <Found changes={data} asked={asked} />;
}

/**
 * The comparison: totals and durations, then attributes, operations and calls. When a side has no spans, a notice
 * replaces the comparison.
 */
function Found({ changes, asked }: { changes: Changes; asked: ChangesAsked }) {
  const { a, b } = changes;
  if (a.spans === 0 || b.spans === 0) {
    const which = a.spans === 0 && b.spans === 0 ? "A and B have" : a.spans === 0 ? "A has" : "B has";
    return (
      <Notice kind="plain" title={`${which} no spans`}>
        <p>
          {a.spans + b.spans === 0
            ? "No span matches in either time."
            : `${formatCount(a.spans)} spans in A, ${formatCount(b.spans)} in B.`}{" "}
          Choose another time, or another value. Values are compared as text.
        </p>
      </Notice>
    );
  }
  return (
    <>
      <div className="changes-head">
        <Totals changes={changes} asked={asked} />
        <DurationChart changes={changes} />
      </div>
      <AttributeChanges changes={changes} asked={asked} />
      <OperationChanges changes={changes} asked={asked} />
      <CallChanges changes={changes} asked={asked} />
    </>
  );
}
