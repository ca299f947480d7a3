import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";

/** Kinds that manifests may have, and their names in Kubernetes' description of its API. */
export const kubernetesKinds: Readonly<Record<string, string>> = {
  "v1 Namespace": "io.k8s.api.core.v1.Namespace",
  "v1 Service": "io.k8s.api.core.v1.Service",
  "v1 ConfigMap": "io.k8s.api.core.v1.ConfigMap",
  "apps/v1 Deployment": "io.k8s.api.apps.v1.Deployment",
  "apps/v1 StatefulSet": "io.k8s.api.apps.v1.StatefulSet",
  "apps/v1 DaemonSet": "io.k8s.api.apps.v1.DaemonSet",
  "autoscaling/v2 HorizontalPodAutoscaler": "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
  "policy/v1 PodDisruptionBudget": "io.k8s.api.policy.v1.PodDisruptionBudget",
  "networking.k8s.io/v1 NetworkPolicy": "io.k8s.api.networking.v1.NetworkPolicy",
  "networking.k8s.io/v1 Ingress": "io.k8s.api.networking.v1.Ingress",
};

/** Checks manifests with the schemas of Kubernetes' API; unknown fields are faults. */
export class KubernetesSchema {
  readonly #ajv = new Ajv({ strict: false, allErrors: true });

  constructor() {
    const schema = JSON.parse(
      readFileSync(join(import.meta.dirname, "kubernetes.schema.json"), "utf8"),
    ) as object;
    this.#ajv.addSchema(schema, "kubernetes");
  }

  /** @returns the faults of a manifest, each with its place */
  faults(manifest: { readonly apiVersion?: unknown; readonly kind?: unknown }): string[] {
    const name = kubernetesKinds[`${manifest.apiVersion} ${manifest.kind}`];
    if (name === undefined) {
      return [`${manifest.apiVersion} ${manifest.kind}: not a kind that is checked`];
    }
    this.#ajv.validate(`kubernetes#/definitions/${name}`, manifest);
    return (this.#ajv.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath}: ${message}${"additionalProperty" in params ? ` (${params.additionalProperty})` : ""}`,
    );
  }
}
