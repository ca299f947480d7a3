import { type ProcessCommand, parseOptions, StartError, secretOf } from "lifecycle";
import { StorageError } from "storage/api";
import { clusterSchemaStatements, schemaStatements } from "storage/clickhouse";
import { changeOnServers } from "./schema-on-servers.ts";
import { type SchemaOptions, schemaOptions } from "./schema-options.ts";

/**
 * `schema`: prints the statements that create the tables of spans, for operators who prepare a server; this needs no
 * server. Collector and query service run the same statements themselves. With options such as `--migrate`, it runs the
 * necessary statements on the servers in `--url`.
 */
export const schemaCommand: ProcessCommand = {
  name: "schema",
  meaning:
    "Print the SQL that makes the tables of spans, or change them: schema [--database tracing] [--cluster NAME] [--migrate | --add-shard | --remove-shard | --check [--repair]] [--url URL,…].",
  options: schemaOptions,
  async run(args) {
    const { options } = parseOptions(schemaOptions, { arguments: args, environment: {} });
    const asked = askedOf(options);
    if (asked === undefined) {
      if (options.url.length > 0) {
        throw new StartError("schema: --url goes with --migrate, --add-shard, --remove-shard or --check");
      }
      process.stdout.write(`${printed(options).join(";\n\n")};\n`);
      return 0;
    }
    if (options.repair && asked !== "check") {
      throw new StartError("schema: --repair goes with --check");
    }
    const { database, url: urls, user, repair } = options;
    if (urls.length === 0) {
      throw new StartError(`schema --${asked}: name the servers with --url`);
    }
    const password = secretOf(options, "password");
    try {
      const { lines, isDone } = await changeOnServers(
        asked,
        {
          ...{ urls, user, password, database, cluster: clusterOf(options) },
        },
        repair,
      );
      process.stdout.write(`${lines.join("\n")}\n`);
      return isDone ? 0 : 1;
    } catch (error) {
      if (!(error instanceof StorageError)) {
        throw error;
      }
      throw new StartError(`schema --${asked}: ${error.message}`, { cause: error });
    }
  },
};

const changes = ["migrate", "add-shard", "remove-shard", "check"] as const;

/** @throws StartError when more than one option is given */
function askedOf(options: SchemaOptions): (typeof changes)[number] | undefined {
  const [first, second] = changes.filter((name) => options[name]);
  if (second !== undefined) {
    throw new StartError(`schema: --${first} and --${second} go one after the other`);
  }
  return first;
}

function clusterOf(options: SchemaOptions) {
  if (options.cluster === "") {
    return undefined;
  }
  return {
    name: options.cluster,
    isReplicated: options.replicated,
    onCluster: options["on-cluster"],
    insertQuorum: 0,
  };
}

function printed(options: SchemaOptions): string[] {
  const cluster = clusterOf(options);
  return cluster === undefined
    ? schemaStatements(options.database)
    : clusterSchemaStatements(options.database, cluster);
}
