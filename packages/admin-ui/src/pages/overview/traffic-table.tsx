import { Link } from "@tanstack/react-router";
import { Sparkline } from "ui-kit/components/sparkline.tsx";
import type { Listener } from "../../api/listeners.ts";
import type { Traffic } from "../../api/traffic-window.ts";
import { type DataColumn, DataTable } from "../../components/data-table.tsx";
import { Rate } from "../../components/rate.tsx";
import { below } from "../../config/json-pointer.ts";

/** A configured server with its curves. */
interface ServerRow {
  /** Name of the server in the config. */
  name: string;
  /** Listen addresses; empty until the list is loaded. */
  addresses: readonly string[];
  /** Requests in progress; undefined while unknown. */
  inFlight: number | undefined;
  /** Responses per second, the newest last. */
  requests: readonly (number | null)[];
  /** 5xx responses per second, the newest last. */
  errors: readonly (number | null)[];
}

/** The largest rate of a curve, which is drawn at its top. */
const most = (rates: readonly (number | null)[]) => Math.max(0, ...rates.map((rate) => rate ?? 0));

const columns: readonly DataColumn<ServerRow>[] = [
  {
    name: "Server",
    kind: "head",
    cell: ({ name }) => (
      <Link to="/config" search={{ at: below("/apps/http/servers", name) }}>
        {name}
      </Link>
    ),
  },
  { name: "Listens on", mono: true, cell: ({ addresses }) => addresses.join(", ") },
  { name: "Under way", kind: "right", mono: true, cell: ({ inFlight }) => inFlight ?? "–" },
  { name: "Requests", kind: "right", cell: ({ requests }) => <Rate perSecond={requests.at(-1)} /> },
  {
    name: "last 4 minutes",
    kind: "curve",
    cell: ({ requests }) => <Sparkline values={requests} most={most(requests)} kind="plain" />,
  },
  { name: "5xx", kind: "right", cell: ({ errors }) => <Rate perSecond={errors.at(-1)} /> },
  {
    name: "last 4 minutes",
    kind: "curve",
    cell: ({ errors }) => <Sparkline values={errors} most={most(errors)} kind="error" />,
  },
];

const none: readonly null[] = [];
/**
 * Maximum number of servers whose curves are drawn. Hundreds of curves every two seconds would keep the browser busy.
 */
const mostRows = 50;

/** All configured servers: listen addresses, and requests over the last minutes. */
export function TrafficTable({ traffic, listeners }: { traffic: Traffic; listeners: readonly Listener[] }) {
  const names = [...new Set([...listeners.map(({ server }) => server), ...traffic.servers.keys()])].sort();
  if (names.length === 0) {
    return traffic.known ? (
      <p>
        No server is configured, so nothing is served. <Link to="/config">Write a config</Link>, or load one
        with <code>POST /load</code>.
      </p>
    ) : (
      <p className="muted" role="status">
        Asking the server …
      </p>
    );
  }
  const rows = names.map((name): ServerRow => {
    const { inFlight, requests = none, errors = none } = traffic.servers.get(name) ?? {};
    const addresses = listeners.filter(({ server }) => server === name).map(({ address }) => address);
    return { name, addresses, inFlight, requests, errors };
  });
  const busiest = rows.toSorted((a, b) => (b.requests.at(-1) ?? 0) - (a.requests.at(-1) ?? 0));
  const shown = rows.length > mostRows ? busiest.slice(0, mostRows) : rows;
  return (
    <>
      <DataTable
        name="Servers and their requests"
        columns={columns}
        rows={shown}
        keyOf={({ name }) => name}
      />
      {shown.length < rows.length && (
        <p className="muted">
          The {mostRows} busiest of {rows.length} servers. <Link to="/routes">See their routes</Link>.
        </p>
      )}
    </>
  );
}
