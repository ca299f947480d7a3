import "./search-page.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { type Comparison, capabilitiesQuery, type SpanConditions } from "../../api/analysis.ts";
import { firstServicesQuery, namesQuery } from "../../api/names.ts";
import { openedTraces } from "../../api/opened-traces.ts";
import { usePartialReasons } from "../../api/partial-answers.ts";
import { searchQuery, tracesByIdQuery } from "../../api/queries.ts";
import { traceQlSearchQuery } from "../../api/traceql-search.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import { RefreshSelect, refetchInterval } from "../../components/refresh-select.tsx";
import { embedding } from "../../links/embedding.ts";
import { useChosenTraces } from "../../searches/chosen-traces.ts";
import { addressFields, defaultAddress, type SearchAddress } from "../../searches/search-address.ts";
import { tagText } from "../../searches/tag-text.ts";
import { summariseTrace, type TraceSummary } from "../../trace/summarise-trace.ts";
import { changesAddress, changesFields } from "../changes/changes-address.ts";
import { ColumnMenu } from "./column-menu.tsx";
import { attributeParts, columnsOf } from "./columns.ts";
import { lastService, rememberService } from "./last-service.ts";
import { Overview } from "./overview.tsx";
import { ResultList } from "./result-list.tsx";
import { SearchForm } from "./search-form.tsx";
import { rememberSearch, SearchMenu } from "./search-menu.tsx";
import { searchPlan } from "./search-plan.ts";
import { selectionText } from "./selection.ts";
import { withCondition } from "./with-condition.ts";

const route = getRouteApi("/search");
const ChosenBar = lazy(() => import("./chosen-bar.tsx").then((file) => ({ default: file.ChosenBar })));
const FirstSpan = lazy(() => import("./first-span.tsx").then((file) => ({ default: file.FirstSpan })));
const GroupList = lazy(() => import("./group-list.tsx").then((file) => ({ default: file.GroupList })));
const LiveTail = lazy(() => import("./live-tail.tsx").then((file) => ({ default: file.LiveTail })));
const NothingFound = lazy(() =>
  import("./nothing-found.tsx").then((file) => ({ default: file.NothingFound })),
);
/** Milliseconds that the query service has to turn a file into traces. */
const fileTimeoutMs = 60_000;
/** Abilities assumed until the server reports its own. */
const nothing = { heatmap: false, compare: false, tail: false, traceql: false };

/**
 * The search screen. The address contains the whole search, so it can be shared.
 *
 * The part below the form, the first that is true:
 * - a file that failed to open, or the traces of a file
 * - the live view
 * - a failure, an empty store, a field that is wrong
 * - groups by an attribute
 * - searching, nothing found, or the list of traces
 */
