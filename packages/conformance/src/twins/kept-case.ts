import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { TwinCase } from "./twin-case.ts";
import type { Finding } from "./twin-run.ts";

const field = z.tuple([z.string(), z.string()]);
const request = z.strictObject({
  method: z.string(),
  target: z.string(),
  fields: z.array(field),
  body: z
    .strictObject({
      framing: z.enum(["length", "chunked"]),
      text: z.string(),
      claims: z.number().optional(),
      trailers: z.array(field).optional(),
    })
    .optional(),
  raw: z.string().optional(),
});
const exchange = z.strictObject({
  via: z.enum(["http", "https", "h2", "h2c"]),
  serverName: z.string(),
  requests: z.array(request),
  upstream: z.string().optional(),
  reads: z.literal("slow").optional(),
  writes: z.literal("slow").optional(),
  leaves: z.enum(["half-closed", "early"]).optional(),
  asks: z.literal("in turn").optional(),
});
const keptCase = z.strictObject({
  /** The difference that the case showed when it was found: the fact, and its request. */
  found: z.string(),
  theirs: z.string().optional(),
  ours: z.string().optional(),
  /** Lines of the site's text. */
  site: z.array(z.string()),
  steps: z.array(z.strictObject({ exchanges: z.array(exchange), reloads: z.boolean().optional() })),
});

/** A case in a file, which can be repeated. */
export interface KeptCase {
  readonly file: string;
  readonly found: string;
  readonly twinCase: TwinCase;
}

/** Writes a finding into a folder. @returns path of the file */
export function keepCase(folder: string, { signature, difference, twinCase }: Omit<Finding, "site">): string {
  mkdirSync(folder, { recursive: true });
  const words = signature
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60);
  const mark = createHash("sha256").update(JSON.stringify(twinCase)).digest("hex").slice(0, 6);
  const file = join(folder, `${words}-${mark}.json`);
  const content = {
    found: `${difference.path} of ${difference.request}`.slice(0, 300),
    theirs: difference.theirs?.slice(0, 2_000),
    ours: difference.ours?.slice(0, 2_000),
    site: twinCase.site.trimEnd().split("\n"),
    steps: twinCase.steps,
  };
  writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
  return file;
}

/** Reads a file, or all files of a folder. */
export function readCases(path: string): KeptCase[] {
  const files = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => name.endsWith(".json"))
        .sort()
        .map((name) => join(path, name))
    : [path];
  return files.map((file) => {
    const { found, site, steps } = keptCase.parse(JSON.parse(readFileSync(file, "utf8")));
    // The schema types optional members as possibly undefined, but JSON never has such a member.
    return { file, found, twinCase: { site: `${site.join("\n")}\n`, steps } as TwinCase };
  });
}
