import type { EndpointSlice, Service, ServicePort } from "../cluster/kube-object.ts";
import type { Json, Snapshot } from "./snapshot.ts";

/** Where requests for a port of a Service go. */
export interface Backend {
  /** `address:port` of each ready pod, sorted; empty while none is ready. */
  readonly upstreams: readonly string[];
  readonly protocol: "http" | "h2c" | "https";
  /** True: requests of one client go to the same pod. */
  readonly isSticky: boolean;
}

/** The reason why a reference has no backend. */
export interface BackendFault {
  readonly message: string;
}

/** The proxy's protocol by the value of `appProtocol`. Other values mean HTTP/1.1. */
const protocols: Readonly<Record<string, Backend["protocol"]>> = {
  "kubernetes.io/h2c": "h2c",
  grpc: "h2c",
  h2c: "h2c",
  https: "https",
};

function addressesOf(slice: EndpointSlice): string[] {
  if (slice.addressType !== "IPv4" && slice.addressType !== "IPv6") {
    return [];
  }
  return (slice.endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses ?? [])
    .map((address) => (slice.addressType === "IPv6" ? `[${address}]` : address));
}

function upstreamsOf(slices: readonly EndpointSlice[], port: ServicePort): string[] {
  const all = slices.flatMap((slice) => {
    const found = slice.ports?.find(({ name }) => (name ?? "") === (port.name ?? ""));
    return found?.port == null ? [] : addressesOf(slice).map((address) => `${address}:${found.port}`);
  });
  return [...new Set(all)].sort();
}

function findPort(service: Service, wanted: string | number): ServicePort | undefined {
  return service.spec?.ports?.find(({ name, port }) => (typeof wanted === "number" ? port : name) === wanted);
}

/** @param port number or name of the Service's port */
export function findBackend(snapshot: Snapshot, key: string, port: string | number): Backend | BackendFault {
  const service = snapshot.services.get(key);
  if (service === undefined) {
    return { message: `Service ${key} not found` };
  }
  if (service.spec?.type === "ExternalName") {
    return { message: `Service ${key} is an ExternalName, which is not followed` };
  }
  const found = findPort(service, port);
  if (found === undefined) {
    return { message: `Service ${key} has no port ${port}` };
  }
  if ((found.protocol ?? "TCP") !== "TCP") {
    return { message: `port ${port} of Service ${key} is ${found.protocol}, not TCP` };
  }
  return {
    upstreams: upstreamsOf(snapshot.endpointSlices.get(key) ?? [], found),
    protocol: protocols[found.appProtocol ?? ""] ?? "http",
    isSticky: service.spec?.sessionAffinity === "ClientIP",
  };
}

export function isFault(backend: Backend | BackendFault): backend is BackendFault {
  return "message" in backend;
}

/** A response without an upstream. */
export function respond(status: number, body = ""): Json {
  return { handler: "static_response", status_code: status, ...(body === "" ? {} : { body }) };
}

const transports: Readonly<Record<Backend["protocol"], Json>> = {
  http: { protocol: "http" },
  h2c: { protocol: "http", versions: ["h2c"] },
  // Certificates of pods come from no public CA. Verification would need a BackendTLSPolicy, which is not supported.
  https: { protocol: "http", tls: { insecure_skip_verify: true } },
};

/** How a rule's requests are sent. */
export interface ProxySettings {
  /** Milliseconds until the head of the response must be there; undefined: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Value of `Host` for the upstream; undefined: that of the request. */
  readonly host?: string | undefined;
  /** Overrides the backend's protocol. */
  readonly protocol?: Backend["protocol"] | undefined;
}

