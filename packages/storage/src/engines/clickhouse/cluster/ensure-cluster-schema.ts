import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isAlterInTheWay } from "../clickhouse-errors.ts";
import { schemaVersion, stepsFrom } from "../schema/migrations.ts";
import type { ClusterSettings } from "./cluster-settings.ts";
import {
  clusterStatements,
  databaseStatement,
  distributedStatements,
  versionStatement,
} from "./cluster-statements.ts";
import { copySchema } from "./copy-schema.ts";
import { type HostState, hostStates } from "./host-state.ts";
import { withSchemaLock } from "./schema-lock.ts";
import { isSettled, wantedLayout } from "./shard-layout.ts";

/** Of each statement: some copy what is stored into a new table. */
const statementTimeoutMs = 3_600_000;
/** Of one that meets the same change made through another replica. */
const attempts = 40;
const attemptEveryMs = 250;

/** Addresses of servers with which something is wrong. */
export interface SeenHosts {
  /** They do not answer, or do not know us. */
  readonly away: readonly string[];
  /** They answer, and do not reach their Keeper. */
  readonly readOnly: readonly string[];
}

/**
 * Brings all listed servers of a cluster to the schema of this code; one look at each when they have it already. Servers
 * that are away are left as they are.
 * @throws StorageError as `hostStates` says
 */
export async function ensureClusterSchema(
  connection: ClickHouseConnection,
  database: string,
  cluster: ClusterSettings,
  signal?: AbortSignal,
): Promise<SeenHosts> {
  const seen = await hostStates(connection, database, cluster, signal);
  const [first] = seen.states;
  if (first === undefined || isDone(seen.states)) return seenHosts(seen);
  await first.connection.command(`CREATE DATABASE IF NOT EXISTS ${database}`, signal);
  return await withSchemaLock(
    first.connection,
    database,
    async () => {
      // Another process may have done it meanwhile.
      const { states, away } = await hostStates(connection, database, cluster, signal);
      if (!isDone(states)) await migrate(states, database, cluster, signal);
      return seenHosts({ states, away });
    },
    signal,
  );
}

function seenHosts({ states, away }: { states: readonly HostState[]; away: readonly string[] }): SeenHosts {
  return { away, readOnly: states.filter(({ isReadOnly }) => isReadOnly).map(({ url }) => url) };
}

function isDone(states: readonly HostState[]): boolean {
  return states.every(({ version }) => version === schemaVersion) && isSettled(states);
}

async function migrate(
  states: readonly HostState[],
  database: string,
  cluster: ClusterSettings,
  signal: AbortSignal | undefined,
): Promise<void> {
  const run = (hosts: readonly HostState[], sql: string) => runOn(hosts, sql, signal);
  const everywhere = (sql: string) => run(cluster.onCluster ? states.slice(0, 1) : states, sql);
  await everywhere(databaseStatement(database, cluster));
  const newest = Math.max(...states.map(({ version }) => version));
  const shards = [...Map.groupBy(states, ({ shard }) => shard).values()];
  const isNew = newest === 0 && !states.some(({ isBegun }) => isBegun);
  const stepsAfter = (version: number) =>
    stepsFrom(version, isNew).flatMap((step) =>
      clusterStatements(step.statements(database), database, cluster),
    );
  if (cluster.onCluster) {
    for (const hosts of shards) await levelUp(states, hosts, database, newest, signal);
    for (const { sql, copies } of stepsAfter(newest)) {
      await run(copies ? shards.flatMap((hosts) => hosts.slice(0, 1)) : states.slice(0, 1), sql);
    }
  } else {
    for (const hosts of shards) {
      // A shard that is added gets the tables of another one, which may have columns from versions before.
      const version = Math.max(...hosts.map((host) => host.version)) || newest;
      await levelUp(states, hosts, database, version, signal);
      for (const { sql, copies } of stepsAfter(version)) {
        // Statement by statement, so that all replicas make a table while it is the same everywhere.
        await run(copies ? hosts.slice(0, 1) : hosts, sql);
      }
    }
  }
  for (const sql of distributedStatements(database, cluster, wantedLayout(states))) await everywhere(sql);
  await everywhere(versionStatement(database, schemaVersion, cluster));
}

/** Gives the servers of a shard that are behind what one with this version has: one of the same shard if there is. */
async function levelUp(
  states: readonly HostState[],
  hosts: readonly HostState[],
  database: string,
  version: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const leader = [...hosts, ...states].find((host) => host.version === version);
  if (leader === undefined || version === 0) return;
  for (const host of hosts) {
    if (host.version < version) {
      await host.connection.command(`CREATE DATABASE IF NOT EXISTS ${database}`, signal);
      await copySchema(leader.connection, host.connection, database, signal);
    }
  }
}

async function runOn(
  hosts: readonly HostState[],
  sql: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { connection } of hosts) {
    for (let attempt = 1; ; attempt++) {
      try {
        await connection.longCommand(sql, statementTimeoutMs, signal);
        break;
      } catch (error) {
        if (attempt === attempts || !isAlterInTheWay(error)) throw error;
        await sleep(attemptEveryMs);
      }
    }
  }
}
