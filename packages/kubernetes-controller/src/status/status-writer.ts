import { isDeepStrictEqual } from "node:util";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { ClusterWatch } from "../cluster/cluster-watch.ts";
import { type KubeClient, KubeError } from "../cluster/kube-client.ts";
import { idOf, type KubeObject } from "../cluster/kube-object.ts";
import type { WantedStatus } from "./wanted-statuses.ts";

/** Maximum number of concurrent requests. */
const maxParallel = 8;

/** The members of the wanted status that differ from the present status. */
function difference(present: object, wanted: object): object {
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => !isDeepStrictEqual(plain((present as Record<string, unknown>)[name]), plain(value)),
    ),
  );
}

/** A value as JSON stores it, without undefined members. An empty list counts as no value. */
function plain(value: unknown): unknown {
  return value === undefined || (Array.isArray(value) && value.length === 0)
    ? null
    : (JSON.parse(JSON.stringify(value)) as unknown);
}

/** Writes statuses that differ from what the cluster has. */
export class StatusWriter {
  readonly #client: KubeClient;
  readonly #watch: ClusterWatch;
  readonly #log: Logger;
  /** Faults that were logged, so that a lasting one is logged once. */
  #faults = new Set<string>();

  constructor(client: KubeClient, watch: ClusterWatch, log: Logger) {
    this.#client = client;
    this.#watch = watch;
    this.#log = log;
  }

  /** When one status cannot be written, all others are still written. */
  async write(wanted: readonly WantedStatus[], signal: AbortSignal): Promise<void> {
    const faults = new Set<string>();
    const queue = wanted.values();
    const work = async () => {
      for (const one of queue) {
        if (signal.aborted) {
          return;
        }
        const fault = await this.#writeOne(one, signal);
        if (fault !== undefined) {
          faults.add(fault);
        }
      }
    };
    await Promise.all(Array.from({ length: maxParallel }, work));
    for (const fault of faults) {
      if (!this.#faults.has(fault)) {
        this.#log.warn(fault);
      }
    }
    this.#faults = faults;
  }

  /** @returns the fault; undefined when the status is written, unchanged, or left to the next synchronisation */
  async #writeOne({ kind, object, status }: WantedStatus, signal: AbortSignal): Promise<string | undefined> {
    const present = (object as KubeObject & { readonly status?: object }).status ?? {};
    const changes = difference(present, status);
    if (Object.keys(changes).length === 0) {
      return undefined;
    }
    const { resourceVersion = "" } = object.metadata;
    // The patch names the version, so that parts which another controller writes meanwhile are not lost.
    const patch = { metadata: { resourceVersion }, status: changes };
    try {
      const answer = await this.#client.send("PATCH", this.#watch.statusPath(kind, object), patch, signal);
      this.#watch.put(kind, answer as KubeObject);
      return undefined;
    } catch (error) {
      // 409: another client changed the object first. 404: the object was deleted. The watch reports both, and the next
      // synchronisation decides again.
      const isNews = error instanceof KubeError && (error.status === 409 || error.status === 404);
      return isNews || signal.aborted
        ? undefined
        : `cannot write the status of ${idOf(kind, object)}: ${messageOf(error)}`;
    }
  }
}
