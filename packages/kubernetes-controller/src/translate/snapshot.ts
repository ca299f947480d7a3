import type {
  Gateway,
  GatewayClass,
  GrpcRoute,
  HttpRoute,
  ReferenceGrant,
  TlsRoute,
} from "../cluster/gateway-object.ts";
import type {
  EndpointSlice,
  Ingress,
  IngressClass,
  Namespace,
  Secret,
  Service,
} from "../cluster/kube-object.ts";

/** Objects of a cluster at one moment. Keys of maps are `namespace/name`; for namespaces, the name. */
export interface Snapshot {
  readonly ingressClasses: readonly IngressClass[];
  readonly ingresses: readonly Ingress[];
  readonly gatewayClasses: readonly GatewayClass[];
  readonly gateways: readonly Gateway[];
  readonly httpRoutes: readonly HttpRoute[];
  readonly grpcRoutes: readonly GrpcRoute[];
  readonly tlsRoutes: readonly TlsRoute[];
  readonly referenceGrants: readonly ReferenceGrant[];
  readonly services: ReadonlyMap<string, Service>;
  /** Slices by `namespace/name` of their Service. */
  readonly endpointSlices: ReadonlyMap<string, readonly EndpointSlice[]>;
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly namespaces: ReadonlyMap<string, Namespace>;
}

/** A JSON object of the server's document. */
export type Json = { [member: string]: unknown };
