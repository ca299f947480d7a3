import "./routes-page.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Duration } from "ui-kit/components/duration.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { type HttpRoute, type RoutesAsked, routesQuery } from "../../api/routes.ts";
import type { DataColumn } from "../../components/data-table.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { FilterField, ListPager, OrderField } from "../../components/list-tools.tsx";
import { Rate } from "../../components/rate.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import type { RoutesAddress } from "./routes-address.ts";

const route = getRouteApi("/routes");
/** Labels of the sort orders in the menu. */
const orderNames: Readonly<Record<RoutesAsked["order"], string>> = {
  ...{ rate: "Most requests first", errors: "Most 5xx first", p95: "Slowest first" },
  ...{ host: "By host", config: "As in the config" },
};

/** The columns; the sorted one is marked. */
function columnsIn(order: RoutesAsked["order"]): DataColumn<HttpRoute>[] {
  const sorted = (name: RoutesAsked["order"]) => (order === name ? "descending" : undefined);
  return [
    { name: "Host", kind: "head", cell: HostCell, sorted: order === "host" ? "ascending" : undefined },
    { name: "Path", cell: PathCell },
    { name: "Handlers → upstream", cell: ChainCell },
    {
      name: "Requests",
      kind: "right",
      cell: (one) => <Rate perSecond={one.requests_per_second} />,
      sorted: sorted("rate"),
    },
    {
      name: "5xx",
      kind: "right",
      cell: (one) => <Rate perSecond={one.errors_per_second} />,
      sorted: sorted("errors"),
    },
    { name: "p95, estimated", kind: "right", cell: PercentileCell, sorted: sorted("p95") },
    { name: "Server", cell: ServerCell },
  ];
}

/** The routes of the running config: matched requests, handlers, rate and latency. */
export function RoutesPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { filter = "", sort = "rate" } = address;
  const page = Number(address.page ?? "1");
  const contains = useSettled(filter.trim());
  const { data, ...query } = useQuery({
    ...routesQuery({ order: sort, contains, page }),
    placeholderData: keepPreviousData,
  });
  const change = (fields: RoutesAddress) =>
    void navigate({ search: { ...address, page: undefined, ...fields }, replace: true });
  return (
    <ListPage
      title="Routes"
      lead="Requests of the last half minute, as far as somebody looked; p95 is an estimate, within 13 %"
      tools={
        <>
          <FilterField
            what="Filter by host, path, handler"
            value={filter}
            onValue={(next) => change({ filter: next })}
          />
          <OrderField names={orderNames} value={sort} onValue={(next) => change({ sort: next })} />
          <Link to="/try" className="button">
            Try a request
          </Link>
        </>
      }
      query={{ ...query, data: data?.entries }}
      columns={columnsIn(sort)}
      keyOf={(one) => one.at}
      nothing={
        contains !== "" || page > 1
          ? { title: "No such route", text: `Nothing of a route holds “${contains}” here.` }
          : { title: "No routes", text: "A server takes requests by its routes. Add one", where: "" }
      }
      below={
        <ListPager page={page} total={data?.total} what="routes" onPage={(next) => change({ page: next })} />
      }
    />
  );
}

/** Names, and the number of others. @param all text for no names */
function Names({ names, count, all }: { names: readonly string[]; count: number; all: string }) {
  if (count === 0) {
    return <span className="muted">{all}</span>;
  }
  return (
    <span className="route-names mono">
      {names.map((name) => (
        <span key={name}>{name}</span>
      ))}
      {count > names.length && <span className="muted">and {count - names.length} more</span>}
    </span>
  );
}

/** The hosts, as a link to the route in the config. */
function HostCell({ at, hosts, host_count }: HttpRoute) {
  return (
    <Link to="/config" search={{ at }}>
      {host_count === 0 ? "all hosts" : <Names names={hosts} count={host_count} all="" />}
    </Link>
  );
}

/** Paths, other matchers, and a note for error routes. */
function PathCell({ paths, path_count, matchers, kind }: HttpRoute) {
  return (
    <>
      <Names names={paths} count={path_count} all="all paths" />
      {matchers.length > 0 && <span className="muted"> and {matchers.join(", ")}</span>}
      {kind === "errors" && <span className="muted"> when another route fails</span>}
    </>
  );
}

/** Handlers in order, then upstreams, and the number of failing ones. */
function ChainCell({ handlers, upstreams, upstream_count, unhealthy_upstreams }: HttpRoute) {
  return (
    <>
      <span className="route-chain mono">
        {handlers.map((handler, index) => (
          // A handler may occur twice in a chain.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <span key={index}>{handler}</span>
        ))}
        {upstream_count > 0 && (
          <span>
            {upstreams.join(", ")}
            {upstream_count > upstreams.length && ` and ${upstream_count - upstreams.length} more`}
          </span>
        )}
        {handlers.length === 0 && <span className="muted">nothing</span>}
      </span>
      {unhealthy_upstreams > 0 && (
        <Link to="/upstreams">
          <StateMark state="bad" text={`${unhealthy_upstreams} of ${upstream_count} unhealthy`} />
        </Link>
      )}
    </>
  );
}

/** The estimated percentile and the number of requests; with too few, only the number. */
function PercentileCell({ p95_ms, timed }: HttpRoute) {
  if (p95_ms === null) {
    return (
      <span className="unit">
        {timed === 0 ? "–" : `${timed} ${timed === 1 ? "request" : "requests"}, too few`}
      </span>
    );
  }
  return (
    <>
      ≈ <Duration us={p95_ms * 1_000} /> <span className="unit">of {timed}</span>
    </>
  );
}

/** The server, and the name of a named route. */
function ServerCell({ server, kind }: HttpRoute) {
  return (
    <>
      {server}
      {kind !== "" && kind !== "errors" && <span className="muted"> route “{kind}”</span>}
    </>
  );
}
