import type { Logger } from "lifecycle";
import type {
  Gateway,
  GatewayClass,
  GrpcRoute,
  HttpRoute,
  ReferenceGrant,
  TlsRoute,
} from "./gateway-object.ts";
import type { KubeClient } from "./kube-client.ts";
import {
  type EndpointSlice,
  type Ingress,
  type IngressClass,
  type KubeObject,
  keyOf,
  type Namespace,
  type Secret,
  type Service,
} from "./kube-object.ts";
import { ResourceWatcher } from "./resource-watcher.ts";
import { statusPath, watchedKinds } from "./watched-kinds.ts";

/** Label of a slice with the name of its Service. */
const serviceLabel = "kubernetes.io/service-name";

export interface ClusterWatchSettings {
  readonly client: KubeClient;
  /** Namespaces that are watched; empty: all. */
  readonly namespaces: readonly string[];
  readonly onChange: () => void;
  readonly log: Logger;
  /** Start value of the pause after failures, in milliseconds. Each failure doubles the pause. */
  readonly retryMs?: number;
}

/** Follows all kinds that the controller reads. */
export class ClusterWatch {
  readonly #watchers: readonly ResourceWatcher[];

  constructor({ namespaces, ...settings }: ClusterWatchSettings) {
    this.#watchers = watchedKinds(namespaces).map((kind) => new ResourceWatcher({ ...settings, kind }));
  }

  /** Resolves when each kind was listed once. */
  async start(): Promise<void> {
    for (const watcher of this.#watchers) {
      watcher.start();
    }
    await Promise.all(this.#watchers.map((watcher) => watcher.listed));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#watchers.map((watcher) => watcher.stop()));
  }

  /** Path of an object's status, in the version that is watched. */
  statusPath(kind: string, { metadata }: KubeObject): string {
    const path = this.#watchers.find((watcher) => watcher.kind === kind)?.path ?? "";
    return statusPath(path, metadata.namespace ?? "", metadata.name);
  }

  /** Stores the object from the response to a change. */
  put(kind: string, object: KubeObject): void {
    for (const watcher of this.#watchers) {
      if (watcher.kind === kind) {
        watcher.put(object);
      }
    }
  }

  /** Returns all objects that are known now. */
  snapshot() {
    const all = <T extends KubeObject>(kind: string): T[] =>
      this.#watchers
        .filter((watcher) => watcher.kind === kind)
        .flatMap((watcher) => [...watcher.objects.values()] as T[])
        .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const byKey = <T extends KubeObject>(kind: string) =>
      new Map(all<T>(kind).map((one) => [keyOf(one), one]));
    return {
      ingressClasses: all<IngressClass>("IngressClass"),
      ingresses: all<Ingress>("Ingress"),
      gatewayClasses: all<GatewayClass>("GatewayClass"),
      gateways: all<Gateway>("Gateway"),
      httpRoutes: all<HttpRoute>("HTTPRoute"),
      grpcRoutes: all<GrpcRoute>("GRPCRoute"),
      tlsRoutes: all<TlsRoute>("TLSRoute"),
      referenceGrants: all<ReferenceGrant>("ReferenceGrant"),
      services: byKey<Service>("Service"),
      secrets: byKey<Secret>("Secret"),
      namespaces: new Map(all<Namespace>("Namespace").map((one) => [one.metadata.name, one])),
      endpointSlices: Map.groupBy(
        all<EndpointSlice>("EndpointSlice"),
        ({ metadata }) => `${metadata.namespace ?? ""}/${metadata.labels?.[serviceLabel] ?? ""}`,
      ),
    };
  }
}
