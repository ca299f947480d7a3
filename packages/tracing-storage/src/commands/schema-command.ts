import { type ProcessCommand, parseOptions } from "lifecycle";
import { clusterSchemaStatements, schemaStatements } from "storage/clickhouse";
import { z } from "zod";

const schemaOptions = z.object({
  database: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a plain name: letters, digits and _")
    .default("tracing")
    .describe("Database of the spans."),
  cluster: z
    .string()
    .regex(/^[A-Za-z0-9_-]{0,64}$/, "is not up to 64 letters, digits, _ and -")
    .default("")
    .describe("Cluster, by its name in the servers' configuration; empty: one server."),
  replicated: z.boolean().default(true).describe("Tables of a cluster are replicated."),
  "on-cluster": z
    .boolean()
    .default(false)
    .describe("Statements with ON CLUSTER, to be run on one server, rather than on each."),
});

/**
 * `schema`: the statements that make the tables of spans, as collector and query run them by themselves. It needs no
 * server: it is for those who prepare one.
 */
export const schemaCommand: ProcessCommand = {
  name: "schema",
  meaning:
    "Print the SQL that makes the tables of spans: schema [--database tracing] [--cluster NAME [--replicated=false] [--on-cluster]].",
  async run(args) {
    const { options } = parseOptions(schemaOptions, { arguments: args, environment: {} });
    const { database, cluster } = options;
    const statements =
      cluster === ""
        ? schemaStatements(database)
        : clusterSchemaStatements(database, {
            name: cluster,
            isReplicated: options.replicated,
            onCluster: options["on-cluster"],
            insertQuorum: 0,
          });
    process.stdout.write(`${statements.join(";\n\n")};\n`);
    return 0;
  },
};
