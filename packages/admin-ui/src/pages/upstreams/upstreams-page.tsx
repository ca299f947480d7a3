import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Duration } from "ui-kit/components/duration.tsx";
import { Pager } from "ui-kit/components/pager.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { type Upstream, type UpstreamsAsked, upstreamsPerPage, upstreamsQuery } from "../../api/upstreams.ts";
import type { DataColumn } from "../../components/data-table.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { awayText } from "../../components/time-left.ts";
import { useNow } from "../../components/use-now.ts";
import { upstreamState } from "./upstream-state.ts";
import type { UpstreamsAddress } from "./upstreams-address.ts";

const route = getRouteApi("/upstreams");
const orderNames: Readonly<Record<UpstreamsAsked["order"], string>> = {
  ...{ trouble: "Trouble first", address: "By address", requests: "Most under way first" },
  ...{ fails: "Most failures first", latency: "Slowest answer first" },
};

const columns: readonly DataColumn[] = [
  { name: "Address" },
  { name: "Health" },
  { name: "Under way", kind: "right" },
  { name: "Failures", kind: "right" },
  { name: "Last answer took", kind: "right" },
  { name: "Last answer" },
  { name: "Last error" },
];

/** The servers behind the proxies, live, a page at a time. */
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
          <input
            className="field"
            data-slash
            aria-label="Filter by address"
            placeholder="Filter by address"
            value={filter}
            onChange={(event) => change({ filter: event.target.value || undefined })}
          />
          <select
            className="field"
            aria-label="Order"
            value={sort}
            onChange={(event) => change({ sort: event.target.value as UpstreamsAsked["order"] })}
          >
            {Object.entries(orderNames).map(([order, name]) => (
              <option key={order} value={order}>
                {name}
              </option>
            ))}
          </select>
        </>
      }
      query={{ ...query, data: data?.entries }}
      columns={columns}
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
      row={(upstream) => <Row key={upstream.address} upstream={upstream} />}
      below={
        <Pager
          page={page}
          perPage={upstreamsPerPage}
          total={data?.total ?? 0}
          what="upstreams"
          onPage={(next) => change({ page: String(next) })}
        />
      }
    />
  );
}

function Row({ upstream }: { upstream: Upstream }) {
  const now = useNow();
  const { address, num_requests, fails, latency_ms, last_response, last_error, last_error_time } = upstream;
  const ago = (at: string) => awayText(Math.min(-1, Date.parse(at) - now));
  return (
    <tr>
      <th scope="row" className="mono">
        {address}
      </th>
      <td>
        <StateMark {...upstreamState(upstream)} />
      </td>
      <td className="right mono">{num_requests}</td>
      <td className="right mono">{fails}</td>
      <td className="right">
        {latency_ms === null ? <span className="unit">–</span> : <Duration us={latency_ms * 1_000} />}
      </td>
      <td>{last_response === null ? <span className="unit">none yet</span> : ago(last_response)}</td>
      <td className="wrap">
        {last_error !== null && (
          <>
            {last_error} {last_error_time !== null && <span className="muted">{ago(last_error_time)}</span>}
          </>
        )}
      </td>
    </tr>
  );
}
