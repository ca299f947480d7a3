import { StorageError } from "../../../api/storage-error.ts";
import type { HostState } from "./host-state.ts";

/** One shard in a server's `remote_servers`. */
export interface ViewedShard {
  /** Share of new spans. 0: the shard is being emptied. */
  readonly weight: number;
  /** Addresses as `host:port`, sorted. */
  readonly replicas: readonly string[];
}

/** The cluster in the configuration of one server. */
export interface ClusterView {
  /** Server that has this configuration. */
  readonly host: HostState;
  /** Shards in the order of their numbers. */
  readonly shards: readonly ViewedShard[];
  /**
   * Index, from 0, of the shard to which the server belongs. Undefined: the list does not contain the server itself.
   */
  readonly own: number | undefined;
}

/** Reads the shards of a cluster from `system.clusters` on one server. @throws StorageError */
export async function clusterView(
  host: HostState,
  cluster: string,
  signal?: AbortSignal,
): Promise<ClusterView> {
  type Row = { readonly weight: number; readonly replicas: string[]; readonly own: number };
  const rows = await host.connection.rows<Row>(
    `SELECT any(shard_weight) AS weight, arraySort(groupArray(concat(host_name, ':', toString(port)))) AS replicas, max(is_local) AS own
FROM system.clusters WHERE cluster = {cluster:String} GROUP BY shard_num ORDER BY shard_num`,
    { cluster },
    { signal },
  );
  const own = rows.findIndex((row) => row.own === 1);
  return { host, shards: rows, own: own === -1 ? undefined : own };
}

export function slotsOf(shards: readonly ViewedShard[]): number {
  return shards.reduce((sum, { weight }) => sum + weight, 0);
}

/**
 * The view of the servers with the longest list of shards. The lists of all other servers must be beginnings of this
 * list.
 * @param views views of at least one server
 * @throws StorageError STORAGE_REFUSED for contradicting configurations, and for servers that are not in their own list
 */
export function widestView(views: readonly ClusterView[]): readonly ViewedShard[] {
  const [widest] = [...views].sort((one, other) => other.shards.length - one.shards.length);
  const shards = widest?.shards ?? [];
  for (const { host, shards: seen } of views) {
    for (const [index, shard] of seen.entries()) {
      const [here, there] = [textOf(shard), textOf(shards[index])];
      if (here !== there) {
        refuse(
          `shard ${index + 1} is ${here} at ${host.url}, and ${there} at ${widest?.host.url}: a shard is added at the end, ` +
            "and those before it stay as they are, in the same order and words on every server",
        );
      }
    }
  }
  const servers = shards.reduce((sum, { replicas }) => sum + replicas.length, 0);
  if (servers !== views.length) {
    refuse(
      `the cluster has ${servers} servers by the configuration of ${widest?.host.url}, and ${views.length} are listed in --url: list them all, ` +
        "the new ones too",
    );
  }
  checkPlaces(views);
  return shards;
}

/**
 * Checks that replicas with the same macro `shard` are in the same configured shard, and that replicas with different
 * macros are not.
 */
function checkPlaces(views: readonly ClusterView[]): void {
  const byMacro = new Map<string, ClusterView>();
  const byPlace = new Map<number, ClusterView>();
  for (const view of views) {
    const { own, host } = view;
    if (own === undefined) {
      continue;
    }
    const [twin, neighbour] = [byMacro.get(host.shard), byPlace.get(own)];
    if (twin !== undefined && twin.own !== own) {
      refuse(
        `${host.url} and ${twin.host.url} have the macro shard "${host.shard}", but stand in shards ${own + 1} and ${(twin.own ?? 0) + 1} of the configuration`,
      );
    }
    if (neighbour !== undefined && neighbour.host.shard !== host.shard) {
      refuse(
        `${host.url} and ${neighbour.host.url} stand in shard ${own + 1} of the configuration, but their macros shard are "${host.shard}" and "${neighbour.host.shard}"`,
      );
    }
    byMacro.set(host.shard, view);
    byPlace.set(own, view);
  }
}

function textOf(shard: ViewedShard | undefined): string {
  return shard === undefined ? "nothing" : `${shard.replicas.join(", ")} (weight ${shard.weight})`;
}

function refuse(text: string): never {
  throw new StorageError("STORAGE_REFUSED", text);
}
