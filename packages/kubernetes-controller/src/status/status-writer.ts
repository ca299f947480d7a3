import { isDeepStrictEqual } from "node:util";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { ClusterWatch } from "../cluster/cluster-watch.ts";
import { type KubeClient, KubeError } from "../cluster/kube-client.ts";
import { idOf, type KubeObject } from "../cluster/kube-object.ts";
import type { WantedStatus } from "./wanted-statuses.ts";

/** Requests under way at most. */
const maxParallel = 8;

/** The members of a status that are not as they should be. */
function difference(present: object, wanted: object): object {
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => !isDeepStrictEqual(plain((present as Record<string, unknown>)[name]), plain(value)),
    ),
  );
}

/** Without members that are undefined, as JSON has it; an empty list is as good as none. */
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

  /** A status that cannot be written costs only itself. */
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

  /** @returns the fault, undefined when the status is as it should be */
  async #writeOne({ kind, object, status }: WantedStatus, signal: AbortSignal): Promise<string | undefined> {
    const present = (object as KubeObject & { readonly status?: object }).status ?? {};
    const changes = difference(present, status);
    if (Object.keys(changes).length === 0) {
      return undefined;
    }
    const { resourceVersion = "" } = object.metadata;
    // With the version, so that parts which another controller writes meanwhile are not lost.
    const patch = { metadata: { resourceVersion }, status: changes };
    try {
      const answer = await this.#client.send("PATCH", this.#watch.statusPath(kind, object), patch, signal);
      this.#watch.put(kind, answer as KubeObject);
      return undefined;
    } catch (error) {
      // 409: somebody was faster, and 404: it is gone. The watch brings the news, and the next look decides anew.
      const isNews = error instanceof KubeError && (error.status === 409 || error.status === 404);
      return isNews || signal.aborted
        ? undefined
        : `cannot write the status of ${idOf(kind, object)}: ${messageOf(error)}`;
    }
  }
}
