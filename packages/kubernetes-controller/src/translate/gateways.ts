import type { Gateway, GatewayClass, GatewayListener, LabelSelector } from "../cluster/gateway-object.ts";
import { keyOf } from "../cluster/kube-object.ts";
import { readCertificate, tagOf } from "./certificates.ts";
import { isFalse, isTrue, type WantedCondition } from "./conditions.ts";
import { type GatewayPlace, placeGateways } from "./gateway-addresses.ts";
import { isGranted } from "./reference-grants.ts";
import type { LoadedCertificate, SiteListener, SiteRoute } from "./site-listener.ts";
import type { Snapshot } from "./snapshot.ts";

const gatewayGroup = "gateway.networking.k8s.io";

/** Kinds of routes by protocol of a listener. A protocol that is missing is not supported. */
const kindsByProtocol: Readonly<Record<string, readonly string[]>> = {
  HTTP: ["HTTPRoute", "GRPCRoute"],
  HTTPS: ["HTTPRoute", "GRPCRoute"],
  TLS: ["TLSRoute"],
};

/** One listener of a Gateway while routes are attached. */
export interface ListenerDraft {
  readonly listener: GatewayListener;
  /** Lower case; "" is every host. */
  readonly host: string;
  /** Kinds of routes that may attach. */
  readonly kinds: readonly string[];
  /** Tags of its certificates. */
  readonly tags: readonly string[];
  /** Conditions by type. */
  readonly conditions: Map<string, WantedCondition>;
  readonly routes: SiteRoute[];
  /** Ids of attached routes. */
  readonly attached: Set<string>;
}

export interface GatewayDraft {
  readonly gateway: Gateway;
  readonly place: GatewayPlace;
  readonly listeners: readonly ListenerDraft[];
}

export interface GatewayTranslation {
  /** GatewayClasses of this controller. */
  readonly classes: readonly GatewayClass[];
  readonly gateways: readonly GatewayDraft[];
  readonly certificates: ReadonlyMap<string, LoadedCertificate>;
}

export interface GatewaySettings {
  readonly controllerName: string;
  /** Pool of addresses, of which each Gateway gets one; empty: all Gateways share the addresses of the server. */
  readonly gatewayAddresses: readonly string[];
  /** Addresses of the server, for statuses. */
  readonly published: readonly string[];
}

function selects(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
) {
  const isAllowed = ({
    key,
    operator,
    values = [],
  }: {
    key: string;
    operator: string;
    values?: readonly string[];
  }) => {
    const value = labels[key];
    switch (operator) {
      case "In":
        return value !== undefined && values.includes(value);
      case "NotIn":
        return value === undefined || !values.includes(value);
      case "Exists":
        return value !== undefined;
      case "DoesNotExist":
        return value === undefined;
      default:
        return false;
    }
  };
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(isAllowed)
  );
}

/** True when routes of this namespace may attach. */
export function allowsNamespace(
  snapshot: Snapshot,
  gateway: Gateway,
  { allowedRoutes }: GatewayListener,
  namespace: string,
): boolean {
  const { from = "Same", selector } = allowedRoutes?.namespaces ?? {};
  switch (from) {
    case "All":
      return true;
    case "Same":
      return namespace === gateway.metadata.namespace;
    case "Selector":
      return (
        selector !== undefined && selects(selector, snapshot.namespaces.get(namespace)?.metadata.labels ?? {})
      );
    default:
      return false;
  }
}

/** Kinds that are allowed and known; `isWhole` is false when an allowed kind is not known. */
function kindsOf({ protocol, allowedRoutes }: GatewayListener): {
  kinds: readonly string[];
  isWhole: boolean;
} {
  const known = kindsByProtocol[protocol] ?? [];
  const allowed = allowedRoutes?.kinds ?? [];
  if (allowed.length === 0) {
    return { kinds: known, isWhole: true };
  }
  const kinds = allowed
    .filter(({ group = gatewayGroup, kind }) => group === gatewayGroup && known.includes(kind))
    .map(({ kind }) => kind);
  return { kinds: [...new Set(kinds)], isWhole: kinds.length === allowed.length };
}

interface ListenerCertificates {
  readonly tags: readonly string[];
  readonly fault?: WantedCondition;
}

function certificatesOf(
  snapshot: Snapshot,
  gateway: Gateway,
  { tls }: GatewayListener,
  loaded: Map<string, LoadedCertificate>,
): ListenerCertificates {
  const namespace = gateway.metadata.namespace ?? "";
  const tags: string[] = [];
  let fault: WantedCondition | undefined;
  for (const reference of tls?.certificateRefs ?? []) {
    const { group = "", kind = "Secret", name } = reference;
    const toNamespace = reference.namespace ?? namespace;
    const key = `${toNamespace}/${name}`;
    if (group !== "" || kind !== "Secret") {
      fault = isFalse(
        "ResolvedRefs",
        "InvalidCertificateRef",
        `${group}/${kind} ${key}: only Secrets are supported`,
      );
      continue;
    }
    const from = { fromKind: "Gateway", fromNamespace: namespace };
    const to = { toGroup: "", toKind: "Secret", toNamespace, toName: name };
    if (!isGranted(snapshot.referenceGrants, { ...from, ...to })) {
      fault = isFalse(
        "ResolvedRefs",
        "RefNotPermitted",
        `no ReferenceGrant lets this Gateway use Secret ${key}`,
      );
      continue;
    }
    const secret = snapshot.secrets.get(key);
    const certificate = secret === undefined ? { message: "not found" } : readCertificate(secret);
    if ("message" in certificate) {
      fault = isFalse("ResolvedRefs", "InvalidCertificateRef", `Secret ${key}: ${certificate.message}`);
      continue;
    }
    loaded.set(tagOf(key), certificate);
    tags.push(tagOf(key));
  }
  if (tags.length === 0 && fault === undefined) {
    fault = isFalse("ResolvedRefs", "InvalidCertificateRef", "no certificateRefs");
  }
  return { tags, ...(fault === undefined ? {} : { fault }) };
}

