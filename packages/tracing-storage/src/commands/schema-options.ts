import { z } from "zod";

export const schemaOptions = z.object({
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
  migrate: z.boolean().default(false).describe("Bring the tables of the servers to this program's version."),
  "add-shard": z
    .boolean()
    .default(false)
    .describe(
      "Take the next step towards one more shard of the cluster, if it is safe, and say what comes then.",
    ),
  "remove-shard": z
    .boolean()
    .default(false)
    .describe("Take the next step towards a cluster without its last shard."),
  check: z
    .boolean()
    .default(false)
    .describe("Compare the tables that are filled from spans with them, but for today and yesterday (UTC)."),
  repair: z.boolean().default(false).describe("With --check: add what is missing."),
  url: z
    .string()
    .transform((text): readonly string[] => text.split(/[,\s]+/).filter((part) => part !== ""))
    .prefault("")
    .describe("Servers whose tables are changed or checked; of a cluster all of them.")
    .meta({ placeholder: "url,…", repeatable: true }),
  user: z.string().default("default").describe("User name, where the address names none."),
  password: z.string().default("").describe("Password."),
  "password-file": z.string().default("").describe("File with the password in one line."),
});

export type SchemaOptions = z.infer<typeof schemaOptions>;
