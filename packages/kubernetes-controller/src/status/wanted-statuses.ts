// Computes the statuses that objects should have, from the translation of a cluster. Parts of a status that belong to
// other controllers stay.

import { isIP } from "node:net";
import type {
  Gateway,
  GatewayClass,
  ListenerStatus,
  ParentReference,
  RouteParentStatus,
} from "../cluster/gateway-object.ts";
import { type Ingress, idOf, type KubeObject, type LoadBalancerAddress } from "../cluster/kube-object.ts";
import { isFalse, isTrue, type WantedCondition } from "../translate/conditions.ts";
import { type GatewayDraft, isServed, type ListenerDraft } from "../translate/gateways.ts";
import type { TranslatedRoute } from "../translate/routes.ts";
import type { Translation } from "../translate/translate.ts";
import { conditionList } from "./condition-list.ts";
import { supportedFeatures } from "./supported-features.ts";

/** A status that an object should have. Members that are missing stay as they are. */
export interface WantedStatus {
  readonly kind: string;
  readonly object: KubeObject;
  readonly status: object;
}

/** Result of the last change of the server. */
export interface ServerState {
  /** Objects whose routes the server refused, by id, with the reason. */
  readonly refused: ReadonlyMap<string, string>;
  /** Why the server could not be configured; "" when it was configured. */
  readonly fault: string;
}

const gatewayGroup = "gateway.networking.k8s.io";

function generationOf({ metadata }: KubeObject): number {
  return metadata.generation ?? 0;
}

function classStatus(object: GatewayClass): WantedStatus {
  const hasParameters = object.spec?.parametersRef !== undefined;
  const accepted = hasParameters
    ? isFalse("Accepted", "InvalidParameters", "this controller has no parameters")
    : isTrue("Accepted", "Accepted");
  const conditions = conditionList(object.status?.conditions ?? [], [accepted], generationOf(object));
  return { kind: "GatewayClass", object, status: { conditions, supportedFeatures } };
}

/** The condition that says whether requests reach a listener or a Gateway. */
function programmed(isPossible: boolean, message: string, { fault }: ServerState): WantedCondition {
  if (!isPossible) {
    return isFalse("Programmed", "Invalid", message);
  }
  return fault === "" ? isTrue("Programmed", "Programmed") : isFalse("Programmed", "Pending", fault);
}

function listenerStatus(gateway: Gateway, draft: ListenerDraft, server: ServerState): ListenerStatus {
  const { listener, kinds, conditions, attached } = draft;
  const before = gateway.status?.listeners?.find(({ name }) => name === listener.name)?.conditions ?? [];
  const isWhole = isServed(draft) && conditions.get("ResolvedRefs")?.status === "True";
  const wanted = [
    ...conditions.values(),
    programmed(isWhole, "the listener is not served as it is asked", server),
  ];
  return {
    name: listener.name,
    supportedKinds: kinds.map((kind) => ({ group: gatewayGroup, kind })),
    attachedRoutes: attached.size,
    conditions: conditionList(before, wanted, generationOf(gateway)),
  };
}

function gatewayStatus({ gateway, place, listeners }: GatewayDraft, server: ServerState): WantedStatus {
  const faulty = listeners.filter((draft) => !isServed(draft));
  const names = faulty.map(({ listener }) => listener.name).join(", ");
  const accepted =
    faulty.length === 0
      ? isTrue("Accepted", "Accepted")
      : faulty.length === listeners.length
        ? isFalse("Accepted", "ListenersNotValid", `no listener is valid: ${names}`)
        : isTrue("Accepted", "ListenersNotValid", `not valid: ${names}`);
  const reached =
    place.fault === undefined
      ? programmed(faulty.length < listeners.length, "no listener is valid", server)
      : isFalse("Programmed", place.fault.reason, place.fault.message);
  const conditions = conditionList(
    gateway.status?.conditions ?? [],
    [accepted, reached],
    generationOf(gateway),
  );
  const addresses = place.published.map((value) => ({
    type: isIP(value) === 0 ? "Hostname" : "IPAddress",
    value,
  }));
  const status = {
    addresses,
    conditions,
    listeners: listeners.map((draft) => listenerStatus(gateway, draft, server)),
  };
  return { kind: "Gateway", object: gateway, status };
}

function isSameParent(a: ParentReference, b: ParentReference): boolean {
  const text = ({
    group = gatewayGroup,
    kind = "Gateway",
    namespace,
    name,
    sectionName,
    port,
  }: ParentReference) => JSON.stringify([group, kind, namespace ?? "", name, sectionName ?? "", port ?? 0]);
  return text(a) === text(b);
}

function routeStatus(translated: TranslatedRoute, controllerName: string, server: ServerState): WantedStatus {
  const { kind, route, parents } = translated;
  const before = route.status?.parents ?? [];
  const refusal = server.refused.get(idOf(kind, route));
  const own = parents.map(({ parentRef, conditions }): RouteParentStatus => {
    const known = before.find(
      (one) => one.controllerName === controllerName && isSameParent(one.parentRef, parentRef),
    );
    const wanted =
      refusal === undefined
        ? conditions
        : conditions.map((one) =>
            one.type === "Accepted" ? isFalse("Accepted", "UnsupportedValue", refusal) : one,
          );
    const list = conditionList(known?.conditions ?? [], wanted, generationOf(route), ["PartiallyInvalid"]);
    return { parentRef, controllerName, conditions: list };
  });
  // Each entry keeps its place, because controllers that move each other's entries would write for ever.
  const isOwn = (one: RouteParentStatus) => one.controllerName === controllerName;
  const kept = before.flatMap((one) =>
    isOwn(one) ? own.filter(({ parentRef }) => isSameParent(parentRef, one.parentRef)) : [one],
  );
  const added = own.filter((one) => !kept.includes(one));
  return { kind, object: route, status: { parents: [...new Set(kept), ...added] } };
}

/**
 * Routes whose status names this controller, translated to no parents. The caller removes routes that still have one.
 */
function leftRoutes(
  routes: readonly (KubeObject & TranslatedRoute["route"])[],
  kind: string,
  controllerName: string,
) {
  return routes
    .filter(({ status }) => status?.parents?.some((one) => one.controllerName === controllerName) === true)
    .map((route): TranslatedRoute => ({ kind, route, parents: [] }));
}

function ingressStatus(object: Ingress, published: readonly string[]): WantedStatus {
  const ingress = published.map(
    (value): LoadBalancerAddress => (isIP(value) === 0 ? { hostname: value } : { ip: value }),
  );
  return { kind: "Ingress", object, status: { loadBalancer: { ingress } } };
}

/** @param all every route of the cluster by kind, for those that no longer name a parent of this controller */
export function wantedStatuses(
  translation: Translation,
  all: Readonly<Record<string, readonly TranslatedRoute["route"][]>>,
  settings: { readonly controllerName: string; readonly published: readonly string[] },
  server: ServerState,
): WantedStatus[] {
  const { controllerName, published } = settings;
  const known = new Set(translation.routes.map(({ kind, route }) => idOf(kind, route)));
  const left = Object.entries(all).flatMap(([kind, routes]) =>
    leftRoutes(routes, kind, controllerName).filter(({ route }) => !known.has(idOf(kind, route))),
  );
  return [
    ...translation.gateways.classes.map(classStatus),
    ...translation.gateways.gateways.map((draft) => gatewayStatus(draft, server)),
    ...[...translation.routes, ...left].map((route) => routeStatus(route, controllerName, server)),
    ...(published.length === 0
      ? []
      : translation.ingresses.map((ingress) => ingressStatus(ingress, published))),
  ];
}
