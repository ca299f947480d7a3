import type { Ingress } from "../cluster/kube-object.ts";
import { connectTo } from "./backends.ts";
import { type GatewaySettings, type GatewayTranslation, listenersOf, translateGateways } from "./gateways.ts";
import { ownIngresses } from "./ingress-classes.ts";
import { type IngressPorts, translateIngresses } from "./ingresses.ts";
import type { Problem } from "./problems.ts";
import { translateGrpcMatch, translateHttpMatch } from "./route-matches.ts";
import { attachRoutes, type TranslatedRoute } from "./routes.ts";
import type { Sites } from "./site-listener.ts";
import type { Snapshot } from "./snapshot.ts";

export interface TranslateSettings extends GatewaySettings {
  readonly ingressPorts: IngressPorts;
}

export interface Translation {
  readonly sites: Sites;
  readonly problems: readonly Problem[];
  /** Ingresses of this controller that are served. */
  readonly ingresses: readonly Ingress[];
  readonly gateways: GatewayTranslation;
  readonly routes: readonly TranslatedRoute[];
}

/** Returns the sites that a cluster asks for, and the faults in it. */
export function translate(snapshot: Snapshot, settings: TranslateSettings): Translation {
  const own = ownIngresses(snapshot.ingresses, snapshot.ingressClasses, settings.controllerName);
  const ingresses = translateIngresses(snapshot, own, settings.ingressPorts);
  const gateways = translateGateways(snapshot, settings);
  const routes = [
    ...attachRoutes(snapshot, gateways.gateways, snapshot.httpRoutes, {
      ...{ kind: "HTTPRoute", everything: {}, translateMatch: translateHttpMatch },
    }),
    ...attachRoutes(snapshot, gateways.gateways, snapshot.grpcRoutes, {
      ...{ kind: "GRPCRoute", everything: {}, translateMatch: translateGrpcMatch, protocol: "h2c" },
    }),
    ...attachRoutes(snapshot, gateways.gateways, snapshot.tlsRoutes, {
      ...{
        kind: "TLSRoute",
        everything: {},
        translateMatch: () => translateHttpMatch({}),
        connect: connectTo,
      },
    }),
  ];
  return {
    sites: {
      listeners: [...ingresses.listeners, ...listenersOf(gateways.gateways)],
      certificates: new Map([...ingresses.certificates, ...gateways.certificates]),
    },
    problems: ingresses.problems,
    ingresses: ingresses.served,
    gateways,
    routes,
  };
}