function draftListener(
  snapshot: Snapshot,
  gateway: Gateway,
  listener: GatewayListener,
  loaded: Map<string, LoadedCertificate>,
): ListenerDraft {
  const { kinds, isWhole } = kindsOf(listener);
  const conditions = new Map<string, WantedCondition>();
  const put = (condition: WantedCondition) => void conditions.set(condition.type, condition);
  put(isTrue("Accepted", "Accepted"));
  put(isFalse("Conflicted", "NoConflicts", ""));
  put(isTrue("ResolvedRefs", "ResolvedRefs"));
  let tags: readonly string[] = [];
  if (kindsByProtocol[listener.protocol] === undefined) {
    put(
      isFalse("Accepted", "UnsupportedProtocol", `protocol ${listener.protocol} is none of HTTP, HTTPS, TLS`),
    );
  }
  const mode = listener.tls?.mode ?? "Terminate";
  if (listener.protocol === "HTTPS") {
    const found = certificatesOf(snapshot, gateway, listener, loaded);
    tags = found.tags;
    if (found.fault !== undefined) {
      put(found.fault);
    }
  }
  if (listener.protocol === "TLS" && mode !== "Passthrough") {
    put(
      isFalse(
        "Accepted",
        "UnsupportedProtocol",
        "a listener of protocol TLS supports the mode Passthrough only",
      ),
    );
  }
  if (!isWhole) {
    put(isFalse("ResolvedRefs", "InvalidRouteKinds", "not all allowed kinds are supported on this protocol"));
  }
  const host = (listener.hostname ?? "").toLowerCase();
  return { listener, host, kinds, tags, conditions, routes: [], attached: new Set() };
}

/** True for plain HTTP. Each server of the document serves either plain HTTP or TLS. */
const isPlain = ({ protocol }: GatewayListener) => protocol === "HTTP";

/** Marks listeners that cannot share their port with an older one. */
function findConflicts(gateways: readonly GatewayDraft[]): void {
  const first = new Map<string, ListenerDraft>();
  const created = ({ gateway }: GatewayDraft) => gateway.metadata.creationTimestamp ?? "";
  for (const { gateway, place, listeners } of [...gateways].sort((a, b) =>
    created(a) < created(b) ? -1 : 1,
  )) {
    for (const draft of listeners) {
      const { port, protocol } = draft.listener;
      const older = first.get(`${place.listen} ${port}`);
      const same = first.get(`${keyOf(gateway)} ${port} ${draft.host}`);
      if (older !== undefined && isPlain(older.listener) !== isPlain(draft.listener)) {
        const message = `port ${port} has the protocol ${older.listener.protocol}, not ${protocol}`;
        draft.conditions.set("Conflicted", isTrue("Conflicted", "ProtocolConflict", message));
        draft.conditions.set("Accepted", isFalse("Accepted", "PortUnavailable", message));
      } else if (same !== undefined) {
        const message = `listener ${same.listener.name} has the same port and hostname`;
        draft.conditions.set("Conflicted", isTrue("Conflicted", "HostnameConflict", message));
      } else {
        first.set(`${place.listen} ${port}`, older ?? draft);
        first.set(`${keyOf(gateway)} ${port} ${draft.host}`, draft);
      }
    }
  }
}

/** True when requests can reach this listener. */
export function isServed({ conditions, tags, listener }: ListenerDraft): boolean {
  return (
    conditions.get("Accepted")?.status === "True" &&
    conditions.get("Conflicted")?.status === "False" &&
    (listener.protocol !== "HTTPS" || tags.length > 0)
  );
}

/** The Gateways of this controller, before routes are attached. */
export function translateGateways(snapshot: Snapshot, settings: GatewaySettings): GatewayTranslation {
  const { controllerName, gatewayAddresses, published } = settings;
  const classes = snapshot.gatewayClasses.filter(({ spec }) => spec?.controllerName === controllerName);
  const names = new Set(classes.map(({ metadata }) => metadata.name));
  const own = snapshot.gateways.filter(({ spec }) => names.has(spec?.gatewayClassName ?? ""));
  const places = placeGateways(own, gatewayAddresses, published);
  const certificates = new Map<string, LoadedCertificate>();
  const gateways = own.map((gateway) => ({
    gateway,
    place: places.get(keyOf(gateway)) ?? { listen: "", published: [] },
    listeners: (gateway.spec?.listeners ?? []).map((listener) =>
      draftListener(snapshot, gateway, listener, certificates),
    ),
  }));
  findConflicts(gateways);
  return { classes, gateways, certificates };
}

/** The places where requests for these Gateways arrive. */
export function listenersOf(gateways: readonly GatewayDraft[]): SiteListener[] {
  return gateways
    .filter(({ place }) => place.fault === undefined)
    .flatMap(({ place, listeners }) =>
      listeners.filter(isServed).map(({ listener, host, tags, routes }) => ({
        address: place.listen,
        port: listener.port,
        protocol: listener.protocol as SiteListener["protocol"],
        host,
        isIsolated: true,
        certificates:
          listener.protocol === "HTTPS"
            ? [{ names: host === "" ? [] : [host], tags, isOneLabel: false }]
            : [],
        routes,
      })),
    );
}
