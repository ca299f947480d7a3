import "./history-page.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { Pager } from "ui-kit/components/pager.tsx";
import { isTyping } from "ui-kit/components/typing-target.ts";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { type HistoryEntry, historyPageQuery, historyQuery, versionsPerPage } from "../../api/history.ts";
import { Moment } from "../../components/moment.tsx";
import { QueryState } from "../../components/query-state.tsx";
import type { HistoryAddress } from "./history-address.ts";
import { VersionPanel } from "./version-panel.tsx";

const route = getRouteApi("/history");

/**
 * The history of configs: authors, changes, and rollbacks. States: loading or failed, no history, and the list with one
 * version beside it.
 */
export function HistoryPage() {
  const address = route.useSearch();
  const filter = useSettled((address.filter ?? "").trim());
  const newest = useQuery(historyQuery);
  const first = newest.data?.entries[0];
  const page = pageOf(address, first?.n);
  const listed = useQuery({ ...historyPageQuery(page, filter), placeholderData: keepPreviousData });
  if (newest.data === undefined || listed.data === undefined) {
    return (
      <div className="console-page">
        <div className="page-head">
          <h1>History</h1>
        </div>
        <QueryState query={newest.data === undefined ? newest : listed}>{() => null}</QueryState>
      </div>
    );
  }
  if (first === undefined) {
    return (
      <Notice kind="plain" wholePage title="No history is kept">
        <p>
          Each config that runs is kept, unless <code>admin.history.max_entries</code> is 0. None has run
          since this server knows.
        </p>
      </Notice>
    );
  }
  return (
    <LoadedHistory {...listed.data} {...{ page, newest: first, oldest: first.n - newest.data.total + 1 }} />
  );
}

/** The page to show. Version numbers have no gaps, so the page follows from the newest number. */
function pageOf({ page, n, filter }: HistoryAddress, newest: number | undefined): number {
  if (page !== undefined) {
    return Number(page);
  }
  if (n === undefined || newest === undefined || filter !== undefined) {
    return 1;
  }
  return Math.max(1, Math.floor((newest - Number(n)) / versionsPerPage) + 1);
}

/** Props of {@link LoadedHistory}. */
interface LoadedHistoryProps {
  /** Entries of the page, and the entry before the oldest of them. */
  entries: readonly HistoryEntry[];
  /** Number of versions that the filter finds, on all pages. */
  total: number;
  /** Number of the current page, from 1. */
  page: number;
  /** The running version. */
  newest: HistoryEntry;
  /** Number of the oldest stored version. */
  oldest: number;
}

/**
 * The list of versions and the selected one. `j` and `k` select the next and the previous version of the
 * page. A filter without results shows a note; a deleted version gets a notice.
 */
function LoadedHistory(props: LoadedHistoryProps) {
  const { total, page, newest, oldest } = props;
  const { n, filter = "" } = route.useSearch();
  const entries = props.entries.slice(0, versionsPerPage);
  const at = n === undefined ? 0 : entries.findIndex((entry) => String(entry.n) === n);
  const shown = entries[at];
  // In a filtered list the next entry is not the previous version.
  const before = shown !== undefined && shown.n > oldest ? shown.n - 1 : undefined;
  const earlier = filter === "" ? props.entries[at + 1]?.n : before;

  useVersionKeys(entries, at);

  return (
    <div className="history">
      <VersionList {...{ entries, shown, total, page, newest }} />
      {shown === undefined && n === undefined ? null : shown === undefined ? (
        <Notice kind="plain" title={`Version ${n} is not in the history`}>
          <p>
            The oldest versions go when there are too many. <Link to="/history">See the newest</Link>.
          </p>
        </Notice>
      ) : (
        <VersionPanel key={shown.n} entry={shown} newest={newest} earlier={earlier} />
      )}
    </div>
  );
}

/** The inputs of {@link VersionList}. */
interface VersionListProps extends Pick<LoadedHistoryProps, "total" | "page" | "newest"> {
  /** Versions of the page. */
  entries: readonly HistoryEntry[];
  /** The version beside the list; undefined when it is not on the page. */
  shown: HistoryEntry | undefined;
}

/** The list of versions with its filter and pages. The shown version is scrolled into view when it changes. */
function VersionList({ entries, shown, total, page, newest }: VersionListProps) {
  const address = route.useSearch();
  const { filter = "" } = address;
  const navigate = route.useNavigate();
  const list = useRef<HTMLElement>(null);
  // Links leave page 1 out of the URL.
  const pageInAddress = page === 1 ? undefined : String(page);
  useEffect(() => {
    if (shown !== undefined) {
      list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    }
  }, [shown]);
  return (
    <nav className="history-list" aria-label="Versions" ref={list}>
      <h1>History</h1>
      <input
        className="field"
        data-slash
        aria-label="Filter by author, request, time, #number"
        placeholder="Filter by author, request, time, #number"
        value={filter}
        onChange={(event) =>
          void navigate({
            search: { filter: event.target.value || undefined },
            replace: true,
          })
        }
      />
      {entries.length === 0 && <p className="muted">No version holds “{filter}”.</p>}
      <ol>
        {entries.map((entry) => (
          <li key={entry.n}>
            <VersionLink
              entry={entry}
              page={pageInAddress}
              isShown={entry === shown}
              runs={entry.n === newest.n}
            />
          </li>
        ))}
      </ol>
      <Pager
        page={page}
        perPage={versionsPerPage}
        total={total}
        what="versions"
        onPage={(next) =>
          void navigate({ search: { ...address, n: undefined, view: undefined, page: String(next) } })
        }
      />
    </nav>
  );
}

/** The inputs of {@link VersionLink}. */
interface VersionLinkProps {
  /** The version. */
  entry: HistoryEntry;
  /** Page of the list, as the address has it. */
  page: string | undefined;
  /** True for the version that is shown beside the list. */
  isShown: boolean;
  /** True for the running version. */
  runs: boolean;
}

/** A version in the list: number, time, size, author, and the request that caused it. */
function VersionLink({ entry, page, isShown, runs }: VersionLinkProps) {
  return (
    <Link
      to="/history"
      search={(old) => ({ ...old, n: String(entry.n), page })}
      aria-current={isShown ? "true" : undefined}
      activeProps={{}}
    >
      <b className="mono">{entry.n}</b>
      <Moment at={entry.at} />
      <span className="mono unit">{entry.bytes} B</span>
      <span className="muted">
        {entry.author}
        {runs && " · runs now"}
      </span>
      {entry.cause !== undefined && <span className="muted mono">{entry.cause}</span>}
    </Link>
  );
}

/**
 * Keys `j` and `k` select the next and the previous version of the page, unless somebody types.
 * @param at index of the selected version
 */
function useVersionKeys(entries: readonly HistoryEntry[], at: number): void {
  const navigate = route.useNavigate();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) {
        return;
      }
      const step = { j: 1, k: -1 }[event.key];
      const next = step === undefined ? undefined : entries[at + step];
      if (next === undefined) {
        return;
      }
      event.preventDefault();
      void navigate({ search: (old) => ({ ...old, n: String(next.n) }), replace: true });
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [entries, at, navigate]);
}
