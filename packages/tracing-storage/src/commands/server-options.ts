import { StartError, secretOf } from "lifecycle";
import { z } from "zod";

/** Options of commands that talk to a running server. */
export const serverOptions = z.object({
  url: z.string().default("http://127.0.0.1:8123").describe("The server, tracing-storage or ClickHouse."),
  database: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a plain name: letters, digits and _")
    .default("tracing")
    .describe("Database of the spans."),
  user: z.string().default("default").describe("User name."),
  password: z.string().default("").describe("Password."),
  "password-file": z.string().default("").describe("File with the password in one line."),
});

export type ServerOptions = z.infer<typeof serverOptions>;

/** A running server over HTTP. */
export class Server {
  readonly #url: URL;
  readonly #headers: Record<string, string>;

  /** @throws StartError for an invalid address, an unreadable password file, or two sources of the password */
  constructor(options: ServerOptions) {
    const url = URL.parse(options.url);
    if (url === null || !/^https?:$/.test(url.protocol)) {
      throw new StartError(`option --url: "${options.url}" is not an address such as http://127.0.0.1:8123`);
    }
    this.#url = url;
    this.#headers = {
      "X-ClickHouse-User": options.user,
      "X-ClickHouse-Key": secretOf(options, "password"),
    };
  }

  /**
   * @param search URL parameters: settings, `param_x`, `query`
   * @throws StartError with the server's text
   */
  async send(search: Readonly<Record<string, string>>, body: string | Buffer): Promise<Response> {
    const url = new URL(this.#url);
    for (const [key, value] of Object.entries(search)) {
      url.searchParams.set(key, value);
    }
    let response: Response;
    try {
      response = await fetch(url, {
        method: "POST",
        headers: this.#headers,
        body: typeof body === "string" ? body : new Uint8Array(body),
      });
    } catch (error) {
      const cause = (error as Error).cause;
      throw new StartError(
        `${this.#url.origin} cannot be reached: ${cause instanceof Error ? cause.message : (error as Error).message}`,
        { cause: error },
      );
    }
    if (!response.ok) {
      throw new StartError(`${this.#url.origin}: ${(await response.text()).trim()}`);
    }
    return response;
  }

  /** Reads a short answer as rows. */
  async rows<Row>(sql: string, search: Readonly<Record<string, string>> = {}): Promise<Row[]> {
    const response = await this.send({ ...search, default_format: "JSONEachRow" }, sql);
    return (await response.text())
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Row);
  }
}

/**
 * Ephemeral columns, from which stored columns are computed. The key is the column's name in older tables: values of an
 * exported column `x` are inserted as `in_x` if the table has no column `x`.
 */
export async function columnsTakenAs(
  server: Server,
  database: string,
  table: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await server.rows<{ name: string }>(
    "SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String} " +
      "AND default_kind = 'EPHEMERAL'",
    { param_database: database, param_table: table },
  );
  return new Map(rows.map(({ name }) => [name.replace(/^in_/, ""), name]));
}

/** The stored columns of a table, in order. @throws StartError when the table does not exist */
export async function storedColumns(server: Server, database: string, table: string): Promise<string[]> {
  const rows = await server.rows<{ name: string }>(
    "SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String} " +
      "AND default_kind NOT IN ('EPHEMERAL', 'ALIAS', 'MATERIALIZED') ORDER BY position",
    { param_database: database, param_table: table },
  );
  if (rows.length === 0) {
    throw new StartError(`there is no table ${database}.${table}`);
  }
  return rows.map(({ name }) => name);
}
