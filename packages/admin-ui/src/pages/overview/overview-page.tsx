import "./overview-page.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { certificatesQuery } from "../../api/certificates.ts";
import { historyQuery } from "../../api/history.ts";
import { rowsPerPage } from "../../api/list-query.ts";
import { listenersQuery } from "../../api/listeners.ts";
import { pullQuery } from "../../api/pull.ts";
import { useTraffic } from "../../api/traffic.ts";
import type { Traffic } from "../../api/traffic-window.ts";
import { upstreamsQuery, worstUpstreams } from "../../api/upstreams.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Rate } from "../../components/rate.tsx";
import { type State, StateMark } from "../../components/state-mark.tsx";
import { awayText, lengthText } from "../../components/time-left.ts";
import { useNow } from "../../components/use-now.ts";
import { certificateState } from "../certificates/certificate-state.ts";
import { upstreamState } from "../upstreams/upstream-state.ts";
import { TrafficTable } from "./traffic-table.tsx";

/**
 * The first page: state and traffic at a glance. Each card has its own requests, so a failed card does not affect the
 * others.
 */
export function OverviewPage() {
  const traffic = useTraffic();
  return (
    <div className="console-page">
      <div className="page-head">
        <h1>Overview</h1>
        <Uptime traffic={traffic} />
      </div>
      <div className="cards">
        <TrafficCard traffic={traffic} />
        <UpstreamsCard />
        <CertificatesCard />
        <ChangesCard />
      </div>
      <Sites traffic={traffic} />
    </div>
  );
}

/** Uptime and memory of the server. Without a start time, as with several threads, only the memory is shown. */
function Uptime({ traffic: { startedAtMs, memoryBytes } }: { traffic: Traffic }) {
  const now = useNow();
  const parts = [
    startedAtMs === undefined ? [] : [`up for ${lengthText(Math.max(0, now - startedAtMs))}`],
    memoryBytes === undefined ? [] : [`${Math.round(memoryBytes / 1e6)} MB of memory`],
  ].flat();
  return <p className="muted">{parts.join(", ")}</p>;
}

/** A box with a title, one large figure and an explanation. */
function Card(props: { title: string; figure: ReactNode; children: ReactNode }) {
  return (
    <section className="card">
      <h2>{props.title}</h2>
      <p className="card-figure">{props.figure}</p>
      {props.children}
    </section>
  );
}

/**
 * The newest rate, summed over all servers; null while any of them is unknown, because a partial sum would look like a
 * drop.
 */
function lastSum(traffic: Traffic, curve: "requests" | "errors"): number | null {
  const last = [...traffic.servers.values()].map((server) => server[curve].at(-1) ?? null);
  return last.length === 0 || last.includes(null)
    ? null
    : last.reduce<number>((sum, rate) => sum + (rate ?? 0), 0);
}

/**
 * Requests per second, and failures. The first reading gives no rate yet; a failed reading is not shown as a rate of
 * zero.
 */
function TrafficCard({ traffic }: { traffic: Traffic }) {
  const isFailed = traffic.known && traffic.last === undefined;
  const errors = lastSum(traffic, "errors");
  const requests = lastSum(traffic, "requests");
  return (
    <Card title="Requests" figure={<Rate perSecond={requests} />}>
      {isFailed ? (
        <NotRead />
      ) : errors === null ? (
        <p className="muted">counted from two readings on</p>
      ) : errors > 0 ? (
        <p>
          <StateMark state="bad" text="5xx" /> <Rate perSecond={errors} />
        </p>
      ) : requests === 0 ? (
        <StateMark state="unknown" text="no requests" />
      ) : (
        <StateMark state="good" text="no 5xx" />
      )}
    </Card>
  );
}

