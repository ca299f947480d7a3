// Objects of the Gateway API, as the API server sends them. Each member may be missing.
// Source: https://gateway-api.sigs.k8s.io/reference/spec/, version 1.4

import type { Condition, KubeObject } from "./kube-object.ts";

export interface GatewayClass extends KubeObject {
  readonly spec?: { readonly controllerName?: string; readonly parametersRef?: object };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly supportedFeatures?: readonly unknown[];
  };
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

export interface ObjectReference {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface GatewayListener {
  readonly name: string;
  readonly hostname?: string;
  readonly port: number;
  readonly protocol: string;
  readonly tls?: {
    readonly mode?: string;
    readonly certificateRefs?: readonly ObjectReference[];
  };
  readonly allowedRoutes?: {
    readonly namespaces?: { readonly from?: string; readonly selector?: LabelSelector };
    readonly kinds?: readonly { readonly group?: string; readonly kind: string }[];
  };
}

export interface ListenerStatus {
  readonly name: string;
  readonly supportedKinds: readonly { readonly group: string; readonly kind: string }[];
  readonly attachedRoutes: number;
  readonly conditions: readonly Condition[];
}

export interface GatewayAddress {
  readonly type?: string;
  readonly value?: string;
}

export interface Gateway extends KubeObject {
  readonly spec?: {
    readonly gatewayClassName?: string;
    readonly listeners?: readonly GatewayListener[];
    readonly addresses?: readonly GatewayAddress[];
  };
  readonly status?: {
    readonly addresses?: readonly GatewayAddress[];
    readonly conditions?: readonly Condition[];
    readonly listeners?: readonly ListenerStatus[];
  };
}

export interface ParentReference extends ObjectReference {
  readonly sectionName?: string;
  readonly port?: number;
}

export interface HeaderChange {
  readonly set?: readonly { readonly name: string; readonly value: string }[];
  readonly add?: readonly { readonly name: string; readonly value: string }[];
  readonly remove?: readonly string[];
}

export interface PathModifier {
  readonly type: string;
  readonly replaceFullPath?: string;
  readonly replacePrefixMatch?: string;
}

export interface RouteFilter {
  readonly type: string;
  readonly requestHeaderModifier?: HeaderChange;
  readonly responseHeaderModifier?: HeaderChange;
  readonly requestRedirect?: {
    readonly scheme?: string;
    readonly hostname?: string;
    readonly path?: PathModifier;
    readonly port?: number;
    readonly statusCode?: number;
  };
  readonly urlRewrite?: { readonly hostname?: string; readonly path?: PathModifier };
}

export interface BackendReference extends ObjectReference {
  readonly port?: number;
  readonly weight?: number;
  readonly filters?: readonly RouteFilter[];
}

export interface TextMatch {
  readonly type?: string;
  readonly name: string;
  readonly value: string;
}

export interface HttpRouteMatch {
  readonly path?: { readonly type?: string; readonly value?: string };
  readonly headers?: readonly TextMatch[];
  readonly queryParams?: readonly TextMatch[];
  readonly method?: string;
}

export interface GrpcRouteMatch {
  readonly method?: { readonly type?: string; readonly service?: string; readonly method?: string };
  readonly headers?: readonly TextMatch[];
}

/** A rule of an HTTPRoute or a GRPCRoute. */
export interface RouteRule<Match> {
  readonly name?: string;
  readonly matches?: readonly Match[];
  readonly filters?: readonly RouteFilter[];
  readonly backendRefs?: readonly BackendReference[];
  readonly timeouts?: { readonly request?: string; readonly backendRequest?: string };
}

/** Conditions that one controller writes about a route's attachment to one parent. */
export interface RouteParentStatus {
  readonly parentRef: ParentReference;
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}

/** A route of any kind. */
export interface Route<Match = unknown> extends KubeObject {
  readonly spec?: {
    readonly parentRefs?: readonly ParentReference[];
    readonly hostnames?: readonly string[];
    readonly rules?: readonly RouteRule<Match>[];
  };
  readonly status?: { readonly parents?: readonly RouteParentStatus[] };
}

export type HttpRoute = Route<HttpRouteMatch>;
export type GrpcRoute = Route<GrpcRouteMatch>;
export type TlsRoute = Route<never>;

export interface ReferenceGrant extends KubeObject {
  readonly spec?: {
    readonly from?: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[];
    readonly to?: readonly { readonly group: string; readonly kind: string; readonly name?: string }[];
  };
}
