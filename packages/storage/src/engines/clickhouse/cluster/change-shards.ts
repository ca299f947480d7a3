import { StorageError } from "../../../api/storage-error.ts";
import { ClickHouseConnection } from "../clickhouse-connection.ts";
import { clickHouseSettings } from "../clickhouse-settings.ts";
import type { ClickHouseStoreOptions } from "../clickhouse-store-options.ts";
import type { ClusterSettings } from "../cluster-settings.ts";
import { withSchemaLock } from "../schema/schema-lock.ts";
import { checkCluster } from "./cluster-query-settings.ts";
import { distributedStatements } from "./cluster-statements.ts";
import { type ClusterView, clusterView, slotsOf, type ViewedShard, widestView } from "./cluster-view.ts";
import { ensureClusterSchema } from "./ensure-cluster-schema.ts";
import { type HostState, hostStates, patientLookMs } from "./host-state.ts";
import { type ShardLayout, shardingKey } from "./shard-layout.ts";

/** The state of a change of the shards. */
export interface ShardChange {
  /** The present state and the completed steps, as sentences for users. */
  readonly done: readonly string[];
  /** The next step, and who must perform it. Undefined: the change is complete. */
  readonly next: string | undefined;
}

/** Days until tables forget the token of a block. After that a repeated block could be stored twice. */
const tokenDays = 7;
/** Minimum number of hours between the announcement of a day of change to all servers and the start of this day. */
const leastHours = 1;

interface Change {
  /** `add`: a shard joins. `remove`: the last shard leaves. */
  readonly kind: "add" | "remove";
  readonly database: string;
  readonly cluster: ClusterSettings;
  /** The cluster as each server sees it. The views must agree before a change. */
  readonly views: readonly ClusterView[];
  /** Shards, as the servers with the longest list of shards see them. */
  readonly shards: readonly ViewedShard[];
  /** Time of a server's clock in UTC: days since 1970, and hour of the day. */
  readonly now: { readonly day: number; readonly hour: number };
}

/**
 * Takes a cluster one step closer to having one more shard, or one shard less. It reads the state of every server,
 * makes the changes that are safe now, and reports the next step. It may run any number of times. From a fixed day
 * (UTC) on, received spans are distributed over the new number of shards. The token of a block contains the day, so a
 * repeated block goes to the same shards.
 * @throws StorageError STORAGE_UNAVAILABLE when a server is down; STORAGE_REFUSED when the configurations make the
 * change unsafe
 */
export async function changeShards(
  options: ClickHouseStoreOptions,
  kind: "add" | "remove",
  signal?: AbortSignal,
): Promise<ShardChange> {
  const settings = clickHouseSettings(options);
  const { database } = settings;
  const { cluster } = options;
  if (cluster === undefined) {
    throw new StorageError("STORAGE_REFUSED", "a single server has no shards");
  }
  checkCluster(cluster);
  const connection = new ClickHouseConnection(settings);
  try {
    const seen = await allStates(connection, database, cluster, signal);
    const views = await Promise.all(seen.map((host) => clusterView(host, cluster.name, signal)));
    const shards = widestView(views);
    // Statements go to each server without ON CLUSTER, because old servers do not know the new servers yet.
    const { emptied } = await ensureClusterSchema(
      connection,
      database,
      { ...cluster, onCluster: false },
      { signal, longestMs: patientLookMs },
    );
    if (emptied.length > 0) {
      refuse(`${emptied.join(", ")} lost its tables: SYSTEM DROP REPLICA first, see docs/scale.md`);
    }
    const states = await allStates(connection, database, cluster, signal);
    const layout = commonLayout(states);
    const now = await timeOf(states, signal);
    const change: Change = { kind, database, cluster, views, shards, now };
    return await step(change, states, layout, signal);
  } finally {
    await connection.close();
  }
}

async function step(
  change: Change,
  states: readonly HostState[],
  layout: ShardLayout,
  signal: AbortSignal | undefined,
): Promise<ShardChange> {
  const { kind, shards, views, now } = change;
  const { slots, next } = layout;
  const all = slotsOf(shards);
  const isGrowing = (next?.slots ?? slots) > slots;
  if (next === undefined && kind === "add" && slots >= all) {
    return {
      done: [`spans are spread over all ${shards.length} shards that the servers know of`],
      next: "to add one, start its servers with the whole cluster in remote_servers, the new shard at the end, and list them in --url too",
    };
  }
  if (next !== undefined && isGrowing !== (kind === "add")) {
    refuse(`the shards change already, the other way, from ${next.day} on: end that first`);
  }
  if (next === undefined) {
    const narrow = views.filter((view) => view.shards.length < shards.length);
    if (kind === "add" && narrow.length > 0) {
      return {
        done: [`all ${states.length} servers have the tables; the new shard gets no spans yet`],
        next: `add the new shard at the end of remote_servers of ${narrow.map(({ host }) => host.url).join(", ")}, one server after the other; then run this again`,
      };
    }
    const target = kind === "add" ? all : slots - (shards.at(-1)?.weight ?? 0);
    if (slots < all && kind === "remove") {
      return await afterRemoval(change, states, signal);
    }
    if (target < 1) {
      refuse("this is the only shard");
    }
    const day = dayText(now.day + (now.hour >= 24 - leastHours ? 2 : 1));
    await spread(change, states, { slots, next: { day, slots: target } }, signal);
    return {
      done: [`on all ${states.length} servers: ${meaning({ slots, next: { day, slots: target } })}`],
      next: `run this again ${tokenDays} days after ${day}, so that a trace is asked of one shard again${kind === "add" ? "; list the new servers in --clickhouse.url of every process" : ""}`,
    };
  }
  const end = dayNumber(next.day) + tokenDays;
  if (now.day < end) {
    return {
      done: [meaning(layout)],
      next: `nothing until ${dayText(end)}: blocks of before may still be sent again`,
    };
  }
  await spread(change, states, { slots: next.slots }, signal);
  const ended = `on all ${states.length} servers: ${meaning({ slots: next.slots })}`;
  if (kind === "add") {
    return { done: [ended, "the shard is added"], next: undefined };
  }
  const { done, next: then } = await afterRemoval(change, states, signal);
  return { done: [ended, ...done], next: then };
}