/** Number of upstreams, and the worst state among them. */
function UpstreamsCard() {
  const { data: upstreams, isError } = useQuery(upstreamsQuery(worstUpstreams));
  const states = (upstreams?.entries ?? []).map((upstream) => upstreamState(upstream).state);
  const count = (state: State) => states.filter((one) => one === state).length;
  /** The worst upstreams come first. When they fill the page, there may be more of them. */
  const countText = (state: State) => `${count(state)}${count(state) === rowsPerPage ? " or more" : ""}`;
  return (
    <Card title="Upstreams" figure={<span className="mono">{upstreams?.total ?? "–"}</span>}>
      {isError ? (
        <NotRead />
      ) : (
        upstreams !== undefined &&
        (states.length === 0 ? (
          <StateMark state="unknown" text="no proxies" />
        ) : count("bad") > 0 ? (
          <StateMark state="bad" text={`${countText("bad")} unhealthy`} />
        ) : count("warning") > 0 ? (
          <StateMark state="warning" text={`${countText("warning")} with failures`} />
        ) : count("unknown") > 0 ? (
          <StateMark state="unknown" text={`${countText("unknown")} not checked`} />
        ) : (
          <StateMark state="good" text="all healthy" />
        ))
      )}
      <Link to="/upstreams">See upstreams</Link>
    </Card>
  );
}

/** Number of certificates; below, the worst news: failed, being obtained, or the first to expire. */
function CertificatesCard() {
  const { data: found, isError } = useQuery(certificatesQuery({ contains: "", page: 1 }));
  const now = useNow();
  const next = found?.certificates[0];
  const worst = next === undefined ? "good" : certificateState(next, now).state;
  const troubles = found?.failingTotal ?? 0;
  const awaited = (found?.pendingTotal ?? 0) - troubles;
  return (
    <Card title="Certificates" figure={<span className="mono">{found?.total ?? "–"}</span>}>
      {isError ? (
        <NotRead />
      ) : (
        found !== undefined &&
        (troubles > 0 ? (
          <StateMark state="bad" text={`${troubles} not obtained`} />
        ) : awaited > 0 ? (
          <StateMark state="warning" text={`${awaited} being obtained`} />
        ) : next === undefined ? (
          <StateMark state="unknown" text="none in use" />
        ) : (
          <StateMark state={worst} text={`first ends ${awayText(Date.parse(next.not_after) - now)}`} />
        ))
      )}
      <Link to="/certificates" search={{}}>
        See certificates
      </Link>
    </Card>
  );
}

/** Older data would be misleading, so it is not shown. */
function NotRead() {
  return <StateMark state="bad" text="could not be read" />;
}

/** Time and author of the last config change, and the state of pulling the config. */
function ChangesCard() {
  const { data: history, isError } = useQuery(historyQuery);
  const now = useNow();
  const last = history?.entries[0];
  return (
    <Card
      title="Last change of the config"
      figure={last === undefined ? "–" : awayText(Math.min(-1, Date.parse(last.at) - now))}
    >
      {isError && <NotRead />}
      {last !== undefined && (
        <p className="muted">
          version {last.n} by {last.author}
        </p>
      )}
      {history !== undefined && last === undefined && <p className="muted">no history is kept</p>}
      <PulledConfig />
      <Link to="/history" search={{}}>
        See history
      </Link>
    </Card>
  );
}

/** State of the config's source, if there is one. */
function PulledConfig() {
  const { data: pull, isError } = useQuery(pullQuery);
  const now = useNow();
  if (isError) {
    return <StateMark state="bad" text="the config pull could not be read" />;
  }
  if (pull === undefined || pull === null) {
    return null;
  }
  const { url, last_try, last_success, last_error } = pull;
  const ago = (at: string) => awayText(Math.min(-1, Date.parse(at) - now));
  return (
    <>
      {last_try === null ? (
        <StateMark state="unknown" text="config pull not asked yet" />
      ) : last_error === null ? (
        <StateMark state="good" text={`config pulled ${ago(last_try)}`} />
      ) : (
        <StateMark state="bad" text={`config pull failed ${ago(last_try)}`} />
      )}
      <p className="muted pull-source">
        from {url}
        {last_error !== null && `: ${last_error}`}
        {last_error !== null && last_success !== null && `, last pulled ${ago(last_success)}`}
      </p>
    </>
  );
}

/**
 * The configured servers with their curves; a failure notice when neither listeners nor traffic are known.
 */
function Sites({ traffic }: { traffic: Traffic }) {
  const listeners = useQuery(listenersQuery({ contains: "", page: 1 }));
  if (listeners.isError && listeners.data === undefined && traffic.servers.size === 0) {
    return <FailureNotice error={listeners.error} onRetry={() => listeners.refetch()} />;
  }
  return (
    <>
      <h2 className="section-title">Servers</h2>
      <TrafficTable traffic={traffic} listeners={listeners.data?.entries ?? []} />
    </>
  );
}
