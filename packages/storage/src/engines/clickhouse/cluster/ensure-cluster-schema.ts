import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isAlterInTheWay, isReplicaThere } from "../clickhouse-errors.ts";
import type { ClusterSettings } from "../cluster-settings.ts";
import { schemaVersion, stepsFrom } from "../schema/migrations.ts";
import { withSchemaLock } from "../schema/schema-lock.ts";
import { attachSources } from "../schema/without-inserts.ts";
import {
  type ClusterStatement,
  clusterStatements,
  databaseStatement,
  distributedStatements,
  localSources,
  versionStatement,
} from "./cluster-statements.ts";
import { copySchema } from "./copy-schema.ts";
import { type HostState, hostStates, type LookLimits } from "./host-state.ts";
import { changedViews, replaceViews } from "./replace-views.ts";
import { isSettled, wantedLayout } from "./shard-layout.ts";

/** Limit for each statement in milliseconds; some copy stored rows into a new table. */
const statementTimeoutMs = 3_600_000;
/** Tries of a statement that meets the same change through another replica. */
const attempts = 40;
const attemptEveryMs = 250;

/** Addresses of servers with a fault, by the kind of the fault. */
export interface SeenHosts {
  /** They do not answer, or do not know us. */
  readonly away: readonly string[];
  /** They answer, and do not reach their Keeper. */
  readonly readOnly: readonly string[];
  /** They answer, and some of their tables take nothing, as their parts are not those that the Keeper knows. */
  readonly stray: readonly string[];
  /**
   * Servers that answer but have lost their tables. The Keeper remembers their replicas, so nobody can
   * recreate them.
   */
  readonly emptied: readonly string[];
}

/**
 * Brings all listed servers of a cluster to this version's schema. When they have it, this costs one look at
 * each. Servers that are down are left alone.
 * @throws StorageError as in `hostStates`
 */
export async function ensureClusterSchema(
  connection: ClickHouseConnection,
  database: string,
  cluster: ClusterSettings,
  look: LookLimits = {},
): Promise<SeenHosts> {
  const { signal } = look;
  const seen = await hostStates(connection, database, cluster, look);
  const [first] = seen.states;
  if (first === undefined || isDone(seen.states)) {
    return seenHosts(seen);
  }
  await first.connection.command(`CREATE DATABASE IF NOT EXISTS ${database}`, signal);
  return await withSchemaLock(
    first.connection,
    database,
    async () => {
      // Another process may have done it meanwhile.
      const { states, away } = await hostStates(connection, database, cluster, look);
      const emptied = isDone(states) ? [] : await migrate(states, database, cluster, signal);
      return seenHosts({ states, away }, emptied);
    },
    { signal },
  );
}

function seenHosts(
  { states, away }: { states: readonly HostState[]; away: readonly string[] },
  emptied: readonly HostState[] = [],
): SeenHosts {
  const urls = (hosts: readonly HostState[]) => hosts.map(({ url }) => url);
  return {
    away,
    readOnly: urls(states.filter(({ isReadOnly }) => isReadOnly)),
    stray: urls(states.filter(({ isStray }) => isStray)),
    emptied: urls(emptied),
  };
}

function isDone(states: readonly HostState[]): boolean {
  return states.every(({ version }) => version === schemaVersion) && isSettled(states);
}

