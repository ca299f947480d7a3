import type { CollectorAddresses } from "../faults/span-doors.ts";

/** Addresses of the server and of the processes behind it, each as host:port. */
export interface FrontDoor {
  /** Addresses of the server's listeners for spans. */
  readonly fronts: CollectorAddresses;
  readonly collectors: readonly CollectorAddresses[];
  readonly front: string;
  readonly query: string;
}

/** The server's config: spans of each protocol go to both collectors in turn, searches to the query service. */
export function frontDoorConfig({ fronts, collectors, front, query }: FrontDoor): object {
  const spans = Object.entries(fronts).map(([door, listen]: [string, string]) => {
    const isGrpc = door === "otlpGrpc" || door === "apiV2Grpc";
    const dials = collectors.map((addresses) => addresses[door as keyof CollectorAddresses]);
    return [door, server(listen, dials, isGrpc)];
  });
  const servers = { ...Object.fromEntries(spans), front: server(front, [query], false) };
  return { apps: { http: { grace_period: "5s", servers } } };
}

function server(listen: string, dials: readonly string[], isGrpc: boolean): object {
  const proxy = {
    handler: "reverse_proxy",
    upstreams: dials.map((dial) => ({ dial })),
    load_balancing: { selection_policy: { policy: "round_robin" } },
    // A collector that does not answer is not used for a moment.
    health_checks: { passive: { fail_duration: "500ms" } },
    ...(isGrpc ? { transport: { protocol: "http", versions: ["h2c"] } } : {}),
  };
  return {
    listen: [listen],
    automatic_https: { disable: true },
    routes: [{ handle: [proxy] }],
    ...(isGrpc ? { protocols: ["h1", "h2", "h2c"] } : {}),
  };
}
