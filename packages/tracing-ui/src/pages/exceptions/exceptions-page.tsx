import "../services/services-page.css";
import "./exceptions-page.css";
import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { Pager } from "ui-kit/components/pager.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { ApiError } from "../../api/api-error.ts";
import { type Exceptions, exceptionsPerPage, exceptionsQuery } from "../../api/exceptions.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import { RefreshSelect, refetchInterval } from "../../components/refresh-select.tsx";
import { TimeSelect } from "../../searches/time-select.tsx";
import { lookbackMs } from "../services/services-address.ts";
import { ExceptionList } from "./exception-list.tsx";
import type { ExceptionsAddress } from "./exceptions-address.ts";

const route = getRouteApi("/exceptions");

/** Changes fields of the address. Resets the list to its first page, unless a page is given. */
type Change = (fields: Partial<ExceptionsAddress>) => void;

/**
 * Exceptions of one service or of all services, grouped by type and message, a page at a time. States:
 * counting, failed, a store without TraceQL, none found, and the list. Filter and order are in the address.
 */
export function ExceptionsPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { service, lookback, sort, filter = "" } = address;
  const page = Number(address.page);
  const contains = useSettled(filter.trim());
  const ofService = useSettled(service?.trim() ?? "");
  const found = useQuery({
    ...exceptionsQuery({
      ...{ contains, order: sort, page, lookbackMs: lookbackMs(lookback) },
      service: ofService === "" ? undefined : ofService,
    }),
    placeholderData: keepPreviousData,
    refetchInterval: refetchInterval(address.refresh),
  });
  const change: Change = (fields) =>
    void navigate({ search: { ...address, page: "1", ...fields }, replace: true });

  useEffect(() => {
    document.title = "Exceptions · Tracing";
  }, []);

  return (
    <div className="services-page exceptions-page">
      <header className="page-head">
        <h1 className="page-title">Exceptions</h1>
        <PageTools address={address} change={change} />
      </header>
      <section
        className="services-body"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key
        tabIndex={0}
        aria-label="Groups of exceptions"
        aria-busy={found.isFetching}
      >
        <FoundGroups {...{ found, sort, page, change }} isFiltered={contains !== "" || ofService !== ""} />
      </section>
    </div>
  );
}

/** The inputs of {@link PageTools}. */
interface PageToolsProps {
  /** State of the page. */
  address: ExceptionsAddress;
  /** Changes the state. */
  change: Change;
}

/** The fields of the page head: service, filter, automatic refresh and time range. */
function PageTools({ address, change }: PageToolsProps) {
  const { service, lookback, filter = "" } = address;
  return (
    <div className="page-head-tools">
      <input
        className="field"
        aria-label="Service"
        placeholder="All services"
        value={service ?? ""}
        onChange={(event) => change({ service: event.target.value || undefined })}
      />
      <input
        className="field"
        data-slash
        data-command=""
        data-key="/"
        aria-label="Filter by type or message"
        placeholder="Type or message"
        value={filter}
        onChange={(event) => change({ filter: event.target.value || undefined })}
      />
      <RefreshSelect
        value={address.refresh}
        onChange={(refresh) => change({ refresh, page: address.page })}
      />
      <TimeSelect
        value={lookback}
        onChange={(value) => change({ lookback: value as ExceptionsAddress["lookback"] })}
      />
    </div>
  );
}

/** The inputs of {@link FoundGroups}. */
interface FoundGroupsProps {
  /** The query for the groups. */
  found: UseQueryResult<Exceptions>;
  /** True when a service or a filter is set; the text of an empty list then mentions it. */
  isFiltered: boolean;
  /** Order of the groups. */
  sort: ExceptionsAddress["sort"];
  /** Number of the shown page, from 1. */
  page: number;
  /** Changes order and page. */
  change: Change;
}

/** The list of groups, or a sentence instead while there is no list. */
function FoundGroups(props: FoundGroupsProps) {
  const { found, isFiltered, sort, page, change } = props;
  const { error, data } = found;
  if (error instanceof ApiError && (error.status === 501 || error.code === "API_NOT_FOUND")) {
    return (
      <Notice kind="plain" title="This server lists no exceptions">
        <p>They are counted by TraceQL, which needs the built-in store.</p>
      </Notice>
    );
  }
  if (error) {
    return <FailureNotice error={error} onRetry={() => found.refetch()} />;
  }
  if (data === undefined) {
    return <Loading>Counting…</Loading>;
  }
  if (data.total === 0) {
    return (
      <p className="services-note">
        {isFiltered ? "No exception matches in this time." : "No span recorded an exception in this time."}{" "}
        Exceptions are events of a span that are named “exception”.
      </p>
    );
  }
  return (
    <>
      <p className="exceptions-total">
        <b>{formatCount(data.exceptions)}</b> exceptions in {formatCount(data.total)}{" "}
        {data.total === 1 ? "group" : "groups"}
        {data.truncated && (
          <span className="muted"> – there are more messages: the most frequent are counted</span>
        )}
      </p>
      <ExceptionList found={data} sort={sort} onSort={(next) => change({ sort: next })} />
      <Pager
        page={page}
        perPage={exceptionsPerPage}
        total={data.total}
        what="groups"
        onPage={(next) => change({ page: String(next) })}
      />
    </>
  );
}
