import "./dependencies-page.css";
import "../services/services-page.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { capabilitiesQuery } from "../../api/analysis.ts";
import {
  type Dependency,
  dependenciesQuery,
  type EdgeFacts,
  edgeFactsQuery,
} from "../../api/dependencies.ts";
import { ratesQuery } from "../../api/rates.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { TimeSelect } from "../../components/time-select.tsx";
import { lookbackMs } from "../services/services-address.ts";
import { useAskedTime } from "../services/use-asked-time.ts";
import type { DependenciesAddress } from "./dependencies-address.ts";
import { neighbourhood } from "./neighbourhood.ts";
import { ServiceGraph } from "./service-graph.tsx";
import { useGraphLayout } from "./use-graph-layout.ts";

const route = getRouteApi("/dependencies");
const DependencyTable = lazy(() =>
  import("./dependency-table.tsx").then((file) => ({ default: file.DependencyTable })),
);
const none: readonly Dependency[] = [];
const noFacts: ReadonlyMap<string, EdgeFacts> = new Map();

/** Which service calls which: all, or those about one. */
export function DependenciesPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { focus, hops, lookback, view } = address;
  const endMs = useAskedTime();
  const length = lookbackMs(lookback);
  const found = useQuery({ ...dependenciesQuery(endMs, length), placeholderData: keepPreviousData });
  const all = found.data ?? none;
  const dependencies = useMemo(
    () => neighbourhood(all, focus, hops === "all" ? Number.POSITIVE_INFINITY : Number(hops)),
    [all, focus, hops],
  );
  const names = useMemo(
    () => [...new Set(all.flatMap(({ parent, child }) => [parent, child]))].sort(),
    [all],
  );
  const rated = useQuery({
    ...ratesQuery({ services: names, endMs, lookbackMs: length, byOperation: false, kinds: "served" }),
    placeholderData: keepPreviousData,
  });
  const rates = useMemo(
    () => new Map((rated.data?.rows ?? []).map((row) => [row.service, row])),
    [rated.data],
  );
  const can = useQuery(capabilitiesQuery).data;
  const asksEdges = focus !== undefined && can?.traceql === true;
  const callers = useQuery({
    ...edgeFactsQuery(focus ?? "", "callers", endMs, length),
    enabled: asksEdges,
  });
  const callees = useQuery({
    ...edgeFactsQuery(focus ?? "", "callees", endMs, length),
    enabled: asksEdges,
  });
  const facts = useMemo(
    () => ({ callers: callers.data ?? noFacts, callees: callees.data ?? noFacts }),
    [callers.data, callees.data],
  );
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const marked = useMemo(
    () => (wanted === "" ? undefined : new Set(names.filter((name) => name.toLowerCase().includes(wanted)))),
    [names, wanted],
  );
  const change = (fields: Partial<DependenciesAddress>, replace = true) =>
    navigate({ search: { ...address, ...fields }, replace });
  const toggleFocus = useCallback(
    (service: string) =>
      void navigate({
        search: (old) => ({ ...old, focus: service === old.focus ? undefined : service }),
        replace: false,
      }),
    [navigate],
  );

  useEffect(() => {
    document.title = `${focus === undefined ? "Dependencies" : `${focus} · Dependencies`} · Tracing`;
  }, [focus]);

  function body() {
    if (found.isError) return <FailureNotice error={found.error} onRetry={() => found.refetch()} />;
    if (found.data === undefined) return <p className="services-note">Counting calls…</p>;
    if (all.length === 0) {
      return (
        <Notice kind="plain" title="No calls between services in this time">
          <p>An arrow appears when a span of one service has a parent in another. Look back further above.</p>
        </Notice>
      );
    }
    if (view === "table") {
      return (
        <Suspense fallback={null}>
          <DependencyTable {...{ dependencies, rates, lookback }} lookbackMs={length} />
        </Suspense>
      );
    }
    return (
      <LaidOut
        dependencies={dependencies}
        draw={(graph) => (
          <ServiceGraph
            {...{ graph, dependencies, focus, marked }}
            rates={rated.isPending ? undefined : rates}
            lookbackMs={length}
            facts={facts}
            onFocus={toggleFocus}
          />
        )}
      />
    );
  }

  return (
    <div className="services-page">
      <header className="page-head">
        <h1>
          Dependencies{" "}
          <span className="muted page-head-count">
            {new Set(dependencies.flatMap(({ parent, child }) => [parent, child])).size} services,{" "}
            {dependencies.length} {dependencies.length === 1 ? "link" : "links"}
          </span>
        </h1>
        {focus !== undefined && (
          <nav className="page-head-links" aria-label="The service in focus">
            <button
              type="button"
              className="link"
              data-command=""
              onClick={() => change({ focus: undefined }, false)}
            >
              Show all services
            </button>
            <Link to="/services" search={{ service: focus, lookback }}>
              Rates of {focus}
            </Link>
          </nav>
        )}
        <div className="page-head-tools">
          <input
            className="field"
            data-slash
            data-command=""
            data-key="/"
            aria-label="Find a service"
            placeholder="Find a service"
            list="dependency-names"
            value={filter}
            onChange={(event) => {
              const text = event.target.value;
              // A whole name, as the list gives it, is one to look at.
              if (names.includes(text) && text !== filter) {
                setFilter("");
                void change({ focus: text }, false);
              } else setFilter(text);
            }}
            onKeyDown={(event) => {
              const [first] = marked ?? [];
              if (event.key !== "Enter" || first === undefined) return;
              setFilter("");
              void change({ focus: first }, false);
            }}
          />
          <datalist id="dependency-names">
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          {focus !== undefined && (
            <select
              className="field"
              aria-label="How far from the service"
              value={hops}
              onChange={(event) => change({ hops: event.target.value as DependenciesAddress["hops"] })}
            >
              <option value="1">1 call away</option>
              <option value="2">2 calls away</option>
              <option value="3">3 calls away</option>
              <option value="all">Any distance</option>
            </select>
          )}
          <select
            className="field"
            aria-label="View"
            value={view}
            onChange={(event) => change({ view: event.target.value as DependenciesAddress["view"] })}
          >
            <option value="graph">As a graph</option>
            <option value="table">As a table</option>
          </select>
          <TimeSelect
            value={lookback}
            onChange={(value) => change({ lookback: value as DependenciesAddress["lookback"] })}
          />
        </div>
      </header>
      {body()}
    </div>
  );
}

/** Draws a graph, first without its services until they are laid out; the one before it stays until then. */
function LaidOut(props: {
  dependencies: readonly Dependency[];
  draw: (graph: ReturnType<typeof useGraphLayout>["graph"]) => React.ReactNode;
}) {
  // The frame comes first: the graph is drawn in pieces behind it, and what is pressed meanwhile is heard.
  const dependencies = useDeferredValue<readonly Dependency[] | null>(props.dependencies, null);
  const { graph, error } = useGraphLayout(dependencies);
  if (error !== undefined) return <p className="services-note">The graph could not be laid out: {error}</p>;
  return props.draw(graph);
}
