import { parseGoDuration } from "lifecycle/go-duration";
import { messageOf } from "server-core/errors";
import type { ParentReference, Route, RouteRule } from "../cluster/gateway-object.ts";
import { idOf, keyOf } from "../cluster/kube-object.ts";
import type { Backend } from "./backends.ts";
import { respond } from "./backends.ts";
import { isFalse, isTrue, type WantedCondition } from "./conditions.ts";
import { allowsNamespace, type GatewayDraft, isServed, type ListenerDraft } from "./gateways.ts";
import { commonHosts } from "./hostnames.ts";
import { type BackendPart, backendHandlers, resolveBackends } from "./route-backends.ts";
import { FilterError, type FilterPlace, translateFilters } from "./route-filters.ts";
import { MatchError, type TranslatedMatch } from "./route-matches.ts";
import type { SiteRoute } from "./site-listener.ts";
import type { Json, Snapshot } from "./snapshot.ts";

/** Conditions for a route's attachment to one parent. */
export interface WantedParent {
  readonly parentRef: ParentReference;
  readonly conditions: readonly WantedCondition[];
}

/** A route with at least one parent of this controller. */
export interface TranslatedRoute {
  readonly kind: string;
  readonly route: Route;
  readonly parents: readonly WantedParent[];
}

/** How routes of one kind are translated. */
export interface RouteKind<Match> {
  readonly kind: "HTTPRoute" | "GRPCRoute" | "TLSRoute";
  /** The match of a rule without matches. */
  readonly everything: Match;
  /** @throws MatchError */
  readonly translateMatch: (match: Match) => TranslatedMatch;
  /** Protocol of upstreams, whatever the Service names; absent: the protocol of the Service. */
  readonly protocol?: Backend["protocol"];
  /** Makes handlers of raw connections from the backends; absent for HTTP. */
  readonly connect?: (parts: readonly BackendPart[]) => Json[];
}

const gatewayGroup = "gateway.networking.k8s.io";

/** One route while it is attached. */
interface Draft<Match> {
  readonly snapshot: Snapshot;
  readonly routeKind: RouteKind<Match>;
  readonly route: Route<Match>;
  /** The last fault of a reference; undefined when all are resolved. */
  unresolved: WantedCondition | undefined;
  /** Faults of rules. A rule with a faulty filter answers 500; a faulty match is left out. */
  readonly faults: Set<string>;
  /** Number of matches without a fault, over all listeners. */
  goodRules: number;
}

/** Milliseconds of the shortest limit; undefined: no limit. */
function timeoutOf({ timeouts = {} }: RouteRule<unknown>): number | undefined {
  const all = [timeouts.request, timeouts.backendRequest]
    .map((text) => (text === undefined ? undefined : parseGoDuration(text)))
    .filter((ms) => ms !== undefined && ms > 0) as number[];
  return all.length === 0 ? undefined : Math.min(...all);
}

function placeOf({ listener }: ListenerDraft, { prefix }: TranslatedMatch): FilterPlace {
  return { prefix, scheme: listener.protocol === "HTTPS" ? "https" : "http", port: listener.port };
}

/** Handlers of one match. A rule with a fault answers 500, because a skipped filter may be one that protects. */
function handlersOf<Match>(draft: Draft<Match>, rule: RouteRule<Match>, place: FilterPlace): Json[] {
  const { snapshot, route, routeKind } = draft;
  try {
    const filters = translateFilters(rule.filters ?? [], place);
    const search = {
      ...{ snapshot, kind: routeKind.kind, namespace: route.metadata.namespace ?? "" },
      fault: (condition: WantedCondition) => {
        draft.unresolved = condition;
      },
    };
    if (routeKind.connect !== undefined) {
      draft.goodRules++;
      return routeKind.connect(resolveBackends(search, rule.backendRefs ?? []));
    }
    const settings = { timeoutMs: timeoutOf(rule), host: filters.host, protocol: routeKind.protocol };
    const last = filters.isFinal ? [] : backendHandlers(search, rule.backendRefs ?? [], place, settings);
    draft.goodRules++;
    return [...filters.handle, ...last];
  } catch (error) {
    if (!(error instanceof FilterError)) {
      throw error;
    }
    draft.faults.add(error.message);
    return [respond(500, "a filter of this route is not supported\n")];
  }
}

function siteRoutes<Match>(
  draft: Draft<Match>,
  listener: ListenerDraft,
  hosts: readonly string[],
): SiteRoute[] {
  const { route, routeKind } = draft;
  const routes: SiteRoute[] = [];
  for (const [ruleIndex, rule] of (route.spec?.rules ?? []).entries()) {
    const matches = rule.matches?.length ? rule.matches : [routeKind.everything];
    for (const [matchIndex, match] of matches.entries()) {
      let translated: TranslatedMatch;
      try {
        translated = routeKind.translateMatch(match);
      } catch (error) {
        if (!(error instanceof MatchError)) {
          throw error;
        }
        draft.faults.add(error.message);
        continue;
      }
      const handle = handlersOf(draft, rule, placeOf(listener, translated));
      const rank = {
        ...translated.rank,
        created: route.metadata.creationTimestamp ?? "",
        name: keyOf(route),
        place: ruleIndex * 1_000 + matchIndex,
      };
      const source = idOf(routeKind.kind, route);
      routes.push(
        ...hosts.map((host) => ({
          source,
          host,
          isOneLabel: false,
          rank,
          match: translated.matcher,
          handle,
        })),
      );
    }
  }
  return routes;
}

