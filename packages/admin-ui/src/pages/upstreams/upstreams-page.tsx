import "../../components/data-table.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Duration } from "ui-kit/components/duration.tsx";
import { Notice } from "ui-kit/components/notice.tsx";
import { type Upstream, upstreamsQuery } from "../../api/upstreams.ts";
import { QueryState } from "../../components/query-state.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { awayText } from "../../components/time-left.ts";
import { useNow } from "../../components/use-now.ts";

/** The servers behind the proxies, live. */
export function UpstreamsPage() {
  const upstreams = useQuery(upstreamsQuery);
  return (
    <div className="console-page">
      <div className="page-head">
        <h1>Upstreams</h1>
        <p className="muted">Anew every two seconds</p>
      </div>
      <QueryState query={upstreams}>{(found) => <UpstreamTable upstreams={found} />}</QueryState>
    </div>
  );
}

function UpstreamTable({ upstreams }: { upstreams: readonly Upstream[] }) {
  if (upstreams.length === 0) {
    return (
      <Notice kind="plain" title="No proxies">
        <p>
          A handler <code>reverse_proxy</code> brings upstreams. Add one to a route{" "}
          <Link to="/config">in the config</Link>.
        </p>
      </Notice>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls in narrow windows, so it must be reached by key
    <section className="table-frame" tabIndex={0} aria-label="Upstreams">
      <table className="data-table">
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col">Health</th>
            <th scope="col" className="right">
              Under way
            </th>
            <th scope="col" className="right">
              Failures
            </th>
            <th scope="col" className="right">
              Last answer took
            </th>
            <th scope="col">Last answer</th>
            <th scope="col">Last error</th>
          </tr>
        </thead>
        <tbody>
          {upstreams.map((upstream) => (
            <Row key={upstream.address} upstream={upstream} />
          ))}
        </tbody>
      </table>
    </section>
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
        <Health upstream={upstream} />
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

function Health({ upstream: { healthy, fails, active_checks } }: { upstream: Upstream }) {
  if (!healthy) {
    const bad = active_checks.filter((check) => !check.healthy).length;
    return (
      <StateMark
        state="bad"
        text={bad < active_checks.length ? `fails ${bad} of ${active_checks.length} checks` : "unhealthy"}
      />
    );
  }
  if (fails > 0) return <StateMark state="warning" text="failed lately" />;
  return <StateMark state="good" text={active_checks.length > 0 ? "healthy" : "not checked"} />;
}
