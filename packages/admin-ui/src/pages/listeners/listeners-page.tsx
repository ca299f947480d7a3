import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Listener, listenersQuery } from "../../api/listeners.ts";
import type { DataColumn } from "../../components/data-table.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { below } from "../../config/json-pointer.ts";

const protocolNames: Record<string, string> = { h1: "HTTP/1.1", h2: "HTTP/2", h2c: "HTTP/2 without TLS" };
const columns: readonly DataColumn[] = [
  { name: "Address" },
  { name: "Server" },
  { name: "TLS" },
  { name: "Protocols" },
  { name: "Open connections", kind: "right" },
];

/** Where sites are served. */
export function ListenersPage() {
  return (
    <ListPage
      title="Listeners"
      lead={`The admin endpoint listens on ${location.host}`}
      query={useQuery(listenersQuery)}
      columns={columns}
      nothing={{
        title: "Nothing is served yet",
        text: "A server of the app http opens its addresses as soon as a config with one is loaded. Add it",
        where: ", below apps, http, servers",
      }}
      row={(listener) => <Row key={`${listener.address} ${listener.server}`} listener={listener} />}
    />
  );
}

function Row({ listener: { address, server, tls, protocols, connections } }: { listener: Listener }) {
  return (
    <tr>
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
  );
}
