import "./dependencies-page.css";
import "../services/services-page.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect } from "react";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import {
  type DependencyGraph,
  type DependencyPage,
  dependencyGraphQuery,
  dependencyListQuery,
} from "../../api/dependencies.ts";
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
 * Calls between services, as a graph or as a table: all calls, the calls around one service, or those of a group.
 * Focus, group, distance, time and view are in the address. Only the visible view requests its data.
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
  const { toggleFocus, openGroup } = useFocus();

  useEffect(() => {
    document.title = `${focus === undefined ? "Dependencies" : `${focus} · Dependencies`} · Tracing`;
  }, [focus]);

  return (
    <div className="services-page">
      <header className="page-head">
        <PageTitle>{isTable ? listCount(list.data) : graphCount(graph.data)}</PageTitle>
        {(focus !== undefined || within !== undefined) && (
          <FocusLinks
            focus={focus}
            lookback={lookback}
            onAll={() => change({ focus: undefined, within: undefined }, false)}
          />
        )}
        <div className="page-head-tools">
          <ViewTools {...{ address, time, change }} />
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

/** The page title with the count of shown items. */
function PageTitle({ children }: { children: string | undefined }) {
  return (
    <h1>
      Dependencies <span className="muted page-head-count">{children}</span>
    </h1>
  );
}

/** Number of hops for "any distance": longer than any path between services. */
const mostHops = 1_000;

/** `1 link`, `2,345 links`. */
function links(count: number): string {
  return `${formatCount(count)} ${count === 1 ? "link" : "links"}`;
}

/** Changes fields of the address. @param replace true (default) replaces the current history entry */
type Change = (fields: Partial<DependenciesAddress>, replace?: boolean) => unknown;

/** Gives the click handlers of the graph, for services and for groups of services. */
function useFocus() {
  const navigate = route.useNavigate();
  const toggleFocus = useCallback(
    (service: string) =>
      void navigate({
        // A second click on the service in focus shows all services again.
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
  return { toggleFocus, openGroup };
}

/** The inputs of {@link FocusLinks}. */
interface FocusLinksProps {
  /** The service in focus; undefined for a group. */
  focus: string | undefined;
  /** Length of the time range, for the link to the rates. */
  lookback: DependenciesAddress["lookback"];
  /** Called when the user wants all services again. */
  onAll: () => void;
}

/** Links out of a focus: to all services, and to the rates of the service in focus. */
function FocusLinks({ focus, lookback, onAll }: FocusLinksProps) {
  return (
    <nav className="page-head-links" aria-label="The service in focus">
      <button type="button" className="link" data-command="" onClick={onAll}>
        Show all services
      </button>
      {focus !== undefined && (
        <Link to="/services" search={{ service: focus, lookback }}>
          Rates of {focus}
        </Link>
      )}
    </nav>
  );
}

/** The inputs of {@link ViewTools}. */
interface ViewToolsProps {
  /** State of the page. */
  address: DependenciesAddress;
  /** The requested time range, in milliseconds. */
  time: { endMs: number; lookbackMs: number };
  /** Changes the state. */
  change: Change;
}

/** The toolbar: table filter or search for a service, distance, and choice of the view. */
function ViewTools({ address, time, change }: ViewToolsProps) {
  const { focus, hops, view, filter = "" } = address;
  const isTable = view === "table";
  return (
    <>
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
        <FindService {...time} onFind={(service) => change({ focus: service, within: undefined }, false)} />
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
    </>
  );
}

/** Numbers of services and links in the table, on all pages, as text; undefined before the answer. */
function listCount(page: DependencyPage | undefined): string | undefined {
  return page && `${formatCount(page.services)} services, ${links(page.total)}`;
}

/** Numbers of services and links in the graph before grouping, as text; undefined before the answer. */
function graphCount(graph: DependencyGraph | undefined): string | undefined {
  return graph && `${formatCount(graph.chosen.services)} services, ${links(graph.chosen.links)}`;
}
