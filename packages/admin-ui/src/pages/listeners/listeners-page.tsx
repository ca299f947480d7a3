import "../../components/data-table.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Notice } from "ui-kit/components/notice.tsx";
import { type Listener, listenersQuery } from "../../api/listeners.ts";
import { QueryState } from "../../components/query-state.tsx";
import { below } from "../../config/json-pointer.ts";

const protocolNames: Record<string, string> = { h1: "HTTP/1.1", h2: "HTTP/2", h2c: "HTTP/2 without TLS" };

/** Where sites are served. */
export function ListenersPage() {
  const listeners = useQuery(listenersQuery);
  return (
    <div className="console-page">
      <div className="page-head">
        <h1>Listeners</h1>
        <p className="muted">The admin endpoint listens on {location.host}</p>
      </div>
      <QueryState query={listeners}>{(found) => <ListenerTable listeners={found} />}</QueryState>
    </div>
  );
}

function ListenerTable({ listeners }: { listeners: readonly Listener[] }) {
  if (listeners.length === 0) {
    return (
      <Notice kind="plain" title="Nothing is served yet">
        <p>
          A server of the app http opens its addresses as soon as a config with one is loaded. Add it{" "}
          <Link to="/config">in the config</Link>, below apps, http, servers.
        </p>
      </Notice>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls in narrow windows, so it must be reached by key
    <section className="table-frame" tabIndex={0} aria-label="Listeners">
      <table className="data-table">
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col">Server</th>
            <th scope="col">TLS</th>
            <th scope="col">Protocols</th>
            <th scope="col" className="right">
              Open connections
            </th>
          </tr>
        </thead>
        <tbody>
          {listeners.map(({ address, server, tls, protocols, connections }) => (
            <tr key={`${address} ${server}`}>
              <th scope="row" className="mono">
                {address}
              </th>
              <td>
                <Link to="/config" search={{ at: below("/apps/http/servers", server) }}>
                  {server}
                </Link>
              </td>
              <td>{tls ? "yes" : "no"}</td>
              <td>{protocols.map((name) => protocolNames[name] ?? name).join(", ")}</td>
              <td className="right mono">{connections}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