/** The Gateway that a reference names; undefined when it is none of this controller. */
export function findParent(
  gateways: readonly GatewayDraft[],
  route: Route,
  { group = gatewayGroup, kind = "Gateway", namespace, name }: ParentReference,
): GatewayDraft | undefined {
  const key = `${namespace ?? route.metadata.namespace ?? ""}/${name}`;
  return group === gatewayGroup && kind === "Gateway"
    ? gateways.find(({ gateway }) => keyOf(gateway) === key)
    : undefined;
}

/** The listeners that a route attaches to through one reference, each with the common hosts; or why there is none. */
export function findListeners(
  snapshot: Snapshot,
  { gateway, listeners }: GatewayDraft,
  { kind, route }: { readonly kind: string; readonly route: Route },
  { sectionName, port }: ParentReference,
): { readonly draft: ListenerDraft; readonly hosts: string[] }[] | WantedCondition {
  const named = listeners.filter(
    ({ listener }) =>
      (sectionName === undefined || listener.name === sectionName) &&
      (port === undefined || listener.port === port),
  );
  if (named.length === 0) {
    return isFalse("Accepted", "NoMatchingParent", "the Gateway has no such listener");
  }
  const allowed = named.filter(
    (draft) =>
      draft.kinds.includes(kind) &&
      allowsNamespace(snapshot, gateway, draft.listener, route.metadata.namespace ?? ""),
  );
  if (allowed.length === 0) {
    return isFalse("Accepted", "NotAllowedByListeners", `no listener allows a ${kind} of this namespace`);
  }
  const routeHosts = (route.spec?.hostnames ?? []).map((host) => host.toLowerCase());
  const common = allowed
    .map((draft) => ({ draft, hosts: commonHosts(draft.host, routeHosts) }))
    .filter(({ hosts }) => hosts.length > 0);
  return common.length === 0
    ? isFalse("Accepted", "NoMatchingListenerHostname", "no listener has a hostname of this route")
    : common;
}

function attach<Match>(
  draft: Draft<Match>,
  gateways: readonly GatewayDraft[],
  parentRef: ParentReference,
): WantedParent | undefined {
  const { snapshot, route, routeKind } = draft;
  const parent = findParent(gateways, route, parentRef);
  if (parent === undefined) {
    return undefined;
  }
  const found = findListeners(snapshot, parent, { kind: routeKind.kind, route }, parentRef);
  const attached = "type" in found ? [] : found;
  for (const { draft: listener, hosts } of attached) {
    const routes = siteRoutes(draft, listener, hosts);
    listener.attached.add(idOf(routeKind.kind, route));
    if (isServed(listener)) {
      listener.routes.push(...routes);
    }
  }
  if (attached.length === 0) {
    // The references are looked up nevertheless, because the status reports their faults.
    checkReferences(draft);
  }
  const faults = [...draft.faults].join("; ");
  const conditions: WantedCondition[] = [draft.unresolved ?? isTrue("ResolvedRefs", "ResolvedRefs")];
  if ("type" in found) {
    conditions.push(found);
  } else if (faults !== "" && draft.goodRules === 0) {
    conditions.push(isFalse("Accepted", "UnsupportedValue", faults));
  } else {
    conditions.push(isTrue("Accepted", "Accepted"));
    if (faults !== "") {
      conditions.push(isTrue("PartiallyInvalid", "UnsupportedValue", faults));
    }
  }
  return { parentRef, conditions };
}

function checkReferences<Match>(draft: Draft<Match>): void {
  for (const rule of draft.route.spec?.rules ?? []) {
    handlersOf(draft, rule, { prefix: "/", scheme: "http", port: 80 });
  }
}

/** Attaches the routes of one kind to the Gateways' listeners. */
export function attachRoutes<Match>(
  snapshot: Snapshot,
  gateways: readonly GatewayDraft[],
  routes: readonly Route<Match>[],
  routeKind: RouteKind<Match>,
): TranslatedRoute[] {
  return routes.flatMap((route) => {
    const parents = (route.spec?.parentRefs ?? []).flatMap((parentRef) => {
      const draft: Draft<Match> = {
        ...{ snapshot, routeKind, route },
        ...{ unresolved: undefined, faults: new Set<string>(), goodRules: 0 },
      };
      try {
        return attach(draft, gateways, parentRef) ?? [];
      } catch (error) {
        const conditions = [isFalse("Accepted", "UnsupportedValue", messageOf(error))];
        return findParent(gateways, route, parentRef) === undefined ? [] : [{ parentRef, conditions }];
      }
    });
    return parents.length === 0 ? [] : [{ kind: routeKind.kind, route, parents }];
  });
}
