import { useQuery } from "@tanstack/react-query";
import { Duration } from "ui-kit/components/duration.tsx";
import { type Upstream, upstreamsQuery } from "../../api/upstreams.ts";
import type { DataColumn } from "../../components/data-table.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { awayText } from "../../components/time-left.ts";
import { useNow } from "../../components/use-now.ts";
import { upstreamState } from "./upstream-state.ts";

const columns: readonly DataColumn[] = [
  { name: "Address" },
  { name: "Health" },
  { name: "Under way", kind: "right" },
  { name: "Failures", kind: "right" },
  { name: "Last answer took", kind: "right" },
  { name: "Last answer" },
  { name: "Last error" },
];

/** The servers behind the proxies, live. */
export function UpstreamsPage() {
  return (
    <ListPage
      title="Upstreams"
      lead="Anew every two seconds"
      query={useQuery(upstreamsQuery)}
      columns={columns}
      nothing={{
        title: "No proxies",
        text: (
          <>
            A handler <code>reverse_proxy</code> brings upstreams. Add one to a route
          </>
        ),
        where: "",
      }}
      row={(upstream) => <Row key={upstream.address} upstream={upstream} />}
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