export function SearchPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const services = useQuery(firstServicesQuery);
  const capabilities = useQuery(capabilitiesQuery);
  const can = capabilities.data ?? nothing;
  const plan = searchPlan(address, can);
  const again = { placeholderData: keepPreviousData, refetchInterval: refetchInterval(address.refresh) };
  const bySearch = useQuery({ ...searchQuery(plan.bySearch), ...again });
  const byTraceQl = useQuery({ ...traceQlSearchQuery(plan.byTraceQl), ...again });
  const byIds = useQuery(tracesByIdQuery(plan.byIds));
  const results = plan.byIds !== undefined ? byIds : plan.byTraceQl === undefined ? bySearch : byTraceQl;

  const goTo = (next: SearchAddress, replace = false) => navigate({ search: addressFields(next), replace });

  // A store that cannot search all services opens on one, so that the first sight is traces.
  const needsService = capabilities.isFetched && !can.traceql && !address.service && address.q === undefined;
  const last = lastService();
  const known = useQuery({
    ...namesQuery({ contains: last ?? "" }),
    enabled: needsService && last !== undefined,
  });
  const opening =
    last !== undefined && known.isPending
      ? undefined
      : (known.data?.names.find((name) => name === last) ?? services.data?.names[0]);
  useEffect(() => {
    if (!needsService || opening === undefined) {
      return;
    }
    void navigate({ search: addressFields({ ...address, service: opening }), replace: true });
  }, [address, needsService, opening, navigate]);

  useEffect(() => {
    document.title = address.service === undefined ? "Search · Tracing" : `${address.service} · Tracing`;
  }, [address.service]);

  const [fileError, setFileError] = useState<unknown>();

  async function openFile(file: File) {
    setFileError(undefined);
    try {
      const { openTraces } = await import("../../api/open-traces.ts");
      await openTraces(file, AbortSignal.timeout(fileTimeoutMs));
      await goTo({ ...address, live: undefined, sel: undefined, file: "1" });
    } catch (error) {
      setFileError(error);
    }
  }

  function runSearch(next: SearchAddress) {
    rememberSearch(next);
    setFileError(undefined);
    if (next.service !== undefined) {
      rememberService(next.service);
    }
    const same = JSON.stringify(addressFields(next)) === JSON.stringify(addressFields(address));
    if (same) {
      void results.refetch();
    } else {
      void goTo(next);
    }
  }

  const filterBy = ({ place, key, value }: Comparison["differences"][number]) =>
    goTo({ ...withCondition(address, { scope: place, key, value }), sel: undefined });

  function openGroup({ value, type }: { value: string | null; type: string }) {
    const { group = "" } = address;
    const parts = attributeParts(group);
    const whole = { ...address, group: undefined, groupFilter: undefined, page: "1" };
    const isSimple =
      parts !== undefined && value !== null && type === "string" && /^(span|resource)?$/.test(parts.scope);
    if (isSimple) {
      return void goTo(withCondition(whole, { ...parts, value }));
    }
    const literal =
      /^(int|bool|status|kind)/.test(type) || /^(status|kind)$/.test(group) ? value : JSON.stringify(value);
    const condition = value === null ? `${group} = nil` : `${group} = ${literal}`;
    void goTo({ ...whole, q: `${plan.grouped?.q ?? "{ }"}\n| { ${condition} }` });
  }

  const choosing = useChosenTraces().length > 0;
  const isLive = address.live === "1" && can.tail;
  const isFile = address.file === "1";
  // Nothing found in a store of which a part is away is no empty store.
  const isWhole = usePartialReasons().length === 0;
  const isEmptyStore =
    isWhole && services.data?.total === 0 && address.service === undefined && address.q === undefined;
  const isWrong = Object.keys(plan.errors).length > 0;

  // A result from the time when the store was empty is useless once the first span has arrived.
  const wasEmpty = useRef(false);
  const searchAgain = useEffectEvent(() => results.refetch());
  useEffect(() => {
    if (!isEmptyStore && wasEmpty.current) {
      void searchAgain();
    }
    wasEmpty.current = isEmptyStore;
  }, [isEmptyStore]);

  const asks = plan.bySearch !== undefined || plan.byTraceQl !== undefined || plan.byIds !== undefined;

  const searched = JSON.stringify({
    ...{ ...address, sort: undefined, sel: undefined, live: undefined, file: undefined },
    ...viewOf(defaultAddress),
  });

  function list(rows: readonly TraceSummary[], limit: number, stale: boolean) {
    const onSort = (sort: SearchAddress["sort"]) => goTo({ ...address, sort }, true);
    const columns = isFile || !can.traceql || plan.byIds !== undefined ? [] : columnsOf(address.cols);
    return (
      <ResultList
        {...{ limit, stale, columns, onSort }}
        search={searched}
        results={rows}
        sort={address.sort}
        canCompare={!isFile && !embedding.isEmbedded}
      >
        {plan.grouped !== undefined && !isFile && (
          <ColumnMenu
            columns={columns}
            onColumns={(next) => goTo({ ...address, cols: next.join(",") || undefined }, true)}
            onGroup={(group) => goTo({ ...address, group, page: "1" })}
          />
        )}
      </ResultList>
    );
  }

  function body() {
    if (fileError !== undefined) {
      return <FailureNotice error={fileError} onRetry={() => setFileError(undefined)} />;
    }
    if (isFile) {
      const rows = openedTraces().map(summariseTrace);
      if (rows.length > 0) {
        return list(rows, Number.POSITIVE_INFINITY, false);
      }
      return (
        <Notice kind="plain" title="The file is no longer open">
          <p>Files stay in this page and end with it. Open it again under More, or search above.</p>
        </Notice>
      );
    }
    if (isLive) {
      if (plan.conditions !== undefined) {
        return <LiveTail conditions={plan.conditions} />;
      }
      return (
        <Notice kind="plain" title="These conditions cannot be followed">
          <p>Live spans are filtered by conditions on one span, joined by &&. Simplify the query above.</p>
        </Notice>
      );
    }
    const failed = [services, capabilities, results].filter((query) => query.isError);
    const error = failed[0]?.error;
    if (error) {
      return <FailureNotice error={error} onRetry={() => failed.map((query) => query.refetch())} />;
    }
    if (isEmptyStore) {
      return <FirstSpan />;
    }
    if (isWrong) {
      return (
        <Notice kind="plain" title="This search cannot be run yet">
          <p>Correct the fields marked above, then search.</p>
        </Notice>
      );
    }
    if (plan.grouped !== undefined && address.group !== undefined) {
      return (
        <GroupList
          address={address}
          spans={plan.grouped}
          refetchInterval={again.refetchInterval}
          onChange={(fields) => goTo({ ...address, ...fields }, fields.page === "1")}
          onOpen={openGroup}
        />
      );
    }
    if (results.data === undefined || !asks) {
      return <Loading>Searching…</Loading>;
    }
    if (results.data.length === 0 && plan.byIds !== undefined) {
      return (
        <Notice kind="plain" title="None of these traces is in the store">
          <p>They may have been left out by sampling, or deleted because of their age.</p>
        </Notice>
      );
    }
    if (results.data.length === 0) {
      return <NothingFound address={address} onSearch={runSearch} />;
    }
    return list(results.data, address.limit, results.isFetching);
  }

  const showsOverview =
    !isEmptyStore &&
    !isLive &&
    !isFile &&
    plan.byIds === undefined &&
    !embedding.hidesOverview &&
    fileError === undefined &&
    !isWrong &&
    !results.isError &&
    !services.isError;
  return (
    <div className="search-page">
      <h1 className="visually-hidden">Search traces</h1>
      <SearchForm
        key={searched}
        address={address}
        hasServices={services.data !== undefined && services.data.total > 0}
        can={can}
        searching={results.isFetching}
        onSearch={(draft) =>
          runSearch({
            ...{ ...draft, sort: address.sort, ...viewOf(address) },
            ...{ page: "1", sel: undefined, file: undefined, traceID: undefined },
          })
        }
      >
        {can.tail && (
          <button
            type="button"
            className="button"
            data-command={isLive ? "Stop following spans" : "Follow spans live"}
            aria-pressed={isLive}
            title="Follow spans as they arrive"
            onClick={() =>
              goTo({ ...address, live: isLive ? undefined : "1", sel: undefined, file: undefined })
            }
          >
            Live
          </button>
        )}
        <RefreshSelect value={address.refresh} onChange={(refresh) => goTo({ ...address, refresh }, true)} />
        <SearchMenu address={address} onOpenFile={(file) => void openFile(file)} />
      </SearchForm>
      {showsOverview && (
        <Overview
          plan={plan}
          refetchInterval={again.refetchInterval}
          results={asks ? results.data : undefined}
          onSelect={(selection) =>
            goTo({ ...address, sel: selection === undefined ? undefined : selectionText(selection) })
          }
          onFilter={filterBy}
          changes={plan.conditions && changesOf(plan.conditions, address)}
        />
      )}
      {choosing && !embedding.isEmbedded && (
        <Suspense fallback={null}>
          <ChosenBar />
        </Suspense>
      )}
      <Suspense fallback={<Loading>Opening…</Loading>}>{body()}</Suspense>
    </div>
  );
}

/** The address that compares the spans of a search with those of the time before. */
function changesOf(
  { service, operation, tags = {} }: SpanConditions,
  { lookback, start, end }: SearchAddress,
) {
  return changesFields(
    changesAddress.parse({
      ...{ service, operation, tags: tagText(tags), lookback, start, end },
      ...(service === undefined || service === "" ? { all: "1" } : {}),
    }),
  );
}

/** How the results of a search are looked at: it is no part of the question. */
function viewOf({ cols, group, groupSort, groupFilter, page, refresh }: SearchAddress) {
  return { cols, group, groupSort, groupFilter, page, refresh };
}
