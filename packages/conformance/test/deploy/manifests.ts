import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

/** The folder of the manifests. */
export const kubernetesFolder = join(import.meta.dirname, "..", "..", "..", "..", "deploy", "kubernetes");

const port = z.object({
  name: z.string(),
  containerPort: z.number(),
  protocol: z.string().default("TCP"),
  hostPort: z.number().optional(),
});
const probe = z.object({
  httpGet: z.object({ path: z.string(), port: z.union([z.string(), z.number()]) }).optional(),
  tcpSocket: z.object({ port: z.string() }).optional(),
});
const container = z.object({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  env: z.array(z.object({ name: z.string(), value: z.string().default("") })).default([]),
  ports: z.array(port).default([]),
  readinessProbe: probe.optional(),
  livenessProbe: probe.optional(),
  startupProbe: probe.optional(),
  securityContext: z.object({
    allowPrivilegeEscalation: z.boolean(),
    readOnlyRootFilesystem: z.boolean(),
    capabilities: z.object({ drop: z.array(z.string()) }),
  }),
  resources: z.object({
    requests: z.object({ cpu: z.string(), memory: z.string() }),
    limits: z.object({ memory: z.string() }),
  }),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});
const pod = z.object({
  automountServiceAccountToken: z.literal(false),
  securityContext: z.object({
    runAsNonRoot: z.literal(true),
    seccompProfile: z.object({ type: z.literal("RuntimeDefault") }),
  }),
  initContainers: z.array(container).default([]),
  containers: z.array(container),
  volumes: z.array(z.looseObject({ name: z.string(), configMap: z.object({ name: z.string() }).optional() })),
});
const template = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()) }),
  spec: pod,
});

/** Helm's output for the charts in deploy/helm, which helm.test.ts stores. */
export const goldenFolder = join(import.meta.dirname, "golden");

/** Kinds that run pods. */
export const workload = z.object({
  kind: z.enum(["Deployment", "StatefulSet", "DaemonSet"]),
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  spec: z.object({
    serviceName: z.string().optional(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template,
    volumeClaimTemplates: z.array(z.object({ metadata: z.object({ name: z.string() }) })).default([]),
  }),
});

/** Kinds that run pods. */
export type Workload = z.infer<typeof workload>;

/** One document of one file. */
export interface Manifest {
  /** Path below deploy/kubernetes; or the chart, with its values. */
  readonly file: string;
  readonly value: { readonly apiVersion?: unknown; readonly kind?: unknown };
}

function documentsOf(file: string, name: string): Manifest[] {
  return parseAllDocuments(readFileSync(file, "utf8"))
    .filter((document) => document.contents !== null)
    .map((document) => {
      const [error] = document.errors;
      if (error !== undefined) {
        throw new Error(`${name}: ${error.message}`);
      }
      return { file: name, value: z.looseObject({}).parse(document.toJS()) };
    });
}

/** All documents of the folder's YAML files, including examples/, but without kustomization.yaml. */
export function readManifests(): Manifest[] {
  return readdirSync(kubernetesFolder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".yaml") && file !== "kustomization.yaml")
    .sort()
    .flatMap((file) => documentsOf(join(kubernetesFolder, file), file));
}

/** All documents that Helm made. */
export function readRendered(): Manifest[] {
  return readdirSync(goldenFolder)
    .sort()
    .flatMap((file) => documentsOf(join(goldenFolder, file), `chart ${file.replace(".yaml", "")}`));
}

/** The program in an image, without registry and tag. */
export function programOf(image: string): string {
  return image.replace(/^.*\//, "").replace(/[:@].*$/, "");
}
