import { open } from "node:fs/promises";
import { extname } from "node:path";
import type { LinkPattern } from "wire/link-template";
import { z } from "zod";
import { QueryError } from "../query-error.ts";

/** Maximum size of the file: 1 MiB. A larger file is an error, because a configuration of the UI is short. */
const maxFileBytes = 1_048_576;

const place = z.enum(["tags", "attributes", "process", "resource", "logs", "events", "traces"]);
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const patternSchema = z.object({
  type: z.union([place, z.array(place)]).optional(),
  key: z.union([z.string(), z.array(z.string())]).optional(),
  value: z.union([scalar, z.array(scalar)]).optional(),
  url: z.string(),
  text: z.string(),
});

/**
 * Reads `linkPatterns` of the UI's configuration. As in the UI, patterns with a mistake are left out.
 * @param path --query.ui-config; "" for none
 * @throws QueryError QUERY_UPSTREAM for a script, which only a browser can run, and for an unreadable file
 */
export async function readLinkPatterns(path: string): Promise<readonly LinkPattern[]> {
  if (path === "") {
    return [];
  }
  if (extname(path) !== ".json") {
    throw new QueryError(
      "QUERY_UPSTREAM",
      "the links are in a script of --query.ui-config, which only the UI can run: put linkPatterns into a .json file",
    );
  }
  try {
    const config: unknown = JSON.parse(await textOf(path));
    const { linkPatterns = [] } = z.object({ linkPatterns: z.array(z.unknown()).optional() }).parse(config);
    return linkPatterns.flatMap((one) => {
      const { data } = patternSchema.safeParse(one);
      return data === undefined ? [] : [data];
    });
  } catch (error) {
    throw new QueryError("QUERY_UPSTREAM", `the file of --query.ui-config: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function textOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > maxFileBytes) {
      throw new Error(`is over the limit of ${maxFileBytes} bytes`);
    }
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
