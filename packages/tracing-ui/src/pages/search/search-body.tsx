import { lazy } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { useAskAgain } from "../../api/ask-again.ts";
import { openedTraces } from "../../api/opened-traces.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import { embedding } from "../../links/embedding.ts";
import type { SearchAddress } from "../../searches/search-address.ts";
import { summariseTrace, type TraceSummary } from "../../trace/summarise-trace.ts";
import { ColumnMenu } from "./column-menu.tsx";
import { columnsOf } from "./columns.ts";
import { ResultList } from "./result-list.tsx";
import { searchKey } from "./search-key.ts";
import { searchOfGroup } from "./search-of-group.ts";
import { isLive, type Searched } from "./use-searched.ts";

const FirstSpan = lazy(() => import("./first-span.tsx").then((file) => ({ default: file.FirstSpan })));
const GroupList = lazy(() => import("./search-parts.ts").then((file) => ({ default: file.GroupList })));
const LiveTail = lazy(() => import("./live-tail.tsx").then((file) => ({ default: file.LiveTail })));
const NothingFound = lazy(() =>
  import("./nothing-found.tsx").then((file) => ({ default: file.NothingFound })),
);

/** The inputs of {@link SearchBody}. */
interface SearchBodyProps {
  /** The search that is shown. */
  address: SearchAddress;
  /** The requests of the search and their answers. */
  searched: Searched;
  /** Error of the last attempt to open a file; undefined without an error. */
  fileError: unknown;
  /** Called when the user dismisses the file error. */
  onFileRead: () => void;
  /** Opens another search. `replace` replaces the current history entry. */
  goTo: (next: SearchAddress, replace?: boolean) => void;
  /** Opens a search as the form does: the search is also added to the recent searches. */
  onSearch: (next: SearchAddress) => void;
}

/**
 * The part of the search page below the form. The first state that applies is shown:
 * - a file that failed to open, or the traces of a file
 * - the live view
 * - an error, an empty store, or an invalid field
 * - groups by an attribute
 * - searching, nothing found, or the list of traces
 */
export function SearchBody(props: SearchBodyProps) {
  const { address, searched, fileError, onFileRead, goTo } = props;
  const { services, capabilities, results, can, plan, isEmptyStore, isWrong, interval } = searched;
  const askAgain = useAskAgain();
  if (fileError !== undefined) {
    return <FailureNotice error={fileError} onRetry={onFileRead} />;
  }
  if (address.file === "1") {
    return <FileTraces {...props} />;
  }
  if (isLive(address, can)) {
    return <LiveTail conditions={plan.conditions} />;
  }
  const { error } = [services, capabilities, results].find((query) => query.isError) ?? {};
  if (error) {
    return <FailureNotice error={error} onRetry={askAgain} />;
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
  const spans = plan.grouped;
  if (spans !== undefined && address.group !== undefined) {
    return (
      <GroupList
        address={address}
        spans={spans}
        refetchInterval={interval}
        onChange={(fields) => goTo({ ...address, ...fields }, fields.page === "1")}
        onOpen={(group) => goTo(searchOfGroup(address, spans.q, group))}
      />
    );
  }
  return <FoundTraces {...props} />;
}

/** The traces of an opened file, or a note that the file is no longer open, for example after a reload. */
function FileTraces(props: SearchBodyProps) {
  const rows = openedTraces().map(summariseTrace);
  if (rows.length > 0) {
    return <TraceList {...props} rows={rows} limit={Number.POSITIVE_INFINITY} stale={false} />;
  }
  return (
    <Notice kind="plain" title="The file is no longer open">
      <p>Files stay in this page and end with it. Open it again under More, or search above.</p>
    </Notice>
  );
}

/** The answer of the search: still searching, nothing found, or the list. */
function FoundTraces(props: SearchBodyProps) {
  const { address, searched, onSearch } = props;
  const { results, plan, asks } = searched;
  if (results.data === undefined || !asks) {
    return <Loading>Searching…</Loading>;
  }
  if (results.data.length === 0) {
    return <NothingFound address={address} byIds={plan.byIds !== undefined} onSearch={onSearch} />;
  }
  return <TraceList {...props} rows={results.data} limit={address.limit} stale={results.isFetching} />;
}

/** The inputs of {@link TraceList}. */
interface TraceListProps extends Pick<SearchBodyProps, "address" | "searched" | "goTo"> {
  /** The traces, in the service's order. */
  rows: readonly TraceSummary[];
  /** Requested limit of traces. */
  limit: number;
  /** True when the list belongs to the previous search while the new search runs. */
  stale: boolean;
}

/** The list of traces with its menu of columns. Traces of files have neither extra columns nor a comparison. */
function TraceList({ address, searched, goTo, rows, limit, stale }: TraceListProps) {
  const { can, plan } = searched;
  const isFile = address.file === "1";
  const columns = isFile || !can.traceql || plan.byIds !== undefined ? [] : columnsOf(address.cols);
  return (
    <ResultList
      {...{ limit, stale, columns }}
      search={searchKey(address)}
      results={rows}
      sort={address.sort}
      canCompare={!isFile && !embedding.isEmbedded}
      onSort={(sort) => goTo({ ...address, sort }, true)}
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
