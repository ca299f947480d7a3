import "./dependencies-page.css";
import "../services/services-page.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect } from "react";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { dependencyGraphQuery, dependencyListQuery } from "../../api/dependencies.ts";
import { Loading } from "../../components/loading.tsx";
import { TimeSelect } from "../../searches/time-select.tsx";
import { lookbackMs } from "../services/services-address.ts";
import { useAskedTime } from "../services/use-asked-time.ts";
import type { DependenciesAddress } from "./dependencies-address.ts";
import { DependenciesGraph } from "./dependencies-graph.tsx";
import { FindService } from "./find-service.tsx";

const route = getRouteApi("/dependencies");
const DependencyTable = lazy(() =>
  import("./dependency-table.tsx").then((file) => ({ default: file.DependencyTable })),
);

/**
 * Calls between services: all, around one service, or of a group; as a graph or as a table.
 * Focus, group, distance, time and view are in the address. Only the visible view is asked for.
 */
export function DependenciesPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { focus, within, hops, lookback, view, filter = "", order } = address;
  const time = { endMs: useAskedTime(), lookbackMs: lookbackMs(lookback) };
  const isTable = view === "table";
  const graph = useQuery({
    ...dependencyGraphQuery({ ...time, focus, within, hops: hops === "all" ? mostHops : Number(hops) }),
    enabled: !isTable,
    placeholderData: keepPreviousData,
  });
  const page = Number(address.page);
  const wanted = useSettled(filter.trim() || (focus ?? ""));
  const list = useQuery({
    ...dependencyListQuery({ ...time, contains: wanted, order, page }),
    enabled: isTable,
    placeholderData: keepPreviousData,
  });
  const change = (fields: Partial<DependenciesAddress>, replace = true) =>
    navigate({ search: { ...address, page: "1", ...fields }, replace });
  // A second click on the service in focus shows all services again.
  const toggleFocus = useCallback(
    (service: string) =>
      void navigate({
        search: (old) => ({ ...old, within: undefined, focus: service === old.focus ? undefined : service }),
        replace: false,
      }),
    [navigate],
  );
  const openGroup = useCallback(
    (prefix: string) =>
      void navigate({ search: (old) => ({ ...old, focus: undefined, within: prefix }), replace: false }),
    [navigate],
  );

  useEffect(() => {
    document.title = `${focus === undefined ? "Dependencies" : `${focus} · Dependencies`} · Tracing`;
  }, [focus]);

  return (
    <div className="services-page">
      <header className="page-head">
        <h1>
          Dependencies{" "}
          <span className="muted page-head-count">
            {isTable
              ? list.data && `${formatCount(list.data.services)} services, ${links(list.data.total)}`
              : graph.data &&
                `${formatCount(graph.data.chosen.services)} services, ${links(graph.data.chosen.links)}`}
          </span>
        </h1>
        {(focus !== undefined || within !== undefined) && (
          <nav className="page-head-links" aria-label="The service in focus">
            <button
              type="button"
              className="link"
              data-command=""
              onClick={() => change({ focus: undefined, within: undefined }, false)}
            >
              Show all services
            </button>
            {focus !== undefined && (
              <Link to="/services" search={{ service: focus, lookback }}>
                Rates of {focus}
              </Link>
            )}
          </nav>
        )}
        <div className="page-head-tools">
          {isTable ? (
            <input
              className="field"
              data-slash
              data-command=""
              data-key="/"
              aria-label="Filter by name"
              placeholder="Filter by name"
              value={filter}
              onChange={(event) => change({ filter: event.target.value || undefined })}
            />
          ) : (
            <FindService
              {...time}
              onFind={(service) => change({ focus: service, within: undefined }, false)}
            />
          )}
          {focus !== undefined && !isTable && (
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
      {isTable ? (
        <Suspense fallback={<Loading>Counting calls…</Loading>}>
          <DependencyTable
            {...{ list, time, lookback, order, page }}
            onOrder={(next) => void change({ order: next })}
            onPage={(next) => void change({ page: String(next) })}
          />
        </Suspense>
      ) : (
        <DependenciesGraph {...{ graph, time, focus }} onFocus={toggleFocus} onGroup={openGroup} />
      )}
    </div>
  );
}

/** "Any distance": longer than any way between services. */
const mostHops = 1_000;

/** `1 link`, `2,345 links`. */
function links(count: number): string {
  return `${formatCount(count)} ${count === 1 ? "link" : "links"}`;
}
