import { Link } from "@tanstack/react-router";
import { Sparkline } from "ui-kit/components/sparkline.tsx";
import type { Listener } from "../../api/listeners.ts";
import type { Traffic } from "../../api/traffic-window.ts";
import { type DataColumn, DataTable } from "../../components/data-table.tsx";
import { Rate } from "../../components/rate.tsx";
import { below } from "../../config/json-pointer.ts";

const columns: readonly DataColumn[] = [
  { name: "Server" },
  { name: "Listens on" },
  { name: "Under way", kind: "right" },
  { name: "Requests", kind: "right" },
  { name: "last 4 minutes", kind: "curve" },
  { name: "5xx", kind: "right" },
  { name: "last 4 minutes", kind: "curve" },
];

/** Each server of the config: where it listens, and its requests over the last minutes. */
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
  return (
    <DataTable name="Servers and their requests" columns={columns}>
      {names.map((name) => (
        <Row
          key={name}
          name={name}
          traffic={traffic}
          addresses={listeners.filter(({ server }) => server === name).map(({ address }) => address)}
        />
      ))}
    </DataTable>
  );
}

const none: readonly null[] = [];

function Row(props: { name: string; traffic: Traffic; addresses: readonly string[] }) {
  const { name, traffic, addresses } = props;
  const server = traffic.servers.get(name);
  const [requests, errors] = [server?.requests ?? none, server?.errors ?? none];
  const most = (rates: readonly (number | null)[]) => Math.max(0, ...rates.map((rate) => rate ?? 0));
  return (
    <tr>
      <th scope="row">
        <Link to="/config" search={{ at: below("/apps/http/servers", name) }}>
          {name}
        </Link>
      </th>
      <td className="mono">{addresses.join(", ")}</td>
      <td className="right mono">{server?.inFlight ?? "–"}</td>
      <td className="right">
        <Rate perSecond={requests.at(-1)} />
      </td>
      <td className="curve">
        <Sparkline values={requests} most={most(requests)} kind="plain" />
      </td>
      <td className="right">
        <Rate perSecond={errors.at(-1)} />
      </td>
      <td className="curve">
        <Sparkline values={errors} most={most(errors)} kind="error" />
      </td>
    </tr>
  );
}
