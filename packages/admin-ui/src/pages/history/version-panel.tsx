import "ui-kit/components/link-switch.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Icon } from "ui-kit/components/icon.tsx";
import { askServer } from "../../api/ask-server.ts";
import { differenceQuery, entryQuery, type HistoryEntry, historyQuery, rollBack } from "../../api/history.ts";
import type { PatchOperation } from "../../api/json-patch.ts";
import type { JsonValue } from "../../api/json-value.ts";
import { DifferenceList } from "../../components/difference-list.tsx";
import { Moment } from "../../components/moment.tsx";
import { QueryState } from "../../components/query-state.tsx";
import { ValueText } from "../../components/value-text.tsx";
import { explainPatch } from "../../config/explain-patch.ts";

const route = getRouteApi("/history");

/**
 * One version: its changes, the changes of a rollback, or the whole config.
 * @param newest the running version
 * @param earlier number of the previous version; undefined for the first, and for the oldest stored version
 */
export function VersionPanel(props: {
  /** The selected version. */
  entry: HistoryEntry;
  newest: HistoryEntry;
  earlier: number | undefined;
}) {
  const { entry, newest, earlier } = props;
  const runs = entry.n === newest.n;
  const asked = route.useSearch().view;
  const view = runs && asked === "rollback" ? undefined : asked;
  return (
    <section className="history-version" aria-labelledby="version-title">
      <h2 id="version-title">
        Version {entry.n}, <Moment at={entry.at} />
      </h2>
      <p className="muted">
        by {entry.author === "" ? "the server itself" : entry.author}
        {entry.cause !== undefined && (
          <>
            , with <code>{entry.cause}</code>
          </>
        )}
        {runs && "; this version runs now"}
      </p>
      <div className="history-views">
        <nav className="link-switch" aria-label="View">
          <ViewLink view={undefined} text="What it changed" />
          {!runs && <ViewLink view="rollback" text="What going back would change" />}
          <ViewLink view="json" text="All of it" />
        </nav>
      </div>
      {view === "rollback" ? (
        <RollBack entry={entry} newest={newest} />
      ) : view === "json" ? (
        <QueryOfVersion n={entry.n} />
      ) : (
        <Differences to={entry.n} from={earlier} empty="It changed nothing: it was loaded anew." />
      )}
    </section>
  );
}

/** A link that selects the view; the current one is marked. */
function ViewLink({ view, text }: { view: "rollback" | "json" | undefined; text: string }) {
  return (
    <Link
      to="/history"
      search={(old) => withoutView(old, view)}
      activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
    >
      {text}
    </Link>
  );
}

/** The default view has no field `view`: otherwise the router would not recognize its link as the current page. */
function withoutView<T extends { view?: string | undefined }>(old: T, view: T["view"]): T {
  const { view: _, ...rest } = old;
  return (view === undefined ? rest : { ...rest, view }) as T;
}

/** The whole config of a version, once it is loaded. */
function QueryOfVersion({ n }: { n: number }) {
  return (
    <QueryState query={useQuery(entryQuery(n))}>{(document) => <ValueText value={document} />}</QueryState>
  );
}

/** The changes from one version to another. The older config is needed for the old values. */
function Differences(props: { to: number; from: number | undefined; empty: string }) {
  const { to, from, empty } = props;
  const patch = useQuery(differenceQuery(to, from));
  return (
    <QueryState query={patch}>
      {(operations) =>
        from === undefined ? (
          <ExplainedPatch before={null} patch={operations} empty={empty} />
        ) : (
          <FromVersion n={from} patch={operations} empty={empty} />
        )
      }
    </QueryState>
  );
}

function FromVersion({ n, patch, empty }: { n: number; patch: readonly PatchOperation[]; empty: string }) {
  return (
    <QueryState query={useQuery(entryQuery(n))}>
      {(before) => <ExplainedPatch before={before} patch={patch} empty={empty} />}
    </QueryState>
  );
}

function ExplainedPatch(props: { before: JsonValue; patch: readonly PatchOperation[]; empty: string }) {
  if (props.patch.length === 0) {
    return <p className="muted">{props.empty}</p>;
  }
  return <DifferenceList differences={explainPatch(props.before, props.patch)} />;
}

/**
 * The changes of a rollback, and its button. Before the rollback, config and history are read again, because the shown
 * difference is valid for `newest` only.
 */
function RollBack({ entry, newest }: { entry: HistoryEntry; newest: HistoryEntry }) {
  const client = useQueryClient();
  const navigate = route.useNavigate();
  const change = useMutation({
    mutationFn: async () => {
      // The version of the shown difference must still be the running one.
      const answer = await askServer("/config/");
      const latest = await client.fetchQuery({ ...historyQuery, staleTime: 0 });
      if (latest.entries[0]?.n !== newest.n) {
        throw new Error("Another version runs by now. Look at the difference again, then decide.");
      }
      await rollBack(entry.n, answer.headers.get("etag") ?? "");
    },
    onSuccess: async () => {
      await client.invalidateQueries();
      await navigate({ search: {} });
    },
  });
  return (
    <>
      {change.isError && (
        <p className="refusal" role="alert">
          <Icon name="error" /> {change.error.message}
        </p>
      )}
      <div className="history-views">
        <button
          type="button"
          className="button main"
          disabled={change.isPending}
          onClick={() => change.mutate()}
        >
          {change.isPending ? "Rolling back …" : `Roll back to version ${entry.n}`}
        </button>
        <span className="muted">
          Loaded as a change like any other; version {newest.n} stays in the history.
        </span>
      </div>
      <Differences to={entry.n} from={newest.n} empty="Nothing: it is what runs now." />
    </>
  );
}