/** Weighted backends of one protocol as one proxy. @param parts each with a positive weight */
export function proxyTo(
  parts: readonly { readonly backend: Backend; readonly weight: number }[],
  settings: ProxySettings,
): Json {
  const ready = parts.filter(({ backend }) => backend.upstreams.length > 0);
  const first = ready[0]?.backend;
  if (first === undefined) {
    return respond(503, "no endpoint is ready\n");
  }
  const { timeoutMs, host, protocol = first.protocol } = settings;
  const transport = {
    ...transports[protocol],
    ...(timeoutMs === undefined ? {} : { response_header_timeout: timeoutMs * 1_000_000 }),
  };
  return {
    handler: "reverse_proxy",
    upstreams: ready.flatMap(({ backend }) => backend.upstreams.map((dial) => ({ dial }))),
    load_balancing: { selection_policy: policyFor(ready), retries: 2 },
    transport,
    ...(host === undefined ? {} : { headers: { request: { set: { Host: [host] } } } }),
  };
}

/** Weighted backends as a proxy of raw connections; without a ready pod, connections are closed. */
export function connectTo(
  parts: readonly { readonly backend: Backend | undefined; readonly weight: number }[],
): Json[] {
  const ready = parts.flatMap(({ backend, weight }) =>
    backend === undefined || backend.upstreams.length === 0 ? [] : [{ backend, weight }],
  );
  if (ready.length === 0) {
    return [{ handler: "close" }];
  }
  const { policy, weights } = policyFor(ready) as { readonly policy: string; readonly weights?: number[] };
  const upstreams = ready
    .flatMap(({ backend }) => backend.upstreams)
    .map((dial, index) => ({ dial: [dial], ...(weights === undefined ? {} : { weight: weights[index] }) }));
  const selection = { policy: policy === "client_ip_hash" ? "ip_hash" : policy };
  return [{ handler: "proxy", upstreams, load_balancing: { selection } }];
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/**
 * Weights are scaled down and rounded when one exceeds this limit, because the policy adds them up for each request.
 */
const maxWeight = 1_000_000;

function policyFor(parts: readonly { readonly backend: Backend; readonly weight: number }[]): Json {
  if (parts.length === 1) {
    return { policy: parts[0]?.backend.isSticky === true ? "client_ip_hash" : "round_robin" };
  }
  const counts = parts.map(({ backend }) => backend.upstreams.length);
  const common = counts.reduce((all, count) => (all * count) / gcd(all, count), 1);
  const each = parts.map(({ weight }, index) => (weight * common) / (counts[index] ?? 1));
  const largest = Math.max(...each);
  const scaled = largest > maxWeight ? each.map((weight) => Math.ceil((weight * maxWeight) / largest)) : each;
  const divisor = scaled.reduce(gcd);
  const weights = parts.flatMap(({ backend }, index) =>
    backend.upstreams.map(() => (scaled[index] ?? 0) / divisor),
  );
  return { policy: "weighted_round_robin", weights };
}

const digits = "0123456789abcdef";

/** A pattern for three hexadecimal digits at the start of a text whose number is below `limit` (1 to 4095). */
function belowPattern(limit: number): string {
  const text = limit.toString(16).padStart(3, "0");
  const ways = [0, 1, 2].flatMap((place) => {
    const below = digits.slice(0, digits.indexOf(text[place] ?? "0"));
    return below === "" ? [] : [`${text.slice(0, place)}[${below}][0-9a-f]{${2 - place}}`];
  });
  return `^(?:${ways.join("|")})`;
}

/**
 * Divides requests at random between handlers. One proxy cannot do this when a part has no backend, its own filters, or
 * another protocol. The random number is the start of the request's UUID.
 */
export function splitByWeight(
  parts: readonly { readonly weight: number; readonly handle: readonly Json[] }[],
): Json[] {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  if (parts.length === 1) {
    return [...(parts[0]?.handle ?? [])];
  }
  let sum = 0;
  const routes = parts.map(({ weight, handle }, index) => {
    sum += weight;
    const limit = Math.min(4_095, Math.max(1, Math.round((sum / total) * 4_096)));
    const isLast = index === parts.length - 1;
    const match = [{ vars_regexp: { "{http.request.uuid}": { pattern: belowPattern(limit) } } }];
    return { ...(isLast ? {} : { match }), handle, terminal: true };
  });
  return [{ handler: "subroute", routes }];
}