/** @returns servers that cannot have their tables yet */
async function migrate(
  seen: readonly HostState[],
  database: string,
  cluster: ClusterSettings,
  signal: AbortSignal | undefined,
): Promise<readonly HostState[]> {
  for (const { connection } of seen) {
    await attachSources(connection, database, localSources);
  }
  const newest = Math.max(...seen.map(({ version }) => version));
  // An added shard gets the tables of another one, which may have columns of earlier versions.
  const versionOf = (hosts: readonly HostState[]) =>
    cluster.onCluster ? newest : Math.max(...hosts.map((host) => host.version)) || newest;
  const emptied: HostState[] = [];
  for (const hosts of Map.groupBy(seen, ({ shard }) => shard).values()) {
    emptied.push(...(await levelUp(seen, hosts, { database, version: versionOf(hosts), signal })));
  }
  const states = seen.filter((host) => !emptied.includes(host));
  if (isDone(states)) {
    return emptied;
  }
  const run = (hosts: readonly HostState[], sql: string) => runOn(hosts, sql, signal);
  const everywhere = (sql: string) => run(cluster.onCluster ? states.slice(0, 1) : states, sql);
  await everywhere(databaseStatement(database, cluster));
  const shards = [...Map.groupBy(states, ({ shard }) => shard).values()];
  const isNew = newest === 0 && !states.some(({ isBegun }) => isBegun);
  const stepsAfter = (version: number) =>
    stepsFrom(version, isNew).flatMap((step) =>
      clusterStatements(step.statements(database), database, cluster),
    );
  if (cluster.onCluster) {
    for (const { sql, copies } of stepsAfter(newest)) {
      await run(copies ? shards.flatMap((hosts) => hosts.slice(0, 1)) : states.slice(0, 1), sql);
    }
  } else {
    for (const hosts of shards) {
      await runSteps(hosts, stepsAfter(versionOf(hosts)), { database, run, signal });
    }
  }
  for (const sql of distributedStatements(database, cluster, wantedLayout(states))) {
    await everywhere(sql);
  }
  await everywhere(versionStatement(database, schemaVersion, cluster));
  return emptied;
}

/** How steps are run. */
interface RunOptions {
  /** Database of the spans. */
  readonly database: string;
  /** Runs a statement on servers, one after the other. */
  readonly run: (hosts: readonly HostState[], sql: string) => Promise<void>;
  /** Gives up between two statements. */
  readonly signal: AbortSignal | undefined;
}

/** Runs steps on the replicas of a shard: views are changed last, and all of them are made anew then. */
async function runSteps(
  hosts: readonly HostState[],
  steps: readonly ClusterStatement[],
  { database, run, signal }: RunOptions,
): Promise<void> {
  const queries = changedViews(steps);
  const ofViews = steps.filter(({ sql }) => changedViews([{ sql, copies: false }]).size > 0);
  for (const step of steps) {
    if (!ofViews.includes(step)) {
      // Statement by statement, so that all replicas make a table while it is the same everywhere.
      await run(step.copies ? hosts.slice(0, 1) : hosts, step.sql);
    }
  }
  if (queries.size === 0) {
    return;
  }
  for (const host of hosts) {
    if (!(await replaceViews(host.connection, database, queries, signal))) {
      for (const { sql } of ofViews) {
        await run([host], sql);
      }
    }
  }
}

/** The version that all hosts are brought to. */
interface LevelUpOptions {
  /** Database of the spans. */
  readonly database: string;
  /** Version that hosts are brought to. */
  readonly version: number;
  /** Gives up between two hosts. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Gives servers that are behind the tables of a server with this version, of the same shard if there is one.
 * @returns servers whose tables are lost while the Keeper knows them under their names; their shards continue
 *   without them
 */
async function levelUp(
  states: readonly HostState[],
  hosts: readonly HostState[],
  { database, version, signal }: LevelUpOptions,
): Promise<readonly HostState[]> {
  const leader = [...hosts, ...states].find((host) => host.version === version);
  if (leader === undefined || version === 0) {
    return [];
  }
  const emptied: HostState[] = [];
  for (const host of hosts) {
    if (host.version >= version) {
      continue;
    }
    try {
      await host.connection.command(`CREATE DATABASE IF NOT EXISTS ${database}`, signal);
      await copySchema(leader.connection, host.connection, database, signal);
    } catch (error) {
      if (!isReplicaThere(error) || !hosts.includes(leader)) {
        throw error;
      }
      emptied.push(host);
    }
  }
  return emptied;
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
        if (attempt === attempts || !isAlterInTheWay(error)) {
          throw error;
        }
        await sleep(attemptEveryMs);
      }
    }
  }
}
