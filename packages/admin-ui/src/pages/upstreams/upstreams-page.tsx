import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Duration } from "ui-kit/components/duration.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { type Upstream, type UpstreamsAsked, upstreamsQuery } from "../../api/upstreams.ts";
import type { DataColumn } from "../../components/data-table.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { FilterField, ListPager, OrderField } from "../../components/list-tools.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { awayText } from "../../components/time-left.ts";
import { useNow } from "../../components/use-now.ts";
import { upstreamState } from "./upstream-state.ts";
import type { UpstreamsAddress } from "./upstreams-address.ts";

const route = getRouteApi("/upstreams");
/** Labels of the sort orders in the menu. */
const orderNames: Readonly<Record<UpstreamsAsked["order"], string>> = {
  ...{ trouble: "Trouble first", address: "By address", requests: "Most under way first" },
  ...{ fails: "Most failures first", latency: "Slowest answer first" },
};

/** The columns; the sorted one is marked. */
function columnsIn(order: UpstreamsAsked["order"]): DataColumn<Upstream>[] {
  const sorted = (name: UpstreamsAsked["order"]) => (order === name ? "descending" : undefined);
  return [
    {
      name: "Address",
      kind: "head",
      mono: true,
      cell: ({ address }) => address,
      sorted: order === "address" ? "ascending" : undefined,
    },
    {
      name: "Health",
      cell: (upstream) => <StateMark {...upstreamState(upstream)} />,
      sorted: sorted("trouble"),
    },
    {
      name: "Under way",
      kind: "right",
      mono: true,
      cell: ({ num_requests }) => num_requests,
      sorted: sorted("requests"),
    },
    {
      name: "Failures",
      kind: "right",
      mono: true,
      cell: ({ fails }) => fails,
      sorted: sorted("fails"),
    },
    {
      name: "Last answer took",
      kind: "right",
      cell: ({ latency_ms }) =>
        latency_ms === null ? <span className="unit">–</span> : <Duration us={latency_ms * 1_000} />,
      sorted: sorted("latency"),
    },
    {
      name: "Last answer",
      cell: ({ last_response }) =>
        last_response === null ? <span className="unit">none yet</span> : <Ago at={last_response} />,
    },
    {
      name: "Last error",
      kind: "wrap",
      cell: ({ last_error, last_error_time }) =>
        last_error !== null && (
          <>
            {last_error}{" "}
            {last_error_time !== null && (
              <span className="muted">
                <Ago at={last_error_time} />
              </span>
            )}
          </>
        ),
    },
  ];
}

/** The upstreams, a page at a time, refreshed every two seconds. */
export function UpstreamsPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { filter = "", sort = "trouble" } = address;
  const page = Number(address.page ?? "1");
  const contains = useSettled(filter.trim());
  const { data, ...query } = useQuery({
    ...upstreamsQuery({ order: sort, contains, page }),
    placeholderData: keepPreviousData,
  });
  const change = (fields: UpstreamsAddress) =>
    void navigate({ search: { ...address, page: undefined, ...fields }, replace: true });
  return (
    <ListPage
      title="Upstreams"
      lead="Anew every two seconds"
      tools={
        <>
          <FilterField what="Filter by address" value={filter} onValue={(next) => change({ filter: next })} />
          <OrderField names={orderNames} value={sort} onValue={(next) => change({ sort: next })} />
        </>
      }
      query={{ ...query, data: data?.entries }}
      columns={columnsIn(sort)}
      keyOf={({ address: at }) => at}
      nothing={
        contains !== "" || page > 1
          ? { title: "No such upstream", text: `No address of this page holds “${contains}”.` }
          : {
              title: "No proxies",
              text: (
                <>
                  A handler <code>reverse_proxy</code> brings upstreams. Add one to a route
                </>
              ),
              where: "",
            }
      }
      below={
        <ListPager
          page={page}
          total={data?.total}
          what="upstreams"
          onPage={(next) => change({ page: next })}
        />
      }
    />
  );
}

/** Time since a moment, updated each second; never "in 0 seconds" when the clocks differ. */
function Ago({ at }: { at: string }) {
  const now = useNow();
  return awayText(Math.min(-1, Date.parse(at) - now));
}