/** Creates the tables of a layout on every server, then checks that all servers have the tables. */
async function spread(
  { database, cluster }: Change,
  states: readonly HostState[],
  layout: ShardLayout,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [first] = states;
  if (first === undefined) {
    return;
  }
  await withSchemaLock(
    first.connection,
    database,
    async () => {
      for (const { connection } of states) {
        for (const sql of distributedStatements(database, { ...cluster, onCluster: false }, layout)) {
          await connection.command(sql, signal);
        }
      }
    },
    { signal },
  );
  for (const { connection, url } of states) {
    const { states: after } = await hostStates(connection, database, cluster, {
      signal,
      longestMs: patientLookMs,
    });
    if (after.some((state) => shardingKey(state.layout) !== shardingKey(layout))) {
      refuse(`${url} did not take the change: run this again`);
    }
  }
}

/** Reports the data that remains in the removed shard, which gets no new spans. */
async function afterRemoval(
  { shards, database }: Change,
  states: readonly HostState[],
  signal: AbortSignal | undefined,
): Promise<ShardChange> {
  const last = shards.length - 1;
  type Row = { readonly spans: string | number; readonly day: string };
  const [row] = (await states[0]?.connection.rows<Row>(
    `SELECT count() AS spans, max(received) AS day FROM ${database}.spans WHERE _shard_num = ${last + 1}`,
    {},
    { signal },
  )) ?? [undefined];
  const left = Number(row?.spans ?? 0);
  if (left > 0) {
    return {
      done: [`shard ${last + 1} gets no more spans, and has ${left} yet, the last ones of ${row?.day}`],
      next: "wait until retention has dropped them; then run this again",
    };
  }
  return {
    done: [`shard ${last + 1} is empty, and gets no more spans`],
    next: "leave its servers out of --clickhouse.url, then out of remote_servers of the others; then stop them",
  };
}

async function allStates(
  connection: ClickHouseConnection,
  database: string,
  cluster: ClusterSettings,
  signal: AbortSignal | undefined,
): Promise<readonly HostState[]> {
  const { states, away } = await hostStates(connection, database, cluster, {
    signal,
    longestMs: patientLookMs,
  });
  if (away.length > 0) {
    throw new StorageError("STORAGE_UNAVAILABLE", `away: ${away.join(", ")}; all servers must be there`);
  }
  return states;
}

/** @throws StorageError STORAGE_REFUSED when servers have different layouts */
function commonLayout(states: readonly HostState[]): ShardLayout {
  const [first] = states;
  const other = states.find(({ layout }) => shardingKey(layout) !== shardingKey(first?.layout));
  if (first?.layout === undefined || other !== undefined) {
    const texts = states.map(({ url, layout, slots }) => `${url}: ${shardingKey(layout)}, of ${slots}`);
    refuse(`servers spread spans in different ways, and none of them is newer: ${texts.join("; ")}`);
  }
  return first?.layout as ShardLayout;
}

async function timeOf(states: readonly HostState[], signal: AbortSignal | undefined): Promise<Change["now"]> {
  const sql = "SELECT toUInt32(intDiv(toUnixTimestamp(now()), 3600)) AS hours";
  const rows = await Promise.all(
    states.map(({ connection }) => connection.rows<{ hours: number }>(sql, {}, { signal })),
  );
  const hours = Math.max(...rows.map(([row]) => row?.hours ?? 0));
  return { day: Math.floor(hours / 24), hour: hours % 24 };
}

function meaning({ slots, next }: ShardLayout): string {
  if (next === undefined) {
    return `spans are spread over ${slots}`;
  }
  return `spans received before ${next.day} (UTC) are spread over ${slots}, those from then on over ${next.slots}`;
}

function dayNumber(day: string): number {
  return Date.parse(day) / 86_400_000;
}

function dayText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

function refuse(text: string): never {
  throw new StorageError("STORAGE_REFUSED", text);
}
