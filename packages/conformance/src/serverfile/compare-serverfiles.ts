import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { sendAdminRequest } from "../admin-api/comparison/admin-request.ts";
import { AdminServerProcess } from "../admin-api/comparison/admin-server-process.ts";
import { generateServerfile } from "./generate-serverfile.ts";
import { knownReason } from "./known-serverfile-differences.ts";
import { RandomSource } from "./random-source.ts";

/** A text for which the two servers have different results. */
export interface ServerfileDifference {
  readonly seed: number;
  readonly text: string;
  readonly theirs: string;
  readonly ours: string;
}

export interface ServerfileComparison {
  /** Texts that both servers accepted with the same result. */
  equal: number;
  /** Texts that both refused. */
  refused: number;
  /** Texts that both servers refused with the same words, except product names. */
  refusedAlike: number;
  /** Number of texts with a known difference, by reason. */
  readonly known: Map<string, number>;
  readonly differences: ServerfileDifference[];
}

const adapted = z.object({ result: z.unknown() });

interface Outcome {
  readonly status: number;
  readonly body: string;
  /** The config; undefined when the text was refused. */
  readonly config: unknown;
}

async function adapt(server: AdminServerProcess, text: string): Promise<Outcome> {
  const headers = { "Content-Type": "text/caddyfile" };
  const answer = await sendAdminRequest(server.port, {
    method: "POST",
    target: "/adapt",
    headers,
    body: text,
  });
  // Each server has its own admin address, and adds this address to a text that has none.
  const body = answer.body
    .replaceAll("Caddyfile", "Serverfile")
    .replaceAll("caddyfile", "serverfile")
    .replaceAll(`127.0.0.1:${server.port}`, "localhost:2019");
  const config = answer.status === 200 ? adapted.parse(JSON.parse(body)).result : undefined;
  return { status: answer.status, body, config };
}

/** The text of a refusal, without words that only one of the two servers writes. */
function words(body: string): string {
  return body
    .replace(/"error":"(.*)"/s, "$1")
    .replaceAll("caddy.", "")
    .replace(/strconv\.\w+: /g, "");
}

/**
 * Adapts the same generated texts with the public model and with our server.
 * @param program of the public model
 * @param seed seed of the first text; each further text has the next seed
 */
export async function compareServerfiles(
  program: string,
  count: number,
  seed: number,
): Promise<ServerfileComparison> {
  const comparison: ServerfileComparison = {
    equal: 0,
    refused: 0,
    refusedAlike: 0,
    known: new Map(),
    differences: [],
  };
  const theirs = await AdminServerProcess.start(program);
  try {
    const ours = await AdminServerProcess.start();
    try {
      for (let each = seed; each < seed + count; each++) {
        const text = generateServerfile(new RandomSource(each));
        const [their, our] = await Promise.all([adapt(theirs, text), adapt(ours, text)]);
        if (their.config === undefined && our.config === undefined && our.status === 400) {
          comparison.refused++;
          comparison.refusedAlike += words(their.body) === words(our.body) ? 1 : 0;
        } else if (their.config !== undefined && isDeepStrictEqual(their.config, our.config)) {
          comparison.equal++;
        } else {
          const difference = { seed: each, text, theirs: their.body, ours: our.body };
          const reason = knownReason(difference);
          if (reason === undefined) {
            comparison.differences.push(difference);
          } else {
            comparison.known.set(reason, (comparison.known.get(reason) ?? 0) + 1);
          }
        }
      }
    } finally {
      await ours.close();
    }
  } finally {
    await theirs.close();
  }
  return comparison;
}
