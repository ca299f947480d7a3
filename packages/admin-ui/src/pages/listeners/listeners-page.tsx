import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { type Listener, listenersQuery } from "../../api/listeners.ts";
import type { DataColumn } from "../../components/data-table.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { FilterField, ListPager } from "../../components/list-tools.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { below } from "../../config/json-pointer.ts";
import type { ListenersAddress } from "./listeners-address.ts";

const route = getRouteApi("/listeners");
/** Protocol names for people; an unknown protocol is shown as sent. */
const protocolNames: Record<string, string> = { h1: "HTTP/1.1", h2: "HTTP/2", h2c: "HTTP/2 without TLS" };
const columns: readonly DataColumn<Listener>[] = [
  { name: "Address", kind: "head", mono: true, cell: ({ address }) => address },
  {
    name: "Server",
    cell: ({ server }) => (
      <Link to="/config" search={{ at: below("/apps/http/servers", server) }}>
        {server}
      </Link>
    ),
  },
  { name: "State", cell: ({ connections }) => <StateMark {...listenerState(connections)} /> },
  { name: "TLS", cell: ({ tls }) => (tls ? "yes" : "no") },
  {
    name: "Protocols",
    cell: ({ protocols }) => protocols.map((name) => protocolNames[name] ?? name).join(", "),
  },
  { name: "Open connections", kind: "right", mono: true, cell: ({ connections }) => connections },
];

/** An open listener may be unreachable from outside; connections prove that it is reachable. */
function listenerState(connections: number): { state: "good" | "unknown"; text: string } {
  return connections > 0
    ? { state: "good", text: "open, in use" }
    : { state: "unknown", text: "open, nobody connected" };
}

/** Listen addresses, a page at a time, and their number of open connections. */
export function ListenersPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { filter = "" } = address;
  const page = Number(address.page ?? "1");
  const contains = useSettled(filter.trim());
  const { data, ...query } = useQuery({
    ...listenersQuery({ contains, page }),
    placeholderData: keepPreviousData,
  });
  const change = (fields: ListenersAddress) =>
    void navigate({ search: { ...address, page: undefined, ...fields }, replace: true });
  return (
    <ListPage
      title="Listeners"
      lead={`The admin endpoint listens on ${location.host}`}
      tools={
        <FilterField
          what="Filter by address, server"
          value={filter}
          onValue={(next) => change({ filter: next })}
        />
      }
      query={{ ...query, data: data?.entries }}
      columns={columns}
      keyOf={({ address: at, server }) => `${at} ${server}`}
      nothing={
        contains !== "" || page > 1
          ? { title: "No such listener", text: `No listener holds “${contains}” here.` }
          : {
              title: "Nothing is served yet",
              text: "A server of the app http opens its addresses as soon as a config with one is loaded. Add it",
              where: ", below apps, http, servers",
            }
      }
      below={
        <ListPager
          page={page}
          total={data?.total}
          what="listeners"
          onPage={(next) => change({ page: next })}
        />
      }
    />
  );
}
