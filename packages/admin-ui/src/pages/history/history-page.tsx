import "./history-page.css";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { isTyping } from "ui-kit/components/typing-target.ts";
import { type HistoryEntry, historyQuery } from "../../api/history.ts";
import { Moment } from "../../components/moment.tsx";
import { QueryState } from "../../components/query-state.tsx";
import { VersionPanel } from "./version-panel.tsx";

const route = getRouteApi("/history");

/** The configs that ran: who loaded them, what they changed, and the way back. */
export function HistoryPage() {
  const history = useQuery(historyQuery);
  if (history.data === undefined) {
    return (
      <div className="console-page">
        <div className="page-head">
          <h1>History</h1>
        </div>
        <QueryState query={history}>{() => null}</QueryState>
      </div>
    );
  }
  return <LoadedHistory entries={history.data} />;
}

function LoadedHistory({ entries }: { entries: readonly HistoryEntry[] }) {
  const { n } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useRef<HTMLElement>(null);
  const at = n === undefined ? 0 : entries.findIndex((entry) => String(entry.n) === n);
  const shown = entries[at];

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = { j: 1, k: -1 }[event.key];
      const next = step === undefined ? undefined : entries[at + step];
      if (next === undefined) return;
      event.preventDefault();
      void navigate({ search: (old) => ({ ...old, n: String(next.n) }), replace: true });
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [entries, at, navigate]);

  useEffect(() => {
    if (shown !== undefined)
      list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [shown]);

  if (entries.length === 0) {
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
    <div className="history">
      <nav className="history-list" aria-label="Versions" ref={list}>
        <h1>History</h1>
        <ol>
          {entries.map((entry, index) => (
            <li key={entry.n}>
              <Link
                to="/history"
                search={(old) => ({ ...old, n: String(entry.n) })}
                aria-current={index === at ? "true" : undefined}
                activeProps={{}}
              >
                <b className="mono">{entry.n}</b>
                <Moment at={entry.at} />
                <span className="mono unit">{entry.bytes} B</span>
                <span className="muted">
                  {entry.author}
                  {index === 0 && " · runs now"}
                </span>
              </Link>
            </li>
          ))}
        </ol>
      </nav>
      {shown === undefined ? (
        <Notice kind="plain" title={`Version ${n} is not in the history`}>
          <p>
            The oldest versions go when there are too many. <Link to="/history">See the newest</Link>.
          </p>
        </Notice>
      ) : (
        <VersionPanel key={shown.n} entry={shown} newest={entries[0] ?? shown} earlier={entries[at + 1]} />
      )}
    </div>
  );
}
