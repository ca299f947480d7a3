import type { WatchedKind } from "./resource-watcher.ts";

interface KnownKind {
  readonly kind: string;
  /** Groups and versions by preference. */
  readonly bases: readonly string[];
  readonly plural: string;
  /** False: objects of this kind belong to the whole cluster. */
  readonly isNamespaced: boolean;
  readonly selector?: string;
  readonly isOptional?: boolean;
}

const gatewayBase = "/apis/gateway.networking.k8s.io";
const gatewayKind = { isOptional: true, isNamespaced: true };

const known: readonly KnownKind[] = [
  { kind: "Namespace", bases: ["/api/v1"], plural: "namespaces", isNamespaced: false },
  { kind: "Service", bases: ["/api/v1"], plural: "services", isNamespaced: true },
  {
    // Only Secrets with certificates are read, because a web server needs no other secrets.
    ...{ kind: "Secret", bases: ["/api/v1"], plural: "secrets", isNamespaced: true },
    selector: "fieldSelector=type%3Dkubernetes.io%2Ftls",
  },
  {
    ...{ kind: "EndpointSlice", bases: ["/apis/discovery.k8s.io/v1"], plural: "endpointslices" },
    isNamespaced: true,
  },
  {
    ...{ kind: "IngressClass", bases: ["/apis/networking.k8s.io/v1"], plural: "ingressclasses" },
    isNamespaced: false,
  },
  { kind: "Ingress", bases: ["/apis/networking.k8s.io/v1"], plural: "ingresses", isNamespaced: true },
  {
    ...{ kind: "GatewayClass", bases: [`${gatewayBase}/v1`], plural: "gatewayclasses" },
    ...{ isNamespaced: false, isOptional: true },
  },
  { kind: "Gateway", bases: [`${gatewayBase}/v1`], plural: "gateways", ...gatewayKind },
  { kind: "HTTPRoute", bases: [`${gatewayBase}/v1`], plural: "httproutes", ...gatewayKind },
  { kind: "GRPCRoute", bases: [`${gatewayBase}/v1`], plural: "grpcroutes", ...gatewayKind },
  {
    ...{ kind: "TLSRoute", plural: "tlsroutes", ...gatewayKind },
    bases: ["v1", "v1alpha3", "v1alpha2"].map((version) => `${gatewayBase}/${version}`),
  },
  {
    ...{ kind: "ReferenceGrant", plural: "referencegrants", ...gatewayKind },
    bases: ["v1", "v1beta1"].map((version) => `${gatewayBase}/${version}`),
  },
];

/** @param namespaces the only ones that are watched; empty: all */
export function watchedKinds(namespaces: readonly string[]): WatchedKind[] {
  return known.flatMap(({ bases, plural, isNamespaced, ...kind }) => {
    const places =
      isNamespaced && namespaces.length > 0 ? namespaces.map((name) => `/namespaces/${name}`) : [""];
    return places.map((place) => ({ ...kind, paths: bases.map((base) => `${base}${place}/${plural}`) }));
  });
}

/** Path of the status of an object. @param collection path of all objects of its kind, of one namespace or of all */
export function statusPath(collection: string, namespace: string, name: string): string {
  const bare = collection.replace(/\/namespaces\/[^/]+(?=\/)/, "");
  const cut = bare.lastIndexOf("/");
  const place = namespace === "" ? "" : `/namespaces/${namespace}`;
  return `${bare.slice(0, cut)}${place}${bare.slice(cut)}/${name}/status`;
}
