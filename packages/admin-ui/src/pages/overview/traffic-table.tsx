import "../../components/data-table.css";
import { Link } from "@tanstack/react-router";
import { Sparkline } from "ui-kit/components/sparkline.tsx";
import type { Listener } from "../../api/listeners.ts";
import type { Traffic } from "../../api/traffic-window.ts";
import { Rate } from "../../components/rate.tsx";
import { below } from "../../config/json-pointer.ts";

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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls in narrow windows, so it must be reached by key
    <section className="table-frame" tabIndex={0} aria-label="Servers and their requests">
      <table className="data-table">
        <thead>
          <tr>
            <th scope="col">Server</th>
            <th scope="col">Listens on</th>
            <th scope="col" className="right">
              Under way
            </th>
            <th scope="col" className="right">
              Requests
            </th>
            <th scope="col" className="curve">
              last 4 minutes
            </th>
            <th scope="col" className="right">
              5xx
            </th>
            <th scope="col" className="curve">
              last 4 minutes
            </th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <Row
              key={name}
              name={name}
              traffic={traffic}
              addresses={listeners.filter(({ server }) => server === name).map(({ address }) => address)}
            />
          ))}
        </tbody>
      </table>
    </section>
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
