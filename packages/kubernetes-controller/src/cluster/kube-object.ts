// Objects as the API server sends them. Each member may be missing: a cluster's version may be older or newer than
// these types.

/** A condition of a status. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
}

export interface ObjectMeta {
  readonly name: string;
  /** "" for an object of the whole cluster. */
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface KubeObject {
  readonly metadata: ObjectMeta;
}

export interface Namespace extends KubeObject {}

export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
}

/** An address of a load balancer in a status. */
export interface LoadBalancerAddress {
  readonly ip?: string;
  readonly hostname?: string;
}

export interface Service extends KubeObject {
  readonly spec?: {
    readonly type?: string;
    readonly ports?: readonly ServicePort[];
    readonly clusterIP?: string;
    readonly externalIPs?: readonly string[];
    readonly sessionAffinity?: string;
  };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly LoadBalancerAddress[] } };
}

export interface EndpointSlice extends KubeObject {
  readonly addressType?: string;
  readonly endpoints?: readonly {
    readonly addresses?: readonly string[];
    readonly conditions?: { readonly ready?: boolean | null };
  }[];
  readonly ports?: readonly { readonly name?: string | null; readonly port?: number | null }[] | null;
}

export interface Secret extends KubeObject {
  readonly type?: string;
  /** In base64. */
  readonly data?: Readonly<Record<string, string>>;
}

export interface IngressClass extends KubeObject {
  readonly spec?: { readonly controller?: string };
}

export interface IngressBackend {
  readonly service?: {
    readonly name: string;
    readonly port?: { readonly name?: string; readonly number?: number };
  };
  readonly resource?: { readonly kind: string; readonly name: string };
}

export interface IngressPath {
  readonly path?: string;
  readonly pathType?: string;
  readonly backend: IngressBackend;
}

export interface Ingress extends KubeObject {
  readonly spec?: {
    readonly ingressClassName?: string;
    readonly defaultBackend?: IngressBackend;
    readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName?: string }[];
    readonly rules?: readonly {
      readonly host?: string;
      readonly http?: { readonly paths?: readonly IngressPath[] };
    }[];
  };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly LoadBalancerAddress[] } };
}

/** Identity of an object: `Kind/namespace/name`. */
export function idOf(kind: string, { metadata }: KubeObject): string {
  return `${kind}/${metadata.namespace ?? ""}/${metadata.name}`;
}

/** `namespace/name`, the key of an object among those of its kind. */
export function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
