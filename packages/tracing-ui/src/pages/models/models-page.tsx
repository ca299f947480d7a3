import "../services/services-page.css";
import "../services/rate-table.css";
import "./models-page.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Notice } from "ui-kit/components/notice.tsx";
import { Pager } from "ui-kit/components/pager.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { ApiError } from "../../api/api-error.ts";
import { type GenAiFigures, genAiQuery, groupsPerPage } from "../../api/gen-ai.ts";
import { type GenAiSubject, genAiSubjects } from "../../api/gen-ai-subjects.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import { RefreshSelect, refetchInterval } from "../../components/refresh-select.tsx";
import { money } from "../../format/money.ts";
import { TimeSelect } from "../../searches/time-select.tsx";
import { lookbackMs } from "../services/services-address.ts";
import { ModelCharts } from "./model-charts.tsx";
import { ModelTable } from "./model-table.tsx";
import type { ModelsAddress } from "./models-address.ts";

const route = getRouteApi("/models");

/** Changes fields of the address. Resets the list to its first page, unless a page is given. */
type Change = (fields: Partial<ModelsAddress>) => void;

/**
 * Calls of language models by model, agent, user and others: tokens, cost, errors and times, as curves and as a list.
 * A click on a name narrows the page down to it. States: counting, failed, a store without TraceQL, no calls, and the
 * list.
 */
export function ModelsPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { by, lookback, sort, filter = "" } = address;
  const page = Number(address.page);
  const { data, error, refetch, isFetching } = useQuery({
    ...genAiQuery({
      ...{ by, page, order: sort, contains: useSettled(filter.trim()), lookbackMs: lookbackMs(lookback) },
      where: Object.fromEntries(genAiSubjects.map((subject) => [subject, address[subject]])),
    }),
    placeholderData: keepPreviousData,
    refetchInterval: refetchInterval(address.refresh),
  });
  const change: Change = (fields) =>
    void navigate({ search: { ...address, page: "1", ...fields }, replace: true });

  return (
    <div className="services-page models-page">
      <title>Models · Tracing</title>
      <header className="page-head">
        <h1 className="page-title">Models</h1>
        <PageTools address={address} change={change} />
      </header>
      <section
        className="services-body"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key
        tabIndex={0}
        aria-label="Calls of models"
        aria-busy={isFetching}
      >
        <Narrowed address={address} change={change} />
        {error instanceof ApiError && error.status === 501 ? (
          <Notice kind="plain" title="This server counts no calls of models">
            <p>They are counted by TraceQL, which needs the built-in store.</p>
          </Notice>
        ) : error ? (
          <FailureNotice error={error} onRetry={() => refetch()} />
        ) : data === undefined ? (
          <Loading>Counting…</Loading>
        ) : (
          <Found {...{ data, address, change }} />
        )}
      </section>
    </div>
  );
}

/** The inputs of the parts of the page. */
interface PartProps {
  /** State of the page. */
  address: ModelsAddress;
  /** Changes the state. */
  change: Change;
}

function PageTools({ address, change }: PartProps) {
  return (
    <div className="page-head-tools">
      <select
        className="field"
        aria-label="Group by"
        value={address.by}
        onChange={(event) => change({ by: event.target.value as GenAiSubject })}
      >
        {genAiSubjects.map((subject) => (
          <option key={subject} value={subject}>
            By {subject.replace("-", " ")}
          </option>
        ))}
      </select>
      <input
        className="field"
        data-slash
        data-command=""
        data-key="/"
        aria-label="Filter by name"
        placeholder="Name"
        value={address.filter ?? ""}
        onChange={(event) => change({ filter: event.target.value || undefined })}
      />
      <RefreshSelect
        value={address.refresh}
        onChange={(refresh) => change({ refresh, page: address.page })}
      />
      <TimeSelect
        value={address.lookback}
        onChange={(value) => change({ lookback: value as ModelsAddress["lookback"] })}
      />
    </div>
  );
}

/** The values that the page is narrowed down to, each with a button that removes it. */
function Narrowed({ address, change }: PartProps) {
  const chosen = genAiSubjects.filter((subject) => address[subject] !== undefined);
  return (
    chosen.length > 0 && (
      <ul className="models-narrowed">
        {chosen.map((subject) => (
          <li key={subject}>
            {subject.replace("-", " ")} <bdi className="mono">{address[subject]}</bdi>{" "}
            <button
              type="button"
              className="button"
              aria-label={`Any ${subject}`}
              onClick={() => change({ [subject]: undefined })}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    )
  );
}

/** Sums, curves and the list. */
function Found({ data, address, change }: PartProps & { data: GenAiFigures }) {
  const navigate = route.useNavigate();
  const { sum, currency, query, total, unpricedModels } = data;
  if (sum.calls === 0) {
    return (
      <p className="services-note">
        No call of a model in this time. Calls are spans with a model by the conventions of OpenTelemetry (
        <code>gen_ai.request.model</code>) or OpenInference (<code>llm.model_name</code>).
      </p>
    );
  }
  const tokens = sum.inputTokens + sum.outputTokens;
  return (
    <>
      <p className="models-sum">
        <b>{formatCount(sum.calls)}</b> calls, <b>{formatCount(sum.errors)}</b> failed;{" "}
        <b>{formatCount(sum.inputTokens)}</b> tokens in, <b>{formatCount(sum.outputTokens)}</b> out
        {sum.cost !== null && (
          <>
            ; <b>{money(sum.cost, currency)}</b>
            {sum.unpricedTokens > 0 && (
              <span className="muted" title={unpricedModels.join(", ")}>
                {" "}
                without {formatCount(sum.unpricedTokens)} of {formatCount(tokens)} tokens that have no price
              </span>
            )}
          </>
        )}
        .{" "}
        <Link to="/search" search={{ q: query, lookback: address.lookback } as never}>
          Traces
        </Link>
        {data.truncated && <span className="muted"> There are more groups than are counted.</span>}
      </p>
      <ModelCharts
        data={data}
        onTraces={(start, end) =>
          void navigate({
            to: "/search",
            search: { q: query, lookback: "custom", start: String(start), end: String(end) } as never,
          })
        }
      />
      <ModelTable
        {...{ data, by: address.by, sort: address.sort }}
        onSort={(sort) => change({ sort })}
        onPick={(value) => change({ [address.by]: value, filter: undefined })}
      />
      <Pager
        page={Number(address.page)}
        perPage={groupsPerPage}
        total={total}
        what="groups"
        onPage={(next) => change({ page: String(next) })}
      />
    </>
  );
}
