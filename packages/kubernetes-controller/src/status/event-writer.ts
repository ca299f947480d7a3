import { createHash } from "node:crypto";
import type { KubeClient } from "../cluster/kube-client.ts";
import type { Problem } from "../translate/problems.ts";

/** Maximum number of characters of an Event's message, as the API server allows. */
const maxMessageLength = 1_024;

/** Maximum number of events that are remembered, so that each is written once. */
const maxRemembered = 10_000;

const apiVersions: Readonly<Record<string, string>> = { Ingress: "networking.k8s.io/v1" };

/** Writes Events for objects that have no conditions. */
export class EventWriter {
  readonly #client: KubeClient;
  #written = new Set<string>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Writes an Event for each problem that has none yet. Failures are ignored, because the log has the same text. */
  async write(problems: readonly Problem[], controllerName: string, signal: AbortSignal): Promise<void> {
    for (const { kind, object, reason, message } of problems) {
      const { namespace = "", name, uid = "" } = object.metadata;
      const id = createHash("sha256").update(`${uid} ${reason} ${message}`).digest("hex").slice(0, 16);
      if (signal.aborted || this.#written.has(id)) {
        continue;
      }
      if (this.#written.size >= maxRemembered) {
        this.#written.clear();
      }
      this.#written.add(id);
      const now = new Date().toISOString().replace(/\.\d+Z$/, "Z");
      const event = {
        apiVersion: "v1",
        kind: "Event",
        // The same problem has the same name, so a second replica or a restart makes no second Event.
        metadata: { name: `${name.slice(0, 200)}.${id}`, namespace },
        involvedObject: { apiVersion: apiVersions[kind] ?? "v1", kind, namespace, name, uid },
        ...{ reason, message: message.slice(0, maxMessageLength), type: "Warning", count: 1 },
        source: { component: controllerName },
        ...{ firstTimestamp: now, lastTimestamp: now },
      };
      await this.#client
        .send("POST", `/api/v1/namespaces/${namespace}/events`, event, signal)
        .catch(() => {});
    }
  }
}
